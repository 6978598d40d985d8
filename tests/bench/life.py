"""A document's life through the store, one at a time: claimed, built, its send claimed, answered.

Floor: the very same statements by the raw driver, on a ledger that was the same. Peers: their workers, with a job that
does nothing, so that theirs is the taking and the ending of a job alone.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count

from bot.ledger.ledger import Ledger
from guardrails.documents import ClaimId, DocId
from tests.bench.peers import pgqueuer_worker, procrastinate_worker
from tests.bench.places import POSTGRESQL, SQLITE, Places, places
from tests.bench.replay import raw, recorded
from tests.bench.table import Line, Measure, compared, interleaved, seconds
from tests.bot.ledger.steps import done, frozen, pending, ref_of
from tests.facts import PURSE
from tests.mentions import BOT, LANE

ROUNDS, LOT = 7, 200
QUICK_ROUNDS, QUICK_LOT = 3, 20
AIMS = {SQLITE: 0.5, POSTGRESQL: 0.7}


def lines(quick: bool) -> Iterator[Line]:
    """The floor on both databases, and the peers on PostgreSQL."""
    rounds, lot = (QUICK_ROUNDS, QUICK_LOT) if quick else (ROUNDS, LOT)
    with places() as here:
        for backend in (SQLITE, POSTGRESQL):
            found = measured(here, backend, rounds, lot)
            floors = [(each[0], each[1]) for each in found]
            yield compared("life against its raw statements", backend, "documents/s", floors, at_least=AIMS[backend])
            for place, name in enumerate(("procrastinate", "pgqueuer"), start=2):
                if backend == POSTGRESQL:
                    pairs = [(each[0], each[place]) for each in found]
                    yield compared(f"life against a job that does nothing in {name}", backend, "documents/s", pairs)


def measured(here: Places, backend: str, rounds: int, lot: int) -> list[tuple[float, ...]]:
    """Rounds of lots: ours, the floor, and on PostgreSQL the peers; in documents a second."""
    name, many = f"life_{backend.lower()}", (rounds + 1) * lot
    with here.ledger(backend, name) as ledger:
        asked = [pending(ledger, f"3k{number:011}").id for number in range(many)]
    with ExitStack() as stack:
        ours, floor, told = (stack.enter_context(here.ledger(backend, f"{name}_{which}", of=name)) for which in "abc")
        said = []
        with recorded(told) as heard:
            for number, document_id in enumerate(asked):
                live(told, document_id, number)
                said.append(heard[:])
                heard.clear()
        say = stack.enter_context(raw(floor.db.engine.url.render_as_string(hide_password=False)))
        measures = [
            _by_lots(lambda number: live(ours, asked[number], number), lot),
            _by_lots(lambda number: say(said[number]), lot),
        ]
        if backend == POSTGRESQL:
            for peer in (procrastinate_worker, pgqueuer_worker):
                worker = stack.enter_context(peer(here.conninfo(peer.__name__)))
                measures.append(partial(worker, lot))
        # The first lot goes before: statements are compiled, and prepared, in it.
        return interleaved(rounds + 1, *measures)[1:]


def live(ledger: Ledger, document_id: DocId, number: int) -> None:
    """The life of the document that is next."""
    claim_id, record = ClaimId(f"{number:026}"), frozen(f"3kreply{number:06}", f"cid-{number}")
    claimed = ledger.claims.claim_next(LANE, claim_id, "template", PURSE)
    assert claimed is not None
    assert claimed.document.id == document_id
    ledger.claims.report(LANE, claim_id, done())
    send = ledger.sends.claim_reply(BOT, ledger.queries.document(document_id), record)
    ledger.sends.answered(BOT, send, ref_of(send))


def _by_lots(one: Callable[[int], None], lot: int) -> Measure:
    """So many of them each time, in documents a second."""
    starts = count(0, lot)

    def measure() -> float:
        start = next(starts)

        def all_of_it() -> None:
            for number in range(start, start + lot):
                one(number)

        return lot / seconds(all_of_it)

    return measure
