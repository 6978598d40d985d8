"""What the pages show, and what their forms do: each once, and written into the audit log."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.jobs.prune import Walk, prune_once
from bot.ledger.leases import ROUNDS
from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.retention import Keep
from guardrails.switches import Switch
from guardrails.transitions import Reason
from tests.bot.ledger.steps import STARTS, skipped
from tests.console.conftest import Served
from tests.console.visitors import Visitor
from tests.mentions import OPERATOR

EVIL = '<img src=x onerror=alert(1)>\u202e\x1b]0;pwn\x07" javascript:alert(1)'
HARMLESS = "&lt;img src=x onerror=alert(1)&gt;\\u202e\\x1b]0;pwn\\x07&#34; javascript:alert(1)"
LANE = {"name": "spare box", "role": "lane", "prefix": "https://apps.example/", "lasts": "30d", "lease": "10m"}


@pytest.fixture
def rules(tmp_path: Path) -> RulesFile:
    file = tmp_path / "guardrails.toml"
    file.write_text("[caps]\nauthor_per_hour = 2\n")
    return RulesFile(file)


def actions(ledger: Ledger) -> list[tuple[str, str]]:
    """What is in the audit log, the sign-ins and the devices of the visitors left out."""
    rows = ledger.audit.rows(None, 100)
    return [(row.action, row.target) for row in rows if row.action != "sign_in" and row.device != OPERATOR.device]


def text_of(page: str, name: str) -> str:
    """What a section of a page says."""
    section = page.partition(f'id="{name}" class="card">')[2].partition("</section>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", section).split())


def test_the_first_page_tells_how_the_bot_is(ledger: Ledger, viewer: Visitor) -> None:
    """Counts with links to their lists, piles with their command, lanes, budgets, switches, and what is wrong."""
    ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "spare box", Role.LANE, "https://apps.example/", "token")
    for number, start in enumerate(STARTS.values()):
        start(ledger, f"3kdoc{number}")
    ledger.conditions.set("account", "the account is labelled spam")
    ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "an incident")
    ledger.leases.take(ROUNDS, "box:7:ab", timedelta(minutes=5))
    page = viewer.get("/").text
    assert ledger.db.is_sqlite != ("This bot stands by: box:7:ab does the rounds" in page)

    assert all(f'href="/console/documents?status={status.value}"' in page for status in STARTS)
    for told in ("the account is labelled spam", "an incident", "spare box", "skywright lanes", "of 4,500", "of $5.00"):
        assert told in page
    assert 'method="post"' not in page.partition("<main")[2]
    assert viewer.part("/").text.startswith('<div id="now"')


def test_the_first_page_tells_what_is_kept_no_more(ledger: Ledger, viewer: Visitor) -> None:
    """When that was last seen to, and what went lately."""
    before = viewer.get("/").text
    for number in range(2):
        ledger.sightings.liked(skipped(ledger, f"3kold{number}", Reason.NOT_OURS))
    prune_once(ledger, Keep(posts=timedelta()), Walk())
    after = viewer.get("/").text

    assert [1, 1] == [each.count('id="retention"') for each in (before, after)]
    assert "Last seen to: never" in text_of(before, "retention")
    assert "nothing" in text_of(before, "retention")
    assert "ago" in text_of(after, "retention")
    assert "2 posts" in text_of(after, "retention")


def test_switches_are_turned_with_a_reason(ledger: Ledger, operator: Visitor) -> None:
    """One or all of them; without a reason nothing is, and a switch that is on already stays as it is."""
    assert 422 == operator.post("/pause", {"switch": "all", "why": " "}).status_code
    assert 422 == operator.post("/pause", {"switch": "everything", "why": "x"}).status_code
    assert 422 == operator.post("/pause", {"switch": "pause_replies", "now": "on", "why": "x"}).status_code
    operator.post("/pause", {"switch": "pause_builds", "why": "first"})
    paused = operator.post("/pause", {"switch": "all", "why": "an incident", "now": "on"})
    assert (303, "/console/") == (paused.status_code, paused.headers["Location"])

    assert {switch: "first" if switch is Switch.PAUSE_BUILDS else "an incident" for switch in Switch} == {
        switch: why for switch, _, why, _ in ledger.desk.switches_on()
    }
    operator.post("/resume", {"switch": "pause_builds"})
    operator.post("/resume", {"switch": "pause_builds"})
    assert [("resume", "pause_builds"), ("pause", "pause_replies")] == actions(ledger)[:2]


def test_what_became_of_a_form_is_said_once(operator: Visitor) -> None:
    """By a cookie that only this session's secret makes: nobody else puts words on a page."""
    paused = operator.post("/pause", {"switch": "pause_ingest", "why": "x"})
    cookie = paused.headers["Set-Cookie"].partition(";")[0]
    session = operator.http.headers["Cookie"]
    page = operator.get("/", headers={"Cookie": f"{session}; {cookie}"})
    forged = operator.get("/", headers={"Cookie": f"{session}; {cookie.replace('said=', 'said=A')}"})

    assert "Paused: reading mentions." in page.text
    assert 'skywright-said=""' in page.headers["Set-Cookie"]
    assert 'role="status">Paused' not in forged.text


