"""Notifications as the AppView sends them, to documents with their history: read and stored, then judged.

Floor: the same rows by the raw driver, which reads and judges nothing: the very statements by which the store wrote
them. Peers: the batch enqueue of two queues, of the same text, in lots that are a page each.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.bluesky.ages import Ages
from bot.bluesky.identity import IdentityResolver
from bot.bluesky.lists import AllowList
from bot.jobs.facts import Bench
from bot.jobs.ingest import Reach, ingest_once
from bot.jobs.judge import judge_once
from bot.jobs.look import Finder, LookProof
from bot.ledger.ledger import Ledger
from bot.moderation import Moderator
from guardrails.rules import Rules
from tests.bench.appview import PAGE, Wire
from tests.bench.peers import Enqueue, pgqueuer, procrastinate
from tests.bench.places import POSTGRESQL, SQLITE, Places, places
from tests.bench.replay import Statement, raw, recorded
from tests.bench.table import Line, compared, interleaved, seconds
from tests.mentions import BOT

MANY, ROUNDS = 20_000, 5
QUICK_MANY, QUICK_ROUNDS = 400, 2
# All is looked at as by default; only how much may be taken on in a day, and in a minute, is not what is measured.
RULES = Rules.model_validate({"caps": {"all_per_day": 1_000_000}, "loops": {"per_minute": 100_000}})
STORED, DECIDED = "read and stored", "read, stored and judged"
PEERS = {"procrastinate": (procrastinate, 1.0), "pgqueuer": (pgqueuer, 0.5)}


def lines(quick: bool) -> Iterator[Line]:
    """The floor on both databases, and the peers on PostgreSQL; each for the first half, and for the whole."""
    many, rounds = (QUICK_MANY, QUICK_ROUNDS) if quick else (MANY, ROUNDS)
    with places() as here:
        for backend in (SQLITE, POSTGRESQL):
            found = measured(here, backend, many // rounds, rounds)
            for half, what in enumerate((STORED, DECIDED)):
                floors = [(each[half], each[half + 2]) for each in found]
                yield compared(f"{what}, against its raw rows", backend, "documents/s", floors)
                for place, (name, (_, aim)) in enumerate(PEERS.items() if backend == POSTGRESQL else (), start=4):
                    pairs = [(each[half], each[place]) for each in found]
                    at_least = aim if what == DECIDED else None
                    yield compared(f"{what}, against {name}", backend, "documents/s", pairs, at_least=at_least)


def measured(here: Places, backend: str, lot: int, rounds: int) -> list[tuple[float, ...]]:
    """Documents a second of each round: ours stored, ours judged, both floors, and on PostgreSQL the peers."""
    name = f"ingest_{backend.lower()}"
    with here.ledger(backend, name):
        pass
    with ExitStack() as stack:
        ours, floor, told = (stack.enter_context(here.ledger(backend, f"{name}_{which}", of=name)) for which in "abc")
        now = datetime.now(UTC)
        # The first lot goes before: statements are compiled, and prepared, in it.
        wires = [Wire(lot, now, number * lot) for number in range(rounds + 1)]
        say = stack.enter_context(raw(floor.db.engine.url.render_as_string(hide_password=False)))
        halves = [
            (_written(told, partial(store, told, wire)), _written(told, partial(decide, told, wire))) for wire in wires
        ]
        by_store = _Halves([(partial(store, ours, wire), partial(decide, ours, wire)) for wire in wires], lot)
        by_driver = _Halves([(partial(say, first), partial(say, second)) for first, second in halves], lot)
        measures = [by_store.measure, by_driver.measure]
        for peer, (enqueueing, _) in PEERS.items() if backend == POSTGRESQL else ():
            enqueue = stack.enter_context(enqueueing(here.conninfo(peer)))
            measures.append(partial(_enqueued, enqueue, iter(wires), lot))
        found = interleaved(rounds + 1, *measures)
        return [
            (by_store.firsts[number], each[0], by_driver.firsts[number], *each[1:])
            for number, each in enumerate(found)
            if number
        ]


def store(ledger: Ledger, wire: Wire) -> None:
    """Read all that is listed."""
    read = ingest_once(ledger, wire, BOT, Reach(None, len(wire.items), wire.now - timedelta(days=1)))
    assert len(wire.items) == read.new


def decide(ledger: Ledger, wire: Wire) -> None:
    """Judge all that waits for it."""

    def now() -> datetime:
        return datetime.now(UTC)

    ages = Ages(lambda: IdentityResolver("http://127.0.0.1:9", deadline_seconds=1, now=now))
    moderator = Moderator()
    bench = Bench(ledger, wire, BOT, now, RULES, AllowList(now), ages, moderator)
    proof, accepted = LookProof(Finder(ledger, BOT, "http://localhost"), wire.now - timedelta(days=1), None), 0
    while judged := judge_once(bench, proof).documents:
        accepted += judged
    moderator.close()
    assert len(wire.items) == accepted


def _written(ledger: Ledger, work: Callable[[], None]) -> list[Statement]:
    """What the work writes, without what it reads."""
    with recorded(ledger) as said:
        work()
    return [each for each in said if not each[0].startswith("SELECT")]


class _Halves:
    """Does two halves one after the other, a round of them each time; keeps what the first alone came to."""

    def __init__(self, rounds: Sequence[tuple[Callable[[], None], Callable[[], None]]], lot: int) -> None:
        self.firsts: list[float] = []
        self._rounds = iter(rounds)
        self._lot = lot

    def measure(self) -> float:
        """Documents a second, of both halves together."""
        first, second = next(self._rounds)
        began = seconds(first)
        self.firsts.append(self._lot / began)
        return self._lot / (began + seconds(second))


def _enqueued(enqueue: Enqueue, wires: Iterator[Wire], lot: int) -> float:
    texts = [item.decode() for item in next(wires).items]
    pages = [texts[start : start + PAGE] for start in range(0, lot, PAGE)]

    def all_of_it() -> None:
        for page in pages:
            enqueue(page)

    return lot / seconds(all_of_it)
