"""What Prometheus reads: all of the catalogue and nothing else, from the ledger, the jobs and the calls."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError
from starlette.responses import StreamingResponse

from bot.api.app import admin_app
from bot.jobs.board import JobBoard
from bot.jobs.stream import StreamState
from bot.ledger.conditions import Condition
from bot.metrics.calls import CountedCalls
from bot.metrics.catalogue import CATALOGUE, PROCESS, Kind, Metric
from bot.metrics.counting import Metrics
from bot.metrics.gauges import Gauges, Sources
from bot.operations.present import Overview
from bot.rules import RulesFile
from tests.bot.ledger import steps
from tests.bot.overviews import AT, before, busy
from tests.bot.serving import client, served
from tests.bot.stage import Stage
from tests.clock import Clock

Read = Callable[[], dict[str, dict[tuple[str, ...], float]]]


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(CollectorRegistry())


def samples(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Every sample by its name and the values of its labels, in the order of their names, by Prometheus' own parser."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def read(metrics: Metrics) -> dict[str, dict[tuple[str, ...], float]]:
    text, media_type = metrics.text("")
    assert media_type.startswith("text/plain")
    return samples(text.decode())


def gauged(metrics: Metrics, overview: Callable[[], Overview], board: JobBoard | None = None) -> None:
    sources = Sources(overview, list, lambda: "built in", board or JobBoard(Clock()), Clock())
    metrics.registry.register(Gauges(sources))


def test_the_catalogue_is_what_is_told(metrics: Metrics) -> None:
    """Each metric by its name, kind and help; nothing that the catalogue does not have, but of the process itself."""
    gauged(metrics, busy)
    told = {
        family.name + ("_total" if family.type == "counter" else ""): (family.type, family.documentation)
        for family in text_string_to_metric_families(metrics.text("")[0].decode())
    }
    of_the_process = told.keys() & set(PROCESS)

    assert {metric.name: (metric.kind.value, metric.help) for metric in CATALOGUE} == {
        name: what for name, what in told.items() if name not in of_the_process
    }


@pytest.mark.parametrize("metric", CATALOGUE, ids=lambda metric: metric.name)
def test_a_name_is_as_prometheus_has_them(metric: Metric) -> None:
    """The bot's prefix, a base unit at the end, `_total` on counters alone; labels that a reader of PromQL may use."""
    name, kind, labels = metric.name, metric.kind, metric.labels

    assert re.fullmatch(r"skywright_[a-z][a-z_]*[a-z]", name)
    assert (kind is Kind.COUNTER) == name.endswith("_total")
    assert kind is not Kind.HISTOGRAM or name.endswith("_seconds")
    assert not re.search(r"_(minutes|hours|days|ms|milliseconds|percent|count|sum|bucket|created)\b", name)
    assert all(re.fullmatch(r"[a-z]+", label) and label not in ("le", "job", "instance") for label in labels)
    assert metric.help.endswith(".")
    assert (kind is Kind.HISTOGRAM) == bool(metric.buckets)


def test_what_moves_is_counted_and_timed(metrics: Metrics, stage: Stage) -> None:
    """By status and reason; how long what ended took, and what it cost."""
    steps.replied(stage.ledger, "3kone")
    steps.skipped(stage.ledger, "3ktwo")
    moves = stage.ledger.feed.after(0, 100)
    metrics.begin(0)
    metrics.moved(stage.ledger.timings, moves[:2])
    metrics.moved(stage.ledger.timings, moves[2:])
    told = read(metrics)

    assert {("ingested", "received"): 2, ("sent", "replied"): 1, ("nothing_to_build", "skipped"): 1}.items() <= (
        told["skywright_moves_total"].items()
    )
    assert [1.0] * 3 == [told[f"skywright_{stage}_seconds_count"][()] for stage in ("acknowledge", "build", "reply")]
    assert moves[-1].seq == told["skywright_followed_sequence"][()]


def test_every_move_that_there_can_be_begins_at_nought(metrics: Metrics) -> None:
    """So that the first one of its kind is an increase."""
    told = read(metrics)["skywright_moves_total"]

    assert {0} == set(told.values())
    assert {("lane_lost", "error"), ("out_of_tries", "build-failed")} <= told.keys()
    assert len(told) < 100


