"""Lists of documents by every filter, page by page, and how many there are."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.ledger import pages
from bot.ledger.ledger import Ledger
from bot.ledger.pages import COUNTED_TO
from bot.ledger.selection import Place, Selection
from guardrails.documents import DocId, Kind
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import STARTS, built, received, skipped, travel
from tests.documents import newest
from tests.mentions import ALICE, BOB, BOT, OPERATOR, mention

EVERYTHING = Selection()


def keys(ledger: Ledger, selection: Selection = EVERYTHING) -> list[str]:
    """The record keys of what fits, newest first; counted, and read in small pages, it is as many."""
    whole, next_ = ledger.pages.page(selection, 500)
    by_twos = [document for page in turned(ledger, selection, 2) for document in page]

    assert next_ is None
    assert whole == by_twos
    assert len(whole) == ledger.pages.count(selection)
    return [document.id.rpartition(":")[2] for document in whole]


def turned(ledger: Ledger, selection: Selection, limit: int) -> Iterator[list[object]]:
    """Page by page, to the last."""
    after: Place | None = None
    while True:
        found, after = ledger.pages.page(selection, limit, after)
        yield list(found)
        if after is None:
            return


def test_a_list_is_newest_first_and_narrowed_by_every_filter(ledger: Ledger, ledger_clock: Clock) -> None:
    """Each alone and all together."""
    for status, make in STARTS.items():
        make(ledger, status.value)
        travel(ledger_clock, seconds=1)
    noon = ledger.db.time()
    skipped(ledger, "3kthanks", Reason.THANKS)
    ledger.documents.receive(BOT, [mention("3kbob", author=BOB)])
    everything = ["3kbob", "3kthanks", *(status.value for status in reversed(list(STARTS)))]
    tried = ["building", "built", "replied", "build-failed", "error"]

    assert everything == keys(ledger) == keys(ledger, Selection(text=" ", author=None, kind=Kind.MENTION))
    assert ["3kthanks", "error", "skipped"] == keys(ledger, Selection(statuses=(Status.SKIPPED, Status.ERROR)))
    assert ["3kthanks"] == keys(ledger, Selection(reasons=(Reason.THANKS, Reason.LOOP)))
    assert [] == keys(ledger, Selection(statuses=(Status.ERROR, Status.BUILT), reasons=(Reason.THANKS,)))
    assert ["3kthanks"] == keys(ledger, Selection((Status.SKIPPED,) * 2, reasons=(Reason.THANKS,) * 2))
    assert ["3kbob"] == keys(ledger, Selection(author=BOB)) == keys(ledger, Selection(author=" @Bob.Test"))
    assert [] == keys(ledger, Selection(author="bob")) == keys(ledger, Selection(author=BOB, reasons=(Reason.LOOP,)))
    assert ["3kbob", "3kthanks"] == keys(ledger, Selection(since=noon))
    assert everything[2:] == keys(ledger, Selection(until=noon))
    assert sorted(tried) == sorted(keys(ledger, Selection(lane="lane-1")))
    assert [] == keys(ledger, Selection(lane="lane-2"))
    all_of_it = Selection(
        statuses=(Status.BUILT, Status.REPLIED),
        author=ALICE,
        since=noon - timedelta(hours=1),
        until=noon,
        text="tip spl",
        reasons=(Reason.BUILT,),
        lane="lane-1",
        kind=Kind.MENTION,
    )
    assert ["built"] == keys(ledger, all_of_it)


def test_a_lane_of_many_builds_is_asked_for_document_by_document(
    ledger: Ledger, ledger_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds the same."""
    for number in range(3):
        built(ledger, f"3k{number}")
    travel(ledger_clock, hours=1)
    received(ledger, "3klater")
    few = [keys(ledger, Selection(lane="lane-1", text=words)) for words in (None, "splitter")]
    monkeypatch.setattr(pages, "_FEW", 2)

    assert [["3k2", "3k1", "3k0"]] * 2 == few
    assert few == [keys(ledger, Selection(lane="lane-1", text=words)) for words in (None, "splitter")]


