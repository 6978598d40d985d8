"""The bot's log: what others wrote steers no terminal and stops no line from being written."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
import structlog

from bot.logs import configure_logs

HOSTILE = "\x1b[2Jgone\u202eback\ud800"
Logged = Callable[[Literal["console", "json"]], tuple[structlog.typing.FilteringBoundLogger, io.TextIOWrapper]]


@pytest.fixture
def logged() -> Iterator[Logged]:
    """A log of either form on a strict UTF-8 file, and everything as it was afterwards."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = list(root.handlers), root.level

    def logged(form: Literal["console", "json"]) -> tuple[structlog.typing.FilteringBoundLogger, io.TextIOWrapper]:
        file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        configure_logs(form, file)
        return structlog.get_logger().new(), file

    yield logged
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


def text_of(file: io.TextIOWrapper) -> str:
    file.seek(0)
    return file.read()


@pytest.mark.parametrize("more", ["", " in words", "\nrunning"])
def test_text_of_others_is_made_visible(logged: Logged, more: str) -> None:
    """In a line for people, quoted or not; line ends begin no new line either."""
    log, file = logged("console")
    log.warning("send_failed", failure=HOSTILE + more)

    assert 1 == len(text_of(file).splitlines())
    assert "x1b[2Jgone" in text_of(file)
    assert set() == set(HOSTILE) & {"\x1b", "\u202e", "\ud800"} & set(text_of(file))


def test_a_traceback_is_made_visible_too(logged: Logged) -> None:
    """It keeps its lines, and shows no variable: one of them may be a token."""
    log, file = logged("console")
    token = "sw_" + "t" * 43
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        log.exception("judge_failed")

    assert r"ValueError: \x1b[2Jgone" in text_of(file)
    assert "\x1b" not in text_of(file)
    assert token not in text_of(file)
    assert 3 < len(text_of(file).splitlines())


def test_a_json_line_holds_the_text_as_it_was(logged: Logged) -> None:
    """In ASCII, which steers nothing."""
    log, file = logged("json")
    log.warning("send_failed", failure=HOSTILE)

    assert text_of(file).isascii()
    assert HOSTILE == json.loads(text_of(file))["failure"]