def test_moves_are_counted_while_the_database_is_away(metrics: Metrics, stage: Stage) -> None:
    """The times that cannot be read are left out, and the follower goes on."""
    steps.pending(stage.ledger)
    moves = stage.ledger.feed.after(0, 100)
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE moves RENAME TO elsewhere")

    metrics.moved(stage.ledger.timings, moves)

    assert 2 == sum(read(metrics)["skywright_moves_total"].values())


def test_how_the_bot_is_is_read_when_somebody_asks(metrics: Metrics) -> None:
    """In seconds, from the moment at which the ledger was read; jobs by the board."""
    board = JobBoard(clock := Clock())
    board.add("ingest", 5, 20)
    board.run("ingest", lambda: 1 / 0)
    clock.advance(60)
    sources = Sources(busy, list, lambda: "r-1", board, clock)
    metrics.registry.register(Gauges(sources))
    told = read(metrics)

    assert (1, 7) == (told["skywright_ledger_up"][()], told["skywright_ledger_sequence"][()])
    assert 10_000 == told["skywright_documents"]["built",]
    assert ("replied",) not in told["skywright_documents"]
    assert {("built",): 90} == told["skywright_oldest_document_seconds"]
    assert ({("unknown_sends",): 3}, {("unknown_sends",): 3600}) == (
        told["skywright_pile"],
        told["skywright_pile_oldest_seconds"],
    )
    assert ({("account",): 300}, {("pause_builds",): 86_400}) == (
        told["skywright_condition_seconds"],
        told["skywright_switch_on_seconds"],
    )
    assert [180, 30, 1, 2, 240] == [
        told[f"skywright_lane_{name}"][()]
        for name in ("seen_age_seconds", "late_seconds", "claims", "waiting_documents", "waiting_seconds")
    ]
    assert (40, 4500) == (told["skywright_budget_used"]["points_hour",], told["skywright_budget_limit"]["points_hour",])
    of_jobs = ("success_age_seconds", "late", "runs_total", "failures_total")
    assert [60, 1, 1, 1] == [told[f"skywright_job_{name}"]["ingest",] for name in of_jobs]


def test_the_live_stream_is_told_of_where_one_is_set(metrics: Metrics) -> None:
    """How old its last event is, what came of its frames, and which source has found what."""
    state = StreamState(brings=True, silent_seconds=3.5, counts={"read": 9, "new": 1})
    heard = {"notifications": 2, "stream": 1, "both": 40}
    streams = (lambda: state, lambda: heard)
    board = JobBoard(Clock())
    metrics.registry.register(Gauges(Sources(busy, list, lambda: "r-1", board, Clock(), lambda: True, *streams)))
    told = read(metrics)

    assert {(): 3.5} == told["skywright_stream_event_age_seconds"]
    assert {("read",): 9, ("new",): 1} == told["skywright_stream_frames_total"]
    assert {("notifications",): 2, ("stream",): 1, ("both",): 40} == told["skywright_mentions_heard"]


def test_without_a_stream_there_is_nothing_to_compare(metrics: Metrics) -> None:
    """Nor before its first event an age."""
    gauged(metrics, busy)

    assert {"skywright_stream_event_age_seconds", "skywright_mentions_heard"}.isdisjoint(read(metrics))


def test_of_several_bots_one_does_the_rounds(metrics: Metrics) -> None:
    """One that is alone does them; the sum over all of them is to be one."""
    here = [True]
    metrics.registry.register(Gauges(Sources(busy, list, lambda: "r-1", JobBoard(Clock()), Clock(), lambda: here[0])))

    assert {(): 1} == read(metrics)["skywright_rounds"]
    here[0] = False
    assert {(): 0} == read(metrics)["skywright_rounds"]


def test_the_age_of_the_last_good_backup_is_told(metrics: Metrics) -> None:
    """Nothing before the first one."""
    clock, made = Clock(), list[datetime]()
    sources = Sources(busy, list, lambda: "r-1", JobBoard(clock), clock)
    sources = replace(sources, backed_up=lambda: made[-1] if made else None)
    metrics.registry.register(Gauges(sources))
    never = read(metrics)
    made.append(clock())
    clock.advance(90)

    assert "skywright_backup_age_seconds" not in never
    assert {(): 90} == read(metrics)["skywright_backup_age_seconds"]


