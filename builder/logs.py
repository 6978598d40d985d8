"""The lane's log: one line an event, ids on it, hidden characters made visible; and the tail for a report."""

from collections import deque
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from guardrails.text import visible
from guardrails.wire import LOG_TAIL_CHARS

# What a log may say that everybody can read: ids, names of ours and numbers, and nothing that anyone wrote.
_IDS = frozenset({"document", "claim", "attempt", "timestamp", "level", "event"})
_OURS = frozenset({"check", "passed", "outcome", "status", "signal", "generator", "browser", "publisher"})
_NUMBERS = frozenset({"findings", "repairs", "seconds", "cost_micros", "workers", "reported"})
PUBLIC = _IDS | _OURS | _NUMBERS


def make_log(
    out: TextIO,
    *,
    as_json: bool,
    ids_only: bool = False,
    observe: Callable[[Mapping[str, object]], None] = lambda _: None,
) -> FilteringBoundLogger:
    """A logger to `out`: JSON objects when asked for, colours on a terminal, else plain lines.

    With `ids_only` nothing goes out that a stranger, a model or a program wrote. `observe` sees every event.
    """

    def observed(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        observe(event)
        return event

    renderer: Processor
    if as_json:
        renderer = structlog.processors.JSONRenderer()
    elif out.isatty():
        renderer = structlog.dev.ConsoleRenderer(colors=True, pad_event_to=18)
    else:
        renderer = structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"])
    processors: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _make_visible,
        *([_keep_public] if ids_only else []),
        observed,
        renderer,
    ]
    log: FilteringBoundLogger = structlog.wrap_logger(
        structlog.PrintLogger(out), processors=processors, wrapper_class=structlog.make_filtering_bound_logger("info")
    )
    return log


class BuildLog:
    """The log of one attempt: every line goes to the lane's log, and the last ones are kept for the report."""

    def __init__(self, log: FilteringBoundLogger, now: Callable[[], float]) -> None:
        self._log = log
        self._now = now
        self._began = now()
        self._lines: deque[str] = deque(maxlen=200)

    def take_over(self, seconds: float, tail: str) -> None:
        """Go on with an attempt that another process began: its time counts, and its last lines are kept."""
        self._began -= seconds
        self._lines.extendleft(reversed(tail.splitlines()))

    def say(self, event: str, **facts: object) -> None:
        """Log an event of this attempt."""
        self._log.info(event, **facts)
        self._keep(event, facts)

    def fail(self, event: str, problem: Exception) -> None:
        """Log a defect with its traceback; the tail keeps only what kind it was."""
        self._log.error(event, exc_info=problem)
        self._keep(event, {"problem": type(problem).__name__})

    @property
    def seconds(self) -> float:
        """How long the attempt has lasted."""
        return max(0.0, self._now() - self._began)

    def tail(self) -> str:
        """The last lines, within what a report may carry."""
        return "\n".join(self._lines)[-LOG_TAIL_CHARS:]

    def _keep(self, event: str, facts: MutableMapping[str, object]) -> None:
        said = " ".join([event, *(f"{key}={value}" for key, value in facts.items())])
        self._lines.append(f"{self.seconds:7.3f}s {visible(said)}")


def _keep_public(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: value for key, value in event.items() if key in PUBLIC}


def _make_visible(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = visible(value, keep_newlines=key == "exception")
    return event
