"""What a large ledger costs its readers: python -m tests.bench.ledger_pages [--documents N] [--postgres].

The same reads on a ledger of so many documents and on one of 10,000, and how many times longer the large one takes.
The ledgers are written by SQL, which takes a few minutes for a million, in a folder of $TMPDIR that goes with them.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bot.clock import Clock
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.schema import migrate
from bot.ledger.selection import Place, Selection
from bot.ledger.tables import attempts, documents, moves, sends
from bot.operations.reading import Around, Reading
from guardrails.documents import Did, DocId
from guardrails.rules import Rules
from guardrails.transitions import Reason, Status
from tests.ledger_fixtures import slug_for
from tests.mentions import BOT
from tests.postgres import running_postgres

SMALL = 10_000
LARGE = 1_000_000
AT_A_TIME = 5_000
TIMES = 15
PAGE = 50
APART = timedelta(seconds=20)
SAID = "make build please simple small nice little app page tool counter quiz list game clock notes music colour"
WORDS = SAID.split()
# In a thousand documents so many stand in each status; the rest are answered.
SHARES = {
    Status.SKIPPED: 250,
    Status.BUILD_FAILED: 30,
    Status.ERROR: 10,
    Status.RECEIVED: 2,
    Status.AWAITING_APPROVAL: 1,
    Status.BUILT: 1,
}
REASONS = {
    Status.REPLIED: Reason.SENT,
    Status.SKIPPED: Reason.THANKS,
    Status.BUILD_FAILED: Reason.OUT_OF_TRIES,
    Status.ERROR: Reason.LANE_LOST,
    Status.RECEIVED: Reason.INGESTED,
    Status.AWAITING_APPROVAL: Reason.POLICY,
    Status.BUILT: Reason.BUILT,
}
_OTHERS = [status for status, share in SHARES.items() for _ in range(share)]
STANDINGS = _OTHERS + [Status.REPLIED] * (1000 - len(_OTHERS))


def main(size: int, *, postgres: bool) -> None:
    """Print how long each read takes on both ledgers, and how many times longer on the large one."""
    with ExitStack() as stack:
        small, large = (stack.enter_context(_ledger(number, postgres=postgres)) for number in (SMALL, size))
        where = "PostgreSQL" if postgres else "SQLite"
        print(f"reads of {size:,} documents against {SMALL:,} on {where}, in milliseconds, the quickest of {TIMES}:")
        for line in compared(small, large, size):
            print(line, flush=True)


def compared(small: Ledger, large: Ledger, size: int) -> Iterator[str]:
    """A line for each read; done in turns, so that a machine that slows down slows both."""
    for (name, of_small), (_, of_large) in zip(_reads(small, SMALL), _reads(large, size), strict=True):
        took = [(_once(of_small), _once(of_large)) for _ in range(TIMES)]
        yield _line(name, *(min(each) for each in zip(*took, strict=True)))
    forgotten = [_once(partial(ledger.people.forget, BOT, Did("did:plc:a7"))) for ledger in (small, large)]
    yield _line("forgetting somebody", *forgotten)


def _line(name: str, small: float, large: float) -> str:
    return f"  {name:32} {large * 1000:9.2f} {small * 1000:9.2f} {large / small:8.2f} times"


def _reads(ledger: Ledger, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
    around = Around("https://apps.example", Rules, lambda _: None, timedelta(days=999))
    reading = Reading(ledger, around, lambda _: ())
    deep = Place(ledger.pages.oldest()[Status.RECEIVED] + number // 10 * APART, DocId(""))

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
    yield "search, rare word", page(text="xylophone")
    yield "search, common word", page(text='"timer"')
    yield "search, beginning of common word", page(text="time")
    yield "search, common and rare word", page(text="timer xylophone")
    yield "search, common words, deep", page(deep, text='"timer" "app"')
    yield "search, common word, errors", page(text='"timer"', statuses=(Status.ERROR,))
    yield "count of all", lambda: ledger.pages.count(Selection())
    yield "count of a common word", lambda: ledger.pages.count(Selection(text='"timer"'))
    yield "counts per status", ledger.pages.counts
    yield "piles", lambda: ledger.piles.all(None, timedelta())
    yield "overview", reading.overview
    yield "moves before a moment", lambda: ledger.feed.before(deep.created_at)
    yield "export of 100", lambda: reading.export(number, 100)


def _once(read: Callable[[], object]) -> float:
    began = time.perf_counter()
    read()
    return time.perf_counter() - began


@contextmanager
def _ledger(number: int, *, postgres: bool) -> Iterator[Ledger]:
    """A ledger of so many documents."""
    with ExitStack() as stack:
        if postgres:
            url = stack.enter_context(running_postgres()).create_database("bench")
        else:
            url = f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory(prefix='skywright-bench-'))}/ledger.db"
        ledger = open_ledger(url, Clock(), LedgerPolicy(), slug_for)
        stack.callback(ledger.close)
        migrate(ledger.db)
        began = time.perf_counter()
        _fill(ledger, number)
        print(f"wrote {number:,} documents in {time.perf_counter() - began:.0f} s", flush=True)
        yield ledger


def _fill(ledger: Ledger, number: int) -> None:
    dice = random.Random(7)
    first = datetime.now(UTC) - number * APART
    for start in range(0, number, AT_A_TIME):
        rows = [_row(n, first + n * APART, number, dice) for n in range(start, start + AT_A_TIME)]
        with ledger.db.write() as connection:
            connection.execute(documents.insert(), rows)
            connection.execute(moves.insert(), [move for row in rows for move in _moves(row)])
            tried = [row for row in rows if row["attempt"]]
            connection.execute(attempts.insert(), [_attempt(row) for row in tried])
            connection.execute(sends.insert(), [_send(row) for row in tried])
    if not ledger.db.is_sqlite:
        with ledger.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM (ANALYZE)")


def _row(n: int, at: datetime, number: int, dice: random.Random) -> dict[str, Any]:
    status = Status.RECEIVED if n == 0 else dice.choice(STANDINGS)
    words = dice.sample(WORDS, 6) + (["timer"] if dice.random() < 0.3 else []) + [f"word{dice.randrange(number // 4)}"]
    if n % (number // 20) == 7:
        words.append("xylophone")
    author, uri = f"a{dice.randrange(number // 20)}", f"at://did:plc:x/app.bsky.feed.post/{n}"
    ask = " ".join(words)
    return {
        "id": f"mention:did:plc:x:{n}",
        "kind": "mention",
        "author_did": f"did:plc:{author}",
        "author_handle": f"{author}.test",
        "source_uri": uri,
        "source_cid": "cid",
        "body": {"ask": ask, "text": f"@wright.test {ask}", "record": {"text": ask}, "context": [], "stale": False},
        "status": status.value,
        "version": 2,
        "reason": REASONS[status].value,
        "detail": "the lane was not heard of again" if status is Status.ERROR else "",
        "created_at": at,
        "updated_at": at,
        "budget": 3,
        "attempt": int(status in (Status.REPLIED, Status.BUILT, Status.BUILD_FAILED, Status.ERROR)),
        "failures": 0,
        "result": {"title": "An app"} if status in (Status.REPLIED, Status.BUILT) else None,
        "thread": uri,
    }


def _moves(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    common = {"document_id": row["id"], "kind": "mention", "actor": "bot", "device": "bot", "at": row["created_at"]}
    begun = {"name": "receive", "to_status": "received", "reason": "ingested", "version": 1, "from_status": None}
    ended = {"name": "refuse", "to_status": row["status"], "reason": row["reason"], "version": 2}
    yield common | begun
    yield common | ended | {"from_status": "received"}


def _attempt(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "document_id": row["id"],
        "attempt": 1,
        "claim_id": row["id"],
        "device": f"lane-{int(row['id'].rpartition(':')[2]) % 3}",
        "generator": "template",
        "started_at": row["created_at"],
        "ended_at": row["created_at"],
        "outcome": "done",
        "cost_micros": 1000,
    }


def _send(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": f"reply:{row['id']}",
        "document_id": row["id"],
        "collection": "app.bsky.feed.post",
        "rkey": row["id"].rpartition(":")[2],
        "state": "answered",
        "record": {},
        "cid": "cid",
        "cids": ["cid"],
        "uri": f"at://did:plc:wright/app.bsky.feed.post/{row['id']}",
        "claimed_at": row["created_at"],
        "settled_at": row["created_at"],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the reads of a large ledger.")
    parser.add_argument("--documents", type=int, default=LARGE)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    main(options.documents, postgres=options.postgres)
