"""What the doctor finds about a lane: its settings, its parts, this machine and its bot."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable, LaneError, NotWelcome
from builder.publishers.warnings import warnings
from builder.settings import PREFIX, BuildSettings
from builder.wiring.parts import check_modules, generator_module, opened_publisher, why_not_as_root
from guardrails.findings import Finding, State

LEAST_BYTES = 200_000_000
MOST_SKEW = timedelta(seconds=30)


def machine_findings(settings: BuildSettings, user_id: int) -> Iterator[Finding]:
    """The user that the lane runs as, and the place for its temporary folders."""
    refused = why_not_as_root(settings, user_id)
    if refused is not None:
        yield Finding("user", State.FAIL, refused)
    elif user_id == 0:
        yield Finding("user", State.WARN, "the lane runs as root", "run it as a user of its own")
    else:
        yield Finding("user", State.OK, "not root")
    yield _room(settings.work_dir)


def part_findings(settings: BuildSettings, client: BotClient) -> Iterator[Finding]:
    """The generator, the browser and the publisher; the generator is not called."""
    yield _generator(settings)
    yield from _browser(settings)
    yield from _publisher(settings, client)


def bot_findings(client: BotClient, unused_claim_id: str, now: Callable[[], datetime]) -> Iterator[Finding]:
    """Whether the bot can be reached and takes the token, and how far its clock is away."""
    try:
        client.knock(unused_claim_id)
    except NotWelcome as problem:
        yield Finding("bot", State.FAIL, f"it refuses this device: {problem}", "enrol the lane, or ask its operator")
    except (BotUnreachable, BotRefused) as problem:
        yield Finding("bot", State.FAIL, str(problem), f"see {PREFIX}BOT_URL, and whether the bot runs")
    else:
        yield Finding("bot", State.OK, "answers, and takes the token")
    if client.last_date is not None:
        yield clock_finding(client.last_date, now())


def clock_finding(date: str, now: datetime) -> Finding:
    """How far this machine's clock is away from the one that wrote the date of an answer."""
    try:
        theirs = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return Finding("clock", State.WARN, "the bot's answer carries no readable date", "see what stands between")
    skew = abs((theirs if theirs.tzinfo else theirs.replace(tzinfo=UTC)) - now)
    told = f"{skew.total_seconds():.0f} s away from the bot's"
    if skew <= MOST_SKEW:
        return Finding("clock", State.OK, told)
    return Finding("clock", State.WARN, told, "let this machine's clock follow a time server")


def _generator(settings: BuildSettings) -> Finding:
    try:
        problem = generator_module(settings).why_not(settings)
    except LaneError as wrong:
        problem = str(wrong)
    if problem is not None:
        return Finding("generator", State.FAIL, f"{settings.generator}: {problem}")
    return Finding("generator", State.OK, settings.generator)


def _browser(settings: BuildSettings) -> Iterator[Finding]:
    for module in check_modules(settings):
        problem = module.why_not(settings)
        state, told = (State.OK, "can be tried") if problem is None else (State.FAIL, problem)
        yield Finding("browser", state, told)
    if settings.browser == "off":
        yield Finding("browser", State.WARN, "apps are published that nobody has opened", f"set {PREFIX}BROWSER=on")


def _publisher(settings: BuildSettings, client: BotClient) -> Iterator[Finding]:
    try:
        with opened_publisher(settings, client) as publisher:
            found = warnings(publisher)
    except LaneError as problem:
        yield Finding("publisher", State.FAIL, str(problem))
        return
    yield Finding("publisher", State.OK, settings.publisher)
    for warning in found:
        yield Finding("publisher", State.WARN, warning)


def _room(work_dir: Path | None) -> Finding:
    try:
        with tempfile.TemporaryDirectory(prefix="skywright-doctor-", dir=work_dir) as place:
            free = shutil.disk_usage(place).free
    except OSError as problem:
        told = f"no temporary folder can be made ({type(problem).__name__})"
        return Finding("disk", State.FAIL, told, f"set {PREFIX}WORK_DIR to a folder that the lane may write to")
    told = f"{free // 1_000_000} MB are free for temporary folders"
    return Finding("disk", State.OK, told) if free >= LEAST_BYTES else Finding("disk", State.FAIL, told, "make room")
