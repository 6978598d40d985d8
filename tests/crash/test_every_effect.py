"""A process may die at any effect that it has on the world: the next one brings the story to the same end."""

from collections import Counter

import pytest

from tests.crash.conftest import NewLedger
from tests.crash.ports import COMMIT, STATEMENT, Fate, Side
from tests.crash.telling import told

# Chunks of points, so that workers share them; a stride where all of them would take too long.
CHUNKS = 8
POSTGRESQL_STRIDE = 13
STATEMENT_STRIDE = 11
# Shorter than any of these, and a login or a send never gets to its end.
LIVES = (17, 20, 23, 26)

# Seconds, unless the machine is busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def undisturbed(new_ledger: NewLedger, *, mid_transaction: bool = False) -> list[str]:
    """What the story does to the world when nobody dies."""
    with new_ledger() as engine:
        fate = Fate()
        told(engine, fate, mid_transaction=mid_transaction)
    assert 0 == fate.deaths
    return fate.effects


@pytest.fixture(scope="session")
def effects(sqlite_ledgers: NewLedger) -> list[str]:
    return undisturbed(sqlite_ledgers)


def die_at(points: range, side: Side, new_ledger: NewLedger, *, mid_transaction: bool = False) -> None:
    """Tell the story once for every point; in each of them exactly one process dies, just there."""
    for point in points:
        fate = Fate(point, side)
        with new_ledger() as engine:
            told(engine, fate, mid_transaction=mid_transaction)
        assert 1 == fate.deaths, f"nobody died {side.value} effect {point}"


def test_the_story_has_every_kind_of_effect(effects: list[str]) -> None:
    """The points to die at are what one undisturbed telling does: fewer would prove less than this says."""
    print(f"crash points: {len(effects)} effects, before and after each: {2 * len(effects)}")
    wanted = {
        COMMIT: 50,
        "com.atproto.server.createSession": 1,
        "app.bsky.notification.listNotifications": 4,
        "app.bsky.feed.getPosts": 2,
        "com.atproto.repo.listRecords": 1,
        "com.atproto.repo.putRecord": 8,
        "com.atproto.repo.getRecord": 2,
    }

    found = Counter(effects)

    assert wanted == {effect: min(n, found[effect]) for effect, n in wanted.items()}
    assert 90 <= len(effects)


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_death_at_every_effect(sqlite_ledgers: NewLedger, effects: list[str], chunk: int, side: Side) -> None:
    """Whichever commit or request is the process's last, made or not: one reply to each, and nothing is left open."""
    die_at(range(chunk, len(effects), CHUNKS), side, sqlite_ledgers)


@pytest.mark.parametrize("side", Side)
def test_death_on_postgresql(postgresql_ledgers: NewLedger, side: Side) -> None:
    """The same on the other database, for every few effects; the two sides take turns."""
    first = list(Side).index(side) * POSTGRESQL_STRIDE // 2

    die_at(range(first, len(undisturbed(postgresql_ledgers)), POSTGRESQL_STRIDE), side, postgresql_ledgers)


@pytest.mark.parametrize("chunk", range(CHUNKS // 2))
def test_death_in_the_middle_of_a_transaction(sqlite_ledgers: NewLedger, chunk: int) -> None:
    """What was written without a commit is gone with the process, so no half of a move is ever kept."""
    statements = undisturbed(sqlite_ledgers, mid_transaction=True)
    assert {STATEMENT} == set(statements)

    points = range(0, len(statements), STATEMENT_STRIDE)[chunk :: CHUNKS // 2]
    die_at(points, Side.BEFORE, sqlite_ledgers, mid_transaction=True)


@pytest.mark.parametrize("side", Side)
def test_short_lives(sqlite_ledgers: NewLedger, side: Side) -> None:
    """Every process dies at its n-th effect, again and again, and the story still comes to its end."""
    deaths = []
    for life in LIVES:
        fate = Fate(every=life, side=side)
        with sqlite_ledgers() as engine:
            told(engine, fate)
        deaths.append(fate.deaths)

    assert min(deaths) >= 2
