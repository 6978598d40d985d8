"""Opens the ledger's database: SQLite or PostgreSQL, always durable, always in short explicit transactions."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Text,
    cast,
    create_engine,
    event,
    func,
    literal,
    make_url,
    select,
    type_coerce,
)
from sqlalchemy.exc import ArgumentError
from sqlalchemy.sql.elements import ColumnElement

from bot.clock import Clock
from bot.errors import LedgerBehind
from bot.ledger.columns import UtcDateTime
from bot.ledger.place import Place
from bot.ledger.postgresql import DRIVER, NAMES, direct_engine, pooled_engine, straight_engine

if TYPE_CHECKING:
    import psycopg

_READ_ONLY = {"skywright_read": True}
_MOVED = "skywright_moved"
_SQLITE_BUSY_MS = 30_000
_SQLITE_RETRY_SECONDS = 0.01
_SQLITE = "sqlite+pysqlite"
_DRIVERS = {"sqlite": _SQLITE, _SQLITE: _SQLITE} | dict.fromkeys(NAMES, DRIVER)


class Database:
    """One database and its clock. `write()` and `read()` are the only ways in.

    `direct` leads round the pooler that the engine may have before it.
    """

    def __init__(self, engine: Engine, clock: Clock, direct: Engine | None = None) -> None:
        self._engine = engine
        self._direct = direct or engine
        self._reader = engine.execution_options(**_READ_ONLY)
        self._clock = clock
        self.is_sqlite = engine.dialect.name == "sqlite"
        self.insert: Any = _insert(is_sqlite=self.is_sqlite)
        self._on_moves: Callable[[], None] | None = None
        self._writing = threading.Lock()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction, rolled back when something is raised; SQLite takes its lock at once."""
        with self._turn(), self._engine.begin() as connection:
            connection.info.pop(_MOVED, None)
            yield connection
            # Asked before the connection is somebody else's.
            has_moved = connection.info.pop(_MOVED, False)
        if has_moved and self._on_moves is not None:
            self._on_moves()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """On SQLite one thread of a process after the other: its own way to wait is to sleep, ever longer."""
        mine = self.is_sqlite and self._writing.acquire(timeout=_SQLITE_BUSY_MS / 1000)
        try:
            yield
        finally:
            if mine:
                self._writing.release()

    def heed_moves(self, heed: Callable[[], None] | None) -> None:
        """Call this after every commit that appends to the history, in the thread that wrote; None for nothing."""
        self._on_moves = heed

    def mark_moved(self, connection: Connection) -> None:
        """This transaction appends to the history."""
        connection.info[_MOVED] = True

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction, one snapshot on SQLite."""
        with self._reader.begin() as connection:
            yield connection

    @contextmanager
    def rebuild(self) -> Iterator[Connection]:
        """A write transaction for migrations; SQLite alters a table by copying it, so references are checked after."""
        with self._direct.connect() as connection:
            plain = connection.connection.driver_connection
            if self.is_sqlite and plain is not None:
                plain.execute("PRAGMA foreign_keys=OFF").close()
            try:
                with connection.begin():
                    yield connection
                    if self.is_sqlite and connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise LedgerBehind("the migration would leave rows that refer to nothing")
            finally:
                if self.is_sqlite and plain is not None:
                    plain.execute("PRAGMA foreign_keys=ON").close()

    def now(self, after: timedelta = timedelta()) -> ColumnElement[datetime]:
        """The moment that far from now as SQL: the database's clock on PostgreSQL, the process clock on SQLite."""
        if self.is_sqlite:
            return literal(self._clock() + after, UtcDateTime())
        return _clock_there((self._clock.shift + after).total_seconds())

    def now_once(self, after: timedelta = timedelta()) -> ColumnElement[datetime]:
        """The same, read once for the whole statement: PostgreSQL searches no index for a clock that goes on."""
        return self.now(after) if self.is_sqlite else select(self.now(after)).scalar_subquery()

    def moment(self) -> datetime | None:
        """The process clock's moment where that is the ledger's clock, on SQLite; None on PostgreSQL."""
        return self._clock() if self.is_sqlite else None

    def unguessable(self) -> ColumnElement[str]:
        """A name of 32 hexadecimal digits that nobody can guess, as SQL: another one each time that it is run."""
        return _UNGUESSABLE_HERE if self.is_sqlite else _UNGUESSABLE_THERE

    def time(self) -> datetime:
        """The present moment by the ledger's clock."""
        with self.read() as connection:
            return connection.execute(select(self.now())).scalar_one()

    @property
    def engine(self) -> Engine:
        """The engine underneath, for migrations and checks of the schema."""
        return self._engine

    @property
    def is_pooled(self) -> bool:
        """Whether a pooler is before the engine: no connection of it keeps anything."""
        return self._direct is not self._engine

    @property
    def direct(self) -> Engine:
        """The engine that leads round the pooler; `engine` itself where there is none."""
        return self._direct

    def direct_connection(self) -> "psycopg.Connection[Any]":
        """A connection to PostgreSQL itself that keeps its state, in autocommit: the caller's own, who closes it."""
        held = self._direct.raw_connection()
        plain: psycopg.Connection[Any] = held.driver_connection  # type: ignore[assignment]
        held.detach()
        plain.autocommit = True
        return plain

    def close(self) -> None:
        """Give back every connection."""
        self._engine.dispose()
        self._direct.dispose()


