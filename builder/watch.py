"""Rounds of a lane: a few of them for CI, or until the process is asked to end, several documents at a time."""

from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from structlog.typing import FilteringBoundLogger

from builder.errands import Worked
from builder.errors import BotRefused, BotUnreachable
from builder.lane import Lane
from builder.stopping import Drain

LONGEST_PAUSE_SECONDS = 60.0


def work_some(lane: Lane, drain: Drain, most: int) -> int:
    """Work until nothing waits, at most so many documents; how many were reported."""
    reported = 0
    for _ in range(most):
        worked = lane.work_once()
        reported += worked is Worked.REPORTED
        if worked is Worked.NOTHING or drain.begun:
            break
    return reported


def work_side_by_side(watch: Callable[[], None], workers: int, drain: Drain) -> None:
    """Watch in so many threads; an error in one ends all in good order: the others drain, then it is raised."""
    with ThreadPoolExecutor(workers, thread_name_prefix="worker") as threads:
        working = [threads.submit(watch) for _ in range(workers)]
        ended, others = wait(working, return_when=FIRST_EXCEPTION)
        if others:
            drain.begin()
    for each in (*ended, *others):
        each.result()


def work_until_drained(
    lane: Lane,
    drain: Drain,
    log: FilteringBoundLogger,
    poll_seconds: float,
    spread: Callable[[float], float],
) -> None:
    """Work until the drain begins; a bot that cannot be reached is waited for, longer each time. NotWelcome ends it.

    `spread` moves a pause a little at random, so that a fleet does not come back all at once.
    """
    pause = poll_seconds
    while not drain.begun:
        try:
            worked = lane.work_once()
        except (BotUnreachable, BotRefused) as problem:
            log.warning("bot_unreachable", problem=str(problem), again_in_seconds=round(pause, 1))
            drain.wait(spread(pause))
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            continue
        pause = poll_seconds
        if worked is Worked.NOTHING:
            drain.wait(spread(poll_seconds))
