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

from builder.client import BotClient
from builder.lane import Lane, LaneSettings
from builder.settings import BuildSettings, Settings, read_token
from builder.signals import drained_by_signals
from builder.stopping import Drain
from builder.watch import work_side_by_side, work_some, work_until_drained
from builder.wiring.parts import open_tools


@dataclass(frozen=True)
class LaneProcess:
    """A lane that is ready to work."""

    settings: Settings
    client: BotClient
    drain: Drain
    log: FilteringBoundLogger

    def once(self, most: int) -> int:
        """Work until nothing waits, at most so many documents; how many were reported."""
        with self.open_lane() as lane:
            return work_some(lane, self.drain, most)

    def watch(self, workers: int) -> None:
        """Work on so many documents at a time, until SIGTERM or SIGINT."""

        def watch(lane: Lane) -> None:
            work_until_drained(lane, self.drain, self.log, self.settings.poll_seconds, _spread)

        self.log.info("watching", bot=self.settings.bot_url, workers=workers, **_parts(self.settings))
        work_side_by_side(self.open_lane, workers, self.drain, watch)
        self.log.info("drained")

    @contextmanager
    def open_lane(self) -> Iterator[Lane]:
        """A lane with tools of its own, for one thread; LaneUnfit when it can build nothing here."""
        settings = self.settings
        how = LaneSettings(
            settings.work_dir,
            report_patience_seconds=settings.report_patience_seconds,
            lease_seconds=settings.lease_seconds,
        )
        with open_tools(settings, self.client) as tools:
            yield Lane(self.client, tools, self.drain, self.log, how, new_claim_id, time.monotonic)


@contextmanager
def lane_process(settings: Settings, log: FilteringBoundLogger) -> Iterator[LaneProcess]:
    """A lane with its connections, drained by SIGTERM and SIGINT while the block lasts; main thread only."""
    drain = Drain(settings.grace_seconds)
    with bot_client(settings, log) as client, drained_by_signals(drain, log):
        yield LaneProcess(settings, client, drain, log)


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


def _parts(settings: BuildSettings) -> dict[str, str]:
    return {"generator": settings.generator, "publisher": settings.publisher}


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _spread(seconds: float) -> float:
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311  # spreads a fleet's polls, guards nothing
