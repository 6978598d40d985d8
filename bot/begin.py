"""Imported before all else, so that a command begins at once."""

import gc
import os

# Nobody plugs anything into our models; to find that out, pydantic reads the metadata of every package there is.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# While everything is loaded, garbage is looked for again and again, and there is none; most commands end before any.
WHILE_LOADING, GARBAGE_AFTER = 500_000, 50_000


def begin() -> None:
    """Hardly look for garbage while everything is loaded, and afterwards in a command that does one thing."""
    gc.set_threshold(WHILE_LOADING)


def stay() -> None:
    """For what goes on for days: look for garbage more often from now on."""
    gc.set_threshold(GARBAGE_AFTER)
