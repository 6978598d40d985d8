"""Imported before all else, so that a command begins at once, and ends at once."""

import atexit
import gc
import os

# Nobody plugs anything into our models; to find that out, pydantic reads the metadata of every package there is.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# While everything is loaded, garbage is looked for again and again, and there is none; most commands end before any.
WHILE_LOADING, GARBAGE_AFTER = 500_000, 50_000


def begin() -> None:
    """Hardly look for garbage while everything is loaded, nor afterwards in a command that does one thing.

    And not at the end: Python would go through all that was loaded, twice, only to give it back piece by piece.
    """
    gc.set_threshold(WHILE_LOADING)
    atexit.register(gc.freeze)


def stay() -> None:
    """For what goes on for days: look for garbage more often from now on."""
    gc.set_threshold(GARBAGE_AFTER)
