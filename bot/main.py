"""The composition root of the bot: the only place that builds settings, ledger, account, scheduler and web apps."""

import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

import structlog
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from bot.alerting import Alerting
from bot.api.app import admin_app
from bot.api.enrolment import Runs
from bot.api.inspection import Moderate
from bot.api.issuer import IssuerKeys
from bot.api.lane import lane_app
from bot.api.oidc import RunTokens
from bot.api.operators import OperationsOf
from bot.apphost import apps_app
from bot.clock import Clock
from bot.console.app import console_app
from bot.follower import Follower
from bot.holding import sole_holder
from bot.jobs.board import JobBoard
from bot.jobs.reload import heed_rules, started_with
from bot.jobs.stream import Stream
from bot.jumps import Jumps, look_for_jumps
from bot.keeper import ALONE, Keeper, Turn
from bot.ledger.bell import Bell
from bot.ledger.durability import check_durable, is_behind_a_pooler
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.marks import BACKED_UP
from bot.ledger.schema import check_schema, migrate
from bot.listeners import Listener
from bot.lookout import Lookout
from bot.metrics.calls import CountedCalls
from bot.metrics.counting import Metrics
from bot.metrics.gauges import Gauges, Sources
from bot.operations.present import Overview
from bot.outgrown import schema_watch
from bot.rounds import CALLS_PER_JOB, Bot
from bot.rules import RulesFile
from bot.scheduler import Job, Scheduler, look_for_hanging
from bot.settings import LedgerSettings, Settings
from bot.steering import operations_of_bot
from bot.waking import jobs_woken_by
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId, Slug
from guardrails.shapes import prepare_shapes
from guardrails.slugs import mint_slug

# How soon operators are told of what is wrong, once it has been so for a while.
ALERTS_TICK = 15.0
# How soon an open console is told of a move at the latest, which the bell has not told.
FEED_TICK = 0.5
# How soon it is noticed that a job hangs, or that the clock was set.
LOOK_SECONDS = 1.0
STUCK = 70

log = structlog.get_logger()


def ledger_of(settings: LedgerSettings, clock: Clock | None = None) -> Ledger:
    """The ledger that the settings name, wholly loaded; its schema is not looked at yet."""

    def slug(ask: str) -> Slug:
        return mint_slug(ask, secrets.choice)

    ledger = open_ledger(settings.database_url, clock or Clock(), settings.policy, slug, settings.database_direct_url)
    ledger.load()
    return ledger


def prepare_ledger(ledger: Ledger) -> None:
    """Bring a SQLite ledger to this program's schema; LedgerBehind on PostgreSQL, where a person runs the migration.

    NotDurable where a pooler's connections may forget what is written.
    """
    if ledger.db.is_sqlite:
        migrate(ledger.db)
    elif not ledger.db.is_pooled and is_behind_a_pooler(ledger.db.engine):
        log.warning("pooler", mend="where it is in transaction mode, set SKYWRIGHT_DATABASE_DIRECT_URL")
    check_schema(ledger.db)
    check_durable(ledger.db)


