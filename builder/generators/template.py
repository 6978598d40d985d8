"""The generator `template`: offline and deterministic, a dozen little apps with parameters read from the ask."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from builder.generators.templates import (
    calculator,
    converter,
    countdown,
    dice,
    drawing,
    flashcards,
    habit,
    palette,
    pomodoro,
    tip,
    todo,
    wheel,
)
from builder.generators.templates.page import Page, render
from builder.generators.templates.reading import tidy
from builder.outcomes import App, Ask, Done, Outcome, Refused
from builder.ports import Task
from guardrails.bundle import INDEX
from guardrails.text import clip

REFUSAL = (
    "I know a dozen small apps: pomodoro, countdown, tip, formula, units, to-do, habits, flashcards, dice, decision "
    "wheel, palette, drawing pad. This ask is none of them, so I built nothing."
)
ENOUGH = 2

# What stands first in an ask is what is asked for: "a quiz with a countdown" is a quiz.
_SOMETHING_ELSE = re.compile(
    r"\b(?:games?\b(?! (?:night|day|week|time|on\b))|quiz(?:zes)?\b|spiel\b|juego\b"
    r"|chess|tetris|pong|sudoku|solitaire|platformer|shooter|multiplayer|leaderboard|clones?\b"
    r"|chat ?(?:bot|room|app)?\b|social (?:network|media)|forum\b|newsletter|blog\b|portfolio|landing page"
    r"|website\b(?! (?:that|with|to)\b)|(?:web|online) ?shop|e-commerce|essay|poem|article|summar(?:y|i[sz]e)"
    r"|translat(?:e|or|ion)\b|synth(?:esi[sz]er)?\b|piano|drum|music player|mp3|video (?:editor|player)"
    r"|(?:log|sign)-?(?:in|up)|bank(?:ing)?\b|phishing|password|crypto ?wallet"
    r"|weather|map of|scraper|script (?:that|to)|api\b|database)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Kind:
    """How a kind of app is recognised, and what reads its parameters; None from `read` declines the ask after all."""

    strong: re.Pattern[str]
    weak: re.Pattern[str]
    veto: re.Pattern[str]
    read: Callable[[str], Page | None]


_KINDS = tuple(
    _Kind(kind.STRONG, kind.WEAK, kind.VETO, kind.read)
    for kind in (
        pomodoro,
        tip,
        todo,
        wheel,
        countdown,
        converter,
        dice,
        palette,
        flashcards,
        habit,
        drawing,
        calculator,
    )
)


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
    """The page that fits an ask best, or None when none fits; of two that it names, the one that it names first."""
    ask = tidy(text)
    scores = [(_score(kind, ask), kind) for kind in _KINDS]
    for (points, place), kind in sorted(scores, key=lambda scored: scored[0], reverse=True):
        if points < ENOUGH or _names_something_else(ask, -place):
            return None
        page = kind.read(ask)
        if page is not None:
            return Page(page.file, clip(page.title, 100, 400), clip(page.description, 200, 800), page.settings)
    return None


def _score(kind: _Kind, ask: str) -> tuple[int, int]:
    strong = kind.strong.search(ask)
    if strong:
        return ENOUGH + 1, -strong.start()
    weak = {match.group().strip().lower() for match in kind.weak.finditer(ask)}
    return (0 if kind.veto.search(ask) else min(len(weak), ENOUGH)), -len(ask)


def _names_something_else(ask: str, before: int) -> bool:
    found = _SOMETHING_ELSE.search(ask)
    return found is not None and found.start() < before
