"""The generator `template`: offline and deterministic, a few little apps with parameters read from the ask."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from builder.generators.templates import pomodoro, tip, todo, wheel
from builder.generators.templates.page import Page, render
from builder.generators.templates.reading import tidy
from builder.outcomes import App, Ask, Done, Outcome, Refused
from builder.ports import Task
from guardrails.bundle import INDEX
from guardrails.text import clip

REFUSAL = (
    "So far I can build four small things: a pomodoro timer, a tip splitter, a to-do list and a decision wheel. "
    "This ask is none of them, so I built nothing."
)
ENOUGH = 2


@dataclass(frozen=True)
class _Kind:
    strong: re.Pattern[str]
    weak: re.Pattern[str]
    veto: re.Pattern[str]
    read: Callable[[str], Page]


_KINDS = tuple(_Kind(kind.STRONG, kind.WEAK, kind.VETO, kind.read) for kind in (pomodoro, tip, todo, wheel))


class TemplateGenerator:
    """Makes the app that an ask names, or refuses in plain words."""

    name = "template"
    can_repair = False

    def generate(self, task: Task) -> Outcome[App]:
        """Write the page; the same ask gives the same bytes."""
        page = choose(words_of(task.ask))
        if page is None:
            return Refused(REFUSAL, "no template fits")
        task.workspace.write(INDEX, render(page).encode("utf-8"))
        return Done(App(title=page.title, description=page.description))


def words_of(ask: Ask) -> str:
    """The ask, and behind it what the posts say that it points at: no template takes any of it for more than words."""
    pointed_at = (part for post in ask.context for part in (post.text, *post.alts, post.card))
    return "\n".join(part for part in (ask.text, *pointed_at) if part)


def choose(text: str) -> Page | None:
    """The page that fits an ask best, or None when none fits; of two that fit alike, the one that is named first."""
    ask = tidy(text)
    scores = [(_score(kind, ask), kind) for kind in _KINDS]
    (points, _), kind = max(scores, key=lambda scored: scored[0])
    if points < ENOUGH:
        return None
    page = kind.read(ask)
    return Page(page.file, clip(page.title, 100, 400), clip(page.description, 200, 800), page.settings)


def _score(kind: _Kind, ask: str) -> tuple[int, int]:
    strong = [match.start() for match in kind.strong.finditer(ask)]
    weak = {match.group().strip().lower() for match in kind.weak.finditer(ask)}
    if kind.veto.search(ask) and not strong:
        return 0, 0
    points = 3 * min(len(strong), 1) + min(len(weak), 2)
    return points, -(strong[0] if strong else len(ask))
