"""The composition root of the bot: the only place that builds settings, ledger, account, scheduler and web apps."""

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar
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
from bot.bluesky.lists import AllowList
from bot.clock import Clock
from bot.console.app import console_app
from bot.follower import Follower
from bot.holding import sole_holder
from bot.jobs.asides import Tact
from bot.jobs.board import JobBoard
from bot.jobs.catching_up import CatchingUp
from bot.jobs.dispatch import Dispatched, dispatch_once
from bot.jobs.facts import Bench
from bot.jobs.ingest import WATERMARK, Ingested, Reach, Trail, ingest_once
from bot.jobs.judge import Judged, judge_once
from bot.jobs.lanes import Looked, look_for_lanes_once
from bot.jobs.look import LookProof, look_once
from bot.jobs.reload import heed_rules, started_with
from bot.jobs.reply import Manners, Replied, reply_once, settle_once
from bot.jobs.rescue import rescue_once
from bot.jobs.sending import Voice
from bot.jobs.speak import Spoken, settle_asides_once, speak_once
from bot.jobs.standing import Standing, heed_failure, standing_once
from bot.jobs.watch import Watched, watch_once
from bot.ledger.conditions import DISPATCH
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.purse import purse_of
from bot.ledger.schema import check_schema, migrate
from bot.listeners import Listener
from bot.metrics.calls import CountedCalls
from bot.metrics.counting import Metrics
from bot.metrics.gauges import Gauges, Sources
from bot.moderation import Moderator
from bot.operations.port import Overview
from bot.presence import Presence, ledger_sessions
from bot.rules import RulesFile
from bot.scheduler import Job, Scheduler, Watchdog
from bot.settings import LedgerSettings, Settings
from bot.steering import operations_of_bot
from bot.workflows import WorkflowCalls
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId, Slug
from guardrails.rules import Rules
from guardrails.slugs import mint_slug
from guardrails.tid import TidClock

POLL_PAGES = 30
SWEEP_PAGES = 300
SWEEP_BACK = timedelta(hours=24)
FIRST_START = "first_start"
# Each post has a time of its own at which it is looked at; a reply is to be seen soon after it is out.
WATCH_TICK = 10.0
# How soon it is noticed that work waits and no lane comes.
LANES_TICK = 10.0
# How soon operators are told of what is wrong, once it has been so for a while.
ALERTS_TICK = 15.0
# How soon an open console is told of a move.
FEED_TICK = 0.5
DISPATCH_BYTES = 16
# A job makes many calls, each with its own deadline; one that takes longer than all of them hangs.
CALLS_PER_JOB = 30
# A round begins nothing more after the time of so many: where every call is slow, nothing hangs.
CALLS_PER_ROUND = 10
STUCK = 70
Done = TypeVar("Done")

log = structlog.get_logger()


def ledger_of(settings: LedgerSettings, clock: Clock | None = None) -> Ledger:
    """The ledger that the settings name; its schema is not looked at yet."""

    def slug(ask: str) -> Slug:
        return mint_slug(ask, secrets.choice)

    return open_ledger(settings.database_url, clock or Clock(), settings.policy, slug)


def prepare_ledger(ledger: Ledger) -> None:
    """Bring a SQLite ledger to this program's schema; LedgerBehind on PostgreSQL, where a person runs the migration."""
    if ledger.db.is_sqlite:
        migrate(ledger.db)
    check_schema(ledger.db)


