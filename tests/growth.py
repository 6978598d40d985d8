"""Whether work grows with its input and not with the square of it, on machines whose clocks are disturbed."""

import time
from collections.abc import Callable

TRIES = 5


def grows_evenly(work: Callable[[int], object], size: int) -> bool:
    """Whether four times the input takes less than twelve times the processor; its square would take sixteen times.

    A machine that is busy elsewhere can spoil one measurement and not all of them, while the square fails each time.
    """

    def seconds(amount: int) -> float:
        began = time.process_time()
        work(amount)
        return time.process_time() - began

    work(size)
    return any(seconds(4 * size) < 12 * seconds(size) for _ in range(TRIES))
