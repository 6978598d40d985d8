"""The schema of the ledger: which one the database has, and how it is brought forward."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from bot.errors import LedgerBehind
from bot.ledger.engine import Database
from bot.ledger.tables import Base

_OF_THE_SEARCH = frozenset({"words", "ix_searched_words"})


def migrate(db: Database) -> None:
    """Bring the database to this program's schema, all or nothing; a schema that is there already is left alone.

    LedgerBehind when the database is newer than this program.
    """
    _refuse_newer(current_revision(db))
    with db.rebuild() as connection:
        _alembic(connection, lambda config: command.upgrade(config, "head"))


def downgrade(db: Database, revision: str) -> None:
    """Bring the database back to an older revision, `base` for none at all."""
    with db.rebuild() as connection:
        _alembic(connection, lambda config: command.downgrade(config, revision))


def current_revision(db: Database) -> str | None:
    """The revision that the database is at, None for an empty one."""
    with db.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def head_revision() -> str:
    """The revision that this program was written for."""
    head = _script().get_current_head()
    if head is None:
        raise LedgerBehind("this program has no migrations")
    return head


def check_schema(db: Database) -> None:
    """Return when the database has this program's schema; LedgerBehind says what to run, and which of them is older."""
    present, wanted = current_revision(db), head_revision()
    if present == wanted:
        return
    _refuse_newer(present)
    raise LedgerBehind(f"the ledger is at {present or 'nothing'}, this program needs {wanted}: run `skywright migrate`")


def differences(db: Database) -> list[object]:
    """What the models say and the database does not, or the other way round; empty when they agree."""
    with db.read() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": _is_modelled})
        return list(compare_metadata(context, Base.metadata))


def _is_modelled(name: str | None, _type: str, _parents: object) -> bool:
    """Whether the models speak of it: the index of the search is each database's own."""
    return name not in _OF_THE_SEARCH and not str(name).startswith("searched_words")


def _refuse_newer(present: str | None) -> None:
    known = {script.revision for script in _script().walk_revisions()}
    if present is not None and present not in known:
        wanted = head_revision()
        raise LedgerBehind(f"the ledger is at {present}, newer than this program ({wanted}): upgrade the program")


def _alembic(connection: Connection, run: Callable[[Config], None]) -> None:
    with _config() as config:
        config.attributes["connection"] = connection
        run(config)


def _script() -> ScriptDirectory:
    with _config() as config:
        return ScriptDirectory.from_config(config)


@contextmanager
def _config() -> Iterator[Config]:
    with as_file(files("bot.ledger") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        yield config
