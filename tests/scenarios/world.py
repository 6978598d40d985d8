"""A small world for stories: a Bluesky, the bot over a ledger, and a lane that builds at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.clock import Clock
from bot.ledger.claims import Claimed
from bot.ledger.ledger import Ledger
from bot.ledger.purse import purse_of
from bot.ledger.views import Document
from bot.rounds import Bot
from bot.sandbox.faults import Fault
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.settings import Settings
from guardrails.access import Caller, Role
from guardrails.documents import POST_COLLECTION, ClaimId, DeviceId, StrongRef
from guardrails.rules import AskRules, CapRules, LoopRules, MoneyRules, Rules
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome, Report

PUT = "com.atproto.repo.putRecord"
LANE = Caller(Role.LANE, DeviceId("lane"))
# Most stories are about something else than how much somebody asks for, or how often the same.
LENIENT = Rules(
    ask=AskRules(same_hours=0),
    caps=CapRules(
        author_per_hour=1000,
        author_per_day=1000,
        starts_per_day=1000,
        thread_per_day=1000,
        all_per_day=10_000,
        at_once=1000,
    ),
    money=MoneyRules(author_day_usd=1000, day_usd=1000),
    loops=LoopRules(exchanges=1000, per_minute=1000),
)


def ruled(**sections: dict[str, Any]) -> Rules:
    """The built-in rules but for what a story is about."""
    return Rules.model_validate(sections, strict=False)


@dataclass
class World:
    """Alice, Bob and the bot on one network. `bot` is the running process; `restart` is the next one."""

    ledger: Ledger
    clock: Clock
    sandbox: SandboxServer
    settings: Settings
    bot: Bot = field(init=False)
    rules: Rules = LENIENT
    claims: int = 0

    def __post_init__(self) -> None:
        self.bot = self._new_bot()

    @property
    def network(self) -> SandboxNetwork:
        return self.sandbox.network

    def start(self) -> None:
        """The bot's first readings, before anybody has said anything."""
        self.bot.ingest()
        self.bot.sweep()
        self.bot.reply()

    def restart(self, *, since: timedelta = timedelta()) -> None:
        """The process is gone, whatever it knew; the next one starts over the same ledger."""
        self.bot.close()
        self.bot = self._new_bot(since)

    def says(self, handle: str, text: str, reply_to: StrongRef | None = None) -> StrongRef:
        """A post by somebody, mentioning everybody whom the text names."""
        network = self.network
        everybody = [account.did for account in network.state.accounts.values()]
        return network.post(network.account(handle).did, text, mentions=everybody, reply=reply_to)

    def document(self, post: StrongRef) -> Document:
        return self.ledger.queries.find(post.uri)

    def status(self, post: StrongRef) -> Status:
        return self.document(post).status

    def lane_builds(self, title: str = "Pomodoro timer", screenshot: bytes | None = None, **more: Any) -> Document:
        """A lane takes the oldest waiting ask, shows how the app looks if it has a picture, and reports it done."""
        claim, claimed = self.lane_claims()
        if screenshot is not None:
            self.ledger.hosting.store_screen(LANE, claim, screenshot)
        told: dict[str, Any] = {
            "outcome": BuildOutcome.DONE,
            "title": title,
            "description": "A timer.",
            "address": f"{self.settings.apps_url}/{claimed.slug}",
            "sha256": "0" * 64,
            "generator": "template",
        }
        self.ledger.claims.report(LANE, claim, Report(**told | more))
        return claimed.document

    def lane_claims(self) -> tuple[ClaimId, Claimed]:
        """A lane takes the oldest waiting ask."""
        self.claims += 1
        claim = ClaimId(f"claim-{self.claims:020d}")
        claimed = self.ledger.claims.claim_next(LANE, claim, "template", purse_of(self.rules))
        assert claimed is not None
        return claim, claimed

    def replies(self) -> list[Mapping[str, Any]]:
        """The records of the bot's posts, as its repository holds them."""
        did = self.network.account("wright.test").did
        return [entry["value"] for entry in self.network.repo(did, POST_COLLECTION)]

    def fails(self, kind: str, nsid: str = PUT, **more: Any) -> None:
        """Script a fault of the network."""
        self.network.faults.append(Fault(nsid, kind, **more))  # type: ignore[arg-type]

    def until_settled(self, rounds: int = 12) -> None:
        """Let the bot go on while time passes, until nothing waits for its answer any more."""
        for _ in range(rounds):
            self.bot.reply()
            if not self.ledger.pages.counts()[Status.BUILT]:
                return
            self.clock.shift += timedelta(minutes=11)

    def _new_bot(self, since: timedelta = timedelta()) -> Bot:
        return Bot(self.settings, self.ledger, self.clock, since, rules=lambda: self.rules)


def settings_for(sandbox: SandboxServer, password: str = "wright.test-pw", **more: Any) -> Settings:
    """The settings of a bot on a sandbox; the ledger is opened by the test."""
    told: dict[str, Any] = {
        "identifier": "wright.test",
        "password": SecretStr(password),
        "session_key": SecretStr(Fernet.generate_key().decode()),
        "pds_url": sandbox.url,
        "plc_url": f"{sandbox.url}/plc",
        "apps_url": "http://localhost:8100",
        "call_deadline_seconds": 30,  # a busy machine is no slow network
    }
    return Settings(**told | more)
