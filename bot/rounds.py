"""The rounds of one bot process: what its jobs do each time that they are woken, one after another on one account."""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from bot.bluesky.ages import Ages
from bot.bluesky.identity import IdentityResolver
from bot.bluesky.lists import AllowList
from bot.clock import Clock
from bot.jobs.asides import Tact
from bot.jobs.catching_up import CatchingUp
from bot.jobs.clock import clock_once
from bot.jobs.dispatch import Dispatched, dispatch_once
from bot.jobs.facts import Bench
from bot.jobs.ingest import WATERMARK, Ingested, Reach, Trail, ingest_once
from bot.jobs.judge import Judged, judge_once
from bot.jobs.lanes import Looked, look_for_lanes_once
from bot.jobs.look import Finder, LookProof, look_once
from bot.jobs.prune import Pruned, Walk, prune_once
from bot.jobs.reply import Manners, Replied, reply_once, settle_once
from bot.jobs.rescue import rescue_once
from bot.jobs.sending import Voice
from bot.jobs.speak import Spoken, settle_asides_once, speak_once
from bot.jobs.standing import Standing, heed_failure, standing_once
from bot.jobs.stream import Stream
from bot.jobs.watch import Watched, watch_once
from bot.ledger.conditions import DISPATCH, STREAM, STREAM_GAP
from bot.ledger.ledger import Ledger
from bot.ledger.marks import FIRST_START
from bot.ledger.purse import purse_of
from bot.moderation import Moderator
from bot.presence import Presence, ledger_sessions
from bot.rules import RulesFile
from bot.scheduler import Job
from bot.settings import Settings
from bot.workflows import WorkflowCalls
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId
from guardrails.rules import Rules
from guardrails.tid import TidClock

POLL_PAGES = 30
SWEEP_PAGES = 300
SWEEP_BACK = timedelta(hours=24)
# Each post has a time of its own at which it is looked at; a reply is to be seen soon after it is out.
WATCH_TICK = 10.0
# How soon it is noticed that work waits and no lane comes.
LANES_TICK = 10.0
# How soon a walk through what is over goes on that a round has not finished.
PRUNE_TICK = 600.0
DISPATCH_BYTES = 16
# A job makes many calls, each with its own deadline; one that takes longer than all of them hangs.
CALLS_PER_JOB = 30
# A round begins nothing more after the time of so many: where every call is slow, nothing hangs.
CALLS_PER_ROUND = 10
Done = TypeVar("Done")
log = structlog.get_logger()


