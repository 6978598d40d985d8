"""Log lines: one line, one event; for people or as JSON."""

import logging
import sys
from typing import Literal, TextIO

import structlog


def configure_logs(form: Literal["console", "json"], to: TextIO = sys.stderr) -> None:
    """Set up structlog and the libraries' logging for this process."""
    coloured = to.isatty()
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer(colors=coloured)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.StackInfoRenderer(),
            *([structlog.processors.format_exc_info] if form == "json" else []),
            renderer,
        ],
        logger_factory=structlog.PrintLoggerFactory(to),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(stream=to, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