def test_a_device_is_added_once_and_its_token_shown_once(console: Served, operator: Visitor) -> None:
    """Pressed twice, the second leads back; no cache keeps the page."""
    added = operator.post("/devices/add", LANE | {"action": "one-press"})
    again = operator.post("/devices/add", LANE | {"action": "one-press"}, Referer=f"{console.url}/devices")
    [token] = re.findall(r"sw_[\w-]{43}", added.text)

    assert (201, "no-store", 303, "/console/devices") == (
        added.status_code,
        added.headers["Cache-Control"],
        again.status_code,
        again.headers["Location"],
    )
    device = console.ledger.desk.device_of_token(token)
    assert device is not None
    assert ("spare box", Role.LANE, "https://apps.example/", 600) == (
        device.name,
        device.role,
        device.allowed_prefix,
        device.longest_lease_seconds,
    )
    assert ["add_device"] == [action for action, _ in actions(console.ledger)]
    assert token not in operator.get("/devices").text


def test_a_lane_is_invited(console: Served, operator: Visitor) -> None:
    """By a code that is good once."""
    invited = operator.post("/devices/invite", LANE | {"lasts": "1h"})
    [code] = re.findall(r"swi_[\w-]{43}", invited.text)

    assert "skywright-builder enrol CODE" in invited.text
    assert console.ledger.enrolments.accept(code, DeviceId("lane-new"), "its token")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/devices/add", {"name": ""}),
        ("/devices/add", {"role": "bot"}),
        ("/devices/add", {"prefix": "javascript:alert(1)"}),
        ("/devices/add", {"lasts": "9000d"}),
        ("/devices/add", {"lease": "1s"}),
        ("/devices/invite", {"lasts": "365d"}),
    ],
)
@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_a_device_that_makes_no_sense_is_refused(operator: Visitor, path: str, fields: dict[str, str]) -> None:
    """With what is wrong about it."""
    assert 422 == operator.post(path, LANE | {"lasts": "1h"} | fields).status_code


def test_a_device_is_revoked_with_its_sessions(console: Served, operator: Visitor, viewer: Visitor) -> None:
    """Who is signed in by it is signed out at once."""
    operator.post("/devices/revoke", {"device": "viewer-2"})

    assert 401 == viewer.part("/").status_code
    assert [("revoke_device", "viewer-2")] == actions(console.ledger)
    assert "There is no live device viewer-2." in followed(operator, "/devices/revoke", {"device": "viewer-2"})


