"""Whether work grows with its input and not with the square of it, on machines whose clocks are disturbed."""

import time
from collections.abc import Callable

TRIES = 3


def grows_evenly(work: Callable[[int], object], size: int, spent: Callable[[], float] = time.process_time) -> bool:
    """Whether four times the input takes less than ten times the processor; its square would take sixteen times.

    Of a few tries the quickest counts: a machine that is busy elsewhere makes work slower, and never quicker. `spent`:
    the seconds of the processor so far.
    """

    def seconds(amount: int) -> float:
        began = spent()
        work(amount)
        return spent() - began

    quickest = min(seconds(size) for _ in range(TRIES))
    # One that is quick enough is as good as all: the quickest of them would be no slower.
    return any(seconds(4 * size) < 10 * quickest for _ in range(TRIES))