class Bot:
    """The jobs of one bot process over its ledger and account. Once it is `stopping`, no reply is begun any more.

    `stream` is the second source of mentions, where one is set; it rests while the rounds are elsewhere.
    """

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
        self._ages = Ages(
            lambda: IdentityResolver(settings.plc_url, deadline_seconds=settings.call_deadline_seconds, now=clock)
        )
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
        self._turn = _Turn(CatchingUp(ledger, self._ingest, self._judge))
        self._first_start = _first_start(ledger)
        self._stale_before = self._first_start - since
        self._stopping = stopping
        self._steady = steady
        flow = settings.workflow
        self._workflow = WorkflowCalls(flow, settings.call_deadline_seconds) if flow is not None else None
        self.stream = self._second_source(settings.stream_url) if settings.stream_url is not None else None

    def begin(self) -> None:
        """The rounds are here from now on: another process may have done them, so all is looked at and heard anew."""
        self._turn = _Turn(CatchingUp(self._ledger, self._ingest, self._judge))
        # What was wrong with the workflow may be mended since, or it is called no more.
        self._ledger.conditions.clear(DISPATCH)
        if self.stream is None:
            self._ledger.conditions.clear(STREAM)
            self._ledger.conditions.clear(STREAM_GAP)

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
            Job("prune", PRUNE_TICK, deadline, self.prune),
            *dispatch,
        ]

    def ingest(self) -> Ingested:
        """Read what is new; what came in is judged at once. What the stream has not kept is swept for."""
        done = self._ingest(self._over())
        if self.stream is not None and self._ledger.conditions.stands(STREAM_GAP):
            self.sweep()
        return done

    def sweep(self) -> Ingested:
        """Read the last day again, for what was indexed late or dated back."""
        turn = self._turn
        with turn.sweeping:
            done = self._read(self._reach(self._clock() - SWEEP_BACK, SWEEP_PAGES, turn.swept), self._over())
        if done.whole and self.stream is not None:
            self._ledger.conditions.clear(STREAM_GAP)
        return done

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
        """Look at the account itself, and at our clock beside its server's."""
        standing = standing_once(self._ledger, self.presence.account)
        clock_once(self._ledger, self.presence.clock_ahead)
        return standing

    def lanes(self) -> Looked:
        """Look whether lanes come for what waits."""
        longest = timedelta(minutes=self._settings.lane_wait_minutes)
        return look_for_lanes_once(self._ledger, longest, purse_of(self._rules()))

    def prune(self) -> Pruned:
        """Remove what is kept for a time only; a round takes no longer than any other, and the next goes on."""
        done = prune_once(self._ledger, self._settings.keep, self._turn.walk, self._over())
        if done.anything:
            log.info("pruned", **vars(done))
        return done

    def close(self) -> None:
        """Close its connections to other servers; the ledger is not its own."""
        self.presence.close()
        self.moderator.close()
        self._ages.close()
        if self._workflow is not None:
            self._workflow.close()

    def _dispatch(self, workflow: WorkflowCalls) -> Dispatched:
        pace, purse = self._settings.pace, purse_of(self._rules())
        return dispatch_once(self._ledger, workflow, pace, purse, lambda: secrets.token_hex(DISPATCH_BYTES))

    def _over(self) -> Callable[[], bool]:
        """Tells whether a round that begins now is to begin nothing more; all that it does shares the time."""
        ends = self._steady() + self._settings.call_deadline_seconds * CALLS_PER_ROUND
        return lambda: self._stopping() or self._steady() > ends

    def _second_source(self, url: str) -> Stream:
        return Stream(
            url,
            self._ledger,
            self.presence.account,
            self._caller,
            self._stale_before,
            self.judge,
            resting=self._stopping,
            silence_seconds=self._settings.stream_silence_seconds,
            random=secrets.SystemRandom(),
        )

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
            self._ages,
            self.moderator,
            over,
        )

    def _ingest(self, over: Callable[[], bool]) -> Ingested:
        turn = self._turn
        with turn.reading:
            # The first reading settles what is past, and may take its time.
            pages = SWEEP_PAGES if self._ledger.desk.watermark(WATERMARK) is None else POLL_PAGES
            done = self._read(self._reach(None, pages, turn.trail), over)
            if done.whole:
                turn.catching_up.have_read()
            return done

    def _reach(self, back_to: datetime | None, pages: int, trail: Trail) -> Reach:
        return Reach(back_to, pages, self._stale_before, trail, compared=self.stream is not None)

    def _read(self, reach: Reach, over: Callable[[], bool]) -> Ingested:
        done = ingest_once(self._ledger, self.presence.account(), self._caller, reach, over)
        if done.new:
            self._judge(over)
        return done

    def _judge(self, over: Callable[[], bool]) -> Judged:
        return judge_once(self._bench(over), self._looked())

    def _once_caught_up(self, say: Callable[[Voice], Done], settle: Callable[[Voice], Done]) -> Done:
        """Say what is new where all was heard, else only settle; either has the time of a whole round."""
        try:
            heard = self._turn.catching_up.done(self._over())
        except Exception:
            settle(self._voice(self._over()))
            raise
        step = say if heard else settle
        return step(self._voice(self._over()))

    def _looked(self) -> LookProof:
        turn = self._turn
        with turn.looking:
            if turn.proof is None:
                back = timedelta(hours=self._settings.look_back_hours)
                answers_from = min(self._clock() - back, self._stale_before)
                finder = Finder(self._ledger, self._caller, self._settings.apps_url)
                turn.proof = look_once(finder, self.presence.account(), answers_from, self._first_start)
            return turn.proof


@dataclass
class _Turn:
    """What a process knows only since the rounds are its own: from a start, or from another bot."""

    catching_up: CatchingUp
    proof: LookProof | None = None
    trail: Trail = field(default_factory=Trail)
    swept: Trail = field(default_factory=Trail)
    looking: threading.Lock = field(default_factory=threading.Lock)
    reading: threading.Lock = field(default_factory=threading.Lock)
    walk: Walk = field(default_factory=Walk)
    sweeping: threading.Lock = field(default_factory=threading.Lock)


def _first_start(ledger: Ledger) -> datetime:
    """When this ledger was first run; noted on the first run."""
    noted = ledger.desk.watermark(FIRST_START)
    if noted is None:
        noted = ledger.db.time()
        ledger.desk.advance(FIRST_START, noted)
    return noted
