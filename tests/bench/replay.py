"""The floor of what goes through the store: the very statements that it made, by the raw driver on a like ledger."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from sqlalchemy import event, make_url

from bot.ledger.ledger import Ledger

Statement = tuple[str, Any, bool]
"""SQL, its parameters, and whether they are those of many rows."""
COMMIT: Statement = ("COMMIT", None, False)
BEGIN: Statement = ("BEGIN", None, False)


@contextmanager
def recorded(ledger: Ledger) -> Iterator[list[Statement]]:
    """Whatever the ledger says to its database meanwhile, with where its transactions begin and end."""
    said: list[Statement] = []

    def execute(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        # Many rows by one statement are told as many, too; their values are then one row.
        said.append((statement, parameters, many and isinstance(parameters, list)))

    def begin(_connection: Any) -> None:
        if not ledger.db.is_sqlite:  # it says so itself
            said.append(BEGIN)

    def commit(_connection: Any) -> None:
        said.append(COMMIT)

    heard: Sequence[tuple[str, Callable[..., None]]] = (
        ("before_cursor_execute", execute),
        ("begin", begin),
        ("commit", commit),
    )
    for name, hear in heard:
        event.listen(ledger.db.engine, name, hear)
    try:
        yield said
    finally:
        for name, hear in heard:
            event.remove(ledger.db.engine, name, hear)


@contextmanager
def raw(url: str) -> Iterator[Callable[[Sequence[Statement]], None]]:
    """A connection of the driver alone, as durable as the ledger's own, that says what was recorded."""
    address = make_url(url)
    if address.drivername.startswith("sqlite"):
        with closing(sqlite3.connect(str(address.database), isolation_level=None)) as connection:
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}").close()
            yield lambda said: _say(connection, said)
    else:
        plain = address.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain, autocommit=True) as other:
            yield lambda said: _say(other, said)


def _say(connection: Any, said: Sequence[Statement]) -> None:
    for statement, parameters, many in said:
        cursor = connection.cursor()
        if many:
            cursor.executemany(statement, parameters)
        elif parameters:
            cursor.execute(statement, parameters)
        else:
            cursor.execute(statement)
        # What a driver can tell of the columns is not asked: that takes long.
        if statement.startswith("SELECT") or " RETURNING " in statement:
            cursor.fetchall()
        cursor.close()
