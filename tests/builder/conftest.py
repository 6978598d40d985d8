"""A bot to work for, and a lane that works for it."""

import io
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest
import stamina
from pydantic import SecretStr

from builder.build import Tools
from builder.checks.files import FilesCheck
from builder.client import BotClient
from builder.errands import LaneSettings
from builder.generators.template import TemplateGenerator
from builder.lane import Lane
from builder.logs import make_log
from builder.outcomes import Budget
from builder.ports import Check, Generator
from builder.publishers.hosted import HostedPublisher
from builder.stopping import Drain
from tests.builder.fake_bot import TOKEN, FakeBot, running

MakeClient = Callable[..., BotClient]


class Bench:
    """A lane at work for the fake bot, and what it wrote to its log."""

    def __init__(self, client: BotClient, work_dir: Path) -> None:
        self.client = client
        self.work_dir = work_dir
        self.drain = Drain(grace_seconds=600)
        self.out = io.StringIO()
        self.log = make_log(self.out, as_json=False)
        numbers = itertools.count(1)
        self.new_claim_id = lambda: f"claim-{next(numbers):026}"

    def lane(
        self,
        generator: Generator | None = None,
        patience_seconds: float = 0.0,
        checks: Sequence[Check] = (),
        budget: Budget = Budget(600.0),  # noqa: B008  # frozen
        lease_seconds: int | None = None,
    ) -> Lane:
        publisher = HostedPublisher(self.client)
        tools = Tools(generator or TemplateGenerator(), [FilesCheck(), *checks], publisher, budget)
        settings = LaneSettings(self.work_dir, patience_seconds, 0.001, 0.001, lease_seconds)
        return Lane(self.client, tools, self.drain, self.log, settings, self.new_claim_id, time.monotonic)

    @property
    def events(self) -> list[str]:
        """The log's events in order, the heartbeat's left out."""
        words = [
            word for line in self.out.getvalue().splitlines() for word in line.split() if word.startswith("event=")
        ]
        return [word.removeprefix("event=") for word in words if word != "event=heartbeat_missed"]


@pytest.fixture(autouse=True)
def no_backoff() -> Iterator[None]:
    """Repeats follow at once, and there are four of them."""
    with stamina.set_testing(True, attempts=4):
        yield


@pytest.fixture
def bot() -> Iterator[FakeBot]:
    with running(FakeBot()) as bot:
        yield bot


@pytest.fixture
def make_client(bot: FakeBot) -> Iterator[MakeClient]:
    with httpx.Client(base_url=bot.url, trust_env=False) as http:

        def make(token: str = TOKEN, deadline_seconds: float = 20.0) -> BotClient:
            return BotClient(http, SecretStr(token), deadline_seconds, time.monotonic)

        yield make


@pytest.fixture
def bench(make_client: MakeClient, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(make_client(), tmp_path)
    yield bench
    bench.drain.close()
