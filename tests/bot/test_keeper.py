"""Of several bots one does the rounds; it stops before another begins, and begins anew when they come back to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from bot.clock import Clock
from bot.keeper import ALONE, USED, Keeper, place_of
from bot.ledger.leases import ROUNDS, Leases
from bot.ledger.ledger import Ledger
from tests.waiting import until

LASTS = 15.0


@dataclass
class Time:
    """The steady clock of every process, and the ledger's, which go together."""

    ledger: Clock
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
        self.ledger.shift += timedelta(seconds=seconds)


@dataclass
class One:
    """A bot's keeper, by which nothing is looked at but by hand, and how often the rounds came to it."""

    keeper: Keeper
    began: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.keeper._begin = lambda: self.began.append(1)

    def looks(self) -> bool:
        self.keeper.look()
        return self.keeper.is_here()


@pytest.fixture
def time(ledger_clock: Clock) -> Time:
    return Time(ledger_clock)


@pytest.fixture
def bots(ledger: Ledger, time: Time) -> tuple[One, One]:
    a, b = (One(Keeper(ledger.leases, name, LASTS, steady=time)) for name in ("a", "b"))
    return a, b


def test_one_does_the_rounds_and_the_other_stands_by(bots: tuple[One, One], time: Time) -> None:
    """For as long as it renews its lease."""
    a, b = bots
    for _ in range(5):
        assert [True, False] == [a.looks(), b.looks()]
        time.advance(LASTS / 3)

    assert [1, 0] == [len(each.began) for each in bots]
    assert ["here", "elsewhere"] == [place_of(each.keeper) for each in bots]
    assert [True, False] == [each.keeper.was_last_here() for each in bots]


def test_it_stops_before_another_begins(bots: tuple[One, One], time: Time) -> None:
    """One that hangs finds out by itself, without having asked; what it learns then is that they are elsewhere."""
    a, b = bots
    a.looks()
    time.advance(USED * LASTS)
    assert (False, True) == (a.keeper.is_here(), a.keeper.was_last_here())
    assert not b.looks()
    time.advance((1 - USED) * LASTS)
    assert b.looks()

    assert [False, True, False] == [a.keeper.is_here(), b.keeper.is_here(), a.looks()]
    assert not a.keeper.was_last_here()


def test_back_again_they_begin_anew(bots: tuple[One, One], time: Time) -> None:
    """What happened meanwhile was another's; where nobody came, nothing did."""
    a, b = bots
    a.looks()
    time.advance(2 * LASTS)
    assert a.looks()
    assert [1] == a.began
    time.advance(LASTS)
    b.looks()
    time.advance(LASTS)
    assert [False, True] == [a.looks(), a.looks()]

    assert [1, 1] == a.began


def test_a_ledger_that_is_away_is_no_reason_to_begin_anew(
    bots: tuple[One, One], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is begun once the lease is over, and operators are told by the one whose turn it was."""
    a, b = bots
    a.looks()

    def away(*_: object) -> bool:
        raise OperationalError("UPDATE", {}, OSError())

    with monkeypatch.context() as patch:
        patch.setattr(Leases, "renew", away)
        patch.setattr(Leases, "take", away)
        time.advance(LASTS / 3)
        assert a.looks()
        time.advance(LASTS)
        assert [False, False] == [a.looks(), b.looks()]
        assert [True, False] == [each.keeper.was_last_here() for each in bots]
    assert [True, False] == [a.looks(), b.looks()]
    assert [1] == a.began


def test_rounds_that_could_not_begin_are_begun_at_the_next_look(bots: tuple[One, One]) -> None:
    """The ledger went away in the middle of it; no job has begun."""
    a, _ = bots
    fails = [True]

    def begin() -> None:
        if fails.pop():
            raise OperationalError("DELETE", {}, OSError())

    a.keeper._begin = begin
    assert not a.looks()
    fails.append(False)

    assert a.looks()


def test_nothing_is_woken_before_it_may_begin(bots: tuple[One, One], time: Time) -> None:
    """What was known before is forgotten first; a job that was woken too early would rest for its whole interval."""
    a, _ = bots
    here: list[bool] = []
    a.keeper._begin = a.keeper._begun = lambda: here.append(a.keeper.is_here())

    assert a.looks()
    assert [False, True] == here
    time.advance(LASTS / 3)
    a.looks()
    assert [False, True] == here
    time.advance(LASTS)
    a.looks()
    assert [False, True, True] == here


@pytest.fixture
def running(ledger: Ledger) -> Iterator[Callable[..., Keeper]]:
    """Starts keepers, and stops them at the end."""
    started: list[Keeper] = []

    def start(name: str, **more: Callable[[], bool]) -> Keeper:
        started.append(Keeper(ledger.leases, name, 2.0, **more))
        started[-1].start(lambda: None, lambda: None)
        return started[-1]

    yield start
    for keeper in started:
        if keeper._thread.is_alive():
            keeper.stop()


def test_they_are_handed_over_at_a_stop(ledger: Ledger, running: Callable[..., Keeper]) -> None:
    """Before the lease would have ended; one that stops takes them from nobody."""
    stopping = [False]
    first, second = running("a"), running("b")
    third = running("c", stopping=lambda: stopping[0])
    stopping[0] = True
    assert [True, False, False] == [each.is_here() for each in (first, second, third)]
    first.stop()
    until(second.is_here)
    second.stop()

    third.look()
    assert [False] * 3 == [each.is_here() for each in (first, second, third)]
    assert ledger.leases.standing(ROUNDS) is None


def test_it_is_renewed_by_itself(ledger: Ledger, running: Callable[..., Keeper]) -> None:
    """Again and again, while nobody does anything."""
    running("a")
    found = ledger.leases.standing(ROUNDS)
    assert found is not None

    until(lambda: (now := ledger.leases.standing(ROUNDS)) is not None and now.until > found.until)


def test_the_bot_of_a_file_is_alone() -> None:
    """Its rounds are here from the start to the end."""
    began: list[int] = []
    ALONE.start(lambda: began.append(1), lambda: began.append(2))
    ALONE.stop()

    assert ([1, 2], True, True, None) == (began, ALONE.is_here(), ALONE.was_last_here(), ALONE.holder)
