"""Many mentions over a faulty network, with bots and lanes that are killed: one reply each, and the ledger knows it."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from bot.ledger.ledger import Ledger
from guardrails.documents import POST_COLLECTION, StrongRef
from guardrails.transitions import Status
from tests.network.net import Account, Network
from tests.postgres import PostgresServer
from tests.rules_file import write_rules
from tests.scenarios.processes import Machine, machine
from tests.scenarios.world import LENIENT
from tests.soak.faults import SHARES, CallKind, Fault, Schedule
from tests.soak.faulty_proxy import FaultyProxy, faulty_proxy
from tests.soak.restarts import Restarts
from tests.soak.supervisor import Kept, Supervisor
from tests.soak.verdict import Verdict, records_of, verdict
from tests.waiting import until

DEADLINE_SECONDS = 1.0
LIKE = "app.bsky.feed.like"
ASKS = ("a pomodoro timer", "a to-do list", "a tip calculator", "a decision wheel")
OPEN = (Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT)
QUICK = {
    "call_deadline_seconds": str(DEADLINE_SECONDS),
    "poll_seconds": "0.5",
    "tick_seconds": "0.2",
    "sweep_seconds": "10",
    "lease_seconds": "2",
    "retry_seconds": "0.2",
    "failures": "100",
    "replies_per_hour": "1600",
}


@dataclass(frozen=True)
class Database:
    """An empty database on a PostgreSQL server, and its address at a pooler where there is one."""

    server: PostgresServer
    url: str
    pooled_url: str | None = None

    @property
    def settings(self) -> dict[str, str]:
        """What tells a bot of it."""
        if self.pooled_url is None:
            return {"database_url": self.url}
        return {"database_url": self.pooled_url, "database_direct_url": self.url}


@dataclass(frozen=True)
class Plan:
    """A run: how many mentions, and what goes wrong meanwhile. Without a number there is a lane for each bot.

    `restarts` are of the database's server, which has to come back by itself.

    A `brief` one leaves out what the bot waits longest for, by design: a send's fourth try, a look that failed or met
    a rate limit of all calls, and the likes, which come under the limits of the replies.
    """

    mentions: int
    seed: int
    bots: int = 1
    lanes: int | None = None
    database: Database | None = None
    restarts: int = 0
    authors: int = 6
    brief: bool = False

    @property
    def pace(self) -> float:
        """The seconds between two mentions."""
        return 0.2 if self.brief else 0.35

    @property
    def schedule(self) -> Schedule:
        """What the network does."""
        if self.brief:
            return Schedule(self.seed, 2, {**SHARES, CallKind.LOOK: 0.0}, limits=[CallKind.WRITE])
        return Schedule(self.seed, 4)

    @property
    def kills(self) -> int:
        """How many moments there are at which somebody is killed."""
        return max(5, self.mentions // 10)

    @property
    def restarted(self) -> Restarts | None:
        """The restarts of the database, spread over the time in which people ask."""
        if self.database is None or not self.restarts:
            return None
        return Restarts(self.seed, self.database.server, self.restarts, self.mentions * self.pace / self.restarts)

    @property
    def patience(self) -> float:
        """How long the run may take in all, in seconds."""
        return 180 + 3 * self.mentions + 60 * self.restarts


@dataclass
class Outcome:
    """What came of a run."""

    plan: Plan
    verdict: Verdict
    schedule: Schedule
    supervisor: Supervisor
    seconds: float

    @property
    def problems(self) -> list[str]:
        """Why the run does not count as good; the first lines of each that ended by itself among them."""
        missing = [f"no write met {fault.value}" for fault in self.schedule.missing(CallKind.WRITE)]
        told = self.verdict
        counted = [f"{n} {what}" for n, what in [(told.doubles, "doubles"), (told.losses, "losses")] if n]
        return counted + told.disagreements + missing + self.supervisor.ended

    @property
    def line(self) -> str:
        """The run in one line."""
        told = self.verdict
        return (
            f"soak: {self.plan.mentions} mentions, {self.schedule.faults} faults, "
            f"{self.supervisor.killed.total()} kills, {self._restarts}{told.unknowns} unknowns settled, "
            f"doubles {told.doubles}, losses {told.losses}"
        )

    @property
    def _restarts(self) -> str:
        return f"{self.supervisor.restarts} restarts of the database, " if self.plan.restarts else ""


def soak(plan: Plan, network: Network, folder: Path) -> Outcome:
    """Run it, and hold the repository and the ledger against what was asked; both are read past the proxy."""
    began = time.monotonic()
    wright = network.create_account(network.fresh_handle("wright"), self_labels=["bot"])
    authors = [network.create_account(network.fresh_handle("author")) for _ in range(plan.authors)]
    schedule = plan.schedule
    with (
        faulty_proxy(network.endpoints.pds, schedule, DEADLINE_SECONDS * 1.5) as proxy,
        _machines(plan, folder, proxy, wright) as machines,
        machines[0].ledger() as ledger,
    ):
        keeper = _started(plan, machines, proxy)
        mentions = _asked(plan, network, wright, authors, keeper)
        _settle(plan, ledger, keeper, began)
        keeper.stop()
        posts, likes = (records_of(network, wright.did, collection) for collection in (POST_COLLECTION, LIKE))
        told = verdict(ledger, posts, likes, mentions, proxy.unclear)
    return Outcome(plan, told, schedule, keeper, time.monotonic() - began)


def report(outcome: Outcome) -> None:
    """Print what happened, the line last."""
    for kind in CallKind:
        dealt = outcome.schedule.dealt[kind]
        faults = ", ".join(f"{fault.value} {dealt[fault]}" for fault in Fault)
        print(f"{kind.value}: {outcome.schedule.calls[kind]} calls; {faults}")
    print("killed:", ", ".join(f"{victim.value} {n}" for victim, n in outcome.supervisor.killed.items()))
    if outcome.plan.restarts:
        print("bots that found no database when they began:", outcome.supervisor.turned_away)
    print(f"took {outcome.seconds:.0f} s")
    for problem in outcome.problems:
        print(problem, file=sys.stderr)
    print(outcome.line, flush=True)


@contextmanager
def _machines(plan: Plan, folder: Path, proxy: FaultyProxy, wright: Account) -> Iterator[list[Machine]]:
    """One machine for each bot; they share the ledger, its key and the apps' address."""
    shared = {"identifier": wright.handle, "password": wright.password, "pds_url": proxy.url, **QUICK}
    shared |= {"likes": str(not plan.brief), "rules": str(write_rules(LENIENT, folder / "guardrails.toml"))}
    shared |= plan.database.settings if plan.database else {}
    with ExitStack() as stack:
        machines: list[Machine] = []
        for number in range(plan.bots):
            home = folder / f"machine-{number}"
            home.mkdir()
            machines.append(stack.enter_context(machine(home, **shared)))
            shared |= {
                name: machines[0].settings[f"SKYWRIGHT_{name.upper()}"]
                for name in ("session_key", "apps_url", "database_url")
            }
        assert 0 == machines[0].skywright("migrate").status()
        yield machines


