"""A generator that does what a test says, and what the bot was told in the end."""

from collections.abc import Callable
from dataclasses import dataclass, field

from builder.outcomes import App, Ask, Done, Outcome, Usage
from builder.stopping import Stop
from builder.workspace import Workspace
from tests.builder.fake_bot import FakeBot

PAGE = b"<!doctype html><title>t</title>"
PICTURE = b"\x89PNG\r\n\x1a\n and so on"


@dataclass
class Scripted:
    """A generator that does what the test says, and keeps what it was asked."""

    does: Callable[[Workspace, Stop], Outcome[App]]
    name: str = "scripted"
    asks: list[Ask] = field(default_factory=list)

    def generate(self, ask: Ask, workspace: Workspace, stop: Stop) -> Outcome[App]:
        self.asks.append(ask)
        return self.does(workspace, stop)


def write_page(workspace: Workspace, _: Stop) -> Outcome[App]:
    workspace.write("index.html", PAGE)
    return Done(App("A title", "A description", Usage("model-1", "prompt-2", 10, 20, 30)))


def write_page_and_picture(workspace: Workspace, stop: Stop) -> Outcome[App]:
    workspace.screenshot_file.write_bytes(PICTURE)
    return write_page(workspace, stop)


def only_report(bot: FakeBot) -> dict[str, object]:
    (report,) = bot.reports.values()
    return report