def test_a_condition_of_several_lanes_is_told_as_one(metrics: Metrics) -> None:
    """For how long the first has been so; no name of a lane is a label."""
    costs = [Condition(f"lane_cost:lane-{number}", "much", before(minutes=number), AT) for number in (2, 9, 4)]
    gauged(metrics, lambda: replace(busy(), conditions=tuple(costs)))

    assert {("lane_cost",): 540} == read(metrics)["skywright_condition_seconds"]


def test_metrics_come_though_the_ledger_is_away(metrics: Metrics) -> None:
    """With what the process knows by itself, and a nought for the ledger."""

    def away() -> Overview:
        raise OperationalError("SELECT hunter2", {}, OSError("refused"))

    gauged(metrics, away)
    told = read(metrics)

    assert 0 == told["skywright_ledger_up"][()]
    assert "skywright_pile" not in told
    assert told["skywright_info"]


@pytest.fixture
def shop() -> FastAPI:
    """An app with a route, a mounted app, a stream that does not end by itself, and one that breaks."""
    app, below = FastAPI(openapi_url=None), FastAPI(openapi_url=None)

    @app.get("/things/{name}")
    def thing(name: str) -> str:
        return name

    @app.get("/breaks")
    def breaks() -> str:
        raise RuntimeError("hunter2")

    @app.get("/stream")
    def stream() -> StreamingResponse:
        return StreamingResponse(iter(["one", "two"]))

    @below.post("/rooms/{name}/open")
    def room(name: str) -> str:
        return name

    app.mount("/house", below)
    return app


@pytest.fixture
def visit(shop: FastAPI, metrics: Metrics) -> Iterator[httpx.Client]:
    with served(lambda _: CountedCalls(shop, "shop", metrics)) as port, client(port) as http:
        yield http


def test_calls_are_counted_by_the_template_of_their_route(visit: httpx.Client, metrics: Metrics) -> None:
    """So many series as there are routes, whatever is asked for, be it a method of somebody's own."""
    for name in ("a", "b", "c"):
        visit.get(f"/things/{name}")
        visit.get(f"/{name}/nothing")
        visit.request(f"MAKE{name}", "/things/x")
    visit.post("/house/rooms/17/open")
    visit.get("/stream")
    visit.get("/breaks")
    told = read(metrics)

    counted = {
        ("shop", "GET", "/things/{name}", "2xx"): 3,
        ("shop", "GET", "none", "4xx"): 3,
        ("shop", "POST", "/house/rooms/{name}/open", "2xx"): 1,
        ("shop", "GET", "/stream", "2xx"): 1,
        ("shop", "GET", "/breaks", "5xx"): 1,
    }
    assert counted.items() <= told["skywright_http_requests_total"].items()
    assert 3 == sum(n for key, n in told["skywright_http_requests_total"].items() if key[1] == "OTHER")
    assert 12 == sum(told["skywright_http_requests_total"].values())
    assert 3 == told["skywright_http_request_seconds_count"]["shop", "GET", "/things/{name}"]


def test_the_admin_listener_tells_them(stage: Stage, metrics: Metrics) -> None:
    """As text that Prometheus reads, under the names that the listener goes by and no other."""
    gauged(metrics, busy)
    app = admin_app(stage.ledger, JobBoard(Clock()), lambda: AT, RulesFile(None), metrics=metrics)
    with served(lambda _: CountedCalls(app, "admin", metrics)) as port, client(port) as http:
        first, second = http.get("/metrics"), http.get("/metrics")
        refused = http.get("/metrics", headers={"Host": "evil.test"})

    assert (200, 403) == (first.status_code, refused.status_code)
    assert first.headers["Content-Type"].startswith("text/plain; version=")
    assert "no-store" == first.headers["Cache-Control"]
    assert {("admin", "GET", "/metrics", "2xx"): 1} == samples(second.text)["skywright_http_requests_total"]
