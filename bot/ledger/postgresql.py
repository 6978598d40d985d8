"""Opens PostgreSQL: straight, or through a pooler that gives a connection to somebody else after each transaction."""

from typing import Any

from sqlalchemy import URL, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

DRIVER = "postgresql+psycopg"
NAMES = frozenset({"postgresql", DRIVER})
# A server that is gone without a word is not waited for in vain, be it for its first answer or by a connection that
# stood: seconds, the last one milliseconds. An address that says something else of one is heeded.
PATIENCE = {"connect_timeout": 8, "keepalives_idle": 30, "keepalives_interval": 10, "tcp_user_timeout": 30_000}
# Whatever a server's own is, each statement sees what was committed before it: all that is guarded relies on that.
_ALIKE: dict[str, Any] = {"hide_parameters": True, "isolation_level": "READ COMMITTED"}
_POOL: dict[str, Any] = {"pool_pre_ping": True, "pool_size": 10, "max_overflow": 20} | _ALIKE


def straight_engine(url: URL) -> Engine:
    """An engine whose connections are its own; nothing is connected yet."""
    return _prepared(create_engine(url, connect_args=_patience(url), **_POOL))


def pooled_engine(url: URL) -> Engine:
    """An engine behind a pooler: what one transaction sets or prepares, the next one may not find."""
    never_prepared = {"prepare_threshold": None}
    return create_engine(url, connect_args=_patience(url) | never_prepared, **_POOL)


def direct_engine(address: str) -> Engine:
    """An engine past the pooler, which keeps no connection; ArgumentError, without the address, for no PostgreSQL."""
    given = make_url(address)
    if given.drivername not in NAMES:
        raise ArgumentError("the way round the pooler leads to PostgreSQL by psycopg, and to nothing else")
    url = given.set(drivername=DRIVER)
    return _prepared(create_engine(url, connect_args=_patience(url), poolclass=NullPool, **_ALIKE))


def _prepared(engine: Engine) -> Engine:
    event.listen(engine, "connect", _prepare)
    return engine


def _patience(url: URL) -> dict[str, Any]:
    return {name: value for name, value in PATIENCE.items() if name not in url.query}


def _prepare(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
        cursor.execute("SET idle_in_transaction_session_timeout = '60s'")
    connection.commit()