class Bot:
    """The jobs of one bot process over its ledger and account. Once it is `stopping`, no reply is begun any more."""

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger,
        clock: Clock,
        since: timedelta,
        stopping: Callable[[], bool] = lambda: False,
        steady: Callable[[], float] = time.monotonic,
        rules: Callable[[], Rules] | None = None,
    ) -> None:
        self._settings = settings
        self._rules = rules or RulesFile(settings.rules)
        self.moderator = Moderator(settings.moderation_key)
        self._allow_list = AllowList(clock)
        self._ledger = ledger
        self._clock = clock
        self._caller = Caller(Role.BOT, DeviceId("bot"))
        self._tids = TidClock(clock, secrets.randbelow(1024))
        self.presence = Presence(
            settings.account,
            ledger_sessions(ledger.db, settings),
            clock,
            on_failure=lambda failed: heed_failure(ledger, failed),
        )
        self._proof: LookProof | None = None
        self._looking = threading.Lock()
        self._catching_up = CatchingUp(ledger, self._ingest, self._judge)
        self._reading = threading.Lock()
        self._trail = Trail()
        self._swept = Trail()
        self._stale_before = _first_start(ledger) - since
        self._stopping = stopping
        self._steady = steady
        flow = settings.workflow
        self._workflow = WorkflowCalls(flow, settings.call_deadline_seconds) if flow is not None else None

    def jobs(self) -> list[Job]:
        """What the scheduler wakes."""
        s, deadline = self._settings, self._settings.call_deadline_seconds * CALLS_PER_JOB
        call = self._workflow
        dispatch = [Job("dispatch", LANES_TICK, deadline, lambda: self._dispatch(call))] if call is not None else []
        return [
            Job("ingest", s.poll_seconds, deadline, self.ingest),
            Job("sweep", s.sweep_seconds, deadline, self.sweep),
            Job("judge", s.tick_seconds, deadline, self.judge),
            Job("reply", s.tick_seconds, deadline, self.reply),
            Job("speak", s.tick_seconds, deadline, self.speak),
            Job("watch", min(s.watch_seconds, WATCH_TICK), deadline, self.watch),
            Job("standing", s.standing_seconds, deadline, self.standing),
            Job("rescue", max(s.tick_seconds, 5), deadline, lambda: rescue_once(self._ledger, self._caller)),
            Job("lanes", LANES_TICK, deadline, self.lanes),
            *dispatch,
        ]

    def ingest(self) -> Ingested:
        """Read what is new; what came in is judged at once."""
        return self._ingest(self._over())

    def sweep(self) -> Ingested:
        """Read the last day again, for what was indexed late or dated back."""
        reach = Reach(self._clock() - SWEEP_BACK, SWEEP_PAGES, self._stale_before, self._swept)
        return self._read(reach, self._over())

    def judge(self) -> Judged:
        """Judge what was received; not before the repository was looked at, so that nothing answered is built again."""
        return self._judge(self._over())

    def reply(self) -> Replied:
        """Answer what is built; not before the repository was looked at, and what was said meanwhile was heard.

        What is claimed already is settled in any case.
        """
        proof = self._looked()
        manners = Manners(self._settings.replies_per_hour, timedelta(hours=self._settings.hold_reply_hours))
        return self._once_caught_up(
            lambda voice: reply_once(voice, proof, manners), lambda voice: settle_once(voice, proof)
        )

    def speak(self) -> Spoken:
        """Like what was taken on, and tell what has ended without an app; not before a reply could be sent."""
        proof = self._looked()
        s, rules = self._settings, self._rules()
        tact = Tact(s.likes, s.notes, rules.commands.answers_per_day, s.apps_url if s.status_pages else "")
        return self._once_caught_up(
            lambda voice: speak_once(voice, proof, tact), lambda voice: settle_asides_once(voice, proof, tact)
        )

    def watch(self) -> Watched:
        """Look at what was asked and answered: taken back, edited, seen; not before the repository was looked at."""
        self._looked()
        return watch_once(self._voice(self._over()), timedelta(seconds=self._settings.watch_seconds))

    def standing(self) -> Standing:
        """Look at the account itself."""
        return standing_once(self._ledger, self.presence.account)

    def lanes(self) -> Looked:
        """Look whether lanes come for what waits."""
        longest = timedelta(minutes=self._settings.lane_wait_minutes)
        return look_for_lanes_once(self._ledger, longest, purse_of(self._rules()))

    def close(self) -> None:
        """Close its connections to other servers; the ledger is not its own."""
        self.presence.close()
        self.moderator.close()
        if self._workflow is not None:
            self._workflow.close()

    def _dispatch(self, workflow: WorkflowCalls) -> Dispatched:
        pace, purse = self._settings.pace, purse_of(self._rules())
        return dispatch_once(self._ledger, workflow, pace, purse, lambda: secrets.token_hex(DISPATCH_BYTES))

    def _over(self) -> Callable[[], bool]:
        """Tells whether a round that begins now is to begin nothing more; all that it does shares the time."""
        ends = self._steady() + self._settings.call_deadline_seconds * CALLS_PER_ROUND
        return lambda: self._stopping() or self._steady() > ends

    def _voice(self, over: Callable[[], bool]) -> Voice:
        return Voice(self._ledger, self.presence.account(), self._caller, self._tids, self._clock, over)

    def _bench(self, over: Callable[[], bool]) -> Bench:
        """For one round, by the rules as they are now."""
        return Bench(
            self._ledger,
            self.presence.account(),
            self._caller,
            self._clock,
            self._rules(),
            self._allow_list,
            self.moderator,
            over,
        )

    def _ingest(self, over: Callable[[], bool]) -> Ingested:
        with self._reading:
            # The first reading settles what is past, and may take its time.
            pages = SWEEP_PAGES if self._ledger.desk.watermark(WATERMARK) is None else POLL_PAGES
            done = self._read(Reach(None, pages, self._stale_before, self._trail), over)
            if done.whole:
                self._catching_up.have_read()
            return done

    def _read(self, reach: Reach, over: Callable[[], bool]) -> Ingested:
        done = ingest_once(self._ledger, self.presence.account(), self._caller, reach, over)
        if done.new:
            self._judge(over)
        return done

    def _judge(self, over: Callable[[], bool]) -> Judged:
        self._looked()
        return judge_once(self._bench(over))

    def _once_caught_up(self, say: Callable[[Voice], Done], settle: Callable[[Voice], Done]) -> Done:
        """Say what is new where all was heard, else only settle; either has the time of a whole round."""
        try:
            heard = self._catching_up.done(self._over())
        except Exception:
            settle(self._voice(self._over()))
            raise
        step = say if heard else settle
        return step(self._voice(self._over()))

    def _looked(self) -> LookProof:
        with self._looking:
            if self._proof is None:
                back = timedelta(hours=self._settings.look_back_hours)
                answers_from = min(self._clock() - back, self._stale_before)
                account, apps_url = self.presence.account(), self._settings.apps_url
                self._proof = look_once(self._ledger, account, self._caller, answers_from, apps_url)
            return self._proof


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

    BotError or BadRules when it cannot start. `since`: how far before its first start the bot still answers.
    """
    clock, rules = clock or Clock(), rules or RulesFile(settings.rules)
    with ExitStack() as stack:
        stack.enter_context(sole_holder(settings.database_url))
        ledger = ledger_of(settings, clock)
        stack.callback(ledger.close)
        prepare_ledger(ledger)
        started_with(rules, ledger)
        bot, board = Bot(settings, ledger, clock, since, stop.is_set, rules=rules), JobBoard(clock)
        stack.callback(bot.close)
        # What was wrong with the workflow may be mended since, or it is called no more.
        ledger.conditions.clear(DISPATCH)
        runs = _runs(settings, clock, stack)
        operations_of = operations_of_bot(settings, ledger, rules, bot.presence.account)
        metrics = _metrics(ledger, board, clock, rules, operations_of)
        follower = Follower(ledger.feed, FEED_TICK, [partial(metrics.moved, ledger.timings)])
        console = console_app(ledger, operations_of, rules, settings.admin_address, follower)
        admin = _admin(settings, ledger, board, clock, rules, operations_of, console, metrics)
        for listener in _listeners(settings, ledger, rules, bot.moderator.moderate, runs, admin, metrics):
            listener.start()
            stack.callback(listener.stop)
        metrics.begin(ledger.feed.last())
        # It ends before the listeners, and the streams with it, which would keep a listener from ending.
        follower.start()
        stack.callback(follower.stop)
        watchdog = Watchdog(board, end or _end, every_seconds=1)
        watchdog.start()
        stack.callback(watchdog.stop)
        reading = Job("rules", settings.tick_seconds, settings.call_deadline_seconds, lambda: heed_rules(rules, ledger))
        alerting = Alerting(settings, ledger, _overview(operations_of), board)
        stack.callback(alerting.close)
        telling = Job("alerts", ALERTS_TICK, settings.call_deadline_seconds * CALLS_PER_JOB, alerting.once)
        scheduler = Scheduler([*bot.jobs(), reading, telling], board)
        scheduler.start()
        stack.callback(scheduler.drain)
        log.info("running", apps=settings.apps_url, lane=settings.lane_listen, admin=settings.admin_listen)
        ready()
        stop.wait()
        log.info("draining")
    log.info("stopped")


def _first_start(ledger: Ledger) -> datetime:
    """When this ledger was first run; noted on the first run."""
    noted = ledger.desk.watermark(FIRST_START)
    if noted is None:
        noted = ledger.db.time()
        ledger.desk.advance(FIRST_START, noted)
    return noted


def _runs(settings: Settings, clock: Clock, stack: ExitStack) -> Runs | None:
    """The CI runs that are let in, None for none."""
    pins = settings.run_pins
    if pins is None:
        return None
    keys = IssuerKeys(pins.issuer)
    stack.callback(keys.close)
    return Runs(RunTokens(pins, keys, clock), settings.run_place(settings.apps_url), settings.run_lasts)


def _metrics(ledger: Ledger, board: JobBoard, clock: Clock, rules: RulesFile, operations_of: OperationsOf) -> Metrics:
    metrics = Metrics(CollectorRegistry())
    sources = Sources(_overview(operations_of), ledger.alerts.standing, lambda: rules().version, board, clock)
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