def run_bot(
    settings: Settings,
    stop: threading.Event,
    *,
    rules: RulesFile | None = None,
    clock: Clock | None = None,
    since: timedelta = timedelta(),
    ready: Callable[[], None] = lambda: None,
    end: Callable[[str], None] | None = None,
) -> None:
    """Run until `stop` is set, then drain: no new work, what runs finishes, the rest is the next start's.

    BotError or BadRules when it cannot start; LedgerBehind when the ledger was migrated under it, and it stopped.
    `since`: how far before its first start the bot still answers.
    """
    clock, rules = clock or Clock(), rules or RulesFile(settings.rules)
    prepare_shapes()
    with ExitStack() as stack:
        ledger = _held_ledger(settings, clock, stack)
        started_with(rules, ledger)
        turn = _turn(settings, ledger, stop)
        over = partial(_is_over, stop, turn)
        bot, board = Bot(settings, ledger, clock, since, over, rules=rules), JobBoard(clock)
        stack.callback(bot.close)
        runs = _runs(settings, clock, stack)
        operations_of = operations_of_bot(settings, ledger, rules, bot.presence.account, turn.holder)
        metrics = _metrics(ledger, board, clock, rules, operations_of, turn, bot)
        follower = Follower(ledger.feed, FEED_TICK, [partial(metrics.moved, ledger.timings)])
        console = console_app(ledger, operations_of, rules, settings.admin_address, follower)
        admin = _admin(settings, ledger, board, clock, rules, operations_of, console, metrics, turn)
        for listener in _listeners(settings, ledger, rules, bot.moderator.moderate, runs, admin, metrics):
            listener.start()
            stack.callback(listener.stop)
        metrics.begin(ledger.feed.last())
        _follow(follower, ledger, stack)
        _look_out("watchdog", look_for_hanging(board, end or _end), stack)
        alerting = Alerting(settings, ledger, _overview(operations_of), board, clock)
        stack.callback(alerting.close)
        outgrown = stack.enter_context(schema_watch(ledger.db, stop))
        scheduler = Scheduler(_jobs(settings, ledger, rules, bot, alerting, turn, outgrown), board)
        follower.listen(lambda moves: scheduler.wake(jobs_woken_by(moves)))
        turn.start(bot.begin, scheduler.wake)
        stack.callback(turn.stop)
        scheduler.start()
        stack.callback(scheduler.drain)
        _heed_the_clock(clock, board, scheduler, stack)
        _listen(bot.stream, stack)
        log.info("running", apps=settings.apps_url, lane=settings.lane_listen, admin=settings.admin_listen)
        ready()
        stop.wait()
        log.info("draining")
    log.info("stopped")


def _held_ledger(settings: Settings, clock: Clock, stack: ExitStack) -> Ledger:
    """The ledger at this program's schema, until the stack is unwound; a SQLite file is this process's alone."""
    stack.enter_context(sole_holder(settings.database_url))
    ledger = ledger_of(settings, clock)
    stack.callback(ledger.close)
    prepare_ledger(ledger)
    return ledger


def _follow(follower: Follower, ledger: Ledger, stack: ExitStack) -> None:
    """It ends before the listeners, and the streams with it, which would keep a listener from ending."""
    follower.start()
    stack.callback(follower.stop)
    bell = Bell(ledger.db, follower.wake, secrets.token_hex(8))
    bell.start()
    stack.callback(bell.stop)


def _heed_the_clock(clock: Clock, board: JobBoard, scheduler: Scheduler, stack: ExitStack) -> None:
    """Where the time of day is put back, the jobs would wait until it is what it was."""

    def jumped(by: timedelta) -> None:
        board.shift(by)
        scheduler.wake()

    _look_out("jumps", look_for_jumps(Jumps(clock), jumped), stack)


def _look_out(name: str, look: Callable[[], bool], stack: ExitStack) -> None:
    lookout = Lookout(name, look, LOOK_SECONDS)
    lookout.start()
    stack.callback(lookout.stop)


def _runs(settings: Settings, clock: Clock, stack: ExitStack) -> Runs | None:
    """The CI runs that are let in, None for none."""
    pins = settings.run_pins
    if pins is None:
        return None
    keys = IssuerKeys(pins.issuer)
    stack.callback(keys.close)
    return Runs(RunTokens(pins, keys, clock), settings.run_place(settings.apps_url), settings.run_lasts)


