"""A process may die at any effect that it has on the world: the next one brings the story to the same end."""

from collections import Counter

import pytest

from tests.crash.conftest import NewLedger
from tests.crash.ports import COMMIT, STATEMENT, Fate, Side
from tests.crash.telling import Tale, answered, taken_back, told

# Chunks of points, so that workers share them; a stride where all of them would take too long.
CHUNKS = 8
POSTGRESQL_STRIDE = 17
STATEMENT_STRIDE = 29
# Shorter than any of these, and a start or a send never gets to its end.
LIVES = (16, 17, 20, 23)
TALES = {"answered": answered, "taken back": taken_back}

# Seconds, unless the machine is busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def undisturbed(new_ledger: NewLedger, tale: Tale, *, mid_transaction: bool = False) -> list[str]:
    """What a story does to the world when nobody dies."""
    with new_ledger() as engine:
        fate = Fate()
        told(engine, fate, tale, mid_transaction=mid_transaction)
    assert 0 == fate.deaths
    return fate.effects


@pytest.fixture(scope="session")
def effects(sqlite_ledgers: NewLedger) -> list[str]:
    return undisturbed(sqlite_ledgers, answered)


def die_at(points: range, side: Side, new_ledger: NewLedger, tale: Tale, *, mid_transaction: bool = False) -> None:
    """Tell the story once for every point; in each of them exactly one process dies, just there."""
    for point in points:
        fate = Fate(point, side)
        with new_ledger() as engine:
            told(engine, fate, tale, mid_transaction=mid_transaction)
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
    # Two asks are taken on by one commit.
    assert 88 <= len(effects)


def test_taking_back_has_every_kind_of_effect(sqlite_ledgers: NewLedger) -> None:
    """The same of the other story: a command is obeyed, a post is looked at until it is gone, a reply is deleted."""
    effects = undisturbed(sqlite_ledgers, taken_back)
    print(f"crash points in taking back: {len(effects)} effects, before and after each: {2 * len(effects)}")
    wanted = {
        COMMIT: 15,
        "app.bsky.notification.listNotifications": 1,
        "app.bsky.feed.getPosts": 2,
        "app.bsky.feed.getPostThread": 2,
        "com.atproto.repo.deleteRecord": 3,
    }

    found = Counter(effects)

    assert wanted == {effect: min(n, found[effect]) for effect, n in wanted.items()}


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_death_at_every_effect(sqlite_ledgers: NewLedger, effects: list[str], chunk: int, side: Side) -> None:
    """Whichever commit or request is the process's last, made or not: one reply to each, and nothing is left open."""
    die_at(range(chunk, len(effects), CHUNKS), side, sqlite_ledgers, answered)


@pytest.mark.parametrize("side", Side)
def test_death_at_every_effect_of_taking_back(sqlite_ledgers: NewLedger, side: Side) -> None:
    """Before each of them and after: nothing that we said and no app is left, and the ledger says so."""
    number = len(undisturbed(sqlite_ledgers, taken_back))

    die_at(range(number), side, sqlite_ledgers, taken_back)


@pytest.mark.parametrize("tale", TALES)
@pytest.mark.parametrize("side", Side)
def test_death_on_postgresql(postgresql_ledgers: NewLedger, side: Side, tale: str) -> None:
    """The same on the other database, for every few effects; the two sides take turns."""
    first, number = list(Side).index(side) * POSTGRESQL_STRIDE // 2, len(undisturbed(postgresql_ledgers, TALES[tale]))

    die_at(range(first, number, POSTGRESQL_STRIDE), side, postgresql_ledgers, TALES[tale])


@pytest.mark.parametrize("tale", TALES)
def test_death_in_the_middle_of_a_transaction(sqlite_ledgers: NewLedger, tale: str) -> None:
    """What was written without a commit is gone with the process, so no half of a move is ever kept."""
    statements = undisturbed(sqlite_ledgers, TALES[tale], mid_transaction=True)
    assert {STATEMENT} == set(statements)

    points = range(0, len(statements), STATEMENT_STRIDE)
    die_at(points, Side.BEFORE, sqlite_ledgers, TALES[tale], mid_transaction=True)


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
