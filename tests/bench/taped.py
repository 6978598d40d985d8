"""A floor for calls to the ledger: the statements of one call as they were run, run again by the bare driver.

What tells one call from another, its document, claim and slug, stands in them as it stood; the next call puts its own
there. Nothing is read into objects, and nothing is decided.
"""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.types.json import Json, Jsonb
from sqlalchemy import event

from bot.ledger.engine import Database

Rows = Sequence[Sequence[Any]]
_BUSY_SECONDS = 30.0
_ENDS = frozenset({"COMMIT", "ROLLBACK"})


@dataclass(frozen=True)
class Statement:
    """A statement with its values; `many` for one that was run for several sets of them."""

    sql: str
    values: Any = None
    many: bool = False


@dataclass
class Tape:
    """What was run while it was on, in order."""

    statements: list[Statement] = field(default_factory=list)


@contextmanager
def taped(db: Database) -> Iterator[Tape]:
    """Notes what the block runs in this database, of whatever thread."""
    tape, engine, is_sqlite = Tape(), db.engine, db.is_sqlite

    def noted(_connection: Any, _cursor: Any, sql: str, values: Any, _context: Any, many: bool) -> None:
        tape.statements.append(Statement(sql, values, many))

    def begun(_connection: Any) -> None:
        if not is_sqlite:  # there it is a statement, and noted as such
            tape.statements.append(Statement("BEGIN"))

    def ended(_connection: Any) -> None:
        tape.statements.append(Statement("COMMIT"))

    listeners = (("before_cursor_execute", noted), ("begin", begun), ("commit", ended), ("rollback", ended))
    for name, listener in listeners:
        event.listen(engine, name, listener)
    try:
        yield tape
    finally:
        for name, listener in listeners:
            event.remove(engine, name, listener)


class Player:
    """Runs what was taped, one connection for each thread, with the settings that the ledger's own have."""

    def __init__(self, db: Database) -> None:
        self._url = db.engine.url
        self._is_sqlite = db.is_sqlite
        self._here = threading.local()

    def play(self, tape: Tape, instead: Mapping[str, str]) -> Iterator[Rows]:
        """Run it with these texts in the stead of those that stand there; the rows of each statement.

        What is put into `instead` while it goes on holds from the next statement on.
        """
        connection = self._connection()
        for statement in tape.statements:
            values = _put(statement.values, instead)
            if statement.many:
                connection.cursor().executemany(statement.sql, values)
                yield ()
            elif values or not isinstance(connection, psycopg.Connection):
                yield _rows(connection.execute(statement.sql, values or ()))
            else:
                yield _rows(connection.execute(statement.sql.encode()))

    def _connection(self) -> Any:
        if not hasattr(self._here, "connection"):
            self._here.connection = self._sqlite() if self._is_sqlite else self._postgresql()
        return self._here.connection

    def _sqlite(self) -> sqlite3.Connection:
        connection = sqlite3.connect(str(self._url.database), timeout=_BUSY_SECONDS, isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _postgresql(self) -> psycopg.Connection[Any]:
        plain = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        # Transactions are taped as statements.
        connection = psycopg.connect(plain, autocommit=True)
        connection.execute("SET synchronous_commit = on")
        return connection


def _rows(cursor: Any) -> Rows:
    rows: Rows = cursor.fetchall() if cursor.description is not None else ()
    return rows


def _put(value: Any, instead: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for was, becomes in instead.items():
            value = value.replace(was, becomes)
        return value
    if isinstance(value, Mapping):
        return {name: _put(each, instead) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_put(each, instead) for each in value)
    if isinstance(value, Json | Jsonb):
        return type(value)(_put(value.obj, instead), value.dumps)
    return value
