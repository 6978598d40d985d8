"""Opens PostgreSQL: straight, or through a pooler that gives a connection to somebody else after each transaction."""

import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import URL, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, InvalidatePoolError

DRIVER = "postgresql+psycopg"
NAMES = frozenset({"postgresql", DRIVER})
# A server that is gone without a word is not waited for in vain, be it for its first answer or by a connection that
# stood: seconds, the last one milliseconds. An address that says something else of one is heeded.
PATIENCE = {"connect_timeout": 8, "keepalives_idle": 30, "keepalives_interval": 10, "tcp_user_timeout": 30_000}
# Whatever a server's own is, each statement sees what was committed before it: all that is guarded relies on that.
_ALIKE: dict[str, Any] = {"hide_parameters": True, "isolation_level": "READ COMMITTED"}
_POOL: dict[str, Any] = {"pool_size": 10, "max_overflow": 20} | _ALIKE
# What was used so lately is there still, or is lost as it may be within a transaction. To ask costs a way to the server
# and back, for each transaction.
_FRESH_SECONDS = 0.5
_SINCE = "skywright_given_back"


def straight_engine(url: URL, seconds: Callable[[], float] = time.monotonic) -> Engine:
    """An engine whose connections are its own; nothing is connected yet."""
    return _prepared(_asked_when_idle(create_engine(url, connect_args=_connecting(url), **_POOL), seconds))


def pooled_engine(url: URL) -> Engine:
    """An engine behind a pooler: what one transaction sets or prepares, the next one may not find."""
    never_prepared = {"prepare_threshold": None}
    engine = create_engine(url, connect_args=_connecting(url) | never_prepared, **_POOL)
    return _asked_when_idle(engine, time.monotonic)


def direct_engine(address: str) -> Engine:
    """An engine past the pooler, which keeps no connection; ArgumentError, without the address, for no PostgreSQL."""
    given = make_url(address)
    if given.drivername not in NAMES:
        raise ArgumentError("the way round the pooler leads to PostgreSQL by psycopg, and to nothing else")
    url = given.set(drivername=DRIVER)
    return _prepared(create_engine(url, connect_args=_connecting(url), poolclass=NullPool, **_ALIKE))


def _prepared(engine: Engine) -> Engine:
    event.listen(engine, "connect", _prepare)
    return engine


def _connecting(url: URL) -> dict[str, Any]:
    from bot.ledger.brief_cursor import BriefCursor  # noqa: PLC0415 - the driver, which is not loaded for SQLite

    patience = {name: value for name, value in PATIENCE.items() if name not in url.query}
    return patience | {"cursor_factory": BriefCursor}


def _prepare(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
        cursor.execute("SET idle_in_transaction_session_timeout = '60s'")
    connection.commit()


def _asked_when_idle(engine: Engine, seconds: Callable[[], float]) -> Engine:
    """The engine, which asks of a connection that was idle whether it is there; if not, all are made anew."""

    def given_back(_connection: Any, record: Any) -> None:
        record.info[_SINCE] = seconds()

    def taken(connection: Any, record: Any, _holder: object) -> None:
        if seconds() - record.info.get(_SINCE, seconds()) < _FRESH_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as gone:
            raise InvalidatePoolError from gone

    event.listen(engine, "checkin", given_back)
    event.listen(engine, "checkout", taken)
    return engine
