"""`skywright migrate-ledger`: moves the ledger to PostgreSQL."""

import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from sqlalchemy import make_url

from bot.clock import Clock
from bot.database_settings import a_database
from bot.holding import sole_holder
from bot.ledger.copying import Told
from bot.ledger.engine import Database, open_database
from bot.ledger.moving import check_no_bot, move_ledger, stay
from bot.settings import LedgerSettings, load_settings
from bot.terminal.databases import holds_a_password, without_password
from bot.terminal.opening import check_is_there, opened_database

_EVERY_SECONDS = 1.0
_READABLE = (
    "the password in --to can be read by whoever lists this machine's processes, and is kept by the shell: "
    "leave it out, and set PGPASSWORD, or PGPASSFILE to a file that has it"
)


def migrate_ledger_command(to: str | None, *, back: bool) -> None:
    """Copy the ledger, compare the two, and say what to set; or let the old one be used again."""
    settings = load_settings(LedgerSettings)
    check_is_there(settings.database_url)
    if (to is None) is not back:
        raise typer.BadParameter("say where it moves with --to, or take that back with --back")
    address = shown(to) if to is not None else ""
    if to is not None and holds_a_password(make_url(to)):
        typer.echo(_READABLE, err=True)
    with (
        sole_holder(settings.database_url),
        opened_database(settings.database_url, settings.database_direct_url) as source,
    ):
        if to is None:
            _stay(source)
            return
        with _target(to) as target:
            move_ledger(source, target, address, secrets.token_hex(8), _told())
    typer.echo(
        f"the ledger is in {address} now: every row was compared, and the history replayed.\n"
        "Set SKYWRIGHT_DATABASE_URL to that address, with its password, and start the bot.\n"
        "The old one stays as it was, and is opened by nobody; `skywright migrate-ledger --back` would change that."
    )


def shown(url: str) -> str:
    """A PostgreSQL database's address without what nobody else may read; typer.BadParameter for any other's."""
    try:
        given = make_url(a_database(url))
    except ValueError:
        # It may hold a password, so it is not repeated.
        raise typer.BadParameter("--to is no address of a database") from None
    if given.get_backend_name() != "postgresql":
        raise typer.BadParameter("a ledger moves to PostgreSQL: postgresql+psycopg://USER@HOST/DATABASE")
    return without_password(given)


def _stay(source: Database) -> None:
    check_no_bot(source)
    if not stay(source):
        typer.echo("this ledger has not moved")
        return
    typer.echo(
        "this ledger may be opened again. Nobody may run a bot on the other one: it would answer beside this one"
    )


@contextmanager
def _target(url: str) -> Iterator[Database]:
    db = open_database(url, Clock())
    try:
        yield db
    finally:
        db.close()


def _told() -> Told:
    """A line for each table, and in between on a terminal how far it is."""
    now, at = "", time.monotonic()

    def told(table: str, done: int, whole: int) -> None:
        nonlocal now, at
        if now != table:
            typer.echo(f"{table}: {whole}", err=True)
        elif sys.stderr.isatty() and time.monotonic() - at > _EVERY_SECONDS:
            typer.echo(f"\r  {done} of {whole}", nl=False, err=True)
            at = time.monotonic()
        now = table

    return told
