"""The measure of growth itself: it tells the square of the input from the input."""

from tests.growth import grows_evenly


def test_the_square_is_told_from_the_line() -> None:
    """Else no test that asks could fail."""
    assert grows_evenly(lambda size: sum(range(size)), 100_000)
    assert not grows_evenly(lambda size: sum(range(size**2)), 1_500)
