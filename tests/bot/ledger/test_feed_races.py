"""Writers of the history that end in any way and order, and those who follow it meanwhile."""

import os
import random
import signal
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from bot.clock import Clock
from bot.follower import Follower
from bot.ledger.engine import open_database
from bot.ledger.ledger import Ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.schema import migrate
from guardrails.documents import DocId
from tests.bot.ledger.numbers import fresh, moved, seqs, taken
from tests.bot.ledger.steps import received
from tests.ledger_fixtures import slug_for
from tests.postgres import running_postgres
from tests.waiting import until

pytestmark = pytest.mark.postgres


def test_what_a_crash_of_the_server_ends_is_passed_over_and_what_was_prepared_is_not() -> None:
    """Nor waited for are the numbers that its sequence leaves out when it is back."""
    with running_postgres() as server, ExitStack() as stack:
        ledger = Ledger(open_database(server.create_database("ledger"), Clock()), LedgerPolicy(), slug_for)
        stack.callback(ledger.close)
        migrate(ledger.db)
        first = received(ledger).id
        late, prepared = (stack.enter_context(ledger.db.engine.connect()) for _ in range(2))
        kept = (taken(late, first), taken(prepared, first))[1]
        last = moved(ledger, first)
        assert [1] == seqs(ledger)
        prepared.execute(text("PREPARE TRANSACTION 'kept'"))
        prepared.invalidate()
        os.kill(late.execute(text("SELECT pg_backend_pid()")).scalar_one(), signal.SIGKILL)
        late.invalidate()

        def after_the_crash() -> list[int]:
            try:
                return seqs(ledger)
            except OperationalError:
                return []

        assert [1] == until(after_the_crash)
        with ledger.db.direct_connection() as connection:
            connection.execute("COMMIT PREPARED 'kept'")
        new = moved(ledger, first)
        assert last + 1 < new
        assert [1, kept, last, new] == seqs(ledger)


@dataclass
class Writers:
    """Connections that take numbers and keep them, and what came of those."""

    ledger: Ledger
    document_id: DocId
    connections: list[Connection]
    held: dict[Connection, list[int]] = field(default_factory=dict)
    there: list[int] = field(default_factory=lambda: [1])

    def step(self, choose: random.Random) -> None:
        """One of them begins, takes one number more, commits or rolls back."""
        connection = choose.choice(self.connections)
        if connection not in self.held or choose.random() < 0.3:
            self.held.setdefault(connection, []).append(taken(connection, self.document_id))
        elif choose.random() < 0.7:
            self.there += self.held.pop(connection)
            connection.commit()
        else:
            del self.held[connection]
            connection.rollback()

    def end(self) -> None:
        """All commit that are under way."""
        for connection in list(self.held):
            self.there += self.held.pop(connection)
            connection.commit()


@pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
def test_however_writers_end_no_move_is_skipped_or_told_twice(ledger: Ledger) -> None:
    """In the order of their numbers, to whoever follows from the start, in a thread, or begins in the middle."""
    choose = random.Random(7)
    first = received(ledger).id
    with ExitStack() as stack:
        writers = Writers(ledger, first, [stack.enter_context(ledger.db.engine.connect()) for _ in range(5)])
        follow(writers, choose)


def follow(writers: Writers, choose: random.Random) -> None:
    """Have them all write by chance, and see what each follower is told."""
    ledger = writers.ledger
    by_thread: list[int] = []
    follower = Follower(ledger.feed, 0.005, [lambda moves: by_thread.extend(move.seq for move in moves)])
    follower.start()
    until(lambda: follower.position is not None)
    feeds = {fresh(ledger, first_seconds=0): [1]}
    for number in range(600):
        writers.step(choose)
        if number == 250:
            late = fresh(ledger, first_seconds=0)
            feeds[late] = [move.seq for move in late.after(0, 9999)]
        for feed, got in feeds.items():
            if choose.random() < 0.3:
                got += [move.seq for move in feed.after(got[-1], choose.choice([1, 3, 500]))]
        lowest = min((seq for held in writers.held.values() for seq in held), default=2**63)
        assert all(seq < lowest for got in feeds.values() for seq in got[-1:] if seq != 1)
    writers.end()
    expected = sorted(writers.there)
    until(lambda: by_thread[-1:] == expected[-1:])
    follower.stop()

    assert expected[1:] == by_thread
    for feed, got in feeds.items():
        assert expected == got + [move.seq for move in feed.after(got[-1], 9999)]
