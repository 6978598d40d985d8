"""The lane's three ports: what generates, what checks, what publishes."""

from typing import Protocol

from builder.outcomes import App, Ask, Outcome, Published
from builder.stopping import Stop
from builder.workspace import Snapshot, Workspace
from guardrails.wire import CheckReport, Claim, Limits


class Generator(Protocol):
    """Turns an ask into files."""

    @property
    def name(self) -> str:
        """What the attempt is listed under."""
        ...

    def generate(self, ask: Ask, workspace: Workspace, stop: Stop) -> Outcome[App]:
        """Leave the app's files in the workspace; give up soon after `stop` is asked for."""
        ...


class Check(Protocol):
    """Looks at what was generated."""

    def check(self, snapshot: Snapshot, limits: Limits) -> CheckReport:
        """What is wrong with these files; never raises over their content."""
        ...


class Publisher(Protocol):
    """Brings a bundle to where the public can open it."""

    def publish(self, claim: Claim, bundle: bytes, sha256: str) -> Outcome[Published]:
        """Store the bundle under the claim's slug and version; ClaimLost when the claim is void."""
        ...
