"""Who is signed in to the console: how sessions begin, last and end."""

import threading
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.ledger.consoles import IDLE, LONGEST, ConsoleSession, Ended
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device
from bot.tokens import new_device, new_session
from guardrails.access import Role
from guardrails.errors import NotAllowed
from tests.bot.ledger.steps import travel
from tests.mentions import OPERATOR, VIEWER


def device(ledger: Ledger, role: Role = Role.OPERATOR, lasts: timedelta | None = None) -> Device:
    name = new_device(role)
    return ledger.desk.add_device(OPERATOR, name, "a phone", role, "", f"token of {name}", lasts=lasts)


def signed_in(ledger: Ledger, of: Device | None = None) -> tuple[ConsoleSession, str]:
    """A new session, and its secret."""
    name, secret = new_session()
    session = ledger.consoles.sign_in(of or device(ledger), name, secret)
    assert session is not None
    return session, secret


def ended(ledger: Ledger, secret: str) -> Ended | None:
    session = ledger.consoles.session_of(secret)
    assert session is not None
    return session.ended


def test_a_session_acts_as_its_device(ledger: Ledger) -> None:
    """In the device's role and under its name; nobody else's secret opens it."""
    viewer = device(ledger, Role.VIEWER)
    session, secret = signed_in(ledger, viewer)

    assert (Role.VIEWER, viewer.id, None) == (session.caller.role, session.caller.device, session.ended)
    assert session.id == (ledger.consoles.session_of(secret) or session).id
    assert None is ledger.consoles.session_of("another secret")


def test_lanes_and_revoked_devices_do_not_sign_in(ledger: Ledger) -> None:
    """Not even if it was revoked a moment ago."""
    revoked = device(ledger)
    ledger.desk.revoke_device(OPERATOR, revoked.id)

    assert None is ledger.consoles.sign_in(device(ledger, Role.LANE), *new_session())
    assert None is ledger.consoles.sign_in(revoked, *new_session())


def test_a_link_is_good_once(ledger: Ledger) -> None:
    """Of many who press at once, one comes in."""
    ledger.consoles.offer(OPERATOR, "a code", Role.VIEWER, timedelta(minutes=10))
    came_in: list[ConsoleSession | None] = []

    def press() -> None:
        came_in.append(ledger.consoles.spend("a code", *new_session()))

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [session] = [session for session in came_in if session is not None]
    assert (Role.VIEWER, "olga", None) == (session.role, session.holder, session.device)


def test_links_end_and_are_for_operators_to_give(ledger: Ledger, ledger_clock: Clock) -> None:
    """A code that is too old or that was never given lets nobody in."""
    ledger.consoles.offer(OPERATOR, "a code", Role.OPERATOR, timedelta(minutes=10))
    travel(ledger_clock, minutes=10)

    assert None is ledger.consoles.spend("a code", *new_session())
    assert None is ledger.consoles.spend("another", *new_session())
    with pytest.raises(NotAllowed):
        ledger.consoles.offer(VIEWER, "mine", Role.OPERATOR, timedelta(minutes=10))


def test_a_session_that_nobody_uses_ends(ledger: Ledger, ledger_clock: Clock) -> None:
    """One that is used goes on, but no longer than a week."""
    session, secret = signed_in(ledger)
    travel(ledger_clock, seconds=IDLE.total_seconds() - 60)
    ledger.consoles.seen(ledger.consoles.session_of(secret) or session)
    travel(ledger_clock, seconds=IDLE.total_seconds() - 60)
    assert None is ended(ledger, secret)

    travel(ledger_clock, seconds=61)
    assert Ended.IDLE is ended(ledger, secret)
    travel(ledger_clock, seconds=LONGEST.total_seconds())
    assert Ended.OVER is ended(ledger, secret)


def test_a_session_ends_with_its_device(ledger: Ledger, ledger_clock: Clock) -> None:
    """When that is revoked, or its time is over."""
    first, second = device(ledger), device(ledger, lasts=timedelta(hours=1))
    (_, of_first), (_, of_second) = signed_in(ledger, first), signed_in(ledger, second)

    ledger.desk.revoke_device(OPERATOR, first.id)
    travel(ledger_clock, hours=1)

    assert (Ended.DEVICE_REVOKED, Ended.DEVICE_OVER) == (ended(ledger, of_first), ended(ledger, of_second))


def test_sessions_are_ended_once(ledger: Ledger) -> None:
    """By whoever is in it, or by an operator; why it ended does not change any more."""
    (mine, my_secret), (other, other_secret) = signed_in(ledger), signed_in(ledger)

    assert ledger.consoles.sign_out(mine.id)
    assert ledger.consoles.revoke(OPERATOR, other.id)
    assert not ledger.consoles.revoke(OPERATOR, mine.id)
    assert not ledger.consoles.sign_out(other.id)
    assert (Ended.SIGNED_OUT, Ended.REVOKED) == (ended(ledger, my_secret), ended(ledger, other_secret))
    assert (Ended.REVOKED, Ended.OVER) == tuple(map(ledger.consoles.how_it_ended, (other.id, "none")))
    with pytest.raises(NotAllowed):
        ledger.consoles.revoke(VIEWER, mine.id)


def test_what_is_over_for_a_month_is_let_go_of(ledger: Ledger, ledger_clock: Clock) -> None:
    """The newest come first."""
    signed_in(ledger)
    travel(ledger_clock, days=38)
    second, _ = signed_in(ledger)
    travel(ledger_clock, minutes=1)
    third, _ = signed_in(ledger)

    assert [third.id, second.id] == [session.id for session in ledger.consoles.sessions()]


def test_links_and_sessions_are_in_the_audit_log(ledger: Ledger) -> None:
    """Of operators; that a viewer came in is in the list of sessions only. No secret is there."""
    ledger.consoles.offer(OPERATOR, "a code", Role.VIEWER, timedelta(minutes=10))
    ledger.consoles.spend("a code", *new_session())
    session, secret = signed_in(ledger)
    ledger.consoles.revoke(OPERATOR, session.id)

    rows = ledger.audit.rows(None, 10)

    assert [("end_session", session.id), ("sign_in", session.id), ("console_link", "viewer")] == [
        (row.action, row.target) for row in rows if row.action != "add_device"
    ]
    assert secret not in str(rows)
