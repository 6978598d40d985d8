"""The heartbeat beside a build: renews the lease, carries the step, and stops the work when the claim is void."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Thread

from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable, ClaimLost, NotWelcome
from builder.logs import BuildLog
from builder.stopping import Stop, StopReason
from guardrails.wire import Claim

# Quick steps share one heartbeat: no more than one in this time.
SHORTEST_GAP_SECONDS = 1.0
LONGEST_JOIN_SECONDS = 5.0


class Heartbeat:
    """One claim's heartbeat, in a thread of its own while `running`."""

    def __init__(
        self, client: BotClient, claim: Claim, stop: Stop, log: BuildLog, gap_seconds: float = SHORTEST_GAP_SECONDS
    ) -> None:
        self._client = client
        self._claim_id = claim.claim_id
        self._interval_seconds = max(claim.heartbeat_seconds, gap_seconds)
        self._gap_seconds = gap_seconds
        self._stop = stop
        self._log = log
        self._changed = Condition()
        self._step = "claimed"
        self._told = "claimed"
        self._ended = False

    def step(self, name: str) -> None:
        """Say what is being done now; the bot hears of it within the shortest gap."""
        with self._changed:
            self._step = name
            self._changed.notify_all()

    @contextmanager
    def running(self) -> Iterator["Heartbeat"]:
        """Beat until the block is left."""
        thread = Thread(target=self._run, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()
            thread.join(LONGEST_JOIN_SECONDS)

    def _run(self) -> None:
        while self._wait_for_next():
            self._beat()

    def _wait_for_next(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._ended, self._gap_seconds)
            self._changed.wait_for(
                lambda: self._ended or self._step != self._told, self._interval_seconds - self._gap_seconds
            )
            return not self._ended and self._stop.reason is None

    def _beat(self) -> None:
        step = self._step
        try:
            self._client.heartbeat(self._claim_id, step, give_up=lambda: self._ended)
        except ClaimLost:
            self._stop.ask(StopReason.LOST)
        except NotWelcome:
            self._stop.ask(StopReason.NOT_WELCOME)
        except (BotUnreachable, BotRefused) as problem:
            # The end of a lease only permits a takeover, so the work goes on.
            if not self._ended:
                self._log.say("heartbeat_missed", problem=str(problem))
        self._told = step
