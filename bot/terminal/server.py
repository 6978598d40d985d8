"""Which bot a command works on: the ledger here, or a bot elsewhere."""

import os
from contextvars import ContextVar

SERVER = "SKYWRIGHT_SERVER"
_named: ContextVar[str | None] = ContextVar("server", default=None)


def work_on(server: str | None) -> None:
    """Have what follows work on the bot at this address; None leaves it to the environment."""
    _named.set(server)


def server_named() -> str | None:
    """The address of the bot that is meant, None for the ledger here."""
    return _named.get() or os.environ.get(SERVER) or None
