"""Plays again what one call to the ledger ran, for other calls of the kind: by the bare driver, in several threads.

What tells one call from another, its document, claim and slug, stands in the statements as it stood; the next call puts
its own there. Nothing is read into objects, and nothing is decided.
"""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
from psycopg.types.json import Json, Jsonb

from bot.ledger.engine import Database
from tests.bench.replay import Statement

Rows = Sequence[Sequence[Any]]
_BUSY_SECONDS = 30.0


class Player:
    """Runs what was taped, one connection for each thread, with the settings that the ledger's own have."""

    def __init__(self, db: Database) -> None:
        self._url = db.engine.url
        self._is_sqlite = db.is_sqlite
        self._here = threading.local()

    def play(self, tape: Sequence[Statement], instead: Mapping[str, str]) -> Iterator[Rows]:
        """Run it with these texts in the stead of those that stand there; the rows of each statement.

        What is put into `instead` while it goes on holds from the next statement on.
        """
        connection = self._connection()
        for sql, recorded, many in tape:
            values = _put(recorded, instead)
            if many:
                connection.cursor().executemany(sql, values)
                yield ()
            elif values:
                yield _rows(connection.execute(sql, values))
            else:
                yield _rows(connection.execute(sql))

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
