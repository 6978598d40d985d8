"""The work on one claim: generate, check, publish."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from builder.errors import WorkStopped
from builder.logs import BuildLog
from builder.outcomes import App, Ask, Broken, Done, Outcome, Published
from builder.ports import Check, Generator, Publisher
from builder.stopping import Stop
from builder.workspace import Workspace, pack, sha256_of
from guardrails.wire import CheckReport, Claim


@dataclass(frozen=True)
class Tools:
    """What a lane builds with."""

    generator: Generator
    checks: Sequence[Check]
    publisher: Publisher


@dataclass(frozen=True)
class Attempt:
    """How the work ended, and what is known of it for the report."""

    outcome: Outcome[Published]
    app: App | None = None
    checks: tuple[CheckReport, ...] = ()
    screenshot: bytes | None = None


def build(
    claim: Claim, tools: Tools, workspace: Workspace, stop: Stop, step: Callable[[str], None], log: BuildLog
) -> Attempt:
    """Build and publish one claim; WorkStopped as soon as `stop` is asked for, and then nothing more is published."""

    def enter(name: str) -> None:
        if stop.reason is not None:
            raise WorkStopped(stop.reason)
        step(name)
        log.say(name)

    enter("generating")
    ask = Ask(claim.ask, claim.langs, claim.context, claim.cost_micros)
    generated = tools.generator.generate(ask, workspace, stop)
    if not isinstance(generated, Done):
        return Attempt(generated)
    enter("checking")
    snapshot = workspace.snapshot(claim.limits)
    checks = tuple(check.check(snapshot, claim.limits) for check in tools.checks)
    findings = [f"{check.check}: {finding}" for check in checks for finding in check.findings if not check.passed]
    if not all(check.passed for check in checks):
        return Attempt(Broken("; ".join(findings)), generated.value, checks)
    bundle = pack(snapshot.files)
    sha256 = sha256_of(bundle)
    enter("publishing")
    published = tools.publisher.publish(claim, bundle, sha256)
    if isinstance(published, Done) and published.value.sha256 != sha256:
        published = Broken("what is stored is not what was sent: the hashes differ")
    return Attempt(published, generated.value, checks, workspace.screenshot())
