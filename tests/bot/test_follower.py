"""The follower: one reader, and every subscriber gets every move once, from wherever it begins."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.follower import ROOM, Follower, Subscription
from bot.ledger.engine import Database
from bot.ledger.feed import EVERYTHING, Feed, Filter
from bot.ledger.ledger import Ledger
from bot.ledger.views import Moved
from tests.bot.ledger.numbers import moved
from tests.bot.ledger.numbers import taken as taken_number
from tests.bot.ledger.steps import pending, received
from tests.many import more_moves
from tests.waiting import until

OFTEN = 0.01


class CountedFeed(Feed):
    """Counts how often it is read, and can be made to fail."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.reads = 0
        self.away: Exception | None = None

    def after(self, seq: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        self.reads += 1
        if self.away is not None:
            raise self.away
        return super().after(seq, limit, wanted)


@pytest.fixture
def feed(ledger: Ledger) -> CountedFeed:
    return CountedFeed(ledger.db)


@contextmanager
def followed(feed: Feed, *listeners: Callable[[Sequence[Moved]], None], every: float = OFTEN) -> Iterator[Follower]:
    follower = Follower(feed, every, listeners)
    follower.start()
    yield follower
    follower.stop()


def quietly() -> None:
    """A subscriber that looks by itself."""


def taken(subscription: Subscription, last: int) -> list[int]:
    """What a subscriber takes until it has the last move."""
    got: list[int] = []

    def all_of_it() -> bool:
        moves, anew = subscription.take()
        assert anew is None
        got.extend(move.seq for move in moves)
        return bool(got) and got[-1] >= last

    until(all_of_it)
    return got


def test_a_subscriber_gets_what_it_has_not_seen_and_then_what_comes(ledger: Ledger, feed: CountedFeed) -> None:
    """Without a gap and without anything twice, wherever the follower stood when it began."""
    received(ledger, "3kone")
    early = Follower(feed, OFTEN)
    before = early.subscribe(0, quietly)
    assert ([], None) == before.take()
    early.start()
    assert [1] == taken(before, 1)
    pending(ledger, "3ktwo")
    behind, even = early.subscribe(1, quietly), early.subscribe(3, quietly)
    received(ledger, "3kthree")

    assert [2, 3, 4] == taken(before, 4)
    assert [2, 3, 4] == taken(behind, 4)
    assert [4] == taken(even, 4)
    assert ([], None) == even.take()
    early.stop()
    assert [True, True, True] == [each.is_closed for each in early.subscriptions]
    assert early.subscribe(0, quietly).is_closed


def test_many_subscribers_cost_one_reader(ledger: Ledger, feed: CountedFeed) -> None:
    """A burst is read once, in batches; who is slow keeps a bounded number of moves, and is told to read anew."""
    document = received(ledger)
    heard: list[int] = []
    with followed(feed, lambda moves: heard.extend(move.seq for move in moves), every=60) as follower:
        subscriptions = [follower.subscribe(1, quietly) for _ in range(20)]
        until(lambda: feed.reads)
        reads = feed.reads
        more_moves(ledger, document, 800)
        follower.wake()
        assert [list(range(2, 802))] * 20 == [taken(each, 801) for each in subscriptions]
        assert reads + 3 == feed.reads

        more_moves(ledger, document, ROOM + 1)
        follower.wake()
        until(lambda: heard[-1] == 801 + ROOM + 1)

        assert list(range(2, ROOM + 803)) == heard
        assert {0} == {each.held for each in subscriptions}
        assert [([], ROOM + 802)] * 20 == [each.take() for each in subscriptions]
        assert ([], None) == subscriptions[0].take()
        received(ledger, "3knext")
        follower.wake()
        assert [ROOM + 803] == taken(subscriptions[0], ROOM + 803)
        for each in subscriptions:
            follower.unsubscribe(each)
        assert [] == follower.subscriptions


def test_who_comes_back_after_too_long_reads_anew(ledger: Ledger, feed: CountedFeed) -> None:
    """The ledger is not read for it."""
    more_moves(ledger, received(ledger), ROOM + 1)
    with followed(feed, every=60) as follower:
        woken = Event()
        subscription = follower.subscribe(0, woken.set)
        assert woken.wait(20)

        assert ([], ROOM + 2) == subscription.take()
        assert ([], None) == subscription.take()


def test_it_carries_on_once_the_database_is_back(ledger: Ledger, feed: CountedFeed) -> None:
    """Nothing is lost meanwhile."""
    with followed(feed) as follower:
        subscription = follower.subscribe(0, quietly)
        until(lambda: feed.reads)
        feed.away = ConnectionError("no way")
        reads = feed.reads
        until(lambda: feed.reads > reads + 2)
        received(ledger)
        feed.away = None

        assert [1] == taken(subscription, 1)


@pytest.mark.postgres
@pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
def test_it_looks_again_soon_while_a_write_is_waited_for_and_tells_of_a_long_one(ledger: Ledger) -> None:
    """A rollback tells nobody, and who sees the feed stand still has to know by whom."""
    first, now = received(ledger), [0.0]
    got: list[int] = []
    follower = Follower(ledger.feed, 3600, [lambda moves: got.extend(move.seq for move in moves)], lambda: now[0])
    follower.start()
    until(lambda: follower.position)
    with capture_logs() as logs, ledger.db.engine.connect() as late:
        taken_number(late, first.id)
        pid = late.execute(text("SELECT pg_backend_pid()")).scalar_one()
        moved(ledger, first.id)
        follower.wake()
        until(lambda: ledger.feed.waits_for)
        now[0] = 61.0
        until(lambda: logs)
    until(lambda: [3] == got)
    follower.stop()

    assert [("feed_held_up", 1, [pid])] == [(each["event"], each["behind"], each["by_pids"]) for each in logs]
