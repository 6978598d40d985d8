"""Looking again and again at a bot that may not answer for a while: a network comes back, a bot is started anew."""

from collections.abc import Callable
from threading import Event
from typing import TypeVar

import typer

from bot.errors import BotSilent
from guardrails.text import visible

AGAIN_SECONDS = 2.0
T = TypeVar("T")


class Patience:
    """Looks, and looks again while a bot that has answered before is silent; it says so once, and once when it is over.

    Without `lasting` the first silence is raised, as it always is before the first answer.
    """

    def __init__(self, stop: Event, *, lasting: bool) -> None:
        self._stop = stop
        self._lasting = lasting
        self._has_answered = False

    def look(self, at: Callable[[], T]) -> T | None:
        """What there is to see; None when a signal came while nobody answered."""
        silent = False
        while True:
            try:
                seen = at()
            except BotSilent as problem:
                if not self._lasting or not self._has_answered:
                    raise
                if not silent:
                    typer.echo(visible(f"{problem}; it is asked again until it does"), err=True)
                silent = True
            else:
                if silent:
                    typer.echo("the bot answers again", err=True)
                self._has_answered = True
                return seen
            if self._stop.wait(AGAIN_SECONDS):
                return None
