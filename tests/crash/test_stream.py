"""A process may die between a frame and its document: the next one hears it again, and it is one document."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from bot.bluesky.session import Account, open_account
from bot.clock import Clock
from bot.jobs.sitting import Pace, Sitting
from bot.jobs.stream import REWIND_US
from bot.ledger.engine import Database
from bot.ledger.ledger import Ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.sources import Position, microseconds
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.bot.bluesky.accounts import MemoryKeeper
from tests.crash.conftest import NewLedger
from tests.crash.ports import Died, Fate, MortalDatabase, Side, mortal_network
from tests.ledger_fixtures import slug_for
from tests.mentions import BOT
from tests.scenarios.world import settings_for

NAME = "stream:ws://stream.example/subscribe"
PACE = Pace(tick=0, save=0, refresh=0)
POSTS = 1
ASKED = "@wright.test make me a timer for"


@dataclass
class Listener:
    """One process after another that listens to what has happened on a network, and dies as its fate is."""

    network: SandboxNetwork
    sandbox: SandboxServer
    clock: Clock
    fate: Fate
    steps: int = field(default=0)

    def listen(self, database: MortalDatabase) -> None:
        """Hear all that there is from the place on that the last process has noted."""
        account = open_account(settings_for(self.sandbox).account, MemoryKeeper(now=self.clock), self.clock)
        try:
            with mortal_network(self.fate):
                self._hear(Ledger(database, LedgerPolicy(), slug_for), account)
        finally:
            account.close()

    def _hear(self, ledger: Ledger, account: Account) -> None:
        place = ledger.sources.position(NAME)
        assert place is not None
        since = self.clock() - timedelta(hours=1)
        sitting = Sitting(NAME, ledger, account, BOT, since, lambda: None, PACE, Counter(), place)
        sitting.begin(self._steady())
        for each in self.network.happenings.after(0, 0)[1]:
            if each.time_us >= place - REWIND_US:
                sitting.take(json.dumps(each.told).encode(), self._steady())
                sitting.settle(self._steady)

    def _steady(self) -> float:
        self.steps += 1
        return float(self.steps)


def heard(new_ledger: NewLedger, fate: Fate) -> list[str]:
    """What the documents ask for once every process has had its time."""
    clock = Clock()
    network = SandboxNetwork(clock)
    for handle in ("wright.test", "alice.test"):
        network.create_account(handle)
    with SandboxServer(network) as sandbox, new_ledger() as engine:
        ledger = Ledger(Database(engine, clock), LedgerPolicy(), slug_for)
        ledger.sources.move_on(Position(NAME, microseconds(clock())))
        network.happenings.forget()
        for number in range(POSTS):
            network.say("alice.test", f"{ASKED} {number}")
        listener = Listener(network, sandbox, clock, fate)
        for _ in range(2):
            try:
                listener.listen(MortalDatabase(engine, clock, fate))
            except Died:
                fate.next_process()
        return sorted(each.mention.ask for each in ledger.queries.each_since(clock() - timedelta(days=1), 100))


ALL = [f"make me a timer for {number}" for number in range(POSTS)]


@pytest.mark.parametrize(
    ("kind", "side"),
    [
        ("sqlite", Side.BEFORE),
        ("sqlite", Side.AFTER),
        pytest.param("postgresql", Side.AFTER, marks=pytest.mark.postgres),
    ],
)
def test_whoever_dies_between_a_frame_and_its_document_loses_nothing(
    request: pytest.FixtureRequest, kind: str, side: Side
) -> None:
    """At any question to the network and at any commit: each post is one document in the end."""
    new_ledger: NewLedger = request.getfixturevalue(f"{kind}_ledgers")
    undisturbed = Fate()
    assert ALL == heard(new_ledger, undisturbed)
    points = len(undisturbed.effects) // 2
    for point in range(points):
        fate = Fate(point, side)
        assert (ALL, 1) == (heard(new_ledger, fate), fate.deaths), f"{side.value} {undisturbed.effects[point]}"
    assert {"commit", "app.bsky.feed.getPosts"} <= set(undisturbed.effects[:points])
