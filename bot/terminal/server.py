"""Which bot a command works on: the ledger here, or a bot elsewhere."""

import os
from contextvars import ContextVar

import typer

SERVER = "SKYWRIGHT_SERVER"
_named: ContextVar[str | None] = ContextVar("server", default=None)


def work_on(server: str | None) -> None:
    """Have what follows work on the bot at this address; None leaves it to the environment.

    typer.BadParameter for an empty one: a script whose variable is not set does not mean the ledger here.
    """
    if server is not None and not server.strip():
        raise typer.BadParameter("--server is empty: name the address, or leave it out for the ledger here")
    _named.set(server)


def server_named() -> str | None:
    """The address of the bot that is meant, None for the ledger here."""
    return _named.get() or os.environ.get(SERVER) or None


def check_is_here() -> None:
    """Return unless a bot elsewhere is meant: what takes the ledger itself works on its own machine only."""
    if server_named() is not None:
        raise typer.BadParameter(f"this works on the ledger itself, on its machine: leave out --server and {SERVER}")