@pytest.mark.parametrize("words", [None, "splitter"])
def test_what_comes_in_while_somebody_turns_pages_is_neither_seen_twice_nor_pushes_others_out(
    ledger: Ledger, words: str | None
) -> None:
    """Of one moment or of several: whatever was there is seen once."""
    numbers = count()
    at_one_moment = "UPDATE documents SET created_at = '2026-03-02 12:00:00.000000+00:00'"
    if ledger.db.is_sqlite:
        at_one_moment = at_one_moment.replace("+00:00", "")
    ledger.documents.receive(BOT, [mention(f"3k{(7 * next(numbers)) % 13}") for _ in range(12)])
    with ledger.db.write() as connection:
        connection.execute(text(at_one_moment))
    for _ in range(6):
        received(ledger, f"3k{20 + next(numbers)}")
    there = {document.id for document in newest(ledger, 99)}
    seen: list[str] = []
    for page in turned(ledger, Selection(text=words), 4):
        seen += [document.id for document in page]  # type: ignore[attr-defined]
        ledger.documents.receive(BOT, [mention(f"3k{100 + next(numbers)}"), mention(f"3k{100 + next(numbers)}")])

    assert len(seen) == len(set(seen))
    assert there == set(seen)
    assert len(there) + 10 == ledger.pages.count(EVERYTHING)


def test_a_place_that_is_no_document_is_a_moment(ledger: Ledger, ledger_clock: Clock) -> None:
    """Somebody may have written it into an address by hand."""
    first = received(ledger, "3kfirst")
    travel(ledger_clock, hours=1)
    received(ledger, "3ksecond")
    between = Place(first.created_at + timedelta(minutes=1), DocId("nobody"))
    before = Place(first.created_at - timedelta(minutes=1), DocId("nobody"))
    for selection in (EVERYTHING, Selection(text="splitter")):
        assert [first] == ledger.pages.page(selection, 9, between)[0]
        assert ([], None) == ledger.pages.page(selection, 9, before)


def test_a_page_has_a_size(ledger: Ledger) -> None:
    """Not less than one document, and not more than the most."""
    for number in range(3):
        received(ledger, f"3k{number}")

    assert [1, 1, 2, 3] == [len(ledger.pages.page(EVERYTHING, limit)[0]) for limit in (-1, 0, 2, 10**9)]


def test_counting_goes_so_far(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one further, which says that there are more; status by status as well."""
    for number in range(3):
        received(ledger, f"3k{number}")
    skipped(ledger, "3kskipped")

    assert 10_000 == COUNTED_TO
    assert dict.fromkeys(Status, 0) | {Status.RECEIVED: 3, Status.SKIPPED: 1} == ledger.pages.counts()
    monkeypatch.setattr(pages, "COUNTED_TO", 1)
    assert dict.fromkeys(Status, 0) | {Status.RECEIVED: 2, Status.SKIPPED: 1} == ledger.pages.counts()
    some = Selection(statuses=(Status.RECEIVED, Status.SKIPPED))
    assert [2, 2, 2] == [ledger.pages.count(each) for each in (EVERYTHING, some, Selection(text="splitter"))]


def test_the_oldest_open_work_is_known_by_status(ledger: Ledger, ledger_clock: Clock) -> None:
    """What has ended is not waiting."""
    assert {} == ledger.pages.oldest()
    first = received(ledger, "3kfirst")
    travel(ledger_clock, hours=1)
    received(ledger, "3ksecond")
    held = ledger.documents.approve(OPERATOR, received(ledger, "3kthird"))
    skipped(ledger, "3kskipped")

    assert {Status.RECEIVED: first.created_at, Status.PENDING_BUILD: held.created_at} == ledger.pages.oldest()
