"""Times and JSON behave the same on both databases: aware, to the microsecond, whole, and never changed in place."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from guardrails.transitions import Status
from tests.bot.ledger.steps import STARTS, building, now_of, received, travel
from tests.documents import newest
from tests.mentions import BOT, mention

CANBERRA = timezone(timedelta(hours=11))


def moments(view: object) -> dict[str, datetime]:
    return {name: value for name, value in vars(view).items() if isinstance(value, datetime)}


def test_every_time_comes_back_aware_and_in_utc(ledger: Ledger) -> None:
    """In documents, attempts, sends and the history."""
    for status, make in STARTS.items():
        make(ledger, f"3k{status.value}")
    documents = newest(ledger, 99)
    views: list[object] = [*documents, *ledger.feed.after(0, 999)]
    for document in documents:
        views += [*ledger.queries.attempts(document.id), *ledger.queries.sends(document.id)]
    times = [moment for view in views for moment in moments(view).values()]

    assert 60 < len(times)
    assert {timedelta()} == {moment.utcoffset() for moment in times}


def test_a_time_of_another_zone_is_the_same_moment(ledger: Ledger) -> None:
    """Stored and given back in UTC, to the microsecond; compared with now, it is where it is."""
    past = ledger.db.time().astimezone(CANBERRA) - timedelta(microseconds=1)
    future = ledger.db.time().astimezone(CANBERRA) + timedelta(hours=1)
    due = ledger.documents.postpone(BOT, received(ledger, "3kdue"), (), past)
    later = ledger.documents.postpone(BOT, received(ledger, "3klater"), (), future)

    assert (past, future) == (now_of(ledger, due).not_before, now_of(ledger, later).not_before)
    assert [due.id] == [document.id for document in ledger.queries.waiting(Status.RECEIVED, 9)]


def test_a_time_without_a_zone_is_refused(ledger: Ledger) -> None:
    """Nobody could know which moment it is."""
    document = received(ledger)

    with pytest.raises(Exception, match="aware times only"):
        ledger.documents.postpone(BOT, document, (), datetime(2026, 3, 2, 12, 0))  # noqa: DTZ001
    with pytest.raises(Exception, match="aware times only"):
        ledger.desk.advance("a", datetime(2026, 3, 2, 12, 0))  # noqa: DTZ001
    assert document == now_of(ledger, document)


def test_a_moment_on_the_second_compares_with_one_that_is_not(ledger: Ledger) -> None:
    """As texts they would be of different length."""
    whole = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    for at in (whole, whole + timedelta(microseconds=1), whole):
        ledger.desk.advance("a", at)

    assert whole + timedelta(microseconds=1) == ledger.desk.watermark("a")


def test_the_ledgers_clock_is_shifted_as_one(ledger: Ledger, ledger_clock: Clock) -> None:
    """What is read and what is compared inside a statement."""
    before = ledger.db.time()
    claimed = building(ledger)
    travel(ledger_clock, days=3)

    assert timedelta(days=3) <= ledger.db.time() - before < timedelta(days=3, minutes=5)
    assert [claimed.document.id] == [document.id for document in ledger.documents.overdue(9)]


def test_json_changed_in_place_changes_nothing(ledger: Ledger) -> None:
    """A value that was read is the reader's own."""
    document = received(ledger)
    document.body["ask"] = "something else"
    document.body["record"]["text"] = "something else"

    assert mention() == now_of(ledger, document).mention


def test_any_json_comes_back_as_it_went(ledger: Ledger) -> None:
    """Whatever a record holds, NUL and lone surrogates included; in the database it is plain ASCII."""
    odd: dict[str, Any] = {"": {"\x00": [None, "\udfff"]}, "big": 2**70, "half": 1.5, "no": False, "none": [[], {}]}
    odd |= {"text": "a\x00b\ud800\u2028👩‍🚀", "null": None}
    (document,) = ledger.documents.receive(BOT, [mention(record=odd)])
    with ledger.db.read() as connection:
        stored = connection.execute(text("SELECT body FROM documents")).scalar_one()

    assert odd == now_of(ledger, document).body["record"]
    assert stored.isascii()
    assert odd == json.loads(stored)["record"]


def test_any_text_survives_in_company(ledger: Ledger) -> None:
    """Many rows come in by one statement; each is kept as it would be alone."""
    odd = {"text": 'a\x00b\ud800\u2028 "quoted" \\ {1,NULL} %s %(x)s :y', "list": ["", None, [[]]], "big": 2**70}
    posts = [mention(f"3kodd{n}", record=odd | {"n": n}, author_handle='h\x00"\\') for n in range(3)]

    stored = ledger.documents.receive(BOT, posts)

    assert [odd | {"n": n} for n in range(3)] == [now_of(ledger, document).body["record"] for document in stored]
    assert {'h\ufffd"\\'} == {now_of(ledger, document).author_handle for document in stored}
