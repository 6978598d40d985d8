"""What a large ledger costs: every hot query at a million documents against the same at ten thousand."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

from bot.ledger.ledger import Ledger
from bot.ledger.selection import Place, Selection
from bot.operations.reading import Around, Reading
from guardrails.documents import Did, DocId
from guardrails.rules import Rules
from guardrails.transitions import Reason, Status
from tests.bench.large import APART, LOT, RARE, fill
from tests.bench.places import POSTGRESQL, SQLITE, Places, places
from tests.bench.table import Line, Measure, compared, interleaved, seconds
from tests.bot.ledger.steps import claim, pending
from tests.mentions import BOT, OUR_DID, mention

LARGE, QUICK_LARGE = 1_000_000, 2 * LOT
ROUNDS, QUICK_ROUNDS = 15, 3
PAGE = 50
# Both ledgers have so many of all that a job takes, where they have any: what differs is what else there is.
LIMIT = 8
AIM = 1.2
SOON = timedelta(minutes=1)
# So long an answer is followed here: both ledgers have that many days of answers.
DAYS = 2


def lines(quick: bool) -> Iterator[Line]:
    """A line for each query on each database, in milliseconds."""
    size, rounds = (QUICK_LARGE, QUICK_ROUNDS) if quick else (LARGE, ROUNDS)
    with places() as here:
        for backend in (SQLITE, POSTGRESQL):
            yield from measured(here, backend, size, rounds)


def measured(here: Places, backend: str, size: int, rounds: int) -> Iterator[Line]:
    """The large ledger against the small one, in turns."""
    with ExitStack() as stack:
        large, small = (stack.enter_context(here.ledger(backend, f"growth_{number}")) for number in (size, LOT))
        fill(large, size)
        fill(small, LOT)
        for (name, of_large), (_, of_small) in zip(_queries(large), _queries(small), strict=True):
            # The first round goes before: statements are compiled, and pages read, in it.
            found = interleaved(rounds + 1, of_large, of_small)[1:]
            yield compared(f"{name}, of {size:,}", backend, "ms", [(a, b) for a, b in found], at_most=AIM)
        once = interleaved(1, *(_timed(partial(each.people.forget, BOT, Did("did:plc:a7"))) for each in (large, small)))
        yield compared(f"forgetting somebody, of {size:,}", backend, "ms", [(a, b) for a, b in once], at_most=AIM)


def _queries(ledger: Ledger) -> Iterator[tuple[str, Measure]]:
    for queries in (_reads, _of_jobs):
        for name, query in queries(ledger):
            yield name, _timed(query)
    yield from _writes(ledger)


def _timed(query: Callable[[], object]) -> Measure:
    return lambda: seconds(query) * 1000


def _of_jobs(ledger: Ledger) -> Iterator[tuple[str, Callable[[], object]]]:
    """What the bot's rounds ask, again and again."""
    queries, sightings, now = ledger.queries, ledger.sightings, ledger.db.time()
    yield "what is to be judged", lambda: queries.waiting(Status.RECEIVED, LIMIT)
    yield "what is known of it", lambda: ledger.gather(queries.waiting(Status.RECEIVED, LIMIT), OUR_DID, Rules())
    yield (
        "how much was let through",
        lambda: queries.let_through(now - timedelta(minutes=1), now - timedelta(minutes=2)),
    )
    yield "what is to be answered", lambda: queries.ready_to_answer(LIMIT)
    yield "replies that are held", queries.held_replies
    yield "what is to be liked", lambda: queries.to_like(LIMIT)
    yield "what is to be told", lambda: queries.to_tell(LIMIT)
    yield "what is overdue", lambda: ledger.documents.overdue(LIMIT)
    yield "what joined an ask that is gone", lambda: ledger.documents.withdrawn_with_joined(LIMIT)
    yield "links to what is gone", lambda: ledger.documents.dead_links(LIMIT)
    yield "replies to be taken back", lambda: sightings.to_take_back(LIMIT)
    yield "replies not seen yet", lambda: sightings.unseen_replies(LIMIT, timedelta(minutes=2), timedelta(days=1))
    yield "what is to be looked at", lambda: sightings.to_look_at(LIMIT, SOON, SOON, SOON, DAYS)
    yield "what is followed", lambda: sightings.followed(DAYS, PAGE)
    yield "what is to be sent", lambda: ledger.outbox.due(LIMIT, "reply:")
    yield "what may have landed", lambda: ledger.outbox.to_look_for(LIMIT, "reply:")
    yield "sends that are not settled", queries.unsettled_sends
    yield "the newest answer", ledger.sends.last_answered_key
    yield "what waits for a lane", ledger.lanes.waiting
    yield "lanes at work", ledger.lanes.at_work
    yield "the end of the feed", ledger.feed.last
    yield "the newest of the feed", lambda: ledger.feed.after(ledger.feed.last() - LIMIT, LIMIT)


def _writes(ledger: Ledger) -> Iterator[tuple[str, Measure]]:
    """A page that comes in, and a claim; what it takes to have something to claim does not count."""
    numbers = count()

    def page() -> float:
        asked = [mention(f"3k{next(numbers):011}") for _ in range(LIMIT)]
        return seconds(partial(ledger.documents.receive, BOT, asked)) * 1000

    def claimed() -> float:
        pending(ledger, f"3k{next(numbers):011}")
        return seconds(partial(claim, ledger)) * 1000

    yield "a page of mentions stored", page
    yield "a claim", claimed


def _reads(ledger: Ledger) -> Iterator[tuple[str, Callable[[], object]]]:
    around = Around("https://apps.example", Rules, lambda _: None, timedelta(days=999))
    reading = Reading(ledger, around, lambda _: ())
    deep = Place(ledger.pages.oldest()[Status.RECEIVED] + LOT // 10 * APART, DocId(""))

    def page(after: Place | None = None, **wanted: Any) -> Callable[[], object]:
        def read() -> object:
            found, _ = ledger.pages.page(Selection(**wanted), PAGE, after)
            assert found
            return found

        return read

    yield "first page", page()
    yield "deep page", page(deep)
    yield "first page of errors", page(statuses=(Status.ERROR,))
    yield "deep page of two statuses", page(deep, statuses=(Status.ERROR, Status.SKIPPED))
    yield "deep page of a reason", page(deep, reasons=(Reason.THANKS,))
    yield "first page of an author", page(author="a7.test")
    yield "first page of a lane", page(lane="lane-1")
    yield "search, rare word", page(text=RARE)
    yield "search, common word", page(text='"timer"')
    yield "search, beginning of common word", page(text="time")
    yield "search, common and rare word", page(text=f"timer {RARE}")
    yield "search, common words, deep", page(deep, text='"timer" "app"')
    yield "search, common word, errors", page(text='"timer"', statuses=(Status.ERROR,))
    yield "count of all", lambda: ledger.pages.count(Selection())
    yield "count of a common word", lambda: ledger.pages.count(Selection(text='"timer"'))
    yield "counts per status", ledger.pages.counts
    yield "piles", lambda: ledger.piles.all(None, timedelta())
    yield "overview", reading.overview
    yield "moves before a moment", lambda: ledger.feed.before(deep.created_at)
    yield "export of 100", lambda: reading.export(ledger.feed.last() // 2, 100)
