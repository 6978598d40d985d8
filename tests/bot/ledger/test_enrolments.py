"""Lanes that come in without a person at their side: by an invitation, or as a run of their CI."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.ledger.enrolments import RUNS_KEPT, Place
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.errors import NotAllowed
from tests.bot.ledger.races import at_once
from tests.mentions import BOT, LANE, OPERATOR, VIEWER

PLACE = Place("a spare box", "https://apps.example/", 3600)
RUN = DeviceId("github:o/r:7:1")
HOUR = timedelta(hours=1)


def invited(ledger: Ledger, code: str = "canary-code") -> str:
    ledger.enrolments.invite(OPERATOR, PLACE, code, HOUR)
    return code


def accepted(ledger: Ledger, code: str, number: int = 1) -> Device | None:
    return ledger.enrolments.accept(code, DeviceId(f"lane-{number}"), f"canary-token-{number}")


def logged_in(ledger: Ledger, jti: str, token: str, device: DeviceId = RUN) -> Device | None:
    return ledger.enrolments.log_in_run(device, PLACE, jti, token, HOUR)


def test_an_invitation_makes_a_lane(ledger: Ledger) -> None:
    """With the name, the prefix and the lease that it holds; its token works at once, and it has been seen."""
    device = accepted(ledger, invited(ledger))

    assert device == ledger.desk.device_of_token("canary-token-1")
    assert device is not None
    assert ("lane-1", "a spare box", Role.LANE) == (device.id, device.name, device.role)
    assert ("https://apps.example/", 3600, None) == (
        device.allowed_prefix,
        device.longest_lease_seconds,
        device.expires_at,
    )
    assert device.seen_at == ledger.lanes.visits(None).seen_at


def test_a_code_is_good_once(ledger: Ledger) -> None:
    """Of many who bring it at once one gets in."""
    code = invited(ledger)
    answers = at_once([partial(accepted, ledger, code, number) for number in range(6)])

    assert 5 == answers.count(None)
    assert 1 == len(ledger.desk.devices())
    assert accepted(ledger, code, 9) is None


def test_a_code_is_good_for_a_while(ledger: Ledger, ledger_clock: Clock) -> None:
    """Brought too late it is used up as well, and one that nobody brought is swept away by the next."""
    early, late, never = (invited(ledger, code) for code in ("early", "late", "never"))
    ledger_clock.shift += timedelta(minutes=59)
    came = accepted(ledger, early, 1)
    ledger_clock.shift += timedelta(minutes=2)

    assert came is not None
    assert [None, None] == [accepted(ledger, code, 2) for code in (late, "wrong")]
    invited(ledger, "next")
    with ledger.db.read() as connection:
        assert 1 == connection.execute(text("SELECT count(*) FROM invites")).scalar_one()
    assert accepted(ledger, never, 2) is None


def test_a_wrong_code_keeps_nobody_from_writing(ledger: Ledger) -> None:
    """Anybody may bring one, as often as they like: it is told from a good one without the ledger's lock."""
    with ledger.db.write():
        assert accepted(ledger, "wrong") is None


@pytest.mark.parametrize("caller", [BOT, LANE, VIEWER])
def test_only_an_operator_invites(ledger: Ledger, caller: object) -> None:
    """A lane that could would never be alone."""
    with pytest.raises(NotAllowed):
        ledger.enrolments.invite(caller, PLACE, "code", HOUR)  # type: ignore[arg-type]


def test_the_jobs_of_a_run_are_one_device(ledger: Ledger) -> None:
    """Each with a token of its own, and none of them ends the others'."""
    first, second = logged_in(ledger, "jti-1", "token-1"), logged_in(ledger, "jti-2", "token-2")

    assert first is not None
    assert second is not None
    assert (RUN, Role.LANE, 3600) == (first.id, first.role, first.longest_lease_seconds)
    assert [second, second] == [ledger.desk.device_of_token(token) for token in ("token-1", "token-2")]
    assert [second] == ledger.desk.devices()


