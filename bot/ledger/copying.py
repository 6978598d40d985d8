"""Copies a whole ledger into an empty PostgreSQL: table by table, to be gone on with wherever it was cut short.

How far it is stands in the target, and is written with the rows. Until all of it was compared no program opens either.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, cast

import psycopg
from psycopg import sql
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    LargeBinary,
    MetaData,
    Numeric,
    Select,
    Table,
    Text,
    func,
    inspect,
    select,
    text,
    type_coerce,
)
from sqlalchemy import tuple_ as row_of
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.elements import ColumnElement

from bot.errors import BadBackup, NotDone
from bot.ledger.columns import JsonText, held_by_both
from bot.ledger.engine import Database
from bot.ledger.fences import FILLING, WHERE, fence_of, put_fence
from bot.ledger.schema import current_revision, migrate
from bot.ledger.tables import conditions, documents, leases, metadata, searched

# What is in memory at once: so many rows, or so few where each may be a picture or a file of an app.
BATCH, BATCH_OF_BYTES = 500, 8
# How far each table is, in the target and for as long as the move takes; the move's own name is a row as well.
_progress = Table(
    "moving",
    MetaData(),
    Column("name", Text(), primary_key=True),
    Column("last", JSON()),
    Column("rows", BigInteger(), nullable=False),
    Column("sum", Numeric(20, 0), nullable=False),
    Column("whole", Boolean(), nullable=False),
)
_WHOLE = 2**64
Told = Callable[[str, int, int], None]
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Sum:
    """How many rows, and a sum of what is in them that does not depend on their order."""

    rows: int = 0
    sum: int = 0

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(self.rows + other.rows, (self.sum + other.sum) % _WHOLE)


class Copying:
    """One move of a ledger, by its name: from a source that nobody writes to, into a target that nobody opens."""

    def __init__(self, source: Database, target: Database, name: str, batch: int = BATCH) -> None:
        self._source = source
        self._target = target
        self._name = name
        self._batch = batch
        # Searched rows are made by the target's triggers, and a lease is a process's that has ended.
        self._tables = [each for each in metadata.sorted_tables if each not in (searched, leases)]

    def take(self) -> None:
        """Take the target: an empty database, an empty ledger, or what this move has begun; NotDone for any other."""
        revision, fence = fence_of(current_revision(self._target))
        tables = set(inspect(self._target.engine).get_table_names())
        if fence is None and revision is None and tables:
            raise NotDone("the new database holds something already: make an empty one")
        if fence is None:
            migrate(self._target)
            with self._target.write() as connection:
                if any(connection.execute(select(table).limit(1)).first() for table in self._tables):
                    raise NotDone("the new database holds a ledger already, which is never written over: make another")
                _progress.create(connection)
                _note(connection, f"move {self._name}", None, Sum(), whole=True)
                put_fence(connection, FILLING)
        elif f"move {self._name}" not in {name for name, *_ in self._progress()}:
            raise NotDone("the new database holds a part of another move: make another, empty one")

    def copy(self, told: Told) -> None:
        """Copy what is not there yet; `told` of each table, how many of how many rows."""
        done = {name: (last, found, whole) for name, last, found, whole in self._progress()}
        for table in self._tables:
            last, found, whole = done.get(table.name, ([], Sum(), False))
            if not whole:
                self._copy(table, tuple(last) if last else None, found, told)
        with self._target.write() as connection:
            for table, highest in self._numbers():
                place = func.pg_get_serial_sequence(table.name, _key_of(table)[0].name)
                connection.execute(select(func.setval(place, highest)))

    def compare(self, told: Told) -> None:
        """Read all that was copied, and replay the history; BadBackup says what is not as it was."""
        expected = {name: found for name, _, found, _ in self._progress()}
        for table in self._tables:
            told(f"comparing {table.name}", 0, expected[table.name].rows)
            count = self._count(table)
            if count != expected[table.name].rows:
                raise BadBackup(f"{count} rows of {table.name}, and {expected[table.name].rows} arrived")
            if self._sum(table) != expected[table.name]:
                raise BadBackup(f"{table.name} did not arrive as it was: make an empty database, and begin anew")
        with self._target.read() as connection:
            counts = [connection.execute(select(func.count()).select_from(each)).scalar_one() for each in _SEARCH]
            unlike = connection.execute(text(_UNLIKE_ITS_HISTORY)).scalars().all()
        if counts[0] != counts[1]:
            raise BadBackup(f"{counts[0]} documents, and {counts[1]} that can be searched for")
        if unlike:
            raise BadBackup(f"the history does not tell the present state of {', '.join(unlike)}; nothing has moved")

    def open(self) -> None:
        """Let programs open the target from now on."""
        with self._target.write() as connection:
            _progress.drop(connection)
            put_fence(connection, None)

    def _copy(self, table: Table, last: Key | None, found: Sum, told: Told) -> None:
        key, limit = _key_of(table), self._batch_of(table)
        count = self._count(table)
        told(table.name, found.rows, count)
        while True:
            query = _rows(table).order_by(*key).limit(limit)
            if last is not None:
                query = query.where(row_of(*key) > row_of(*last))
            with self._source.read() as connection:
                if self._source.is_sqlite:
                    _read_whatever_is_there(connection)
                rows = connection.execute(query).all()
            if not rows:
                break
            # Behind the row's own values stand those of its key.
            last = tuple(rows[-1])[-len(key) :]
            values = [_held(row[: -len(key)]) for row in rows]
            found += _sum(values)
            with self._target.write() as connection:
                _insert(connection, table, values)
                _note(connection, table.name, last, found, whole=False)
            told(table.name, found.rows, count)
        with self._target.write() as connection:
            _note(connection, table.name, last, found, whole=True)

    def _count(self, table: Table) -> int:
        """Of what is in the source."""
        with self._source.read() as connection:
            return connection.execute(select(func.count()).select_from(table).where(_which(table))).scalar_one()

    def _sum(self, table: Table) -> Sum:
        """Of what is in the target, read anew."""
        found = Sum()
        with self._target.read() as connection:
            query = select(*_values(table)).where(_which(table)).execution_options(yield_per=self._batch_of(table))
            for rows in connection.execute(query).partitions():
                found += _sum(rows)
        return found

    def _batch_of(self, table: Table) -> int:
        has_bytes = any(isinstance(column.type, LargeBinary) for column in table.columns)
        return min(self._batch, BATCH_OF_BYTES) if has_bytes else self._batch

    def _progress(self) -> Sequence[tuple[str, list[Any], Sum, bool]]:
        with self._target.read() as connection:
            rows = connection.execute(select(_progress)).all()
        return [(row.name, row.last, Sum(row.rows, int(row.sum)), row.whole) for row in rows]

    def _numbers(self) -> Iterator[tuple[Table, int]]:
        """Of each table whose rows are numbered, the highest number that was ever given: it is given to no other."""
        for table in self._tables:
            column = table.autoincrement_column
            if column is None or table.name not in _NUMBERED:
                continue
            with self._source.read() as connection:
                if self._source.is_sqlite:
                    query = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
                    highest = connection.execute(query, {"name": table.name}).scalar_one_or_none()
                else:
                    place = func.pg_sequence_last_value(func.pg_get_serial_sequence(table.name, column.name))
                    highest = connection.execute(select(place)).scalar_one_or_none()
            if highest:
                yield table, int(highest)


_NUMBERED = frozenset({"moves", "sends", "audit"})
_SEARCH = (documents, searched)
# A document's version rises without a move, too, when a reply is claimed.
_UNLIKE_ITS_HISTORY = """
    SELECT documents.id FROM documents LEFT JOIN LATERAL (
        SELECT version, to_status FROM moves WHERE document_id = documents.id ORDER BY version DESC LIMIT 1
        ) AS last ON true
    WHERE last.to_status IS DISTINCT FROM documents.status OR last.version > documents.version
    UNION SELECT document_id FROM (
        SELECT document_id, from_status,
            lag(to_status) OVER (PARTITION BY document_id ORDER BY version) AS before FROM moves) AS told
    WHERE from_status IS DISTINCT FROM before
    LIMIT 5
