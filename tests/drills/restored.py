"""A ledger on PostgreSQL is put back by the runbook's own commands, beside what was there; `make drills` runs it."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.bot.hook import Hook
from tests.drills.conftest import on
from tests.drills.hands import Hands, box
from tests.drills.saying import answers, said
from tests.drills.town import OLD, a_network
from tests.missing import missing
from tests.postgres import PostgresServer, PostgresUnavailable, postgres_programs, running_postgres

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.postgres]


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of this test's own, with a role and a database for the bot."""
    try:
        with running_postgres() as server:
            with psycopg.connect(server.conninfo(), autocommit=True) as owner:
                owner.execute("CREATE ROLE skywright LOGIN")
                owner.execute("CREATE DATABASE skywright OWNER skywright")
            yield server
    except PostgresUnavailable as error:
        missing(str(error))


def test_on_postgresql(server: PostgresServer, hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was answered since the backup is not answered again, and the database that was replaced is kept."""
    monkeypatch.setenv("PATH", f"{postgres_programs()}:{os.environ['PATH']}")
    network = a_network()
    url = server.url("skywright").replace("postgres@", "skywright@")
    with ExitStack() as stack:
        sandbox = stack.enter_context(SandboxServer(network))
        settings = on(sandbox, hook) | {"password": OLD, "database_url": url}
        here = stack.enter_context(box(tmp_path, **settings))

        def answered(text: str) -> StrongRef:
            post = network.say("alice.test", f"@wright.test make me {text}")
            here.document(post.uri, Status.REPLIED)
            return post

        said(here, "migrate")
        hands = Hands(here, server)
        here.enrol()
        here.lane()
        before, backup = answered("a pomodoro timer"), tmp_path / "backup.dump"
        said(here, "backup", str(backup))
        since = answered("a tip splitter")
        hands.follow("restored-from-backup", "On PostgreSQL", lambda _: {}, FILE=str(backup))
        after = answered("a dice roller")

    assert {each.uri: 1 for each in (before, since, after)} == answers(network)
    with psycopg.connect(server.conninfo("skywright_replaced")) as replaced:
        assert (2,) == replaced.execute("SELECT count(*) FROM documents").fetchone()
