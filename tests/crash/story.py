"""One story: people ask, lanes build, the bot answers over a faulty network, and dies wherever fate says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

from bot.ledger.claims import Claimed
from bot.sandbox.faults import Fault
from bot.sandbox.network import SandboxNetwork
from guardrails.documents import ClaimId, StrongRef
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome, Report
from tests.crash.host import Host, Process
from tests.facts import PURSE
from tests.scenarios.world import LANE, PUT

PEOPLE = ("alice.test", "bob.test", "carol.test", "dave.test")
MOST_ROUNDS = 12
PAGE = {"index.html": b"<!doctype html><title>an app</title>"}
BUNDLE = "0" * 64
OUTAGE = timedelta(minutes=15)


@dataclass
class Story:
    """Alice and Carol get an app, Carol in Bob's thread; Bob asks for nothing, Dave for a rocket: a line to each."""

    host: Host
    network: SandboxNetwork
    posts: dict[str, StrongRef] = field(default_factory=dict)
    roots: dict[str, StrongRef] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def tell(self) -> None:
        """From the first start to the last sweep; every step is repeated until a process has lived to its end."""
        for job in ("ingest", "sweep", "reply"):
            self._job(job, at_death=self.people_speak)
        self.people_speak()
        for job in ("ingest", "judge", "speak"):
            self._job(job)
        self._a_lane_vanishes()
        while self._a_lane_builds():
            pass
        self._the_bot_answers()
        for job in ("sweep", "judge", "reply", "speak"):
            self._job(job)

    def people_speak(self) -> None:
        """They ask once: while the bot is away for the first time, or when it has come up."""
        if self.posts:
            return
        thread = self._says("bob.test", "a thread of my own")
        asks = {
            "alice": "@wright.test make me a pomodoro timer",
            "dave": "@wright.test make me a rocket",
            "bob": "@wright.test",
            "carol": "@wright.test make me a to-do list",
        }
        for name, ask in asks.items():
            # Each at a time of its own: Alice and Dave are taken on together, and Carol is judged after Bob.
            self.host.clock.shift += timedelta(seconds=1)
            self.posts[name] = self._says(f"{name}.test", ask, thread if name == "carol" else None)
        # Longer ago than readings overlap: whoever marks these as read without keeping them has lost them.
        self.host.clock.shift += OUTAGE
        self.roots = self.posts | {"carol": thread}

    def _job(self, name: str, at_death: Callable[[], object] = lambda: None) -> None:
        """One round of a job, begun anew by the next process when one dies in it."""
        self.host.run(lambda process: getattr(process.bot, name)(), at_death)

    def _a_lane_vanishes(self) -> None:
        """A lane takes the oldest ask and is never heard of again."""
        self._claim(self._claim_id())
        self.host.clock.shift += self.host.settings.policy.lane.lease + timedelta(seconds=1)

    def _a_lane_builds(self) -> bool:
        """A lane takes one ask to its end, False when there is none; what was not answered is repeated as it was."""
        claim_id = self._claim_id()
        claimed = self._claim(claim_id)
        if claimed is None:
            return False
        report = self._report(claimed)
        if report.outcome is BuildOutcome.DONE:
            self.host.run(lambda process: process.ledger.hosting.store(LANE, claim_id, BUNDLE, PAGE))
        self.host.run(lambda process: process.ledger.claims.heartbeat(LANE, claim_id, "reporting"))
        self.host.run(lambda process: process.ledger.claims.report(LANE, claim_id, report))
        return True

    def _the_bot_answers(self) -> None:
        """The network loses an answer and a request; time passes until nothing waits any more."""
        self.network.faults += [Fault(PUT, "drop_answer"), Fault(PUT, "drop_request")]
        for _ in range(MOST_ROUNDS):
            self._job("reply")
            self._job("speak")
            if self.host.run(_is_quiet):
                return
            self.host.clock.shift += timedelta(minutes=11)

    def _claim(self, claim_id: ClaimId) -> Claimed | None:
        return self.host.run(lambda process: process.ledger.claims.claim_next(LANE, claim_id, "template", PURSE))

    def _claim_id(self) -> ClaimId:
        return ClaimId(f"claim-{next(self.ids):020d}")

    def _report(self, claimed: Claimed) -> Report:
        if "rocket" in claimed.document.mention.ask:
            return Report(outcome=BuildOutcome.REFUSED, reason="I can build timers", generator="template")
        return Report(
            outcome=BuildOutcome.DONE,
            title=claimed.document.mention.ask,
            address=f"{self.host.settings.apps_url}/{claimed.slug}",
            sha256=BUNDLE,
            generator="template",
            cost_micros=7,
        )

    def _says(self, handle: str, text: str, reply: StrongRef | None = None) -> StrongRef:
        everybody = list(self.network.state.accounts)
        return self.network.post(self.network.account(handle).did, text, mentions=everybody, reply=reply)


def _is_quiet(process: Process) -> bool:
    """Whether nothing waits for the bot's voice."""
    queries = process.ledger.queries
    waiting = [
        process.ledger.pages.counts()[Status.BUILT],
        queries.unsettled_sends(),
        queries.to_like(10),
        queries.to_tell(10),
    ]
    return not any(waiting)
