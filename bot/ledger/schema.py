"""The schema of the ledger: which one the database has, and how it is brought forward."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

from bot.errors import LedgerBehind
from bot.ledger.engine import Database

# Whoever only reads need not wait for what migrates: each part of it is loaded where it is used.
if TYPE_CHECKING:
    from alembic.config import Config

_REVISION = re.compile(r"(\d{4})_\w+\.py")
_VERSION = "alembic_version"

_OF_THE_SEARCH = frozenset({"words", "ix_searched_words"})


def migrate(db: Database) -> None:
    """Bring the database to this program's schema, all or nothing; a schema that is there already is left alone.

    LedgerBehind when the database is newer than this program.
    """
    from alembic import command  # noqa: PLC0415

    _refuse_newer(current_revision(db))
    with db.rebuild() as connection:
        _alembic(connection, lambda config: command.upgrade(config, "head"))


def downgrade(db: Database, revision: str) -> None:
    """Bring the database back to an older revision, `base` for none at all."""
    from alembic import command  # noqa: PLC0415

    with db.rebuild() as connection:
        _alembic(connection, lambda config: command.downgrade(config, revision))


def current_revision(db: Database) -> str | None:
    """The revision that the database is at, None for an empty one."""
    with db.read() as connection:
        if not connection.dialect.has_table(connection, _VERSION):
            return None
        return connection.execute(text(f"SELECT version_num FROM {_VERSION}")).scalar_one_or_none()  # noqa: S608


def head_revision() -> str:
    """The revision that this program was written for."""
    return max(_revisions())


def check_schema(db: Database) -> None:
    """Return when the database has this program's schema; LedgerBehind says what to run, and which of them is older."""
    present, wanted = current_revision(db), head_revision()
    if present == wanted:
        return
    _refuse_newer(present)
    raise LedgerBehind(f"the ledger is at {present or 'nothing'}, this program needs {wanted}: run `skywright migrate`")


def differences(db: Database) -> list[object]:
    """What the models say and the database does not, or the other way round; empty when they agree."""
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415
    from alembic.migration import MigrationContext  # noqa: PLC0415

    from bot.ledger.tables import Base  # noqa: PLC0415

    with db.read() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": _is_modelled})
        return list(compare_metadata(context, Base.metadata))


def _is_modelled(name: str | None, _type: str, _parents: object) -> bool:
    """Whether the models speak of it: the index of the search is each database's own."""
    return name not in _OF_THE_SEARCH and not str(name).startswith("searched_words")


def _refuse_newer(present: str | None) -> None:
    if present is not None and present not in _revisions():
        wanted = head_revision()
        raise LedgerBehind(f"the ledger is at {present}, newer than this program ({wanted}): upgrade the program")


def _revisions() -> set[str]:
    """Each migration's file is named by its revision first, and they rise."""
    with as_file(files("bot.ledger") / "migrations" / "versions") as folder:
        return {match[1] for file in folder.iterdir() if (match := _REVISION.fullmatch(file.name)) is not None}


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
