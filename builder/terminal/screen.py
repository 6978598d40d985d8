"""Prints for people and for pipes; whatever others wrote is made visible first and is never read as markup."""

import json
import sys

from rich.console import Console
from rich.text import Text

from guardrails.text import visible


class Screen(Console):
    """Standard output: colours on a terminal (NO_COLOR switches them off), plain text in a pipe."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, soft_wrap=True)

    def say(self, text: str, style: str = "") -> None:
        """One line of somebody's text, harmless."""
        self.print(safe(text, style))

    def field(self, name: str, text: str) -> None:
        """A line with a name before it."""
        self.print(Text(f"{name:<12} ", style="dim").append_text(safe(text)))


def safe(text: str, style: str = "") -> Text:
    """Somebody's text as it may be shown: on one line, control and bidi characters spelled out."""
    return Text(visible(text), style=style)


def print_json(value: object) -> None:
    """One JSON document on standard output; hidden characters are escaped."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")
