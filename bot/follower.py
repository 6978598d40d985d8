"""The one reader of the history in a process: it hands what moves to whoever listens or has subscribed."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import structlog

from bot.ledger.feed import Feed
from bot.ledger.views import Moved

BATCH = 500
# How many moves a subscriber may lag behind; above that it is told to read anew what it shows.
ROOM = 1000
# How soon it looks again while a write is waited for, and how long one lasts that operators are told of, in seconds.
SOON = 0.05
LONG = 60.0
Listen = Callable[[Sequence[Moved]], None]

log = structlog.get_logger()


class Subscription:
    """The moves after a sequence number that its subscriber has seen, each once and in their order.

    What the follower had read before the subscription began is read from the ledger, what comes after waits here: at
    most `ROOM` moves, however slow the subscriber is. `wake` is called, in the follower's thread, when there is
    something to take.
    """

    def __init__(self, feed: Feed, seen: int, wake: Callable[[], None]) -> None:
        self._feed = feed
        self._seen = seen
        self._wake = wake
        self._lock = threading.Lock()
        self._queue: deque[Moved] = deque()
        self._begins: int | None = None
        self._read_to = 0
        self._overflown = False
        self.is_closed = False

    @property
    def held(self) -> int:
        """How many moves wait to be taken."""
        return len(self._queue)

    def take(self) -> tuple[list[Moved], int | None]:
        """What is new; or, where that was too much, nothing but the number up to which all is to be read anew."""
        begins = self._begins
        if begins is None:
            return [], None
        too_far = begins - self._seen > ROOM
        missed = [] if too_far or self._seen >= begins else self._feed.after(self._seen, ROOM)
        with self._lock:
            if self._overflown or too_far:
                self._overflown = False
                self._queue.clear()
                self._seen = self._read_to
                return [], self._seen
            waiting = [*(move for move in missed if move.seq <= begins), *self._queue]
            taken = [move for move in waiting if move.seq > self._seen]
            self._queue.clear()
            self._seen = max(self._seen, begins, taken[-1].seq if taken else 0)
            return taken, None

    def begin(self, position: int) -> None:
        """From here on all that moves is handed over."""
        self._begins = self._read_to = position
        self._wake()

    def hand(self, moves: Sequence[Moved]) -> None:
        """Keep the next moves until they are taken."""
        with self._lock:
            self._read_to = moves[-1].seq
            self._overflown = self._overflown or len(self._queue) + len(moves) > ROOM
            if self._overflown:
                self._queue.clear()
            else:
                self._queue.extend(moves)
        self._wake()

    def close(self) -> None:
        """Nothing comes any more, since the process stops."""
        self.is_closed = True
        self._wake()


class Follower:
    """Reads the feed when it is woken, and every so many seconds, from the end that it has at the start.

    Every move is handed on once: a listener is called in the follower's thread; a subscriber takes from its own
    bounded queue when it likes.
    """

    def __init__(
        self,
        feed: Feed,
        every_seconds: float,
        listeners: Sequence[Listen] = (),
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._feed = feed
        self._every = every_seconds
        self._listeners = [*listeners]
        self._steady = steady
        self._held_since: float | None = None
        self._told_of_hold = False
        self._position: int | None = None
        self._subscriptions: list[Subscription] = []
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._follow, name="follower", daemon=True)

    @property
    def position(self) -> int | None:
        """The number of the last move that was handed on, None before it has begun."""
        return self._position

    @property
    def subscriptions(self) -> list[Subscription]:
        """Those that stand at present."""
        with self._lock:
            return list(self._subscriptions)

    def listen(self, listen: Listen) -> None:
        """Hand what moves from now on to one listener more."""
        self._listeners.append(listen)

    def start(self) -> None:
        """Follow from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Follow no more, and end every subscription."""
        self._stopped = True
        self.wake()
        self._thread.join()
        for subscription in self.subscriptions:
            subscription.close()

    def wake(self) -> None:
        """Look at once, since something has just moved."""
        self._woken.set()

    def subscribe(self, seen: int, wake: Callable[[], None]) -> Subscription:
        """A subscription to what comes after a sequence number; to be given back with `unsubscribe`."""
        subscription = Subscription(self._feed, seen, wake)
        with self._lock:
            self._subscriptions.append(subscription)
            if self._position is not None:
                subscription.begin(self._position)
            subscription.is_closed = self._stopped
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Hand it nothing more."""
        with self._lock:
            self._subscriptions.remove(subscription)

    def _follow(self) -> None:
        failing = False
        while not self._stopped:
            try:
                self._hand_on_what_is_new()
                failing = False
            except Exception as problem:
                # Once and not at every look; and the kind only, since a database's error quotes the statement.
                if not failing:
                    log.warning("feed_not_followed", error=type(problem).__name__)
                failing = True
            self._woken.wait(min(self._every, SOON) if self._is_held_up() else self._every)
            self._woken.clear()

    def _is_held_up(self) -> bool:
        """Whether a write is waited for; one that lasts is told of, once."""
        waits_for = self._feed.waits_for
        if waits_for is None:
            self._held_since, self._told_of_hold = None, False
            return False
        now = self._steady()
        self._held_since = now if self._held_since is None else self._held_since
        if now - self._held_since > LONG and not self._told_of_hold:
            log.warning("feed_held_up", behind=self._position, by_pids=sorted(waits_for.writers.pids))
            self._told_of_hold = True
        return True

    def _hand_on_what_is_new(self) -> None:
        if self._position is None:
            self._begin(self._feed.last())
        while not self._stopped:
            moves = self._feed.after(self._position or 0, BATCH)
            if not moves:
                return
            with self._lock:
                self._position = moves[-1].seq
                for subscription in self._subscriptions:
                    subscription.hand(moves)
            for listen in list(self._listeners):
                listen(moves)

    def _begin(self, position: int) -> None:
        with self._lock:
            self._position = position
            for subscription in self._subscriptions:
                subscription.begin(position)
