"""How somebody comes into the console, and out of it."""

import re
from datetime import timedelta

import httpx
import pytest
from structlog.testing import capture_logs

from bot.clock import Clock as LedgerClock
from bot.console.patience import AT_ONCE
from bot.ledger.consoles import IDLE
from bot.tokens import new_console_code
from guardrails.access import Role
from tests.bot.ledger.steps import travel
from tests.clock import Clock
from tests.console.conftest import Served
from tests.console.visitors import COOKIE, Visitor, visitor
from tests.mentions import OPERATOR


def secret_in(answer: httpx.Response) -> str:
    found = re.match(rf"{COOKIE}=([\w-]+);", answer.headers["Set-Cookie"])
    assert found
    return found[1]


def link(console: Served, role: Role = Role.OPERATOR) -> str:
    """The code of a new link."""
    code = new_console_code()
    console.ledger.consoles.offer(OPERATOR, code, role, timedelta(minutes=10))
    return code


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.VIEWER])
def test_a_devices_token_opens_the_console(console: Served, nobody: Visitor, role: Role) -> None:
    """Its cookie is kept from scripts and from other sites, and leads back to where somebody wanted to go."""
    answer = nobody.post("/sign-in", {"token": console.token(role), "next": "/console/lanes?x=1"})

    assert (303, "/console/lanes?x=1") == (answer.status_code, answer.headers["Location"])
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=604800"} <= set(answer.headers["Set-Cookie"].split("; "))
    with visitor(console.port, secret_in(answer)) as visiting:
        assert f"{role.value}-1" in visiting.get("/sessions").text


def test_whoever_is_not_signed_in_is_led_to_the_sign_in(nobody: Visitor) -> None:
    """And from there back to where they wanted to go; a part of a page is told to stop asking."""
    page, part = nobody.get("/audit?before=7"), nobody.part("/audit")

    assert (303, "/console/sign-in?next=%2Fconsole%2Faudit%3Fbefore%3D7") == (
        page.status_code,
        page.headers["Location"],
    )
    assert 'name="next" value="/console/audit?before=7"' in nobody.http.get(page.headers["Location"]).text
    assert (401, "You are not signed in.") == (part.status_code, part.text)


@pytest.mark.parametrize(
    "to", ["https://evil.test/", "//evil.test/console/", "/console//evil.test", "/console/\\evil", "x"]
)
def test_the_sign_in_leads_nowhere_else(console: Served, nobody: Visitor, to: str) -> None:
    """Whatever a link to it says."""
    assert 'name="next" value=""' in nobody.get("/sign-in", params={"next": to}).text
    answer = nobody.post("/sign-in", {"token": console.token(Role.VIEWER), "next": to})
    assert "/console/" == answer.headers["Location"]


def test_every_wrong_token_gets_the_same_answer(console: Served, nobody: Visitor) -> None:
    """Nobody's, a lane's, a revoked one, and one of any length."""
    revoked = console.token(Role.OPERATOR)
    console.ledger.desk.revoke_device(OPERATOR, "operator-1")
    answers = [
        nobody.post("/sign-in", {"token": t}) for t in ("sw_x", console.token(Role.LANE), revoked, "x" * 999, "")
    ]

    assert {401} == {answer.status_code for answer in answers}
    assert 1 == len({answer.text for answer in answers})
    assert "This token opens nothing here." in answers[0].text
    assert [] == console.ledger.consoles.sessions()


def test_who_guesses_has_to_wait(console: Served, nobody: Visitor, steady: Clock) -> None:
    """Also with a right token, which a link does without; after some seconds it goes on."""
    for _ in range(AT_ONCE):
        assert 401 == nobody.post("/sign-in", {"token": "wrong"}).status_code
    token = console.token(Role.OPERATOR)
    slow = nobody.post("/sign-in", {"token": token})

    assert (429, "10") == (slow.status_code, slow.headers["Retry-After"])
    assert 303 == nobody.post("/enter", {"code": link(console)}).status_code
    steady.advance(10)
    assert 303 == nobody.post("/sign-in", {"token": token}).status_code


def test_a_link_is_spent_by_its_button_only(console: Served, nobody: Visitor) -> None:
    """Whoever previews it, also twice, spends nothing; pressing it again lets nobody in."""
    code = link(console, Role.VIEWER)
    for _ in range(2):
        assert 200 == nobody.http.head(f"/console/enter/{code}").status_code
        assert f'name="code" value="{code}"' in nobody.get(f"/enter/{code}").text
    assert [] == console.ledger.consoles.sessions()

    entered, again = nobody.post("/enter", {"code": code}), nobody.post("/enter", {"code": code})

    assert (303, "/console/") == (entered.status_code, entered.headers["Location"])
    with visitor(console.port, secret_in(entered)) as visiting:
        assert "viewer" in visiting.get("/sessions").text
    assert 401 == again.status_code
    assert "This link is used, over or cut off." in again.text


def test_signing_out_is_for_good(console: Served, viewer: Visitor) -> None:
    """The cookie is worth nothing after that, wherever else it may lie."""
    out = viewer.post("/sign-out")

    assert (303, "/console/sign-in?ended=signed_out") == (out.status_code, out.headers["Location"])
    assert f'{COOKIE}=""' in out.headers["Set-Cookie"]
    assert 303 == viewer.get("/sessions").status_code


def test_an_ended_session_says_why(console: Served, viewer: Visitor, operator: Visitor) -> None:
    """To a page by way of the sign-in, to a part of a page at once; the cookie is let go of."""
    console.ledger.desk.revoke_device(OPERATOR, "viewer-1")
    page, part = viewer.get("/sessions"), viewer.part("/sessions")

    assert "/console/sign-in?ended=device_revoked&next=%2Fconsole%2Fsessions" == page.headers["Location"]
    assert f'{COOKIE}=""' in page.headers["Set-Cookie"]
    told = "You were signed out: the device that you signed in with was revoked."
    assert told in viewer.http.get(page.headers["Location"]).text
    assert (401, told, "device_revoked") == (part.status_code, part.text, part.headers["X-Skywright-Signed-Out"])
    assert 200 == operator.get("/sessions").status_code


def test_a_page_that_is_left_open_keeps_no_session_alive(viewer: Visitor, ledger_clock: LedgerClock) -> None:
    """What it asks for by itself does not count; what somebody opens does."""
    for _ in range(3):
        travel(ledger_clock, seconds=IDLE.total_seconds() / 2)
        assert 200 == viewer.get("/sessions").status_code
    for _ in range(2):
        travel(ledger_clock, seconds=IDLE.total_seconds() / 2 - 1)
        assert 200 == viewer.part("/sessions").status_code
    travel(ledger_clock, seconds=3)
    over = viewer.part("/sessions")

    assert (401, "idle") == (over.status_code, over.headers["X-Skywright-Signed-Out"])


def test_no_secret_is_written_down(console: Served, nobody: Visitor) -> None:
    """Not in the log, not in the ledger, not in an address after the link's own page."""
    token, code = console.token(Role.OPERATOR), link(console)
    with capture_logs() as logs:
        answers = [nobody.post("/sign-in", {"token": token}), nobody.post("/enter", {"code": code})]
        answers += [nobody.get(f"/enter/{code}/x"), nobody.get(f"/{code}")]
    secrets = {token, code, *map(secret_in, answers[:2])}

    assert all(secret not in str(logs) for secret in secrets)
    assert all(secret not in answer.headers.get("Location", "") for secret in secrets for answer in answers)
    kept = f"{console.ledger.consoles.sessions()} {console.ledger.audit.rows(None, 50)}"
    assert all(secret not in kept for secret in secrets)
