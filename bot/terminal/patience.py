"""Looking again and again at what may not answer for a while: a network comes back, a bot or a database starts anew."""

from collections.abc import Callable
from threading import Event
from typing import TypeVar

import typer
from sqlalchemy.exc import InterfaceError, OperationalError

from bot.errors import BotSilent
from bot.terminal.failures import what_the_driver_said
from guardrails.text import visible

AGAIN_SECONDS = 2.0
T = TypeVar("T")


class Patience:
    """Looks, and looks again while who has answered before is silent: a bot, or the database of a ledger here.

    It says so once, and once when it is over.

    Without `lasting` the first silence is raised, as it always is before the first answer.
    """

    def __init__(self, stop: Event, *, lasting: bool) -> None:
        self._stop = stop
        self._lasting = lasting
        self._has_answered = False

    def look(self, at: Callable[[], T]) -> T | None:
        """What there is to see; None when a signal came while nobody answered."""
        silent: str | None = None
        while True:
            try:
                seen = at()
            except (BotSilent, OperationalError, InterfaceError) as problem:
                if not self._lasting or not self._has_answered:
                    raise
                if silent is None:
                    silent, told = _silent(problem)
                    typer.echo(visible(f"{told}; it is asked again until it does"), err=True)
            else:
                if silent is not None:
                    typer.echo(f"{silent} answers again", err=True)
                self._has_answered = True
                return seen
            if self._stop.wait(AGAIN_SECONDS):
                return None


def _silent(problem: Exception) -> tuple[str, str]:
    """Who is silent, and what is told of it."""
    if isinstance(problem, BotSilent):
        return "the bot", str(problem)
    return "the ledger", f"the ledger does not answer: {what_the_driver_said(problem)}"
