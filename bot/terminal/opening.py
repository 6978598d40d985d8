"""Opens the ledger for a command, and says who its operator is."""

import os
import pwd
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Event

from sqlalchemy import make_url

from bot.clock import Clock
from bot.errors import LedgerBehind, LedgerGone
from bot.holding import is_held, was_there
from bot.ledger.engine import Database, open_database
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.schema import check_schema
from bot.operations.port import Operations
from bot.settings import LedgerSettings, load_settings
from bot.terminal.server import check_is_here, server_named
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId, Slug
from guardrails.slugs import mint_slug

_OPEN = "put the very file back, with its -wal, and do not stop the bot before: a deleted one is to be had from it only"
_LEFT = "put it back, with its -wal, or the newest backup: `skywright restore FILE`"


@contextmanager
def opened_ledger(settings: LedgerSettings | None = None) -> Iterator[Ledger]:
    """The ledger that the settings name; LedgerBehind when it is not there or has another schema.

    typer.BadParameter where another bot was named. What is logged goes to standard error.
    """
    from bot.logs import logs_to_stderr  # noqa: PLC0415

    logs_to_stderr()
    with _silent_ledger(settings or load_settings(LedgerSettings)) as ledger:
        yield ledger


@contextmanager
def _silent_ledger(settings: LedgerSettings) -> Iterator[Ledger]:
    """The same for whoever logs nothing, or sees to the logs when it is about to: they take long to load."""
    check_is_here()
    check_is_there(settings.database_url)
    ledger = open_ledger(settings.database_url, Clock(), settings.policy, _slug, settings.database_direct_url)
    try:
        check_schema(ledger.db)
        with _told_of_moves(ledger.db):
            yield ledger
    finally:
        ledger.close()


def _told_of_moves(db: Database) -> AbstractContextManager[None]:
    """What a command moves is told to whoever listens, which nobody does to a SQLite file."""
    if db.is_sqlite:
        return nullcontext()
    from bot.ledger.bell import told_at_the_end  # noqa: PLC0415
    from bot.logs import logs_to_stderr  # noqa: PLC0415

    logs_to_stderr()
    return told_at_the_end(db, secrets.token_hex(8))


@contextmanager
def opened_operations() -> Iterator[Operations]:
    """What an operator can see and do: at the bot that was named, else on the ledger that the settings name."""
    server = server_named()
    if server is not None:
        # Only who asks a bot elsewhere needs what makes calls.
        from bot.terminal.remote import opened_remote  # noqa: PLC0415
        from bot.terminal.token import token_of  # noqa: PLC0415

        with opened_remote(server, token_of(os.environ)) as operations:
            yield operations
        return
    from bot.terminal.here import operations_here  # noqa: PLC0415

    settings = load_settings(LedgerSettings)
    with _silent_ledger(settings) as ledger:
        yield operations_here(ledger, settings, operator())


@contextmanager
def opened_database(url: str, direct_url: str | None = None) -> Iterator[Database]:
    """The database alone, whatever its schema; typer.BadParameter where another bot was named."""
    check_is_here()
    db = open_database(url, Clock(), direct_url)
    try:
        yield db
    finally:
        db.close()


@contextmanager
def woken_by_moves() -> Iterator[Event]:
    """Set whenever something may have moved, as far as that is told here: by a PostgreSQL ledger of our own."""
    woken, settings = Event(), load_settings(LedgerSettings) if server_named() is None else None
    if settings is None or sqlite_file(settings.database_url) is not None:
        yield woken
        return
    from bot.ledger.bell import tell  # noqa: PLC0415
    from bot.ledger.listening import Listening  # noqa: PLC0415

    with opened_database(settings.database_url, settings.database_direct_url) as db:
        name = secrets.token_hex(8)
        listening = Listening(db, woken.set, name, lambda: tell(db, name))
        listening.start()
        try:
            yield woken
        finally:
            listening.stop()


def check_is_there(database_url: str) -> None:
    """Return unless the ledger is a SQLite file that does not exist: reading must not make one.

    LedgerGone where it was there, so that nobody is led to make an empty one in its place.
    """
    file = sqlite_file(database_url)
    if file is None or file.exists():
        return
    if not was_there(file):
        raise LedgerBehind(f"there is no ledger at {file} yet: `skywright run` or `skywright migrate` makes it")
    raise LedgerGone(
        f"there is no ledger at {file} any more, it was moved or deleted", _OPEN if is_held(file) else _LEFT
    )


def sqlite_file(database_url: str) -> Path | None:
    """The file of a SQLite ledger, None for any other."""
    url = make_url(database_url)
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def operator() -> Caller:
    """Whoever sits at this terminal, by the name that the system knows; it is kept in the history."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = str(os.getuid())
    return Caller(Role.OPERATOR, DeviceId(f"cli:{name}"))


def _slug(ask: str) -> Slug:
    return mint_slug(ask, secrets.choice)
