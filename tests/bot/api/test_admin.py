from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from bot.api import health
from bot.api.app import admin_app
from bot.jobs.board import JobBoard
from bot.ledger.conditions import elsewhere_of
from bot.ledger.sends import Frozen
from bot.rules import RulesFile
from guardrails.access import Role
from guardrails.documents import RecordKey
from guardrails.switches import Switch
from tests.bot.api.lanes import refusal
from tests.bot.api.operators import operations_over
from tests.bot.serving import client, served
from tests.bot.stage import BOT, OPERATOR, Stage
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    """The clock of the job board."""
    return Clock()


@pytest.fixture
def board(clock: Clock) -> JobBoard:
    """A board with one job on it, which is due every 5 seconds and may take 20."""
    board = JobBoard(clock)
    board.add("ingest", 5, 20)
    return board


@pytest.fixture
def port(stage: Stage, board: JobBoard, clock: Clock) -> Iterator[int]:
    operations_of = operations_over(stage.ledger)
    app = admin_app(stage.ledger, board, clock, RulesFile(None), hosts=["Admin.Example"], operations_of=operations_of)
    with served(lambda _: app) as port:
        yield port


@pytest.fixture
def admin(port: int) -> Iterator[httpx.Client]:
    with client(port) as http:
        yield http


def test_health_tells_how_the_bot_is(admin: httpx.Client, stage: Stage, board: JobBoard, clock: Clock) -> None:
    """Jobs, counts, switches, and when a lane was last seen."""
    stage.ask()
    stage.device("a-token")
    stage.ledger.desk.seen(stage.ledger.desk.devices()[0].id)
    stage.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "an incident")
    stage.ledger.desk.park("notifications", {"odd": True}, "unreadable")
    board.run("ingest", lambda: None)
    clock.advance(3)

    answer = admin.get("/health")
    told = answer.json()

    assert (200, "ok", "ok") == (answer.status_code, told["status"], told["database"])
    assert (3.0, 20, 1, None) == tuple(
        told["jobs"]["ingest"][key] for key in ("last_success_age_seconds", "deadline_seconds", "runs", "last_error")
    )
    assert (1, 0) == (told["documents"]["pending-build"], told["documents"]["replied"])
    assert (["pause_replies"], 1, []) == (told["switches"], told["parked"], told["unknown_sends"])
    assert abs(datetime.fromisoformat(told["last_lane_seen"]) - datetime.now(UTC)) < timedelta(minutes=1)
    assert told["ledger_revision"]
    assert told["version"]


def test_work_that_waits_and_a_schedule_that_is_late_are_told(stage: Stage, board: JobBoard) -> None:
    """In seconds, for whoever watches; without a schedule nothing is late."""
    stage.device("a-token")
    stage.ledger.desk.seen(stage.ledger.desk.devices()[0].id)
    stage.ask()
    stage.clock.shift += timedelta(minutes=25)
    told = []
    for every in (timedelta(minutes=20), None):
        app = admin_app(stage.ledger, board, stage.clock, RulesFile(None), lane_schedule=every)
        with served(lambda _, app=app: app) as port, client(port) as http:  # type: ignore[misc]
            told.append(http.get("/health").json())

    assert [1, 1] == [each["waiting_for_lane"] for each in told]
    assert 1500 <= told[0]["waiting_for_lane_seconds"] < 1560
    assert 300 <= told[0]["lane_late_seconds"] < 360
    assert told[1]["lane_late_seconds"] is None


