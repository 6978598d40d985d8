"""Record keys as the AT Protocol specifies them: shape, order, and a strict rise."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.tid import TidClock, parse_tid, tid_at, tid_from
from tests.clock import Clock

MICROS = st.integers(0, 2**53 - 1)
CLOCK_IDS = st.integers(0, 1023)


@pytest.mark.parametrize("key", ["3jzfcijpj2z2a", "7777777777777", "3zzzzzzzzzzzz", "2222222222222"])
def test_the_specifications_valid_keys_are_read(key: str) -> None:
    """And written back as they were."""
    assert key == tid_from(*parse_tid(key))


@pytest.mark.parametrize(
    "key",
    [
        "3jzfcijpj2z21",
        "0000000000000",
        "3jzfcijpj2z2aa",
        "3jzfcijpj2z2",
        "3jzf-cij-pj2z-2a",
        "zzzzzzzzzzzzz",
        "kjzfcijpj2z2a",
        "3JZFCIJPJ2Z2A",
        "3jzfcijpj2z2a\n",
        "",
    ],
)
def test_the_specifications_invalid_keys_are_refused(key: str) -> None:
    """Wrong letters, wrong length, capitals, dashes, the high bit set."""
    with pytest.raises(ValueError, match="not a TID"):
        parse_tid(key)


def test_a_key_carries_its_moment() -> None:
    """An aware UTC time, to the microsecond."""
    moment = datetime(2026, 3, 2, 12, 0, 0, 123456, tzinfo=UTC)

    assert moment == parse_tid(tid_at(moment, 7)).at
    assert 7 == parse_tid(tid_at(moment, 7)).clock_id


def test_every_key_names_a_moment() -> None:
    """The greatest one too, whoever chose it."""
    assert datetime(2540, 11, 7, 23, 35, 9, 481983, tzinfo=UTC) == parse_tid("jzzzzzzzzzzzz").at


@given(MICROS, CLOCK_IDS)
def test_taking_apart_undoes_putting_together(micros: int, clock_id: int) -> None:
    """For every moment and clock id that fit."""
    assert (micros, clock_id) == parse_tid(tid_from(micros, clock_id))


@given(st.lists(MICROS, min_size=2))
def test_keys_sort_as_their_moments_do(moments: list[int]) -> None:
    """The order of the text is the order of time."""
    keys = [tid_from(micros, 5) for micros in sorted(moments)]

    assert sorted(keys) == keys


@pytest.mark.parametrize(("micros", "clock_id"), [(-1, 0), (2**53, 0), (0, -1), (0, 1024)])
def test_what_does_not_fit_is_refused(micros: int, clock_id: int) -> None:
    """53 bits and 10 bits, no more."""
    with pytest.raises(ValueError, match="53 bits"):
        tid_from(micros, clock_id)


def test_minted_keys_rise_while_the_clock_stands_still_or_steps_back() -> None:
    """A clock that is set back by an hour mints no key twice."""
    clock = Clock()
    tids = TidClock(clock, 3)

    def keys() -> Iterator[str]:
        yield tids.mint()
        yield tids.mint()
        clock.advance(timedelta(hours=-1))
        yield tids.mint()
        clock.advance(timedelta(hours=2))
        yield tids.mint()

    minted = list(keys())

    assert sorted(set(minted)) == minted
    assert clock() == parse_tid(minted[-1]).at


def test_threads_never_mint_the_same_key() -> None:
    """Eight at once on one clock that stands still."""
    tids = TidClock(Clock(), 3)
    with ThreadPoolExecutor(8) as pool:
        minted = [key for keys in pool.map(lambda _: [tids.mint() for _ in range(200)], range(8)) for key in keys]

    assert 1600 == len(set(minted))
