"""What the stream tells of is asked about again: closely while the AppView is a moment behind, and not for ever."""

from itertools import accumulate

from bot.jobs.rumours import FIRST_WAIT, LONGEST_WAIT, TRIES, wait_after

WAITS = [wait_after(tries) for tries in range(1, TRIES)]


def test_what_appears_within_a_second_is_seen_soon_after() -> None:
    """A fifth of the time that it took at the most, or what one look may take."""
    looks = [0.0, *accumulate(WAITS)]
    late = [(wait, at) for wait, at in zip(WAITS, looks, strict=False) if at < 0.75 and wait > at / 5 + 2 * FIRST_WAIT]

    assert [] == late
    assert 0.75 < looks[10] < 1


def test_what_does_not_appear_is_given_up() -> None:
    """After more than a minute, in which it was hardly asked about at the end."""
    assert 60 < sum(WAITS) < 120
    assert LONGEST_WAIT == WAITS[-1] == max(WAITS)
