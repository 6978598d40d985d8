"""The doctor's look at the account's PDS, and at our clock beside the clocks of others."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import datetime

import httpx

from bot.bluesky.errors import CallFailed
from bot.bluesky.identity import IdentityResolver
from bot.bluesky.translate import date_from
from bot.clock import Clock
from bot.jobs.clock import LARGEST_SKEW, MEND, skew
from bot.settings import Settings
from bot.terminal.answers import object_in
from bot.terminal.reaching import LOOK_SECONDS, Away, looked_at
from guardrails.documents import Did, is_did
from guardrails.findings import Finding, fail, ok, warn

DESCRIBE = "/xrpc/com.atproto.server.describeServer"


@dataclass(frozen=True)
class Answered:
    """The Date header of somebody's answer beside our own clock at that moment."""

    theirs: datetime
    ours: datetime


@dataclass(frozen=True)
class Pds:
    """The account's PDS: whether it describes itself, and what its clock said."""

    answers: bool
    clock: Answered | None = None


def pds_findings(settings: Settings, clock: Clock) -> Generator[Finding, None, Pds]:
    """Whether the account's PDS can be found and describes itself."""
    try:
        pds_url = settings.pds_url or _published_pds(settings, clock)
    except CallFailed as failed:
        yield fail("pds", f"it cannot be found: {failed}", "mend SKYWRIGHT_IDENTIFIER, or set SKYWRIGHT_PDS_URL")
        return Pds(answers=False)
    answer = looked_at("GET", pds_url + DESCRIBE)
    if isinstance(answer, Away):
        yield fail("pds", f"{pds_url} {answer.why}", "wait, or mend SKYWRIGHT_PDS_URL")
        return Pds(answers=False)
    if not answer.is_success or not _has_did(answer):
        mend = "it is no PDS, or something stands before it: mend SKYWRIGHT_PDS_URL"
        yield fail("pds", f"{pds_url} answered {answer.status_code} to describeServer", mend)
        return Pds(answers=False)
    yield ok("pds", f"{pds_url} answers")
    return Pds(answers=True, clock=clocks(answer, clock))


def clock_finding(answered: Answered | None, whose: str = "the PDS") -> Iterator[Finding]:
    """How far our clock is from another one, when that said."""
    if answered is None:
        return
    ahead = answered.ours - answered.theirs
    if abs(ahead) > LARGEST_SKEW:
        yield warn("clock", f"this machine is {skew(ahead)} {whose}", MEND)
    else:
        yield ok("clock", f"within {LARGEST_SKEW.total_seconds():.0f} s of {whose}")


def clocks(answer: httpx.Response, clock: Clock) -> Answered | None:
    """The two clocks; None where the answer tells no time."""
    theirs = date_from(answer.headers.get("Date", ""))
    return Answered(theirs, clock()) if theirs is not None else None


def _published_pds(settings: Settings, clock: Clock) -> str:
    name = settings.identifier.strip().removeprefix("@")
    deadline = min(settings.call_deadline_seconds, LOOK_SECONDS)
    resolver = IdentityResolver(settings.plc_url, deadline_seconds=deadline, now=clock)
    try:
        did = Did(name) if is_did(name) else resolver.did_of(name.lower())
        return resolver.identity_of(did).pds_url
    finally:
        resolver.close()


def _has_did(answer: httpx.Response) -> bool:
    return isinstance(object_in(answer).get("did"), str)
