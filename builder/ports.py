"""The lane's three ports: what generates, what checks, what publishes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from builder.outcomes import App, Ask, Budget, Checked, Outcome, Published
from builder.stopping import Stop
from builder.workspace import Snapshot, Workspace
from guardrails.wire import Claim, Limits


@dataclass(frozen=True)
class Task:
    """One generation: what is asked, where the files go, when to give up, and how much may be used.

    `findings` is empty at first; afterwards it is what the checks say against the files that lie in the workspace,
    which the generator mends or writes anew.
    """

    ask: Ask
    workspace: Workspace
    stop: Stop
    budget: Budget
    limits: Limits
    findings: tuple[str, ...] = ()


class Generator(Protocol):
    """Turns an ask into files."""

    @property
    def name(self) -> str:
        """What the attempt is listed under."""
        ...

    @property
    def can_repair(self) -> bool:
        """Whether another call with findings can give other files."""
        ...

    def generate(self, task: Task) -> Outcome[App]:
        """Leave the app's files in the workspace; give up soon after the stop is asked for.

        The usage in the outcome is that of this call alone.
        """
        ...


class Check(Protocol):
    """Looks at what was generated."""

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        """What is wrong with these files; never raises over their content, and gives up soon after the stop."""
        ...


class Publisher(Protocol):
    """Brings an app's files to where the public can open them, and takes them away again.

    One suite of tests holds every publisher to this: tests/builder/publishers.
    """

    @property
    def name(self) -> str:
        """What operators know it by."""
        ...

    @property
    def sets_headers(self) -> bool:
        """Whether what it serves carries the content security policy; else `prepare` puts it into the pages."""
        ...

    @property
    def answers_gone(self) -> bool:
        """Whether the address of what was taken down answers 410 with a reason, and not just 404."""
        ...

    def prepare(self, files: Mapping[str, bytes], claim: Claim) -> Mapping[str, bytes]:
        """The files as they are to be served, before anything is hashed."""
        ...

    def publish(self, claim: Claim, files: Mapping[str, bytes]) -> Outcome[Published]:
        """Store prepared files under the claim's slug and version, and see that they can be had, byte for byte.

        The same claim published again changes nothing. ClaimLost when the claim is void; Refused when the slug was
        taken down.
        """
        ...

    def unpublish(self, slug: str, reason: str) -> Outcome[None]:
        """Take down every version of a slug, at once and for good; nothing is published under it any more."""
        ...
