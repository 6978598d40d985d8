"""The lanes as operators see them: who builds what, what waits, how late the schedule is; and the doctor on it."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet

from bot.clock import Clock
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.settings import LedgerSettings, Settings
from bot.terminal.doctor_lanes import lanes_finding, workflow_findings
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.wire import CheckReport
from tests.bot.bluesky.scripted import Answer, Call, answered, scripted_pds
from tests.bot.ledger.steps import building, claim, claim_id_of, done, pending, travel
from tests.bot.terminal.prompt import CANARY, Prompt, findings
from tests.mentions import LANE, OPERATOR

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
HOUR = timedelta(hours=1)


def add(ledger: Ledger, name: str = "lane-1", lasts: timedelta | None = None) -> None:
    ledger.desk.add_device(OPERATOR, DeviceId(name), f"the {name}", Role.LANE, "", f"token of {name}", lasts=lasts)


def test_an_invitation_prints_its_code_alone(prompt: Prompt, ledger: Ledger) -> None:
    """A script captures it; until when it is good, and what to do with it, stands beside."""
    result = prompt.run("devices", "invite", "--name", "spare box", "--lease", "30m", "--ttl", "2h")
    code = result.stdout.strip()
    device = ledger.enrolments.accept(code, DeviceId("lane-1"), "token")

    assert re.fullmatch(r"swi_[A-Za-z0-9_-]{43}", code)
    assert ("good once, until", "skywright-builder enrol CODE") == tuple(
        part for part in ("good once, until", "skywright-builder enrol CODE") if part in result.stderr
    )
    assert device is not None
    assert ("spare box", "http://localhost:8100", 1800) == (
        device.name,
        device.allowed_prefix,
        device.longest_lease_seconds,
    )
    assert None is ledger.enrolments.accept(code, DeviceId("lane-2"), "other")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--ttl", "0s"],
        ["--ttl", "31d"],
        ["--ttl", "soon"],
        ["--lease", "9s"],
        ["--lease", "2d"],
        ["--prefix", "javascript:x"],
    ],
)
def test_an_odd_invitation_is_wrong_usage(prompt: Prompt, ledger: Ledger, arguments: list[str]) -> None:
    """No code is printed."""
    result = prompt.run("devices", "invite", *arguments)

    assert (2, "") == (result.exit_code, result.stdout)


def test_a_device_may_have_a_longer_lease_and_an_end(prompt: Prompt, ledger: Ledger) -> None:
    """Both are listed; a viewer has no lease, and nobody is over at once."""
    prompt.run("devices", "add", "ci", "--role", "lane", "--lease", "1h", "--ttl", "30d")
    (device,) = ledger.desk.devices()
    head, line = (each.split("\t") for each in prompt.lines("devices", "list"))
    told = dict(zip(head, line, strict=True))

    assert device.expires_at is not None
    assert timedelta(days=29) < device.expires_at - ledger.db.time() <= timedelta(days=30)
    assert ("3600s", True, "") == (told["longest lease"], bool(told["expires"]), told["revoked"])
    for wrong in (["--role", "viewer", "--lease", "1h"], ["--role", "lane", "--ttl", "0s"]):
        assert 2 == prompt.run("devices", "add", "x", *wrong).exit_code


def test_who_can_come_no_more_is_counted_and_not_listed(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """Each run of a CI is a device for an hour or two; scripts get them all."""
    add(ledger)
    nobody = prompt.run("devices", "list").stderr
    travel(ledger_clock, hours=-2)
    add(ledger, "run-1", HOUR)
    add(ledger, "run-2", 3 * HOUR)
    result = prompt.run("devices", "list")

    assert {"run-2", "lane-1"} == {line.split("\t")[0] for line in result.stdout.splitlines()[1:]}
    assert ("", True) == (nobody, "1 more whose time is over" in result.stderr)
    assert 3 == len(prompt.lines("devices", "list", "--json"))


def test_who_builds_what(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """A line for each claim, one for a lane that has none; those that cannot come any more are left out."""
    add(ledger)
    add(ledger, "idle")
    add(ledger, "over", timedelta(minutes=1))
    add(ledger, "revoked")
    ledger.desk.revoke_device(OPERATOR, "revoked")
    travel(ledger_clock, hours=-1)
    ledger.lanes.asked(DeviceId("lane-1"), "llm")
    building(ledger)
    second = building(ledger, "3ksecond")
    travel(ledger_clock, hours=1)
    ledger.claims.heartbeat(LANE, claim_id_of(second), "checking")
    pending(ledger, "3kwaiting")
    result = prompt.having(SKYWRIGHT_LANE_SCHEDULE_MINUTES="30").run("lanes")
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]

    assert [("lane-1", "llm"), ("lane-1", "llm"), ("idle", ""), ("over", "")] == [(row[0], row[4]) for row in rows]
    assert [("3kfirst", "claimed", "over"), ("3ksecond", "checking", True)] == [
        (row[5], row[6], row[8] if row[8] == "over" else row[8].endswith("s left")) for row in rows[:2]
    ]
    assert "2 waiting for a lane, the first for " in result.stderr
    assert "the schedule is late by 30m" in result.stderr


def test_lanes_as_json(prompt: Prompt, ledger: Ledger) -> None:
    """One object, with the same; no token in it."""
    add(ledger)
    building(ledger)
    (line,) = prompt.lines("lanes", "--json")
    told = json.loads(line)

    assert (["lane-1"], ["claimed"]) == (
        [lane["id"] for lane in told["lanes"]],
        [each["step"] for each in told["claims"]],
    )
    assert (None, None, None) == (told["waiting"], told["last_seen"], told["late_seconds"])
    assert "token" not in line


def test_no_lanes_no_rows(prompt: Prompt, ledger: Ledger) -> None:
    """And nothing that waits."""
    result = prompt.run("lanes")

    assert (0, 1, "") == (result.exit_code, len(result.stdout.splitlines()), result.stderr)


def test_operators_see_repairs_findings_and_warnings(prompt: Prompt, ledger: Ledger) -> None:
    """Each on its line, whatever signs are in it."""
    checks = (
        CheckReport(check="browser", passed=True, warnings=("low contrast\x1b[2J",)),
        CheckReport(check="files", passed=False, findings=("no index.html",)),
    )
    claimed = building(ledger)
    ledger.claims.report(LANE, claim_id_of(claimed), done(repairs=2, checks=checks))
    lines = [" ".join(line.split()) for line in prompt.lines("show", claimed.document.id)]

    for told in ("repairs 2", "check browser: passed", "warning low contrast\\x1b[2J", "check files: failed"):
        assert told in lines
    assert "finding no index.html" in lines


def test_the_doctor_tells_how_late_the_schedule_is(ledger: Ledger, ledger_clock: Clock) -> None:
    """Where one is set; else an hour is what it takes for late."""
    no_schedule, schedule = LedgerSettings(), LedgerSettings(lane_schedule_minutes=20)
    nobody = lanes_finding(ledger, schedule)
    add(ledger)
    ledger.lanes.asked(DeviceId("lane-1"), "template")
    travel(ledger_clock, minutes=50)
    told = [nobody, lanes_finding(ledger, no_schedule), lanes_finding(ledger, schedule)]
    travel(ledger_clock, minutes=20)
    told.append(lanes_finding(ledger, no_schedule))

    assert ["warn", "ok", "warn", "warn"] == [finding.state.value for finding in told]
    assert "the schedule is late by 30m" in told[2].told


@pytest.fixture
def github() -> Iterator[tuple[str, list[Answer]]]:
    says = [answered({"state": "active"})]

    def answer(call: Call) -> Answer:
        return says[-1]

    with scripted_pds(answer) as server:
        yield server.url, says


def test_the_doctor_asks_github_whether_the_workflow_runs(host: Prompt, github: tuple[str, list[Answer]]) -> None:
    """One that GitHub has switched off is a fail, with what switches it on; the token is not shown."""
    url, says = github
    named = {"GITHUB_REPOSITORY": "olga/lanes", "GITHUB_TOKEN": CANARY, "GITHUB_API_URL": url}
    settings = Settings.model_validate(
        {name.lower(): value for name, value in named.items()}
        | {"identifier": "x", "password": "x", "session_key": Fernet.generate_key().decode()}
    )
    fine = list(workflow_findings(settings))
    says.append(Answer(404))
    unknown = list(workflow_findings(settings))
    says.append(answered({"state": "disabled_inactivity"}))
    off = findings(host.having(**{f"SKYWRIGHT_{name}": value for name, value in named.items()}))["workflow"]

    assert (["ok"], ["fail"], "fail") == ([f.state for f in fine], [f.state for f in unknown], off["state"])
    assert "`gh workflow enable builder-lane.yml --repo olga/lanes`" == off["mend"]
    assert CANARY not in repr([fine, unknown, off])


@pytest.mark.parametrize("more", [{}, {"github_repository": "o/r", "github_token": "x", "github_event": "work-waits"}])
def test_the_doctor_asks_nobody_where_no_workflow_is_called_by_its_file(more: dict[str, str], ledger: Ledger) -> None:
    """There is nothing to be switched on."""
    needed = {"identifier": "x", "password": "x", "session_key": Fernet.generate_key().decode()}

    assert [] == list(workflow_findings(Settings.model_validate(needed | more)))


def test_an_invitation_is_for_whoever_may_manage_devices(ledger: Ledger, prompt: Prompt) -> None:
    """Of the code only the hash is in the ledger, and no list shows it."""
    code = prompt.run("devices", "invite").stdout.strip()
    place = Place("x", "", None)
    ledger.enrolments.invite(OPERATOR, place, "other", HOUR)

    assert [] == [line for line in prompt.lines("devices", "list", "--json") if code in line]
    assert 1 == len(prompt.lines("devices", "list"))


def test_a_claim_of_an_unknown_device_is_no_row(prompt: Prompt, ledger: Ledger) -> None:
    """It was swept away, and its claim will be taken over."""
    pending(ledger)
    claim(ledger)

    assert 1 == len(prompt.lines("lanes"))
