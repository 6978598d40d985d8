"""The database is away while the bot runs: it says so, loses nothing, goes on by itself; `make drills` runs this."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.ledger.schema import migrate
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from tests.drills.runbook import commands_of
from tests.drills.saying import PATIENCE, answers, replied, said
from tests.missing import missing
from tests.postgres import PostgresServer, PostgresUnavailable, running_postgres
from tests.scenarios.processes import Machine, Program
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of this test's own, which may be stopped."""
    try:
        with running_postgres(restarts=True) as server:
            yield server
    except PostgresUnavailable as error:
        missing(str(error))


@pytest.mark.postgres
def test_a_server_that_is_stopped(here: Machine, sandbox: SandboxServer, server: PostgresServer) -> None:
    """And started again: what was asked meanwhile is answered, what was answered before is not answered again."""
    network = sandbox.network
    here.settings["SKYWRIGHT_DATABASE_URL"] = server.create_database("gone")
    with here.ledger() as ledger:
        migrate(ledger.db)
    bot, lane, first = one_is_answered(here, network)
    with server.stopped():
        second = network.say("bob.test", "@wright.test make me a tip splitter")
        until(lambda: "job_failed" in bot.said, PATIENCE, told=lambda: bot.said)
        doctor = here.skywright(*commands_of("database-gone")[0])
        assert 1 == doctor.status()
        health, ready = here.health(), here.get("127.0.0.1", here.admin_port, "/ready")
    until(lambda: answers(network)[second.uri], PATIENCE, told=lambda: bot.said + lane.said)

    until(lambda: 2 == replied(here), PATIENCE, told=lambda: bot.said)
    assert "fail  database          does not answer" in doctor.said
    assert 2 == doctor.said.count("is the bot's, and its database does not answer")
    assert "something else" not in doctor.said
    assert health is not None
    assert ("degraded", "does not answer") == (health["status"], health["database"])
    assert (503, ["the database does not answer"]) == (ready.status_code, ready.json()["reasons"])
    assert {first.uri: 1, second.uri: 1} == answers(network)
    assert 0 == bot.stop()


def test_a_file_that_is_moved(here: Machine, sandbox: SandboxServer) -> None:
    """Under the bot, which reads and writes nothing until it is back, and makes no other in its place."""
    network = sandbox.network
    bot, _, first = one_is_answered(here, network)
    files = [here.folder / f"ledger.db{part}" for part in ("", "-wal", "-shm")]
    away = here.folder / "away"
    away.mkdir()
    for file in files:
        file.rename(away / file.name)
    second = network.say("bob.test", "@wright.test make me a tip splitter")
    until(lambda: "the ledger's file was moved" in bot.said, PATIENCE, told=lambda: bot.said)
    doctor = here.skywright(*commands_of("database-gone")[0])
    assert 1 == doctor.status()
    ready = here.get("127.0.0.1", here.admin_port, "/ready")
    made = list(here.folder.glob("ledger.db*"))
    for file in files:
        (away / file.name).rename(file)
    until(lambda: answers(network)[second.uri], PATIENCE, told=lambda: bot.said)

    until(lambda: 2 == replied(here), PATIENCE, told=lambda: bot.said)
    assert "any more, it was moved or deleted" in doctor.said
    assert "do not stop the bot" in doctor.said
    assert "migrate" not in doctor.said
    assert (503, ["the database does not answer"]) == (ready.status_code, ready.json()["reasons"])
    assert [] == [file for file in made if not file.name.endswith(".lock")]
    assert {first.uri: 1, second.uri: 1} == answers(network)
    assert 0 == bot.stop()


def test_a_file_that_is_deleted(here: Machine, sandbox: SandboxServer) -> None:
    """It is had from the bot, which still has it open, and put back by its own log: nothing is answered twice."""
    network = sandbox.network
    bot, _, first = one_is_answered(here, network)
    here.lose_the_ledger()
    second = network.say("bob.test", "@wright.test make me a tip splitter")
    until(lambda: "the ledger's file was moved" in bot.said, PATIENCE, told=lambda: bot.said)
    saved = here.folder / "saved.db"
    for file in Path(f"/proc/{bot.itself.pid}/fd").iterdir():
        name = re.fullmatch(r".*/ledger\.db(|-wal) \(deleted\)", str(file.readlink()))
        if name is not None:
            shutil.copyfile(file, f"{saved}{name[1]}")
    bot.stop()
    told = said(here, *commands_of("restored-from-backup", FILE=str(saved))[0])
    bot = here.bot()
    until(lambda: 2 == replied(here), PATIENCE, told=lambda: bot.said)

    assert "1 documents" in told
    assert {first.uri: 1, second.uri: 1} == answers(network)
    assert 0 == bot.stop()


def one_is_answered(here: Machine, network: SandboxNetwork) -> tuple[Program, Program, StrongRef]:
    """A bot and a lane that run, and the ask that they have answered."""
    bot = here.bot()
    here.enrol()
    lane = here.lane()
    ask = network.say("alice.test", "@wright.test make me a pomodoro timer")
    until(lambda: answers(network)[ask.uri], PATIENCE, told=lambda: bot.said)
    return bot, lane, ask
