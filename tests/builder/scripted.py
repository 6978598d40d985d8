"""A generator and a check that do what a test says, and what the bot was told in the end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from builder.outcomes import App, Checked, Done, Outcome, Usage
from builder.ports import Task
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.wire import CheckReport, Limits
from tests.builder.fake_bot import FakeBot

PAGE = b"<!doctype html><title>t</title>"
PICTURE = b"\x89PNG\r\n\x1a\n and so on"
USAGE = Usage("model-1", "prompt-2", 10, 20, 30)


@dataclass
class Scripted:
    """A generator that does what the test says, and keeps what it was asked."""

    does: Callable[[Task], Outcome[App]]
    name: str = "scripted"
    can_repair: bool = False
    tasks: list[Task] = field(default_factory=list)

    def generate(self, task: Task) -> Outcome[App]:
        self.tasks.append(task)
        return self.does(task)


@dataclass(frozen=True)
class Photographer:
    """A check that passes everything and takes the same picture of it."""

    picture: bytes = PICTURE

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        return Checked(CheckReport(check="photographer", passed=True), self.picture)


@dataclass(frozen=True)
class Picky:
    """A check that finds one thing wrong with a page: a word."""

    word: bytes = b"BAD"

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        found = [name for name, content in snapshot.files.items() if self.word in content]
        findings = tuple(f"{name} says {self.word.decode()}" for name in found)
        return Checked(CheckReport(check="picky", passed=not found, findings=findings))


def write_page(task: Task) -> Outcome[App]:
    task.workspace.write("index.html", PAGE)
    return Done(App("A title", "A description", USAGE))


def only_report(bot: FakeBot) -> dict[str, Any]:
    (report,) = bot.reports.values()
    return report
