"""The bot's log: what others wrote steers no terminal and stops no line from being written."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
import structlog

from bot.jobs.board import JobBoard
from bot.logs import about, configure_logs
from tests.clock import Clock

HOSTILE = "\x1b[2Jgone\u202eback\ud800"
SECRETS = {'pass "word" ünd', "hooks/T0/c4n4ry", "four"}
Logged = Callable[[Literal["console", "json"]], tuple[structlog.typing.FilteringBoundLogger, io.TextIOWrapper]]


@pytest.fixture
def logged() -> Iterator[Logged]:
    """A log of either form on a strict UTF-8 file, and everything as it was afterwards."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = list(root.handlers), root.level

    def logged(form: Literal["console", "json"]) -> tuple[structlog.typing.FilteringBoundLogger, io.TextIOWrapper]:
        file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        configure_logs(form, file, secrets=SECRETS)
        # The loggers of the modules are not to keep this file for the tests after it.
        structlog.configure(cache_logger_on_first_use=False)
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


@pytest.mark.parametrize("form", ["console", "json"])
def test_no_line_holds_a_secret(logged: Logged, form: Literal["console", "json"]) -> None:
    """Neither ours nor a library's, whole, quoted, in a traceback or by its shape; short words are left alone."""
    log, file = logged(form)
    token, jwt = "sw_" + "t" * 43, "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl"
    try:
        raise ValueError("https://hooks.example/hooks%2FT0%2Fc4n4ry refused, four times")
    except ValueError:
        log.exception("call_failed", said=list(SECRETS), headers={"authorization": f"Bearer {jwt}"}, token="hunter2")
    logging.getLogger("a.library").warning("answered %s to %s, Basic %s", *SECRETS - {"four"}, "dXNlcjpodW50ZXIy")
    log.warning(f"a {token} in the words", why=f"{token} and {jwt}")
    log.warning("the bearer of this", header="authorization: bearer 0123456789abcdef0123")
    told = text_of(file)

    assert "bearer of this" in told
    for secret in (
        *SECRETS - {"four"},
        "0123456789abcdef",
        "hooks%2FT0%2Fc4n4ry",
        r"\u00fcnd",
        token,
        jwt,
        "hunter2",
        "dXNlcjpodW50ZXIy",
    ):
        assert secret not in told
    assert "four times" in told


def test_what_libraries_say_is_json_too(logged: Logged) -> None:
    """One object a line, whoever wrote it, with what the work at hand is about; what is less than a warning is not."""
    log, file = logged("json")
    with about(document="mention:did:plc:alice:3k", job="judge"):
        logging.getLogger("apscheduler.x").warning("two\nlines of %s", "words")
        log.info("judged", document="mention:did:plc:bob:3k")
    logging.getLogger("apscheduler.x").info("nobody wants to know")
    log.info("over")
    library, ours, over = [json.loads(line) for line in text_of(file).splitlines()]

    known = ("two\nlines of words", "warning", "apscheduler.x", "mention:did:plc:alice:3k", "judge")
    assert known == tuple(library[key] for key in ("event", "level", "logger", "document", "job"))
    assert ("mention:did:plc:bob:3k", "judge") == (ours["document"], ours["job"])
    assert not {"document", "job", "claim", "device"} & over.keys()


def test_a_job_is_on_every_line_that_it_causes(logged: Logged) -> None:
    """The job board knows which one runs; what it raises is logged under its name as well."""
    log, file = logged("json")
    board = JobBoard(Clock())
    board.add("judge", 1, 1)

    def fail() -> None:
        log.info("looking")
        raise OSError("away")

    board.run("judge", fail)

    assert [("looking", "judge"), ("job_failed", "judge")] == [
        (line["event"], line["job"]) for line in map(json.loads, text_of(file).splitlines())
    ]
