"""Runs the operator's program on an ask, and tells how it went."""

import html
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from builder.errors import BadSettings
from builder.generators.command.exchange import Result, parse_result, read_result, write_ask
from builder.generators.command.options import CommandOptions
from builder.isolation.run import Ended, Ending, run
from builder.outcomes import App, Broken, Done, Outcome, Refused, RetryLater, Unfit, Usage
from builder.ports import Task
from builder.workspace import Snapshot
from guardrails.bundle import INDEX, printable
from guardrails.text import clean, clip

DECLINES = 65
OVERLOADED = 75
UNFIT = (77, 78)
REFUSAL = "This is not something that I can build, so I built nothing."
RETRY_SECONDS = 60.0
_TAIL_CHARS = 1500
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,500})</title", re.IGNORECASE)
_TITLE_WITHIN_BYTES = 100_000
_TITLE_GRAPHEMES = 80
# Colours and titles that a program means for a terminal.
_TERMINAL = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?)")


class CommandGenerator:
    """Any program that keeps the contract of this package. `now` is a steady clock in seconds."""

    name = "command"
    can_repair = True

    def __init__(self, options: CommandOptions, now: Callable[[], float]) -> None:
        self._options = options
        self._now = now

    def generate(self, task: Task) -> Outcome[App]:
        """Run the program once; when this returns, nothing of it runs any more."""
        program = self._options.program
        if program is None:
            return Unfit("the program that builds the apps is not there any more; install it")
        app = task.workspace.folder.absolute()
        with tempfile.TemporaryDirectory(
            prefix="skywright-command-", dir=app.parent, ignore_cleanup_errors=True
        ) as place:
            try:
                walls = self._options.walls(Path(place), app)
            except BadSettings as problem:
                return Unfit(str(problem))
            bounds = self._options.bounds.within(task.budget.seconds)
            write_ask(walls.work, task, bounds.seconds)
            argv = (str(program), *self._options.argv[1:])
            ended = run(argv, walls, self._options.environment, bounds, task.stop, self._now)
            content = read_result(walls.work)
        return self._outcome(task, ended, content)

    def _outcome(self, task: Task, ended: Ended, content: bytes | None) -> Outcome[App]:
        snapshot = task.workspace.snapshot(task.limits)
        result = parse_result(content)
        leaked = self._leaked(snapshot, content or b"", result)
        usage = result.usage.usage() if isinstance(result, Result) else Usage()
        usage = replace(usage, model=None) if leaked else usage
        tail = self._tail(ended)
        if ended.how is not Ending.EXITED:
            detail = _joined(f"the program was ended: {ended.problem}", tail)
            return Unfit(_joined(ended.problem, tail), usage) if ended.how is Ending.UNFIT else Broken(detail, usage)
        if leaked is not None:
            return Broken(leaked, usage)
        if ended.status != 0:
            return _failed(ended.status, result, tail, usage)
        if isinstance(result, str):
            return Broken(_joined(result, tail), usage)
        if result.refusal:
            return Refused(REFUSAL, _joined("the program declines", clean(result.refusal)), usage)
        title = clean(result.title) or _title_of(snapshot) or clip(clean(task.ask.text), _TITLE_GRAPHEMES, 500)
        return Done(App(title, clean(result.description), usage))

    def _tail(self, ended: Ended) -> str:
        said = _TERMINAL.sub("", ended.tail)
        for name, value in self._options.secrets.items():
            said = said.replace(value, f"[{name}]")
        said = clean(said)
        return said if len(said) <= _TAIL_CHARS else f"… {said[-_TAIL_CHARS:].lstrip()}"

    def _leaked(self, snapshot: Snapshot, content: bytes, result: Result | str) -> str | None:
        """Which allowed variable's value stands in the app or in the result."""
        names = "\n".join((*(name for name, _ in snapshot.entries), *snapshot.problems))
        # As it was written, and as it was read: JSON can spell a value in many ways.
        read = "" if isinstance(result, str) else "\n".join(_texts(result))
        places = {
            **snapshot.files,
            "result.json": content + read.encode("utf-8", "replace"),
            "a file's name": names.encode("utf-8", "replace"),
        }
        for name, value in self._options.secrets.items():
            for place, content in places.items():
                if value.encode("utf-8", "surrogateescape") in content:
                    return f"the value of {name} stands in {printable(place)}; nothing of it is used"
        return None


def _failed(status: int | None, result: Result | str, tail: str, usage: Usage) -> Outcome[App]:
    """What an exit status other than 0 stands for."""
    detail = _joined(f"the program ended with status {status}", tail)
    if status == DECLINES:
        why = clean(result.refusal) if isinstance(result, Result) else ""
        return Refused(REFUSAL, _joined("the program declines", why or tail), usage)
    if status == OVERLOADED:
        return RetryLater(RETRY_SECONDS, detail, usage)
    return Unfit(detail, usage) if status in UNFIT else Broken(detail, usage)


def _texts(result: Result) -> tuple[str, ...]:
    return result.title, result.description, result.refusal, result.usage.model or ""


def _title_of(snapshot: Snapshot) -> str:
    page = snapshot.files.get(INDEX, b"")[:_TITLE_WITHIN_BYTES].decode("utf-8", "replace")
    found = _TITLE.search(page)
    return clip(clean(html.unescape(found.group(1))), _TITLE_GRAPHEMES, 500) if found else ""


def _joined(problem: str, more: str) -> str:
    return f"{problem}: {more}" if more else problem
