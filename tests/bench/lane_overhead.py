"""What a lane adds to the calls that it has to make.

From claim to report, without generator and checks, against bare calls of the same number to the same bot in the same
run: claim, upload, report, each on a connection of its own, as the lane makes them.
"""

import io
import itertools
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from pydantic import SecretStr

from bot.api.lane import lane_app
from builder.build import Tools
from builder.checks.static import static_checks
from builder.client import BotClient
from builder.errands import LaneSettings, Worked
from builder.generators.template import TemplateGenerator
from builder.lane import Lane
from builder.logs import make_log
from builder.outcomes import App, Budget, Checked, Outcome
from builder.ports import Check, Task
from builder.publishers.hosted import HostedPublisher
from builder.stopping import Drain, Stop
from builder.workspace import Snapshot, pack, sha256_of
from guardrails.wire import Limits
from tests.bench.places import SQLITE
from tests.bench.table import Line, compared, interleaved
from tests.bot.serving import served
from tests.bot.stage import staged

APPS_URL = "http://localhost:8100"
TOKEN = "token-of-the-bench"
DOCUMENTS, QUICK_DOCUMENTS = 100, 10
BUNDLE = pack({"index.html": b"<!doctype html><html lang=en><title>t</title><h1>Hello</h1>"})


class Elsewhere:
    """The time that goes by in generator and checks, which is not the lane's own."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - began


class MeasuredGenerator(TemplateGenerator):
    """The templates, their time counted apart."""

    def __init__(self, elsewhere: Elsewhere) -> None:
        self._elsewhere = elsewhere

    def generate(self, task: Task) -> Outcome[App]:
        with self._elsewhere.measured():
            return super().generate(task)


class MeasuredCheck:
    """A check, its time counted apart."""

    def __init__(self, check: Check, elsewhere: Elsewhere) -> None:
        self._check = check
        self._elsewhere = elsewhere

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        with self._elsewhere.measured():
            return self._check.check(snapshot, limits, stop)


def lines(quick: bool) -> Iterator[Line]:
    """One line; a document for the lane, and one for the bare calls, in turns."""
    with tempfile.TemporaryDirectory(prefix="skywright-bench-") as folder, staged(Path(folder)) as stage:
        stage.device(TOKEN, prefix=APPS_URL)
        with (
            served(lambda _: lane_app(stage.ledger, APPS_URL)) as port,
            httpx.Client(
                base_url=f"http://127.0.0.1:{port}", trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
            ) as http,
        ):
            elsewhere, drain, numbers = Elsewhere(), Drain(grace_seconds=60), itertools.count()
            lane = _lane(http, drain, elsewhere, Path(folder))

            def by_lane() -> float:
                stage.ask()
                return _one_by_lane(lane, elsewhere) * 1000

            def by_hand() -> float:
                stage.ask()
                return _one_by_hand(http, f"{next(numbers):026}") * 1000

            rounds = interleaved(QUICK_DOCUMENTS if quick else DOCUMENTS, by_lane, by_hand)
            drain.close()
    yield compared("claim to report by a lane, against bare calls", SQLITE, "ms", rounds)


def _lane(http: httpx.Client, drain: Drain, elsewhere: Elsewhere, folder: Path) -> Lane:
    bot = BotClient(http, SecretStr(TOKEN), 20, time.monotonic)
    checks = [MeasuredCheck(check, elsewhere) for check in static_checks()]
    tools = Tools(MeasuredGenerator(elsewhere), checks, HostedPublisher(bot), Budget(600.0))
    numbers = itertools.count()
    log = make_log(io.StringIO(), as_json=False)
    return Lane(bot, tools, drain, log, LaneSettings(folder), lambda: f"lane-{next(numbers):026}", time.monotonic)


def _one_by_lane(lane: Lane, elsewhere: Elsewhere) -> float:
    began, before = time.perf_counter(), elsewhere.seconds
    worked = lane.work_once()
    took = time.perf_counter() - began - (elsewhere.seconds - before)
    assert worked is Worked.REPORTED
    return took


def _one_by_hand(http: httpx.Client, claim_id: str) -> float:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    began = time.perf_counter()
    body = {"api_version": 1, "claim_id": claim_id, "generator": "template"}
    claim = http.post("/api/lane/claim", json=body, headers=headers).json()
    here = f"/api/lane/claims/{claim_id}"
    sent = http.put(f"{here}/bundle", content=BUNDLE, headers={**headers, "Content-Type": "application/zip"})
    report = {
        "api_version": 1,
        "outcome": "done",
        "title": "t",
        "address": claim["address"],
        "sha256": sha256_of(BUNDLE),
        "generator": "template",
    }
    reported = http.post(f"{here}/report", json=report, headers=headers)
    took = time.perf_counter() - began
    assert [200, 200] == [sent.status_code, reported.status_code], reported.text
    return took