def _started(plan: Plan, machines: list[Machine], proxy: FaultyProxy) -> Supervisor:
    """Bots that have noted their first start, and a lane for each."""
    bots, lanes = [], []
    for number, here in enumerate(machines):
        bots.append(Kept(f"bot {number}", partial(here.skywright, "run")))
    for number in range(plan.lanes or plan.bots):
        token, here = f"sw_{number:02}{'t' * 41}", machines[number % len(machines)]
        machines[0].enrol(f"lane-{number}", token)
        lanes.append(Kept(f"lane {number}", partial(here.lane, token=token)))
    for here, bot in zip(machines, bots, strict=True):
        until(here.health, told=partial(_said, bot))
    pace = plan.mentions * plan.pace / plan.kills
    return Supervisor(plan.seed, bots, lanes, proxy, plan.kills, pace, plan.restarted)


def _said(kept: Kept) -> str:
    return kept.program.said


def _asked(
    plan: Plan, network: Network, wright: Account, authors: list[Account], keeper: Supervisor
) -> list[StrongRef]:
    """The mentions, posted one after the other while bots and lanes come and go."""
    mentions = []

    def is_time() -> bool:
        keeper.look()
        return time.monotonic() >= due

    for number in range(plan.mentions):
        due = time.monotonic() + plan.pace
        text = f"@{wright.handle} make me {ASKS[number % len(ASKS)]} number {number}"
        mentions.append(network.post(authors[number % len(authors)].did, text, mentions=[wright.did]))
        until(is_time)
    return mentions


def _settle(plan: Plan, ledger: Ledger, keeper: Supervisor, began: float) -> None:
    """Wait until everybody was killed, nothing is open and every send is known, or patience is at its end."""

    def settled() -> bool:
        keeper.look()
        try:
            counts, unsettled = ledger.pages.counts(), ledger.queries.unsettled_sends(1)
        except DBAPIError:  # it is being restarted
            return False
        if unsettled:
            return False
        return keeper.is_done and sum(counts.values()) >= plan.mentions and not any(counts[each] for each in OPEN)

    with suppress(AssertionError):  # what is not settled then is told as a loss
        until(settled, began + plan.patience - time.monotonic())
