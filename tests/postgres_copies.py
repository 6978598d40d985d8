"""Copies of one PostgreSQL database, emptied and lent again: emptying costs a tenth of what another copy does."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
from psycopg import sql

from tests.postgres import PostgresServer

# Whoever is still connected belongs to a test that is over.
_ALONE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
"""
# Which rows of the catalogue there are, and by which transaction each was written.
_SHAPE = """
SELECT coalesce(sum(hashtextextended(kind || oid || ' ' || xmin, 0)), 0) FROM (
  SELECT 'class ' AS kind, oid, xmin FROM pg_class UNION ALL
  SELECT 'constraint ', oid, xmin FROM pg_constraint UNION ALL
  SELECT 'trigger ', oid, xmin FROM pg_trigger UNION ALL
  SELECT 'function ', oid, xmin FROM pg_proc UNION ALL
  SELECT 'statistics ' || staattnum || ' of ', starelid, xmin FROM pg_statistic WHERE starelid >= 16384 UNION ALL
  SELECT 'column ' || attnum || ' of ', attrelid, xmin FROM pg_attribute WHERE attrelid >= 16384
) AS everything
"""
# What the migrations themselves have written.
_KEPT = "alembic_version"
_VERSION = f"SELECT xmin, version_num FROM {_KEPT}"


class DatabaseCopies:
    """Lends copies of a template whose only row is its `alembic_version`; a copy that was altered is dropped."""

    def __init__(self, server: PostgresServer, template: str) -> None:
        self._server = server
        self._template = template
        self._free: list[_Copy] = []

    @contextmanager
    def lent(self) -> Iterator[str]:
        """The SQLAlchemy URL of a copy that is nobody else's while the block lasts."""
        copy = self._free.pop() if self._free else _Copy(self._server, self._template)
        yield self._server.url(copy.name)
        if copy.is_unchanged:
            copy.empty()
            self._free.append(copy)
        else:
            copy.drop()

    def close(self) -> None:
        """Drop every copy."""
        for copy in self._free:
            copy.drop()


class _Copy:
    def __init__(self, server: PostgresServer, template: str) -> None:
        self._server = server
        self.name = f"ledger_{uuid4().hex}"
        server.create_database(self.name, template)
        self._connection = psycopg.connect(server.conninfo(self.name), autocommit=True)
        self._shape = self._read_shape()
        self._empty = self._how_to_empty()

    @property
    def is_unchanged(self) -> bool:
        """Whether nobody has created, altered or dropped anything, nor taken statistics, by which plans are made."""
        return self._shape == self._read_shape()

    def empty(self) -> None:
        """Delete every row, whatever forbids it, and let the sequences begin anew."""
        self._connection.execute(_ALONE)
        self._connection.execute(self._empty)

    def drop(self) -> None:
        self._connection.close()
        self._server.drop_database(self.name)

    def _read_shape(self) -> object:
        shape = self._connection.execute(_SHAPE).fetchone()
        try:
            return shape, self._connection.execute(_VERSION).fetchall()
        except psycopg.errors.UndefinedTable:
            return shape, None

    def _how_to_empty(self) -> sql.Composed:
        tables = self._names("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        sequences = self._names("SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
        steps = [sql.SQL("SET LOCAL session_replication_role = replica")]  # no triggers, no foreign keys
        deletions = [sql.SQL("DELETE FROM {}").format(sql.Identifier(table)) for table in tables if table != _KEPT]
        restarts = [sql.SQL("SELECT setval({}, 1, false)").format(sql.Literal(name)) for name in sequences]
        return sql.SQL("; ").join([sql.SQL("BEGIN"), *steps, *deletions, *restarts, sql.SQL("COMMIT")])

    def _names(self, query: str) -> list[str]:
        return [str(row[0]) for row in self._connection.execute(query.encode()).fetchall()]