"""


def _key_of(table: Table) -> list[Column[Any]]:
    """In whose order a table is copied; documents as they came, since that is how a search lists them."""
    return [searched.c.key] if table is documents else list(table.primary_key.columns)


def _rows(table: Table) -> Select[Any]:
    query = select(*_values(table), *(column.label(f"key_{at}") for at, column in enumerate(_key_of(table))))
    if table is documents:
        query = query.select_from(searched.join(documents, documents.c.id == searched.c.document_id))
    return query.where(_which(table))


def _values(table: Table) -> list[ColumnElement[Any]]:
    """A row's values; JSON as the text that it is kept as."""
    return [
        type_coerce(column, Text()).label(column.name) if isinstance(column.type, JsonText) else column
        for column in table.columns
    ]


def _which(table: Table) -> ColumnElement[bool]:
    """All rows but the one that says that this ledger moves."""
    return cast(ColumnElement[bool], conditions.c.name != WHERE if table is conditions else text("true"))


def _held(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(held_by_both(value) if isinstance(value, str) else value for value in row)


def _sum(rows: Sequence[Sequence[Any]]) -> Sum:
    sums = (int.from_bytes(blake2b(repr(tuple(row)).encode(), digest_size=8).digest()) for row in rows)
    return Sum(len(rows), sum(sums) % _WHOLE)


def _insert(connection: Connection, table: Table, rows: Sequence[Sequence[Any]]) -> None:
    plain = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
    columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), columns)
    with plain.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _note(connection: Connection, name: str, last: Key | None, found: Sum, *, whole: bool) -> None:
    row = {"last": list(last or ()), "rows": found.rows, "sum": found.sum, "whole": whole}
    noting = insert(_progress).values(name=name, **row)
    connection.execute(noting.on_conflict_do_update(index_elements=["name"], set_=row))


def _read_whatever_is_there(connection: Connection) -> None:
    """SQLite checks no text that it is given: what is not UTF-8 is read as far as it can be."""
    plain = cast("sqlite3.Connection", connection.connection.driver_connection)
    plain.text_factory = lambda raw: raw.decode("utf-8", "replace")
