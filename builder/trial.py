"""A build without any bot: the lane's own generate, check and repair, for people who tune prompts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from structlog.typing import FilteringBoundLogger

from builder.build import Attempt, Build, Candidate, Tools
from builder.logs import BuildLog
from builder.outcomes import Usage
from builder.stopping import Stop
from builder.workspace import Workspace
from guardrails.wire import Claim


@dataclass(frozen=True)
class Tried:
    """What was made, or how the generator ended, and what it took."""

    made: Candidate | Attempt
    used: Usage
    repairs: int
    seconds: float


def trial_claim(ask: str, langs: tuple[str, ...], at: datetime) -> Claim:
    """A claim like a bot's, of a document that no ledger knows."""
    return Claim(
        claim_id="trial-00000000000000000000",
        document_id="trial",
        attempt=1,
        ask=ask,
        langs=langs,
        slug="trial",
        version=1,
        address="http://localhost/trial",
        lease_seconds=86_400,
        heartbeat_seconds=86_400,
        lease_until=at,
        build_by=at,
    )


def try_out(
    claim: Claim, tools: Tools, workspace: Workspace, stop: Stop, log: FilteringBoundLogger, now: Callable[[], float]
) -> Tried:
    """Generate, check and repair; nothing is published. WorkStopped when the stop is asked for."""
    lines = BuildLog(log, now)
    build = Build(claim, tools, workspace, stop, lambda _: None, lines, now)
    return Tried(build.make(), build.used, build.repairs, lines.seconds)
