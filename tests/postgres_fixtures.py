"""The fixtures that give tests a real PostgreSQL, and a pooler before it; one of each per test process."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.missing import missing
from tests.pooler import Pooler, PoolerUnavailable, running_pooler
from tests.postgres import PostgresServer, PostgresUnavailable, running_postgres


@pytest.fixture(scope="session")
def pg_server() -> Iterator[PostgresServer]:
    """A running PostgreSQL; every test makes databases of its own in it."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running_postgres())
        except PostgresUnavailable as error:
            missing(str(error))
        yield server


@pytest.fixture(scope="session")
def pooler(pg_server: PostgresServer) -> Iterator[Pooler]:
    """A running pgbouncer in transaction mode before that server, which has its databases under the same names."""
    with ExitStack() as stack:
        try:
            pooler = stack.enter_context(running_pooler(pg_server))
        except PoolerUnavailable as error:
            missing(str(error))
        yield pooler