def test_what_a_run_shows_is_taken_once(ledger: Ledger) -> None:
    """Also when it is shown many times at once; and by whom is no matter."""
    answers = at_once([partial(logged_in, ledger, "jti", f"token-{number}") for number in range(6)])

    assert 5 == answers.count(None)
    assert 1 == [ledger.desk.device_of_token(f"token-{number}") is None for number in range(6)].count(False)
    assert logged_in(ledger, "jti", "other", DeviceId("github:o/r:8:1")) is None


def test_a_runs_token_ends(ledger: Ledger, ledger_clock: Clock) -> None:
    """Each at its own time, and the run with the last of them."""
    logged_in(ledger, "jti-1", "token-1")
    ledger_clock.shift += timedelta(minutes=40)
    logged_in(ledger, "jti-2", "token-2")
    ledger_clock.shift += timedelta(minutes=30)
    between = [ledger.desk.device_of_token(token) is None for token in ("token-1", "token-2")]
    ledger_clock.shift += timedelta(minutes=31)

    assert [True, False] == between
    assert ledger.desk.device_of_token("token-2") is None


def test_a_run_that_was_revoked_stays_out(ledger: Ledger) -> None:
    """Its tokens are worthless, and it gets no other."""
    logged_in(ledger, "jti-1", "token-1")
    ledger.desk.revoke_device(OPERATOR, RUN)

    assert logged_in(ledger, "jti-2", "token-2") is None
    assert [None, None] == [ledger.desk.device_of_token(token) for token in ("token-1", "token-2")]


def test_a_run_that_was_revoked_is_not_forgotten(ledger: Ledger, ledger_clock: Clock) -> None:
    """Some runs last for weeks: others are swept away meanwhile, and it stays out."""
    logged_in(ledger, "jti-1", "token-1")
    ledger.desk.revoke_device(OPERATOR, RUN)
    ledger_clock.shift += RUNS_KEPT + 2 * HOUR
    logged_in(ledger, "jti-2", "token-2", DeviceId("github:o/r:8:1"))

    assert logged_in(ledger, "jti-3", "token-3") is None
    assert ledger.desk.device_of_token("token-3") is None


def test_runs_that_were_over_long_ago_are_swept_away(ledger: Ledger, ledger_clock: Clock) -> None:
    """There may be hundreds a day; devices of another kind stay."""
    ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "", Role.LANE, "", "own", lasts=HOUR)
    logged_in(ledger, "jti-1", "token-1")
    ledger_clock.shift += RUNS_KEPT + 2 * HOUR
    logged_in(ledger, "jti-2", "token-2", DeviceId("github:o/r:8:1"))

    assert {"lane-1", "github:o/r:8:1"} == {device.id for device in ledger.desk.devices()}


def test_a_token_that_lasts_for_a_while_is_worthless_then(ledger: Ledger, ledger_clock: Clock) -> None:
    """Not a moment earlier."""
    ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "", Role.LANE, "", "token", lasts=HOUR)
    ledger_clock.shift += timedelta(minutes=59)
    before = ledger.desk.device_of_token("token")
    ledger_clock.shift += timedelta(minutes=2)

    assert before is not None
    assert ledger.desk.device_of_token("token") is None


def test_no_byte_of_a_code_or_a_token_is_on_the_disk(ledger: Ledger, tmp_path: Path) -> None:
    """Nor in any column: what opens something is kept as its hash."""
    invited(ledger)
    accepted(ledger, invited(ledger, "canary-other"))
    logged_in(ledger, "canary-jti", "canary-run-token")
    tables = ("devices", "invites", "run_logins")
    with ledger.db.read() as connection:
        rows = [connection.execute(text(f"SELECT * FROM {table}")).all() for table in tables]

    assert "canary" not in repr(rows)
    assert [] == [path for path in tmp_path.rglob("*") if path.is_file() and b"canary" in path.read_bytes()]
