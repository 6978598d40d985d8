"""Log lines: one line, one event; for people, with everything made visible, or as JSON."""

import logging
import sys
from typing import Literal, TextIO

import structlog

from guardrails.text import visible


def configure_logs(form: Literal["console", "json"], to: TextIO = sys.stderr) -> None:
    """Set up structlog and the libraries' logging for this process."""
    rendering: list[structlog.typing.Processor] = [structlog.processors.JSONRenderer()]
    if form == "console":
        # Its own way with an exception shows the variables of every frame, and some of them are secrets.
        plain = structlog.dev.plain_traceback
        rendering = [_make_visible, structlog.dev.ConsoleRenderer(colors=to.isatty(), exception_formatter=plain)]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            *rendering,
        ],
        logger_factory=structlog.PrintLoggerFactory(to),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(stream=to, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")


def logs_to_stderr() -> None:
    """For a command: log lines go to standard error, wherever that leads by then; its output is read by programs."""
    structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))


def _make_visible(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Others' text steers no terminal; JSON needs no such help."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = visible(value, keep_newlines=key == "exception")
    return event
