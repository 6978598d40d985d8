"""What the machine lacks is noted while it lacks it: room on its disk, and the right time."""

from datetime import timedelta

import pytest

from bot.jobs.clock import LARGEST_SKEW, clock_once
from bot.jobs.room import LEAST_ROOM, room_once
from bot.ledger.conditions import CLOCK, DISK
from bot.ledger.ledger import Ledger

SECOND = timedelta(seconds=1)


def standing(ledger: Ledger) -> dict[str, str]:
    return {each.name: each.detail for each in ledger.conditions.standing()}


def test_a_disk_that_is_nearly_full_is_noted_until_there_is_room(ledger: Ledger) -> None:
    """Where the ledger is a file; the disk of a server is not to be seen from here."""
    room_once(ledger, lambda _: LEAST_ROOM)
    before = standing(ledger)
    room_once(ledger, lambda _: LEAST_ROOM - 1)
    noted = standing(ledger)
    room_once(ledger, lambda _: LEAST_ROOM)

    expected = {DISK: "less than 50 MB are free where the ledger is"} if ledger.db.is_sqlite else {}
    assert ({}, expected, {}) == (before, noted, standing(ledger))


def test_the_disk_of_these_tests_is_looked_at(ledger: Ledger) -> None:
    """By the system's word."""
    room_once(ledger)

    assert standing(ledger).keys() <= {DISK}


@pytest.mark.parametrize(
    ("ahead", "told"),
    [
        (LARGEST_SKEW, None),
        (-LARGEST_SKEW, None),
        (LARGEST_SKEW + SECOND, "this machine is 31 s ahead of the PDS"),
        (-LARGEST_SKEW - SECOND, "this machine is 31 s behind the PDS"),
    ],
)
def test_a_clock_that_is_far_off_is_noted_until_it_is_right(ledger: Ledger, ahead: timedelta, told: str | None) -> None:
    """A server that does not tell the time changes nothing."""
    clock_once(ledger, ahead)
    clock_once(ledger, None)
    noted = standing(ledger)
    clock_once(ledger, -SECOND)

    assert ({CLOCK: told} if told else {}) == noted
    assert {} == standing(ledger)
