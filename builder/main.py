"""The composition root of the lane process: the only place that builds its client, tools, clock and random ids."""

import ipaddress
import random
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from types import FrameType

import httpx
import stamina.instrumentation
from structlog.typing import FilteringBoundLogger

from builder.build import Tools
from builder.checks.files import FilesCheck
from builder.client import BotClient
from builder.generators.template import TemplateGenerator
from builder.lane import Lane, LaneSettings
from builder.outcomes import Budget
from builder.publishers.hosted import HostedPublisher
from builder.settings import Settings, read_token
from builder.stopping import Drain
from builder.watch import work_some, work_until_drained


@dataclass(frozen=True)
class LaneProcess:
    """A lane that is ready to work."""

    settings: Settings
    lane: Lane
    drain: Drain
    log: FilteringBoundLogger

    def once(self, most: int) -> int:
        """Work until nothing waits, at most so many documents; how many were reported."""
        return work_some(self.lane, self.drain, most)

    def watch(self) -> None:
        """Work until SIGTERM or SIGINT."""
        self.log.info("watching", bot=self.settings.bot_url)
        work_until_drained(self.lane, self.drain, self.log, self.settings.poll_seconds, _spread)
        self.log.info("drained")


@contextmanager
def lane_process(settings: Settings, log: FilteringBoundLogger) -> Iterator[LaneProcess]:
    """A lane with its connections, drained by SIGTERM and SIGINT while the block lasts; main thread only."""
    token = read_token(settings)
    stamina.instrumentation.set_on_retry_hooks([])
    drain = Drain(settings.grace_seconds)
    local = _is_loopback(httpx.URL(settings.bot_url).host)
    if not local and settings.bot_url.lower().startswith("http:"):
        log.warning("token_in_clear", mend="use an https address")
    # Loopback never goes through a proxy from the environment.
    with httpx.Client(base_url=settings.bot_url, trust_env=not local, limits=_NO_REUSE) as http:
        client = BotClient(http, token, settings.call_deadline_seconds, time.monotonic)
        tools = Tools(TemplateGenerator(), [FilesCheck()], HostedPublisher(client), Budget(900.0))
        lane_settings = LaneSettings(settings.work_dir, report_patience_seconds=settings.report_patience_seconds)
        lane = Lane(client, tools, drain, log, lane_settings, lambda: secrets.token_urlsafe(24), time.monotonic)
        with _drained_by_signals(drain, log):
            yield LaneProcess(settings, lane, drain, log)


# One connection a call: the deadline of a call ends its connection, and nobody else's.
_NO_REUSE = httpx.Limits(max_keepalive_connections=0)


@contextmanager
def _drained_by_signals(drain: Drain, log: FilteringBoundLogger) -> Iterator[None]:
    # A handler runs between two byte codes of the main thread, which may hold the very lock it wants:
    # it only puts into a SimpleQueue, which is re-entrant, and a thread does the rest.
    received: SimpleQueue[int | None] = SimpleQueue()

    def handle(number: int, _: FrameType | None) -> None:
        received.put(number)

    def listen() -> None:
        while (number := received.get()) is not None:
            log.info("draining", signal=signal.Signals(number).name)
            drain.begin()

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    listener = Thread(target=listen, name="signals", daemon=True)
    listener.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        received.put(None)
        listener.join()
        drain.close()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _spread(seconds: float) -> float:
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311  # spreads a fleet's polls, guards nothing
