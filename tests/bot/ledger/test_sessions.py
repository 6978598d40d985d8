"""The sealed session: a write names the one that it started from, and one process at a time renews it."""

from functools import partial
from itertools import count
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.sessions import SealedSessions
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import travel
from tests.mentions import ALICE

CANARY = "eyJhbGciOiJub25lIn0.canary-refresh-token"
_holders = count(1)


def sealed(ledger: Ledger) -> SealedSessions:
    """The sessions under a key of their own."""
    return SealedSessions(ledger.db, Fernet.generate_key().decode(), lambda: f"holder-{next(_holders)}")


def test_a_session_comes_back_as_it_went(ledger: Ledger) -> None:
    """With the version that a refresh starts from."""
    kept = sealed(ledger)

    assert kept.load(ALICE) is None
    assert 1 == kept.save(ALICE, CANARY, None)
    assert (CANARY, 1) == kept.load(ALICE)
    assert 2 == kept.save(ALICE, "newer", 1)
    assert ("newer", 2) == kept.load(ALICE)


def test_a_refresh_from_an_old_session_loses(ledger: Ledger) -> None:
    """Its tokens are spent already."""
    kept = sealed(ledger)
    kept.save(ALICE, "1", None)
    kept.save(ALICE, "2", 1)

    for stale in (None, 1, 3):
        with pytest.raises(LostRace):
            kept.save(ALICE, "stale", stale)
    with pytest.raises(LostRace):
        kept.save("did:plc:nobody", "stale", 1)
    assert ("2", 2) == kept.load(ALICE)


def test_of_many_who_keep_a_session_at_once_one_does(ledger: Ledger) -> None:
    """The first of all, and each that follows: the others read what is kept, and use that."""
    kept = sealed(ledger)
    for before, after in ((None, 1), (1, 2), (2, 3)):
        answers = at_once([partial(kept.save, ALICE, f"{n}", before) for n in range(6)])

        assert [after] == [answer for answer in answers if isinstance(answer, int)]
        assert 5 == len([answer for answer in answers if isinstance(answer, LostRace)])
        assert kept.load(ALICE) == (str(answers.index(after)), after)


def test_a_session_sealed_with_another_key_is_none(ledger: Ledger) -> None:
    """The bot then logs in anew, and keeps that."""
    sealed(ledger).save(ALICE, CANARY, None)
    kept = sealed(ledger)

    assert kept.load(ALICE) is None
    assert 2 == kept.save(ALICE, "mine", None)
    assert ("mine", 2) == kept.load(ALICE)


def test_no_byte_of_a_session_is_on_the_disk(ledger: Ledger, sqlite_place: Path) -> None:
    """Nor in what SQLite keeps beside its file, nor in any column."""
    sealed(ledger).save(ALICE, CANARY, None)
    with ledger.db.read() as connection:
        rows = connection.execute(text("SELECT * FROM sessions")).all()

    assert "canary" not in repr(rows)
    files = [path for path in sqlite_place.parent.iterdir() if path.is_file()]
    assert not ledger.db.is_sqlite or len(files) > 1
    assert [] == [path for path in files if b"canary" in path.read_bytes()]


def test_one_holds_the_lease_at_a_time(ledger: Ledger) -> None:
    """Until its block ends, and only for that account."""
    kept = sealed(ledger)
    with kept.lease(ALICE, 60) as first:
        with kept.lease(ALICE, 60) as second, kept.lease("did:plc:other", 60) as elsewhere:
            assert (True, False, True) == (first, second, elsewhere)
        with kept.lease(ALICE, 60) as third:
            assert not third
    with kept.lease(ALICE, 60) as fourth:
        assert fourth


def test_a_lease_without_a_session_is_no_session(ledger: Ledger) -> None:
    """Whoever logs in first keeps the first one."""
    kept = sealed(ledger)
    with kept.lease(ALICE, 60):
        assert kept.load(ALICE) is None
        assert 1 == kept.save(ALICE, CANARY, None)
    assert (CANARY, 1) == kept.load(ALICE)


def test_a_lease_leaves_the_session_as_it_is(ledger: Ledger) -> None:
    """And saving leaves the lease."""
    kept = sealed(ledger)
    kept.save(ALICE, "1", None)
    with kept.lease(ALICE, 60):
        kept.save(ALICE, "2", 1)
        with kept.lease(ALICE, 60) as second:
            assert not second
    assert ("2", 2) == kept.load(ALICE)


def test_the_lease_of_a_process_that_was_killed_ends_by_itself(ledger: Ledger, ledger_clock: Clock) -> None:
    """When its time is up, not before."""
    kept = sealed(ledger)
    killed = kept.lease(ALICE, 60)
    assert killed.__enter__()
    travel(ledger_clock, seconds=55)
    with kept.lease(ALICE, 60) as early:
        assert not early
    travel(ledger_clock, seconds=6)
    with kept.lease(ALICE, 60) as late:
        assert late
        # The first holder was only slow: what it gives back is not its own any more.
        killed.__exit__(None, None, None)
        with kept.lease(ALICE, 60) as third:
            assert not third


def test_of_many_who_want_the_lease_at_once_one_gets_it(ledger: Ledger) -> None:
    """The first of all, too, when there is no row yet."""
    kept = sealed(ledger)
    for _ in range(5):
        wanted = [kept.lease(ALICE, 60) for _ in range(6)]
        answers = at_once([partial(lease.__enter__) for lease in wanted])

        assert [False] * 5 + [True] == sorted(answers)
        for lease in wanted:
            lease.__exit__(None, None, None)


@pytest.mark.parametrize("column", ["lease_holder", "lease_until"])
def test_a_lease_is_whole(ledger: Ledger, column: str) -> None:
    """A holder and an end, or neither; the database repeats it."""
    kept = sealed(ledger)
    with (
        kept.lease(ALICE, 60),
        pytest.raises(IntegrityError, match="ck_sessions_lease_whole"),
        ledger.db.write() as connection,
    ):
        connection.execute(text(f"UPDATE sessions SET {column} = NULL"))