def _jobs(
    settings: Settings,
    ledger: Ledger,
    rules: RulesFile,
    bot: Bot,
    alerting: Alerting,
    turn: Turn,
    outgrown: Callable[[], None],
) -> Iterator[Job]:
    """What this process is woken for: the rounds while they are its own; its rules and its schema in any case."""
    # A look at the ledger, too, may have to wait: for a lock, for a place at the pooler, for a restart.
    deadline = settings.call_deadline_seconds * CALLS_PER_JOB
    yield from (replace(job, may=turn.is_here) for job in bot.jobs())
    # Once for all bots; that the ledger is away is told by whose turn it was, since nobody can have taken it.
    yield Job("alerts", ALERTS_TICK, deadline, alerting.once, may=turn.was_last_here)
    yield Job("rules", settings.tick_seconds, deadline, lambda: heed_rules(rules, ledger))
    yield Job("schema", settings.tick_seconds, deadline, outgrown)


def _turn(settings: Settings, ledger: Ledger, stop: threading.Event) -> Turn:
    """The rounds of a ledger are one bot's; a SQLite file has one bot anyhow."""
    if ledger.db.is_sqlite:
        return ALONE
    holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    return Keeper(ledger.leases, holder, settings.rounds_lease_seconds, stop.is_set)


def _is_over(stop: threading.Event, turn: Turn) -> bool:
    return stop.is_set() or not turn.is_here()


def _listen(stream: Stream | None, stack: ExitStack) -> None:
    if stream is not None:
        stream.start()
        stack.callback(stream.stop)


def _metrics(
    ledger: Ledger, board: JobBoard, clock: Clock, rules: RulesFile, operations_of: OperationsOf, turn: Turn, bot: Bot
) -> Metrics:
    metrics = Metrics(CollectorRegistry())
    version, standing = (lambda: rules().version), ledger.alerts.standing
    stream = bot.stream
    streams = ((lambda: stream.state() if stream is not None else None), ledger.sources.compared)
    backed_up = partial(ledger.desk.watermark, BACKED_UP)
    sources = Sources(_overview(operations_of), standing, version, board, clock, turn.is_here, *streams, backed_up)
    metrics.registry.register(Gauges(sources))
    return metrics


def _overview(operations_of: OperationsOf) -> Callable[[], Overview]:
    """How the bot is, for its own metrics and alerts."""
    return operations_of(Caller(Role.VIEWER, DeviceId("bot"))).overview


def _admin(
    settings: Settings,
    ledger: Ledger,
    board: JobBoard,
    clock: Clock,
    rules: RulesFile,
    operations_of: OperationsOf,
    console: FastAPI,
    metrics: Metrics,
    turn: Turn,
) -> FastAPI:
    if settings.is_admin_open:
        # Whoever is there can try a token, and read health and metrics, which ask for none.
        log.warning("admin_open", listen=settings.admin_listen, address=settings.admin_address)
    return admin_app(
        ledger,
        board,
        clock,
        rules,
        [urlsplit(settings.admin_address).hostname or ""],
        operations_of=operations_of,
        lane_schedule=settings.lane_schedule,
        console=console,
        metrics=metrics,
        is_open=settings.is_admin_open,
        turn=turn,
    )


def _listeners(
    settings: Settings,
    ledger: Ledger,
    rules: RulesFile,
    moderate: Moderate,
    runs: Runs | None,
    admin: FastAPI,
    metrics: Metrics,
) -> Iterator[Listener]:
    """Each takes its port when it is asked for, so that one that cannot leaves those before it to be stopped."""
    lane = lane_app(ledger, settings.apps_url, rules=rules, moderate=moderate, runs=runs)
    apps = apps_app(
        ledger,
        settings.apps_url,
        web_url=settings.web_url,
        contact=settings.contact,
        status_pages=settings.status_pages,
        console_url=settings.admin_address,
    )
    yield Listener("apps", CountedCalls(apps, "apps", metrics), settings.apps_listen)
    yield Listener("lane", CountedCalls(lane, "lane", metrics), settings.lane_listen)
    yield Listener("admin", CountedCalls(admin, "admin", metrics), settings.admin_listen)


def _end(jobs: str) -> None:
    """A thread that hangs cannot be ended; the process can."""
    os._exit(STUCK)
