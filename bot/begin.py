"""Imported before all else, so that a command begins at once."""

import gc
import os

# Nobody plugs anything into our models; to find that out, pydantic reads the metadata of every package there is.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# While everything is loaded, garbage is looked for again and again, and there is none.
GARBAGE_AFTER = 50_000


def begin() -> None:
    """Look for garbage less often, for as long as the process lives."""
    gc.set_threshold(GARBAGE_AFTER)
