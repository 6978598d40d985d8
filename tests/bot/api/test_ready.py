"""Whether the process can do its work, and if not, why."""

from collections.abc import Iterator

import httpx
import pytest

from bot.api.app import admin_app
from bot.jobs.board import JobBoard
from bot.keeper import ALONE, Keeper
from bot.rules import RulesFile
from tests.bot.serving import client, served
from tests.bot.stage import Stage
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    """The clock of the job board."""
    return Clock()


@pytest.fixture
def board(clock: Clock) -> JobBoard:
    """A board with two jobs on it, which are due every 5 seconds and may take 20; they are woken."""
    board = JobBoard(clock)
    board.add("ingest", 5, 20)
    board.add("reply", 5, 20)
    board.open()
    return board


@pytest.fixture
def admin(stage: Stage, board: JobBoard, clock: Clock) -> Iterator[httpx.Client]:
    app = admin_app(stage.ledger, board, clock, RulesFile(None))
    with served(lambda _: app) as port, client(port) as http:
        yield http


def told(admin: httpx.Client) -> tuple[int, str, list[str]]:
    answer = admin.get("/ready")
    return answer.status_code, answer.json()["status"], answer.json()["reasons"]


def test_it_is_ready_while_its_jobs_are_woken(admin: httpx.Client, board: JobBoard, clock: Clock) -> None:
    """One that fails all the time is woken as well: while the network is away, pages are served and lanes work."""

    def fail() -> None:
        raise OSError("the network is away")

    assert (200, "ready", []) == told(admin)
    clock.advance(30)
    board.run("ingest", fail)
    board.run("reply", lambda: None)
    assert (200, "ready", []) == told(admin)

    clock.advance(36)
    board.run("ingest", fail)
    assert (503, "not ready", ["jobs that are not woken: reply"]) == told(admin)
    seen = []
    board.run("reply", lambda: seen.append(told(admin)))
    assert [(200, "ready", [])] == seen
    assert "degraded" == admin.get("/health").json()["status"]


def test_it_is_not_ready_before_the_jobs_begin_and_while_it_ends(admin: httpx.Client, board: JobBoard) -> None:
    """So that a new process gets no work yet, and an old one no more."""
    board.close()
    assert (503, ["the jobs have not begun, or the process is ending"]) == told(admin)[::2]


def test_one_that_stands_by_is_ready_as_well(stage: Stage, board: JobBoard, clock: Clock) -> None:
    """Pages and lanes are served by each of several bots; it says that the rounds are elsewhere."""
    standby = Keeper(stage.ledger.leases, "b", 15.0)
    told = []
    for turn in (ALONE, standby):
        app = admin_app(stage.ledger, board, clock, RulesFile(None), turn=turn)
        with served(lambda _, app=app: app) as port, client(port) as http:  # type: ignore[misc]
            told.append((http.get("/ready"), http.get("/health")))

    assert [(200, "here"), (200, "elsewhere")] == [(ready.status_code, ready.json()["rounds"]) for ready, _ in told]
    assert ["here", "elsewhere"] == [health.json()["rounds"] for _, health in told]


def test_it_is_not_ready_without_its_schema(admin: httpx.Client, stage: Stage) -> None:
    """It says what to run; what the database said of itself it keeps to itself."""
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0004'")
    status, _, [reason] = told(admin)
    assert (503, True) == (status, reason.endswith("run `skywright migrate`"))

    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE alembic_version RENAME COLUMN version_num TO hunter2")
    assert (503, ["the database does not answer"]) == told(admin)[::2]
