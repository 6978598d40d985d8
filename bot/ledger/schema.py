"""The schema of the ledger: which one the database has, and how it is brought forward.

The rule for upgrades is simple: a program works on its own revision and on no other. It looks when it opens a ledger,
and a bot that runs looks again every few seconds and stops, so that of two programs the older one gives way. Whoever
writes a migration therefore owes the older program those seconds only: its statements do right or fail, and never do
something else than they say. Where that cannot be had, the migration's text says that bots have to be stopped first.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from bot.errors import LedgerBehind, LedgerInUse
from bot.ledger.engine import Database
from bot.ledger.fences import check_no_fence

# Whoever only reads need not wait for what migrates: each part of it is loaded where it is used.
if TYPE_CHECKING:
    from alembic.config import Config

_REVISION = re.compile(r"(\d{4})_\w+\.py")
_VERSION = "alembic_version"

# A migration waits so long for a table that somebody else works on, and everybody else waits behind it.
LOCK_SECONDS = 10
# Nobody gave way within that time; or whoever is waited for waits for the migration.
_IN_USE = frozenset({"55P03", "40P01"})
_ONE_AT_A_TIME = 7_339_215_001
# What a million documents take on a small machine, in seconds, where every one of them is written anew.
_SECONDS_PER_MILLION = {"0006": 180, "0007": 90}

_OF_THE_SEARCH = frozenset({"words", "ix_searched_words"})


def migrate(db: Database, revision: str = "head") -> None:
    """Bring the database to this program's schema, all or nothing; a schema that is there already is left alone.

    LedgerBehind when the database is newer than this program, LedgerInUse when somebody keeps it waiting for a table.
    """
    from alembic import command  # noqa: PLC0415

    _refuse_others(db, current_revision(db))
    with _rebuilding(db) as connection:
        _alembic(connection, lambda config: command.upgrade(config, revision))


def downgrade(db: Database, revision: str) -> None:
    """Bring the database back to an older revision, `base` for none at all."""
    from alembic import command  # noqa: PLC0415

    with _rebuilding(db) as connection:
        _alembic(connection, lambda config: command.downgrade(config, revision))


def seconds_to_migrate(db: Database) -> float:
    """About how long it takes to bring the database forward, by the documents that have to be written anew."""
    present = current_revision(db)
    if present is None:
        return 0
    slow = sum(seconds for revision, seconds in _SECONDS_PER_MILLION.items() if revision > present)
    if not slow:
        return 0
    with db.read() as connection:
        count: int = connection.execute(text("SELECT count(*) FROM documents")).scalar_one()
    return slow * count / 1_000_000


def current_revision(db: Database) -> str | None:
    """The revision that the database is at, None for an empty one."""
    with db.read() as connection:
        if not connection.dialect.has_table(connection, _VERSION):
            return None
        return connection.execute(text(f"SELECT version_num FROM {_VERSION}")).scalar_one_or_none()  # noqa: S608


def head_revision() -> str:
    """The revision that this program was written for."""
    return max(revisions())


@cache
def revisions() -> frozenset[str]:
    """The revisions that this program knows: each migration's file is named by its own first, and they rise.

    A program that was installed over this process does not change what this process knows.
    """
    with as_file(files("bot.ledger") / "migrations" / "versions") as folder:
        return frozenset(match[1] for file in folder.iterdir() if (match := _REVISION.fullmatch(file.name)) is not None)


def check_schema(db: Database) -> None:
    """Return when the database has this program's schema; LedgerBehind says what to run, and which of them is older."""
    present, wanted = current_revision(db), head_revision()
    if present == wanted:
        return
    _refuse_others(db, present)
    raise LedgerBehind(f"the ledger is at {present or 'nothing'}, this program needs {wanted}: run `skywright migrate`")


def differences(db: Database) -> list[object]:
    """What the models say and the database does not, or the other way round; empty when they agree."""
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    from bot.ledger.tables import metadata  # noqa: PLC0415

    with db.read() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": _is_modelled})
        return list(compare_metadata(context, metadata))


def _is_modelled(name: str | None, _type: str, _parents: object) -> bool:
    """Whether the models speak of it: the index of the search is each database's own."""
    return name not in _OF_THE_SEARCH and not str(name).startswith("searched_words")


def refuse_newer(revision: str | None) -> None:
    """Return when this program knows the revision, or there is none."""
    if revision is not None and revision not in revisions():
        wanted = head_revision()
        raise LedgerBehind(f"the ledger is at {revision}, newer than this program ({wanted}): upgrade the program")


def _refuse_others(db: Database, present: str | None) -> None:
    check_no_fence(db, present)
    refuse_newer(present)


@contextmanager
def _rebuilding(db: Database) -> Iterator[Connection]:
    """One migration at a time, which fails rather than have everybody wait behind it for one who reads."""
    with db.rebuild() as connection:
        if db.is_sqlite:
            yield connection
            return
        for setting in (f"lock_timeout = {int(LOCK_SECONDS * 1000)}", "statement_timeout = 0"):
            connection.exec_driver_sql(f"SET LOCAL {setting}")
        try:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ONE_AT_A_TIME})
            yield connection
        except DBAPIError as problem:
            if getattr(problem.orig, "sqlstate", None) not in _IN_USE:
                raise
            raise LedgerInUse(
                f"somebody else works on the ledger, and was not done within {LOCK_SECONDS} s or waits for the "
                "migration itself: nothing was changed. Stop the bots, or whatever reads for long (pg_stat_activity "
                "tells), and run it again"
            ) from problem


def _alembic(connection: Connection, run: "Callable[[Config], None]") -> None:
    with _config() as config:
        config.attributes["connection"] = connection
        run(config)


@contextmanager
def _config() -> "Iterator[Config]":
    from alembic.config import Config  # noqa: PLC0415

    with as_file(files("bot.ledger") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        yield config
