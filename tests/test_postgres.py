"""The tests' own PostgreSQL does what the tests of the ledger rely on."""

import psycopg
import pytest
import sqlalchemy

from tests.postgres import PostgresServer, running_postgres
from tests.waiting import until

pytestmark = pytest.mark.postgres


def test_a_database_copied_from_a_template_has_its_rows(pg_server: PostgresServer) -> None:
    """A migrated template saves every test its migrations."""
    pg_server.create_database("template_of_test")
    with psycopg.connect(pg_server.conninfo("template_of_test")) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 'row' AS it")

    engine = sqlalchemy.create_engine(pg_server.create_database("copy_of_test", template="template_of_test"))

    with engine.connect() as copy:
        assert copy.scalar(sqlalchemy.text("SELECT it FROM kept")) == "row"
    engine.dispose()
    pg_server.drop_database("copy_of_test")
    pg_server.drop_database("template_of_test")


def test_a_database_is_dropped_under_an_open_connection(pg_server: PostgresServer) -> None:
    """A test that leaks a connection does not spoil the next one."""
    pg_server.create_database("dropped")
    with psycopg.connect(pg_server.conninfo("dropped")) as connection:
        pg_server.drop_database("dropped")

        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")


def test_commits_are_synchronous_as_in_production(pg_server: PostgresServer) -> None:
    """Only the wait for the disk is left out, on PostgreSQL 18."""
    with psycopg.connect(pg_server.conninfo()) as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
        assert connection.info.server_version // 10_000 == 18


def test_a_stopped_server_leaves_no_file() -> None:
    """Its data, its socket and its log are gone, and nobody listens."""
    with running_postgres() as server:
        assert (server.home / "data" / "PG_VERSION").exists()

    assert not server.home.exists()


def test_a_server_that_is_to_come_back_does_with_what_was_committed() -> None:
    """Its connections are cut at once; the lifeline still ends it for good."""
    with running_postgres(restarts=True) as server:
        with psycopg.connect(server.conninfo()) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 'row' AS it")
            connection.commit()
            server.restart()
            until(lambda: _is_cut(connection))
        with psycopg.connect(until(lambda: _reached(server))) as again:
            assert again.execute("SELECT it FROM kept").fetchone() == ("row",)

    assert not server.home.exists()


def _is_cut(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return True
    return False


def _reached(server: PostgresServer) -> str | None:
    try:
        psycopg.connect(server.conninfo()).close()
    except psycopg.OperationalError:
        return None
    return server.conninfo()
