"""The bot is put together, taken down in order, and is alone with its ledger."""

import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.clock import Clock
from bot.errors import LedgerBehind, LedgerInUse
from bot.holding import sole_holder
from bot.jobs.reload import RULES
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.listeners import GRACE_SECONDS, CannotListen
from bot.main import ledger_of, prepare_ledger, run_bot
from bot.sandbox.faults import Fault
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.settings import Settings
from bot.tokens import new_session, new_token
from guardrails.access import Role
from guardrails.documents import POST_COLLECTION, DeviceId
from tests.bot.ledger.steps import skipped
from tests.ledger_fixtures import slug_for
from tests.mentions import OPERATOR
from tests.scenarios.processes import free_ports
from tests.scenarios.world import PUT, World
from tests.streams import played, tells
from tests.waiting import until

JOBS = {
    "alerts",
    "ingest",
    "judge",
    "lanes",
    "prune",
    "reply",
    "rescue",
    "rules",
    "schema",
    "speak",
    "standing",
    "sweep",
    "watch",
}


def settings(folder: Path, ports: list[int]) -> Settings:
    """The settings of a bot whose network is away."""
    apps, lane, admin = ports
    return Settings(
        identifier="did:plc:wright",
        password=SecretStr("wright.test-pw"),
        session_key=SecretStr(Fernet.generate_key().decode()),
        pds_url="http://127.0.0.1:1",
        plc_url="http://127.0.0.1:1",
        database_url=f"sqlite:///{folder / 'ledger.db'}",
        apps_listen=f"127.0.0.1:{apps}",
        lane_listen=f"127.0.0.1:{lane}",
        admin_listen=f"127.0.0.1:{admin}",
        tick_seconds=0.1,
    )


