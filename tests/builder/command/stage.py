"""Small programs, the tasks that they are run on, and whether anything of them still runs."""

import functools
import os
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

from builder.generators.command.generator import CommandGenerator
from builder.generators.command.options import CommandOptions, Isolation, why_not
from builder.isolation.bounds import Bounds
from builder.outcomes import App, Ask, Budget, Outcome
from builder.ports import Task
from builder.stopping import Stop
from builder.workspace import Workspace
from guardrails.wire import Limits, PointedAt
from tests.missing import missing

PATH = os.environ.get("PATH", "/usr/bin:/bin")
PYTHON_HOME = Path(sys.base_prefix)
PYTHON = str(PYTHON_HOME / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")
PAGE = "<!doctype html><title>A page</title>"
BOUNDS = Bounds(seconds=20)


@functools.cache
def _bubblewrap_trouble() -> str | None:
    return why_not(CommandOptions(("true",), environ={"PATH": PATH}))


def need(isolation: Isolation) -> None:
    """Skip where this isolation cannot be had."""
    if isolation is Isolation.BUBBLEWRAP and (trouble := _bubblewrap_trouble()) is not None:
        missing(trouble)


class Stage:
    """A lane's folder with a workspace in it, and the ways to run a program on it."""

    def __init__(self, folder: Path, isolation: Isolation = Isolation.BUBBLEWRAP) -> None:
        need(isolation)
        self.folder = folder
        self.isolation = isolation
        app = folder / "app"
        app.mkdir()
        self.workspace = Workspace(app)
        self.stop = Stop()

    def task(
        self,
        ask: str = "a clock",
        *,
        seconds: float = 20.0,
        findings: tuple[str, ...] = (),
        context: tuple[PointedAt, ...] = (),
    ) -> Task:
        budget = Budget(seconds, 5000, 70_000)
        return Task(Ask(ask, ("de", "en"), context), self.workspace, self.stop, budget, Limits(), findings)

    def options(
        self,
        *argv: str,
        environ: dict[str, str] | None = None,
        allowed: tuple[str, ...] = (),
        network: bool = False,
        bounds: Bounds = BOUNDS,
        read_only: tuple[Path, ...] = (PYTHON_HOME,),
    ) -> CommandOptions:
        surroundings = {"PATH": PATH, **(environ or {})}
        return CommandOptions(
            argv, surroundings, allowed, self.isolation, network=network, read_only=read_only, bounds=bounds
        )

    def run(self, options: CommandOptions, task: Task | None = None) -> Outcome[App]:
        return CommandGenerator(options, time.monotonic).generate(task or self.task())

    def sh(self, script: str, task: Task | None = None) -> Outcome[App]:
        return self.run(self.options("sh", "-c", script), task)

    def files(self) -> dict[str, bytes]:
        return dict(self.workspace.snapshot(Limits()).files)


def new_mark() -> str:
    """A number of seconds to sleep that no other process on this machine has among its words."""
    return f"{10_000 + secrets.randbelow(10_000)}.{secrets.randbelow(10**12):012}"


def running(mark: str) -> list[int]:
    """The processes that have the mark among their words, seen from outside."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def gone(mark: str) -> Callable[[], bool]:
    return lambda: not running(mark)
