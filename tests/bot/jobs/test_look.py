"""How far the look at our own posts reaches, by what is known of when something was asked."""

from datetime import timedelta

import pytest

from bot.jobs.look import Finder, LookProof
from bot.ledger.ledger import Ledger
from guardrails.tid import tid_at
from tests.bot.ledger.steps import received
from tests.mentions import BOT

DAY = timedelta(days=1)
NEW, OLD, AHEAD = DAY, -DAY, 400 * DAY


@pytest.mark.parametrize(
    ("key", "date", "indexed", "by_operator", "reaches"),
    [
        # What came by itself: who dates back only the key, or only the post, has it all the same.
        (NEW, NEW, NEW, False, True),
        (OLD, NEW, NEW, False, True),
        (NEW, OLD, OLD, False, True),
        (OLD, OLD, OLD, False, False),
        # A key that is ahead says nothing.
        (AHEAD, OLD, OLD, False, False),
        (AHEAD, NEW, NEW, False, True),
        ("a-name", OLD, OLD, False, False),
        ("a-name", NEW, NEW, False, True),
        # What an operator has named, at a time that says nothing: the earlier of the two.
        (NEW, NEW, NEW, True, True),
        (OLD, NEW, NEW, True, False),
        (NEW, OLD, NEW, True, False),
        (AHEAD, OLD, NEW, True, False),
        (AHEAD, NEW, NEW, True, True),
        ("a-name", OLD, NEW, True, False),
        ("a-name", NEW, NEW, True, True),
        (NEW, "long ago", NEW, True, True),
        (NEW, "2019-05-01T12:00:00", NEW, True, False),
        # Where neither says anything, it may be of any age.
        ("a-name", AHEAD, NEW, True, False),
        (AHEAD, "long ago", NEW, True, False),
    ],
)
def test_what_a_look_reaches(
    ledger: Ledger, key: timedelta | str, date: timedelta | str, indexed: timedelta, by_operator: bool, reaches: bool
) -> None:
    """Relative to the moment that it goes back to, which is two days ago."""
    known_from = ledger.db.time() - 2 * DAY
    document = received(
        ledger,
        key if isinstance(key, str) else tid_at(known_from + key),
        created_at=date if isinstance(date, str) else (known_from + date).isoformat(),
        indexed_at=known_from + indexed,
        by_operator=by_operator,
    )

    assert reaches is LookProof(Finder(ledger, BOT, "http://localhost:8100"), known_from, None).reaches(document)
