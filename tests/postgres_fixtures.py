"""The fixture that gives tests a real PostgreSQL; one server per test process, since a start takes half a second."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.missing import missing
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