def test_a_send_of_unknown_outcome_is_told_with_its_age(
    admin: httpx.Client, stage: Stage, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its record or its key: who was answered is nobody's business here."""
    document = stage.ledger.queries.find(stage.app())
    frozen = Frozen("app.bsky.feed.post", RecordKey("3kreply"), {"text": "hunter2"}, "bafyreply")
    stage.ledger.sends.claim_reply(BOT, document, frozen)
    clock.advance(datetime.now(UTC) + timedelta(seconds=90) - clock())

    answer = admin.get("/health")

    [unknown] = answer.json()["unknown_sends"]
    assert (True, False) == (90 <= unknown["age_seconds"] < 100, unknown["conflict"])
    assert "hunter2" not in answer.text
    assert document.id not in answer.text

    # However many there are, it tells of a few.
    monkeypatch.setattr(health, "MOST_SENDS", 0)
    assert [] == admin.get("/health").json()["unknown_sends"]


def test_a_condition_degrades_until_it_is_mended(
    admin: httpx.Client, stage: Stage, board: JobBoard, clock: Clock
) -> None:
    """With 200: it is for a person to mend, and no restart does it. What others wrote in it is made harmless."""
    stage.ledger.conditions.set("account", "the account is labelled \x1b[2Jspam")
    clock.advance(datetime.now(UTC) + timedelta(seconds=90) - clock())
    board.run("ingest", lambda: None)

    answer = admin.get("/health")
    [told] = answer.json()["conditions"]

    assert (200, "degraded") == (answer.status_code, answer.json()["status"])
    assert ("account", "the account is labelled \\x1b[2Jspam") == (told["name"], told["detail"])
    assert 90 <= told["age_seconds"] < 100
    assert 90 <= told["checked_age_seconds"] < 100
    stage.ledger.conditions.clear("account")
    assert ("ok", []) == tuple(admin.get("/health").json()[key] for key in ("status", "conditions"))


def test_what_is_left_of_the_forgotten_is_told_to_operators_alone(admin: httpx.Client, stage: Stage) -> None:
    """That something is, anybody may read; slug and address begin with the words of who is forgotten."""
    stage.ledger.conditions.set(elsewhere_of("timer-x"), "at https://pages.example/timer-x/1/ stands an app")

    answer = admin.get("/health")
    [told] = answer.json()["conditions"]

    assert ("degraded", elsewhere_of("timer-x"), None) == (answer.json()["status"], told["name"], told["detail"])
    assert "timer" not in answer.text


def test_a_job_that_does_not_succeed_degrades(admin: httpx.Client, board: JobBoard, clock: Clock) -> None:
    """From three intervals and a deadline on; its error is told, the statement behind it is not."""

    def fail() -> None:
        raise OSError("database is locked\n[SQL: SELECT hunter2]")

    clock.advance(35)
    board.run("ingest", fail)
    assert "ok" == admin.get("/health").json()["status"]
    clock.advance(0.1)

    answer = admin.get("/health")
    assert (200, "degraded", True) == (
        answer.status_code,
        answer.json()["status"],
        answer.json()["jobs"]["ingest"]["late"],
    )
    assert "OSError: database is locked" == answer.json()["jobs"]["ingest"]["last_error"]
    assert "hunter2" not in answer.text


def test_an_absent_database_degrades(admin: httpx.Client, stage: Stage) -> None:
    """And the answer comes all the same."""
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE documents RENAME TO elsewhere")

    answer = admin.get("/health")

    told = answer.json()
    assert (200, "degraded", "does not answer") == (answer.status_code, told["status"], told["database"])


def test_moves_are_told_by_sequence(admin: httpx.Client, stage: Stage) -> None:
    """A follower goes on where it left off, page by page."""
    stage.device("viewer-token", role=Role.VIEWER)
    first, second = stage.ask(), stage.ask()
    signed = {"Authorization": "Bearer viewer-token"}

    page = admin.get("/api/moves?limit=3", headers=signed).json()
    rest = admin.get(f"/api/moves?after={page['next']}", headers=signed).json()
    end = admin.get(f"/api/moves?after={rest['next']}", headers=signed).json()

    assert [(first.id, None, "received"), (first.id, "received", "pending-build"), (second.id, None, "received")] == [
        (move["document"], move["from"], move["to"]) for move in page["moves"]
    ]
    assert [(second.id, "pending-build", "passed")] == [
        (move["document"], move["to"], move["reason"]) for move in rest["moves"]
    ]
    assert ([], rest["next"]) == (end["moves"], end["next"])


def test_moves_are_filtered(admin: httpx.Client, stage: Stage) -> None:
    """By status, several at once, and by kind."""
    stage.device("operator-token", role=Role.OPERATOR)
    stage.ask()
    signed = {"Authorization": "Bearer operator-token"}

    def statuses(query: str) -> list[str]:
        return [move["to"] for move in admin.get(f"/api/moves?{query}", headers=signed).json()["moves"]]

    assert ["pending-build"] == statuses("status=pending-build&kind=mention")
    assert ["received", "pending-build"] == statuses("status=pending-build&status=received")
    assert [] == statuses("status=built")


def test_moves_are_for_those_who_may_read(admin: httpx.Client, stage: Stage) -> None:
    """Not for lanes, and not for nobody."""
    stage.device("lane-token")

    assert (401, "bad_token") == refusal(admin.get("/api/moves"))
    assert (403, "not_allowed") == refusal(admin.get("/api/moves", headers={"Authorization": "Bearer lane-token"}))


@pytest.mark.parametrize(
    "query", ["after=hunter2", "after=-1", "after=99999999999999999999", "limit=0", "limit=501", "status=x", "kind=x"]
)
def test_a_query_that_makes_no_sense_is_refused(admin: httpx.Client, stage: Stage, query: str) -> None:
    """With the name of what is wrong, not its value."""
    stage.device("viewer-token", role=Role.VIEWER)

    answer = admin.get(f"/api/moves?{query}", headers={"Authorization": "Bearer viewer-token"})

    assert (422, "invalid") == refusal(answer)
    assert query.partition("=")[0] in answer.json()["message"]
    assert "hunter2" not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.test", "localhost.evil.test", "app-1.localhost", "127.0.0.1.evil.test", "x@y", ""]
)
@pytest.mark.parametrize("path", ["/health", "/api/moves", "/nothing"])
def test_a_name_that_is_not_ours_gets_nothing(port: int, host: str, path: str) -> None:
    """A page whose name was rebound to the loopback learns nothing, not even what exists."""
    with client(port) as http:
        assert (403, "wrong_host") == refusal(http.get(path, headers={"Host": host}))


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:8102", "admin.example", "localhost."]
)
def test_our_own_names_are_answered(port: int, host: str) -> None:
    """The loopback's, and the one that the settings name."""
    with client(port) as http:
        assert 200 == http.get("/health", headers={"Host": host}).status_code


def test_no_page_frames_or_reads_the_admin_api(admin: httpx.Client) -> None:
    """The headers that browsers go by are on every answer."""
    for answer in (admin.get("/health"), admin.get("/nothing")):
        assert "default-src 'none'; frame-ancestors 'none'" == answer.headers["Content-Security-Policy"]
        assert "same-origin" == answer.headers["Cross-Origin-Resource-Policy"]
        assert "no-store" == answer.headers["Cache-Control"]
        assert "Access-Control-Allow-Origin" not in answer.headers
