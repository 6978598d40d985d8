"""The bot's jobs over a ledger of their own on the real network, and the people around it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bot.clock import Clock
from bot.jobs.ingest import Reach, ingest_once
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.rounds import Bot
from guardrails.access import Caller, Role
from guardrails.documents import ClaimId, DeviceId, StrongRef
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, Report
from tests.facts import PURSE
from tests.network.net import Account, Network

BOT = Caller(Role.BOT, DeviceId("bot"))
LANE = Caller(Role.LANE, DeviceId("lane"))
CLAIM = ClaimId("claim-of-the-only-lane-000")


@dataclass
class Here:
    """The bot's jobs over a ledger of their own, and the people around it."""

    network: Network
    wright: Account
    alice: Account
    bob: Account
    ledger: Ledger
    clock: Clock
    bot: Bot

    def asks(self, thread: StrongRef | None = None, what: str = "make me a pomodoro timer") -> StrongRef:
        """Alice asks, in a thread or beginning her own."""
        text = f"@{self.wright.handle} {what}"
        if thread is None:
            post = self.network.post(self.alice.did, text, mentions=[self.wright.did])
        else:
            post = self.network.reply(self.alice.did, thread, text, mentions=[self.wright.did])
        self.network.process()
        return post

    def hears(self) -> None:
        """The bot reads what is new, and has not judged it yet."""
        ingest_once(self.ledger, self.bot.presence.account(), BOT, Reach(None, 3, self.clock() - timedelta(hours=1)))

    def builds(self, screenshot: bytes | None = None, **more: Any) -> None:
        """A lane takes the ask and reports it done, or as said."""
        claimed = self.ledger.claims.claim_next(LANE, CLAIM, "template", PURSE)
        assert claimed is not None
        if screenshot is not None:
            self.ledger.hosting.store_screen(LANE, CLAIM, screenshot)
        told: dict[str, Any] = {
            "outcome": BuildOutcome.DONE,
            "title": "A timer",
            "address": f"http://localhost:8100/{claimed.slug}",
            "sha256": "0" * 64,
            "generator": "template",
        }
        self.ledger.claims.report(LANE, CLAIM, Report(**told | more))

    def watches(self, times: int = 1, apart: timedelta = timedelta(seconds=61)) -> None:
        """A look at a time, the first one after so long a time."""
        self.network.process()
        for _ in range(times):
            self.clock.shift += apart
            self.bot.watch()

    def document(self, post: StrongRef) -> Document:
        return self.ledger.queries.find(post.uri)

    def stands(self, post: StrongRef) -> tuple[Status, Reason]:
        return self.document(post).status, self.document(post).reason
