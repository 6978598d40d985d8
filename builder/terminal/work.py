"""`skywright-builder once` and `watch`: the lane at work for its bot."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from builder.errors import BotRefused, BotUnreachable, LaneUnfit, NotWelcome
from builder.logs import make_log
from builder.main import LaneProcess, lane_process
from builder.settings import Settings, read_settings
from builder.terminal.progress import progress_on


def once_command(most: int, *, as_json: bool) -> None:
    """Build what waits, at most so many documents."""
    with _process(as_json=as_json) as process:
        process.log.info("done", reported=process.once(most))


def watch_command(workers: int, *, as_json: bool) -> None:
    """Build what comes, so many documents at a time."""
    with _process(as_json=as_json) as process:
        process.watch(workers)


@contextmanager
def _process(*, as_json: bool) -> Iterator[LaneProcess]:
    settings = read_settings(Settings)
    with progress_on(sys.stdout, as_json=as_json) as (out, observe):
        log = make_log(out, as_json=as_json, observe=observe)
        try:
            with lane_process(settings, log) as process:
                yield process
        except (LaneUnfit, NotWelcome, BotUnreachable, BotRefused) as problem:
            log.error(_EVENTS[type(problem)], problem=str(problem))
            raise


_EVENTS = {
    LaneUnfit: "lane_unfit",
    NotWelcome: "not_welcome",
    BotUnreachable: "bot_unreachable",
    BotRefused: "bot_refused",
}
