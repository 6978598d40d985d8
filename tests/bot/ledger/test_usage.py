"""Write points: taken from the hour and the day or from neither, and replies go first."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.policy import Caps
from bot.ledger.usage import POINTS, Priority, reserve_points, used, windows
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import travel

CAPS = Caps(per_hour=100, per_day=150)


@pytest.fixture(autouse=True)
def midnight(ledger: Ledger, ledger_clock: Clock) -> datetime:
    """The beginning of the ledger's day; a test starts a minute into it, so that no window ends by chance."""
    now = ledger.db.time()
    begun = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    ledger_clock.shift += begun + timedelta(minutes=1) - now
    return begun


def take(ledger: Ledger, points: int, priority: Priority = Priority.REPLY, caps: Caps = CAPS) -> datetime | None:
    with ledger.db.write() as connection:
        return reserve_points(ledger.db, connection, points, caps, priority)


def taken(ledger: Ledger) -> tuple[int, int]:
    """What is used of the present hour and of the day."""
    with ledger.db.read() as connection:
        hour, day = windows(ledger.db, connection, CAPS)
        return used(connection, POINTS, hour.name), used(connection, POINTS, day.name)


def test_points_are_counted_in_the_hour_and_in_the_day(ledger: Ledger, ledger_clock: Clock) -> None:
    """A new hour begins with none."""
    assert (None, None) == (take(ledger, 3), take(ledger, 2))
    assert (5, 5) == taken(ledger)
    travel(ledger_clock, hours=1)
    assert take(ledger, 3) is None
    assert (3, 8) == taken(ledger)


def test_a_full_hour_says_when_the_next_begins(ledger: Ledger, midnight: datetime) -> None:
    """And what does not fit is not taken in part."""
    assert take(ledger, 98) is None

    assert midnight + timedelta(hours=1) == take(ledger, 3)
    assert take(ledger, 2) is None
    assert (100, 100) == taken(ledger)


def test_a_full_day_takes_nothing_from_the_hour(ledger: Ledger, ledger_clock: Clock, midnight: datetime) -> None:
    """All or nothing, over both."""
    take(ledger, 100)
    travel(ledger_clock, hours=1)
    take(ledger, 49)

    assert midnight + timedelta(days=1) == take(ledger, 3)
    assert (49, 149) == taken(ledger)
    assert take(ledger, 1) is None


def test_likes_and_notes_leave_the_last_fifth_to_replies(ledger: Ledger, midnight: datetime) -> None:
    """What people asked for goes before what is only kind."""
    assert take(ledger, 78, Priority.EXTRA) is None

    assert midnight + timedelta(hours=1) == take(ledger, 3, Priority.EXTRA)
    assert take(ledger, 3) is None
    assert midnight + timedelta(hours=1) == take(ledger, 1, Priority.EXTRA)
    assert (81, 81) == taken(ledger)


def test_points_go_back_with_the_transaction(ledger: Ledger) -> None:
    """A try that was not begun has cost nothing."""

    def begin_a_try_and_lose() -> None:
        with ledger.db.write() as connection:
            reserve_points(ledger.db, connection, 3, CAPS, Priority.REPLY)
            raise LookupError

    with pytest.raises(LookupError):
        begin_a_try_and_lose()

    assert (0, 0) == taken(ledger)


def test_of_many_at_once_no_more_than_fit_are_let_through(ledger: Ledger) -> None:
    """Two bots share the account's budget."""
    answers = at_once([partial(take, ledger, 3, Priority.REPLY, Caps(10, 1000)) for _ in range(8)])

    assert 3 == answers.count(None)
    assert 5 == len([answer for answer in answers if isinstance(answer, datetime)])
    assert (9, 9) == taken(ledger)
