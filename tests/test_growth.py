"""The measure of growth itself: it tells the square of the input from the input."""

from collections.abc import Callable

import pytest

from tests.growth import grows_evenly


class Processor:
    """Counts what work asks of it; now and then half as much again, as on a machine that is busy elsewhere."""

    def __init__(self, cost: Callable[[int], float]) -> None:
        self._cost, self._works, self.spent = cost, 0, 0.0

    def work(self, size: int) -> None:
        self._works += 1
        self.spent += self._cost(size) * (1.5 if self._works % 3 == 1 else 1)


@pytest.mark.parametrize(
    ("cost", "evenly"),
    [(lambda size: size, True), (lambda size: size * size.bit_length(), True), (lambda size: size**2, False)],
)
def test_the_square_is_told_from_the_line(cost: Callable[[int], float], evenly: bool) -> None:
    """Else no test that asks could fail."""
    processor = Processor(cost)

    assert evenly is grows_evenly(processor.work, 1_500, lambda: processor.spent)