def test_a_session_is_ended(console: Served, operator: Visitor, viewer: Visitor) -> None:
    """By an operator; whoever had it reads why."""
    [of_viewer] = [each for each in console.ledger.consoles.sessions() if each.role is Role.VIEWER]
    assert f"Session {of_viewer.id} is over." in followed(operator, "/sessions/revoke", {"session": of_viewer.id})
    assert f"Session {of_viewer.id} was over already." in followed(
        operator, "/sessions/revoke", {"session": of_viewer.id}
    )

    assert "You were signed out: an operator ended this session." == viewer.part("/").text


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_the_rules_are_shown_and_read_anew(console: Served, operator: Visitor) -> None:
    """What is not as built in is marked; a bad file changes nothing, and each problem is named."""
    assert console.rules.path is not None
    assert re.search(r"author_per_hour <b class=\"own\">own</b></dt><dd>2<", operator.get("/rules").text)
    before = console.rules().version
    assert "Nothing has changed" in followed(operator, "/rules/reload")

    console.rules.path.write_text(
        f"[caps]\nauthor_per_hour = 0\n'{EVIL}' = 1\n".replace("\x1b", "").replace("\x07", "")
    )
    refused = operator.post("/rules/reload").text
    assert (True, True) == (f"{before}</code>" in refused, "caps.author_per_hour: " in refused)
    assert "<img" not in refused
    console.rules.path.write_text("[caps]\nauthor_per_hour = 3\n")
    said = followed(operator, "/rules/reload")
    assert f"Rules {console.rules().version} are in force." in said
    assert 3 == console.rules().caps.author_per_hour


def test_the_audit_log_is_read_page_by_page(console: Served, operator: Visitor) -> None:
    """The newest first; none twice and none left out, also while more is written."""
    for number in range(120):
        console.ledger.audit.add(OPERATOR, "reload_rules", f"rules-{number}")
    first = operator.get("/audit").text
    [older] = re.findall(r'href="/console(/audit\?before=\d+)" rel="next"', first)
    console.ledger.audit.add(OPERATOR, "reload_rules", "rules-120")
    second = operator.get(older).text

    told = re.findall(r"rules-(\d+)", first) + re.findall(r"rules-(\d+)", second)
    assert list(map(str, reversed(range(120)))) == told
    assert 'rel="next"' not in second


def test_a_lane_at_work_is_shown(ledger: Ledger, viewer: Visitor) -> None:
    """What it builds, at which step, and for how long its lease stands."""
    ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "spare box", Role.LANE, "https://apps.example/", "token")
    for number, start in enumerate(STARTS.values()):
        start(ledger, f"3kdoc{number}")
    part = viewer.part("/lanes").text

    assert part.startswith('<div id="lanes-now"')
    assert "<td>building</td>" in part
    assert 1 == part.count("/console/documents/mention")


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_other_peoples_text_is_text(ledger: Ledger, operator: Visitor) -> None:
    """Markup is escaped, and what steers a terminal or turns a line around is spelled out, on every page."""
    ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), EVIL, Role.LANE, "https://apps.example/", "token")
    ledger.conditions.set("account", EVIL)
    ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, EVIL)
    ledger.audit.add(OPERATOR, "pause", EVIL, EVIL)
    for path in ("/", "/lanes", "/devices", "/audit"):
        page = operator.get(path).text
        assert HARMLESS in page, path
        assert {"<img", "\u202e", "\x1b", "\x07"} & set(re.findall(r"<img|[\u202e\x1b\x07]", page)) == set(), path


def followed(visitor: Visitor, path: str, fields: dict[str, str] | None = None) -> str:
    """The page that a form leads back to."""
    answer = visitor.post(path, fields)
    cookies = f"{visitor.http.headers['Cookie']}; {answer.headers['Set-Cookie'].partition(';')[0]}"
    return visitor.http.get(answer.headers["Location"], headers={"Cookie": cookies}).text


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_a_ledger_that_does_not_answer_is_told(ledger: Ledger, operator: Visitor) -> None:
    """As a page, and as a line for a part of one; the log has the route and the kind, no address and no statement."""
    with ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE console_sessions RENAME TO elsewhere")
    with capture_logs() as logs:
        page, part = operator.get("/audit?before=7"), operator.part("/audit")

    assert (503, 503) == (page.status_code, part.status_code)
    assert "The ledger does not answer." in page.text
    assert "The ledger does not answer. Try again in a few seconds." == part.text
    assert [("page_failed", "/audit", "OperationalError")] * 2 == [
        (line["event"], line["route"], line["error"]) for line in logs
    ]
