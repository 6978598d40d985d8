"""Log lines: one line, one event; for people, with everything made visible, or as JSON. No secret is in any.

What a line is about has four names, everywhere: document, claim, device, job.
"""

import json
import logging
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Literal, TextIO
from urllib.parse import quote

import structlog
from structlog.typing import EventDict, Processor

from guardrails.text import visible

Form = Literal["console", "json"]
HIDDEN = "[hidden]"
# A value under such a name is never shown, whatever it is.
_SECRET_KEYS = frozenset(
    {"authorization", "cookie", "password", "secret", "session_key", "token", "id_token", "access_jwt", "refresh_jwt"}
)
# Tokens and codes as this program makes them, JSON web tokens, and whatever an Authorization header carries.
_SECRET_SHAPES = re.compile(
    r"\bsw[a-z]{0,2}_[A-Za-z0-9_-]{20,}|\beyJ[\w-]+\.[\w-]+\.[\w-]+|"
    r"(?<=\bBearer )[^\s\"']+|(?<=\bbearer )[^\s\"']{16,}|(?<=\bBasic )[^\s\"']{8,}"
)
# Anything shorter is a word as well.
_SHORTEST_SECRET = 6


def configure_logs(form: Form, to: TextIO = sys.stderr, secrets: Collection[str] = ()) -> None:
    """Set up structlog and the libraries' logging for this process.

    `secrets` are texts that no line may hold: the last safety, should some error quote one.
    """
    structlog.configure(
        processors=[*_gathering(), *_rendering(form, to, secrets)],
        logger_factory=structlog.PrintLoggerFactory(to),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, _LibraryLines)]:
        root.removeHandler(handler)
    root.addHandler(_LibraryLines(form, to, secrets))
    root.setLevel(logging.WARNING)


def logs_to_stderr() -> None:
    """For a command: log lines go to standard error, wherever that leads by then; its output is read by programs."""
    structlog.configure(
        processors=[*_gathering(), *_rendering("console", sys.stderr, ())],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    )


@contextmanager
def about(
    *, document: str | None = None, claim: str | None = None, device: str | None = None, job: str | None = None
) -> Iterator[None]:
    """Every line that is logged within says what it is about; what is not given stays as it is around."""
    given = {"document": document, "claim": claim, "device": device, "job": job}
    with structlog.contextvars.bound_contextvars(**{name: value for name, value in given.items() if value}):
        yield


class _LibraryLines(logging.Handler):
    """Writes what libraries log as our own lines are, and never into the middle of one."""

    def __init__(self, form: Form, to: TextIO, secrets: Collection[str]) -> None:
        super().__init__()
        self._out = structlog.PrintLogger(to)
        meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
        self.setFormatter(
            structlog.stdlib.ProcessorFormatter(
                foreign_pre_chain=[structlog.stdlib.add_logger_name, *_gathering()],
                processors=[meta, *_rendering(form, to, secrets)],
            )
        )

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._out.msg(self.format(record))
        except Exception:
            self.handleError(record)


def _gathering() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]


def _rendering(form: Form, to: TextIO, secrets: Collection[str]) -> list[Processor]:
    hide_rest = _Hiding(secrets)
    if form == "json":
        return [_hide_by_name, structlog.processors.JSONRenderer(), hide_rest]
    # Its own way with an exception shows the variables of every frame, and some of them are secrets.
    plain = structlog.dev.plain_traceback
    console = structlog.dev.ConsoleRenderer(colors=to.isatty(), exception_formatter=plain)
    return [_hide_by_name, _make_visible, console, hide_rest]


class _Hiding:
    """Takes secrets out of a finished line, also where they are quoted as JSON, as an address or as visible text."""

    def __init__(self, secrets: Collection[str]) -> None:
        ways = {
            way
            for secret in secrets
            if len(secret) >= _SHORTEST_SECRET
            for way in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""), visible(secret))
        }
        known = [re.escape(way) for way in sorted(ways, key=len, reverse=True)]
        self._known = re.compile("|".join(known)) if known else None

    def __call__(self, _: object, __: str, line: EventDict) -> str:
        told = str(line)
        if self._known is not None:
            told = self._known.sub(HIDDEN, told)
        return _SECRET_SHAPES.sub(HIDDEN, told)


def _hide_by_name(_: object, __: str, event: EventDict) -> EventDict:
    for key in event:
        if key.lower() in _SECRET_KEYS:
            event[key] = HIDDEN
    return event


def _make_visible(_: object, __: str, event: EventDict) -> EventDict:
    """Others' text steers no terminal; JSON needs no such help."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = visible(value, keep_newlines=key == "exception")
    return event