def open_database(url: str, clock: Clock, direct_url: str | None = None) -> Database:
    """Open a `sqlite:///file` or `postgresql+psycopg://…` database; nothing is connected or created yet.

    `direct_url` says that `url` leads to a pooler in transaction mode, and where PostgreSQL itself is. ArgumentError
    for any other, with the address left out, since it may hold a password.
    """
    given = make_url(url)
    if given.drivername not in _DRIVERS:
        raise ArgumentError("the ledger is kept in SQLite or in PostgreSQL by psycopg, and in nothing else")
    parsed = given.set(drivername=_DRIVERS[given.drivername])
    if parsed.drivername == _SQLITE:
        return Database(_sqlite_engine(parsed), clock)
    if direct_url is None:
        return Database(straight_engine(parsed), clock)
    return Database(pooled_engine(parsed), clock, direct_engine(direct_url))


def _sqlite_engine(url: URL) -> Engine:
    if url.database in (None, "", ":memory:"):
        raise ArgumentError("a SQLite ledger is a file: sqlite:///FILE")
    Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
    busy = {"timeout": _SQLITE_BUSY_MS / 1000, "check_same_thread": False}
    # An error that reaches a log names the statement and not the values, which may be somebody's text or a token.
    engine = create_engine(url, connect_args=busy, hide_parameters=True)
    place = Place(Path(str(url.database)))
    event.listen(engine, "do_connect", lambda *_: place.check_connecting())
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "connect", lambda *_: place.opened())
    event.listen(engine, "begin", lambda _: place.check())
    event.listen(engine, "engine_disposed", lambda _: place.closed())
    event.listen(engine, "begin", _begin_sqlite)
    return engine


_UNGUESSABLE_HERE = func.lower(func.hex(func.randomblob(16)))
_UNGUESSABLE_THERE = func.replace(cast(func.gen_random_uuid(), Text), "-", "")


@lru_cache(maxsize=64)
def _clock_there(seconds: float) -> ColumnElement[datetime]:
    """PostgreSQL's clock, so many seconds on: made once, since it is part of nearly every statement."""
    return type_coerce(func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, seconds), UtcDateTime())


def _insert(*, is_sqlite: bool) -> Any:
    """The dialect's own INSERT, which knows of conflicts; the other dialect is not loaded."""
    if is_sqlite:
        from sqlalchemy.dialects.sqlite import insert  # noqa: PLC0415

        return insert
    from sqlalchemy.dialects.postgresql import insert as insert_there  # noqa: PLC0415

    return insert_there


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    _switch_to_wal(connection)
    # What is deleted is overwritten: of somebody who was forgotten, no word is left in the file.
    for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", f"busy_timeout={_SQLITE_BUSY_MS}"):
        connection.execute(f"PRAGMA {pragma}").close()


def _switch_to_wal(connection: Any) -> None:
    """The first switch needs the file for itself, and SQLite does not wait for that; this does."""
    deadline = time.monotonic() + _SQLITE_BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
        except sqlite3.OperationalError as busy:
            if busy.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_SQLITE_RETRY_SECONDS)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    reads = connection.get_execution_options().get("skywright_read", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
