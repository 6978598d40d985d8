"""The commands that migrate a ledger and move one: what they refuse, and what they say."""

from uuid import uuid4

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.holding import sole_holder
from bot.ledger import schema
from bot.ledger.engine import open_database
from bot.ledger.fences import MOVED, WHERE, put_fence
from bot.ledger.ledger import Ledger
from bot.ledger.schema import migrate
from bot.terminal.moving import shown
from tests.bot.ledger.steps import received
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.postgres import PostgresServer

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
FULL = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file: No space left on device';
    END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON documents EXECUTE FUNCTION full_disk()
"""
THERE = f"postgresql://wright:{CANARY}@db.example/ledger"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--to", THERE, "--back"],
        ["--to", "sqlite:///x.db"],
        ["--to", f"{CANARY}://"],
        ["--to", "nonsense"],
        ["--to", f"postgresql://wright:pass@of:{CANARY}@db.example/ledger"],
        ["--to", f"postgresql://wright:pass@{CANARY}@db.example/ledger"],
    ],
)
@SQLITE
def test_a_move_is_asked_for_in_one_way(prompt: Prompt, ledger: Ledger, words: list[str]) -> None:
    """To PostgreSQL, or back; an address that cannot be one is not repeated."""
    result = prompt.run("migrate-ledger", *words)

    assert 2 == result.exit_code
    assert CANARY not in result.output


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://wright:{CANARY}@127.0.0.1:1/ledger",
        f"postgresql://wright@127.0.0.1:1/ledger?password={CANARY}",
        f"postgresql://wright@127.0.0.1:1/ledger?sslpassword={CANARY}",
    ],
)
@SQLITE
def test_a_password_on_the_command_line_is_warned_of(prompt: Prompt, ledger: Ledger, url: str) -> None:
    """Whoever lists the machine's processes reads it, for as long as the move takes; and it is not needed there."""
    warned = prompt.run("migrate-ledger", "--to", url).stderr
    silent = prompt.run("migrate-ledger", "--to", "postgresql://wright@127.0.0.1:1/ledger").stderr

    assert (True, True) == ("PGPASSWORD" in warned, "PGPASSFILE" in warned), warned
    assert (False, False) == (CANARY in warned, "PGPASSWORD" in silent)


@SQLITE
def test_a_new_database_that_does_not_answer_is_told_of(prompt: Prompt, ledger: Ledger) -> None:
    """And not the ledger, which is well."""
    result = prompt.run("migrate-ledger", "--to", "postgresql://wright@127.0.0.1:1/ledger")

    assert (4, True) == (result.exit_code, result.stderr.startswith("the new database: ")), result.stderr


@pytest.mark.postgres
@SQLITE
def test_a_full_disk_of_the_new_database_is_told_of(prompt: Prompt, ledger: Ledger, pg_server: PostgresServer) -> None:
    """Where it was found out, which is not the ledger's disk; with room again the move goes on."""
    document = received(ledger)
    name = f"moved_{uuid4().hex}"
    url = pg_server.create_database(name)
    database = open_database(url, Clock())
    migrate(database)
    with database.write() as connection:
        connection.execute(text(FULL))

    full = prompt.run("migrate-ledger", "--to", url)
    with database.write() as connection:
        connection.execute(text("DROP FUNCTION full_disk CASCADE"))
    moved = prompt.run("migrate-ledger", "--to", url)
    with database.read() as connection:
        found = connection.execute(text("SELECT id FROM documents")).scalars().all()
    database.close()
    pg_server.drop_database(name)

    assert (4, True) == (full.exit_code, full.stderr.splitlines()[-1].startswith("the new database: could not ext"))
    assert (0, [document.id]) == (moved.exit_code, found), moved.stderr


@SQLITE
def test_a_ledger_that_a_bot_holds_is_neither_moved_nor_migrated(prompt: Prompt, ledger_url: str) -> None:
    """It would go on writing as it did."""
    database = open_database(ledger_url, Clock())
    schema.downgrade(database, "0008")
    database.close()
    with sole_holder(ledger_url):
        results = [prompt.run("migrate"), prompt.run("migrate-ledger", "--to", THERE)]

    assert [(4, True)] * 2 == [(each.exit_code, "in use by another bot" in each.stderr) for each in results]


@SQLITE
def test_a_ledger_that_has_moved_says_where_to_and_can_be_taken_back(prompt: Prompt, ledger: Ledger) -> None:
    """Whatever would open it; without the password."""
    ledger.conditions.set(WHERE, f"name {shown(THERE)}")
    with ledger.db.write() as connection:
        put_fence(connection, MOVED)
    for command in (["list"], ["migrate"], ["backup", "copy.db"]):
        refused = prompt.run(*command)
        assert (78, True) == (refused.exit_code, "moved" in refused.stderr), refused.stderr
    listed = prompt.run("list").stderr

    assert "postgresql://wright@db.example/ledger: set SKYWRIGHT_DATABASE_URL" in listed
    assert "may be opened again" in prompt.lines("migrate-ledger", "--back")[0]
    assert ["this ledger has not moved"] == prompt.lines("migrate-ledger", "--back")
    assert 0 == prompt.run("list").exit_code


def test_how_long_a_migration_takes_is_said_before(
    prompt: Prompt, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every document is written anew."""
    received(ledger)
    schema.downgrade(ledger.db, "0006")
    monkeypatch.setattr(schema, "_SECONDS_PER_MILLION", {"0007": 120_000_000})

    result = prompt.run("migrate")

    assert (0, True) == (result.exit_code, "this takes about 2 minutes" in result.stderr), result.output
    migrate(ledger.db)
