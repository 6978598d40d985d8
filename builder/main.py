"""The composition root of the lane process: the only place that builds its client, tools, clock and random ids."""

import ipaddress
import random
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import stamina.instrumentation
from structlog.typing import FilteringBoundLogger

from builder.build import Tools
from builder.client import BotClient
from builder.errands import LaneSettings
from builder.lane import Lane
from builder.settings import BotSettings, Settings, read_token
from builder.signals import drained_by_signals
from builder.stopping import Drain
from builder.watch import work_side_by_side, work_some, work_until_drained
from builder.wiring.parts import open_tools, parts_of
from guardrails.shapes import prepare_shapes


@dataclass(frozen=True)
class LaneProcess:
    """A lane that is ready to work."""

    settings: Settings
    client: BotClient
    tools: Tools
    drain: Drain
    log: FilteringBoundLogger

    def once(self, most: int) -> int:
        """Work until nothing waits, at most so many documents; how many were reported."""
        return work_some(self._lane(), self.drain, most)

    def watch(self, workers: int) -> None:
        """Work on so many documents at a time, until SIGTERM or SIGINT."""

        def watch() -> None:
            work_until_drained(self._lane(), self.drain, self.log, self.settings.poll_seconds, _spread)

        self.log.info("watching", bot=self.settings.bot_url, workers=workers)
        work_side_by_side(watch, workers, self.drain)
        self.log.info("drained")

    def _lane(self) -> Lane:
        settings = self.settings
        how = LaneSettings(
            settings.work_dir,
            report_patience_seconds=settings.report_patience_seconds,
            lease_seconds=settings.lease_seconds,
        )
        return Lane(self.client, self.tools, self.drain, self.log, how, new_claim_id, time.monotonic)


@contextmanager
def lane_process(settings: Settings, log: FilteringBoundLogger) -> Iterator[LaneProcess]:
    """A lane with its connections and tools, drained by SIGTERM and SIGINT while the block lasts; main thread only.

    LaneUnfit when it could build nothing here.
    """
    prepare_shapes()
    drain = Drain(settings.grace_seconds)
    with (
        bot_client(settings, log) as client,
        open_tools(settings, client) as tools,
        drained_by_signals(drain, log),
    ):
        log.info("ready", **parts_of(settings))
        yield LaneProcess(settings, client, tools, drain, log)


@contextmanager
def no_bot() -> Iterator[BotClient]:
    """A client for work that calls no bot: whatever is called is unreachable."""
    with httpx.Client() as http:
        yield BotClient(http, None, 0.0, time.monotonic)


@contextmanager
def unknown_to_bot(settings: BotSettings, log: FilteringBoundLogger) -> Iterator[BotClient]:
    """The bot of these settings, for a lane that has no token yet."""
    with _http(settings.bot_url, log) as http:
        yield BotClient(http, None, settings.call_deadline_seconds, time.monotonic)


@contextmanager
def bot_client(settings: Settings, log: FilteringBoundLogger) -> Iterator[BotClient]:
    """The bot of these settings, with the device's token."""
    token = read_token(settings)
    with _http(settings.bot_url, log) as http:
        yield BotClient(http, token, settings.call_deadline_seconds, time.monotonic)


@contextmanager
def _http(bot_url: str, log: FilteringBoundLogger) -> Iterator[httpx.Client]:
    stamina.instrumentation.set_on_retry_hooks([])
    local = _is_loopback(httpx.URL(bot_url).host)
    if not local and bot_url.lower().startswith("http:"):
        log.warning("token_in_clear", mend="use an https address")
    # Loopback never goes through a proxy from the environment.
    with httpx.Client(base_url=bot_url, trust_env=not local, limits=_NO_REUSE) as http:
        yield http


# One connection a call: the deadline of a call ends its connection, and nobody else's.
_NO_REUSE = httpx.Limits(max_keepalive_connections=0)


def new_claim_id() -> str:
    """A claim id that nobody has had."""
    return secrets.token_urlsafe(24)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _spread(seconds: float) -> float:
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311  # spreads a fleet's polls, guards nothing
