"""Names in the environment that look like settings of a lane and are none."""

import os
from collections.abc import Iterator, Mapping

import typer

from builder.settings import PREFIX, Settings
from guardrails.misspelt import Misspelt
from guardrails.misspelt import misspelt as misspelt_among
from guardrails.text import visible

# What the bot calls its listener for lanes and its watch over them, and what the workflow in CI reads.
BESIDE = frozenset(f"{PREFIX}{name}" for name in ("LISTEN", "URL", "WAIT_MINUTES", "SCHEDULE_MINUTES", "AUDIENCE"))


def misspelt(environment: Mapping[str, str]) -> Iterator[Misspelt]:
    """The names that begin as settings of a lane do and are none."""
    return misspelt_among(
        environment, [f"{PREFIX}{field.upper()}" for field in Settings.model_fields], BESIDE, lane=True
    )


def tell_misspelt() -> None:
    """A warning on standard error for each that is in this environment; names are said, and no value."""
    for wrong in misspelt(os.environ):
        typer.echo(visible(f"warning: {wrong.told}: {wrong.mend}"), err=True)