def port_of(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def admin(told: Settings) -> httpx.Client:
    """A client of the admin listener."""
    return httpx.Client(base_url=f"http://{told.admin_listen}", trust_env=False, timeout=20)


def runs(http: httpx.Client, job: str) -> int:
    """How often a job has run."""
    return int(http.get("/health").json()["jobs"][job]["runs"])


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_it_is_ready_when_its_ports_are_open_and_leaves_them_free(tmp_path: Path) -> None:
    """A network that is away is no reason not to start."""
    ports = free_ports(3)
    stop = threading.Event()
    while_ready: list[bool] = []
    threads = set(threading.enumerate())

    def ready() -> None:
        while_ready.extend(is_free(port) for port in ports)
        stop.set()

    run_bot(settings(tmp_path, ports), stop, ready=ready)

    assert [False] * 3 == while_ready
    assert [True] * 3 == [is_free(port) for port in ports]
    assert set() == set(threading.enumerate()) - threads
    # Whoever has it open still has this beside it.
    assert not (tmp_path / "ledger.db-wal").exists()
    with sole_holder(f"sqlite:///{tmp_path / 'ledger.db'}"):
        pass


def test_an_open_console_is_told_and_does_not_hold_the_bot_up(tmp_path: Path) -> None:
    """Its stream ends when the bot does, before the listeners would wait for it; /metrics counts its call."""
    ports, stop = free_ports(3), threading.Event()
    told = settings(tmp_path, ports)
    here = f"http://127.0.0.1:{ports[2]}"
    with ExitStack() as stack:
        http = stack.enter_context(httpx.Client(trust_env=False, timeout=20))
        lines: list[Iterator[str]] = []
        stopped: list[float] = []

        def ready() -> None:
            name, secret = new_session()
            token = new_token()
            with closing(ledger_of(told)) as ledger:
                device = ledger.desk.add_device(OPERATOR, DeviceId("vera"), "Vera", Role.VIEWER, "", token)
                assert ledger.consoles.sign_in(device, name, secret)
            cookie = {"Cookie": f"skywright={secret}"}
            stream = stack.enter_context(http.stream("GET", f"{here}/console/stream", headers=cookie))
            lines.append(stream.iter_lines())
            assert "retry: 2000" == next(lines[0])
            assert 'route="/console/stream"' in http.get(f"{here}/metrics").text
            stopped.append(time.monotonic())
            stop.set()

        run_bot(told, stop, ready=ready)

        assert [] == [line for line in lines[0] if line]
        assert time.monotonic() - stopped[0] < GRACE_SECONDS


def test_a_port_that_is_taken_is_named_and_nothing_stays(tmp_path: Path) -> None:
    """The listeners before it are given back, and so is the ledger."""
    ports = free_ports(3)
    with socket.create_server(("127.0.0.1", ports[1])), pytest.raises(CannotListen, match=f"lane .*:{ports[1]}"):
        run_bot(settings(tmp_path, ports), threading.Event())

    assert [True] * 3 == [is_free(port) for port in ports]
    with sole_holder(f"sqlite:///{tmp_path / 'ledger.db'}"):
        pass


@pytest.mark.parametrize("name", ["ledger.db", "link.db"])
def test_a_ledger_has_one_bot(tmp_path: Path, name: str) -> None:
    """The second one is told whose it is, also when it knows the file by another name; afterwards it is free."""
    (tmp_path / "link.db").symlink_to(tmp_path / "ledger.db")
    url = f"sqlite:///{tmp_path / name}"
    with (
        sole_holder(f"sqlite:///{tmp_path / 'ledger.db'}"),
        pytest.raises(LedgerInUse, match=rf"{name} is in use by another bot \(process {os.getpid()}\)"),
        sole_holder(url),
    ):
        pass
    with sole_holder(url):
        pass


def test_a_pooler_of_which_nobody_told_is_logged(pooled_ledger: Ledger) -> None:
    """With the setting that mends it; where it is set, nothing is said."""
    told = []
    untold = open_ledger(str(pooled_ledger.db.engine.url), Clock(), LedgerPolicy(), slug_for)
    for ledger in (pooled_ledger, untold):
        with capture_logs() as logs:
            prepare_ledger(ledger)
        told.append([line["mend"] for line in logs if line["event"] == "pooler"])
    untold.close()

    assert [[], ["where it is in transaction mode, set SKYWRIGHT_DATABASE_DIRECT_URL"]] == told


def test_a_ledger_on_postgresql_may_have_several(tmp_path: Path) -> None:
    """They share it."""
    url = f"postgresql+psycopg:///{tmp_path / 'ledger'}"
    with sole_holder(url), sole_holder(url):
        assert [] == list(tmp_path.iterdir())


def test_a_bot_whose_ledger_is_migrated_under_it_stops_and_says_why(tmp_path: Path) -> None:
    """An older program beside a newer schema: it is done with at once, and no restart would help."""
    wanted, stop = settings(tmp_path, free_ports(3)), threading.Event()

    def ready() -> None:
        with ExitStack() as stack:
            ledger = ledger_of(wanted)
            stack.callback(ledger.close)
            with ledger.db.write() as connection:
                connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(LedgerBehind, match="is at 9999, newer than this program"):
        run_bot(wanted, stop, ready=ready)

    assert stop.is_set()
    with sole_holder(wanted.database_url):
        pass


@pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
def test_a_database_that_lets_it_wait_is_no_reason_to_end(tmp_path: Path, ledger_url: str) -> None:
    """However little a call to the network may take: a pooler, or a restart, keeps a look at the ledger waiting."""
    ended: list[str] = []
    stop = threading.Event()
    patient = {"database_url": ledger_url, "call_deadline_seconds": 0.5}
    asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND now() - query_start > :longer"

    def ready() -> None:
        with closing(ledger_of(told)) as beside, beside.db.engine.begin() as holder:

            def waits() -> bool:
                with beside.db.read() as looking:
                    return bool(looking.execute(text(asked), {"longer": timedelta(seconds=2.5)}).scalar_one())

            holder.execute(text("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE"))
            until(lambda: waits() or ended)
        stop.set()

    told = settings(tmp_path, free_ports(3)).model_copy(update=patient)
    run_bot(told, stop, ready=ready, end=ended.append)

    assert [] == ended


def test_a_job_that_hangs_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that takes calls and answers none, where a job may take less time than a call: its name is told."""
    monkeypatch.setattr("bot.rounds.CALLS_PER_JOB", 0.02)
    ended: list[str] = []
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        told = settings(tmp_path, free_ports(3)).model_copy(update={"pds_url": f"http://127.0.0.1:{port_of(silent)}"})

        def end(jobs: str) -> None:
            ended.append(jobs)
            silent.close()
            stop.set()

        run_bot(told, stop, end=end)

    assert "ingest" in ended[0].split(", ")


def test_what_moves_is_counted_and_wakes_the_job_that_goes_on_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, without any tick. Calls are counted at each listener; rules that were refused before are no news."""
    monkeypatch.setattr("bot.main.FEED_TICK", 3600.0)
    told, stop, token = settings(tmp_path, free_ports(3)), threading.Event(), new_token()
    told = told.model_copy(update={"tick_seconds": 60.0})
    with closing(ledger_of(told)) as ledger:
        prepare_ledger(ledger)
        ledger.desk.add_device(OPERATOR, DeviceId("olga"), "Olga", Role.OPERATOR, "", token)
        ledger.conditions.set(RULES, "nonsense")
        document = skipped(ledger)
    whose = {"Authorization": f"Bearer {token}"}
    act = {"deed": "judge_again", "on": {"id": document.id, "version": document.version}, "action_id": "a-1"}

    def ready() -> None:
        with admin(told) as http:
            before = until(lambda: runs(http, "judge"))
            health, metrics = http.get("/health").json(), http.get("/metrics").text
            assert JOBS == set(health["jobs"])
            assert RULES not in [each["name"] for each in health["conditions"]]
            assert f"skywright_followed_sequence {document.version}.0" in metrics
            for listen in (told.apps_listen, told.lane_listen):
                http.get(f"http://{listen}/no-such-page")
            answer = http.post("/api/acts", json={"api_version": 1, "acts": [act]}, headers=whose)
            assert "received" == answer.json()["result"][0]["status"], answer.text
            until(lambda: runs(http, "judge") > before)
            counted = 'skywright_moves_total{reason="judged_again",status="received"} 1.0'
            until(lambda: counted in http.get("/metrics").text)
            calls = re.findall(r'http_requests_total{listener="(\w+)"', http.get("/metrics").text)
            assert {"apps", "lane", "admin"} == set(calls)
        stop.set()

    run_bot(told, stop, ready=ready)


def test_a_clock_that_is_set_wakes_every_job_and_makes_none_late(tmp_path: Path) -> None:
    """Put back, they would wait until it is as late as it was; put forward, they would seem not to have run."""
    clock, stop = Clock(), threading.Event()
    told = settings(tmp_path, free_ports(3))

    def ready() -> None:
        with admin(told) as http:
            before = until(lambda: runs(http, "prune"))
            clock.shift += timedelta(hours=2)
            until(lambda: runs(http, "prune") > before)
            assert [] == [name for name, job in http.get("/health").json()["jobs"].items() if job["late"]]
        stop.set()

    run_bot(told, stop, clock=clock, ready=ready)


@pytest.fixture
def sandbox() -> Iterator[SandboxServer]:
    """A network with a bot's account and somebody who asks."""
    network = SandboxNetwork(Clock())
    for handle in ("wright.test", "alice.test"):
        network.create_account(handle)
    with SandboxServer(network) as server:
        yield server


def on(sandbox: SandboxServer, told: Settings, **more: object) -> Settings:
    """The settings of a bot on it."""
    here = {"identifier": "wright.test", "pds_url": sandbox.url, "plc_url": f"{sandbox.url}/plc"}
    return told.model_copy(update=here | more)


def test_a_stream_that_is_set_is_listened_to(tmp_path: Path, sandbox: SandboxServer) -> None:
    """Beside the notifications, until the bot ends."""
    stop = threading.Event()
    with played(tells()) as stream:

        def ready() -> None:
            until(lambda: stream.asked)
            stop.set()

        run_bot(on(sandbox, settings(tmp_path, free_ports(3)), stream_url=stream.url), stop, ready=ready)

        assert "stream" not in {thread.name for thread in threading.enumerate()}


def test_a_bot_that_is_to_end_begins_nothing_more(tmp_path: Path, sandbox: SandboxServer) -> None:
    """Of two replies that one round is to send, the first is under way when it is told."""
    told, stop, network = (
        on(sandbox, settings(tmp_path, free_ports(3)), likes=False),
        threading.Event(),
        sandbox.network,
    )
    with closing(ledger_of(told)) as ledger:
        prepare_ledger(ledger)
        world = World(ledger, Clock(), sandbox, told)
        world.start()
        for what in ("a timer", "a to-do list"):
            world.says("alice.test", f"@wright.test make me {what}")
        world.bot.ingest()
        for _ in range(2):
            world.lane_builds()
        world.bot.close()
    network.faults.append(Fault(PUT, "delay", seconds=2, collection=POST_COLLECTION))

    def ready() -> None:
        until(lambda: network.calls_to(PUT))
        stop.set()

    run_bot(told, stop, ready=ready)

    assert 1 == len(world.replies())
