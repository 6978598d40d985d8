"""Which logins may be tried: a budget, pauses and refused credentials, whichever process asks."""

from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.logins import Logins, NoLogin
from bot.ledger.policy import Caps
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import travel
from tests.mentions import ALICE

KEY = "a key"
CAPS = Caps(per_hour=3, per_day=5)
PASSWORD = "canary-password"


def logins(ledger: Ledger, caps: Caps = CAPS, key: str = KEY) -> Logins:
    """What one process sees of them."""
    return Logins(ledger.db, key, caps)


def to_the_next_hour(ledger: Ledger, clock: Clock) -> None:
    """A minute into it, so that a test never meets the turn of an hour by chance."""
    now = ledger.db.time()
    clock.shift += now.replace(minute=1, second=0, microsecond=0) + timedelta(hours=1) - now


def to_the_next_day(ledger: Ledger, clock: Clock) -> datetime:
    """A minute into it; that moment."""
    now = ledger.db.time()
    clock.shift += now.replace(hour=0, minute=1, second=0, microsecond=0) + timedelta(days=1) - now
    return ledger.db.time()


def test_the_budget_of_an_hour_is_shared(ledger: Ledger, ledger_clock: Clock) -> None:
    """By processes and restarts; it says when the next hour begins."""
    midnight = to_the_next_day(ledger, ledger_clock).replace(minute=0, second=0, microsecond=0)
    answers = [logins(ledger).reserve(ALICE, PASSWORD) for _ in range(5)]
    full = NoLogin(midnight + timedelta(hours=1), "the budget of logins is used up")

    assert [None] * 3 + [full] * 2 == answers
    assert logins(ledger).reserve("did:plc:other", PASSWORD) is None


def test_the_budget_of_a_day_is_shared(ledger: Ledger, ledger_clock: Clock) -> None:
    """What the hour refused was not counted for the day."""
    midnight = to_the_next_day(ledger, ledger_clock).replace(minute=0, second=0, microsecond=0)
    for _ in range(5):
        logins(ledger).reserve(ALICE, PASSWORD)
    to_the_next_hour(ledger, ledger_clock)
    answers = [logins(ledger).reserve(ALICE, PASSWORD) for _ in range(3)]

    assert [None, None, NoLogin(midnight + timedelta(days=1), "the budget of logins is used up")] == answers
    to_the_next_day(ledger, ledger_clock)
    assert logins(ledger).reserve(ALICE, PASSWORD) is None


def test_two_who_want_the_last_login_do_not_both_get_it(ledger: Ledger, ledger_clock: Clock) -> None:
    """Of eight at once, three."""
    to_the_next_hour(ledger, ledger_clock)
    answers = at_once([partial(logins(ledger).reserve, ALICE, PASSWORD) for _ in range(8)])

    assert 3 == answers.count(None)
    assert 5 == len([answer for answer in answers if isinstance(answer, NoLogin)])


def test_a_login_that_was_not_sent_costs_nothing(ledger: Ledger, ledger_clock: Clock) -> None:
    """A network that is away for an hour uses nothing up."""
    to_the_next_hour(ledger, ledger_clock)
    for _ in range(20):
        assert logins(ledger).reserve(ALICE, PASSWORD) is None
        logins(ledger).give_back(ALICE)


def test_giving_back_what_was_never_taken_makes_no_room(ledger: Ledger, ledger_clock: Clock) -> None:
    """The hour turned between the two."""
    to_the_next_hour(ledger, ledger_clock)
    logins(ledger).give_back(ALICE)

    assert 3 == [logins(ledger).reserve(ALICE, PASSWORD) for _ in range(5)].count(None)


def test_a_pause_holds_for_every_process_and_every_password(ledger: Ledger, ledger_clock: Clock) -> None:
    """Until its moment, and no person can shorten it."""
    until = ledger.db.time() + timedelta(hours=2)
    logins(ledger).pause(ALICE, until, "too many", None)
    travel(ledger_clock, hours=1, minutes=59)
    logins(ledger).allow(ALICE)

    assert NoLogin(until, "too many") == logins(ledger).reserve(ALICE, PASSWORD)
    assert NoLogin(until, "too many") == logins(ledger).reserve(ALICE, "another")
    travel(ledger_clock, minutes=2)
    assert logins(ledger).reserve(ALICE, PASSWORD) is None


def test_refused_credentials_are_refused_for_good(ledger: Ledger, ledger_clock: Clock) -> None:
    """At no cost, for any process, however much time passes."""
    logins(ledger).refuse(ALICE, PASSWORD, "wrong password", "AuthenticationRequired")
    travel(ledger_clock, days=400)
    answers = [logins(ledger).reserve(ALICE, PASSWORD) for _ in range(20)]

    assert [NoLogin(None, "wrong password", "AuthenticationRequired")] * 20 == answers


def test_another_password_is_tried(ledger: Ledger) -> None:
    """Whoever changed it wants that; and so is another account."""
    logins(ledger).refuse(ALICE, PASSWORD, "wrong password", None)

    assert logins(ledger).reserve(ALICE, "another") is None
    assert logins(ledger).reserve("did:plc:other", PASSWORD) is None


def test_a_person_may_allow_the_same_password_again(ledger: Ledger) -> None:
    """It was right all along, and the server had a bad day."""
    logins(ledger).refuse(ALICE, PASSWORD, "wrong password", None)
    logins(ledger).allow(ALICE)

    assert logins(ledger).reserve(ALICE, PASSWORD) is None


def test_a_refused_password_cannot_be_read_or_guessed_from_the_ledger(ledger: Ledger) -> None:
    """What is kept depends on a key that is not in the ledger."""
    kept = []
    for key in (KEY, "another key"):
        logins(ledger, key=key).refuse(ALICE, PASSWORD, "wrong password", None)
        with ledger.db.read() as connection:
            kept.append(connection.execute(text("SELECT refused FROM logins")).scalar_one())

    assert PASSWORD not in kept[0]
    assert kept[0] != kept[1]


def test_a_login_is_paused_or_refused(ledger: Ledger) -> None:
    """Never both and never neither; the database repeats it."""
    logins(ledger).refuse(ALICE, PASSWORD, "wrong password", None)

    with pytest.raises(IntegrityError, match="ck_logins_paused_or_refused"), ledger.db.write() as connection:
        connection.execute(text("UPDATE logins SET refused = NULL"))
