"""The lane's home on GitHub, as the settings name it: whose runs may log in, and which workflow is called."""

from dataclasses import dataclass

from pydantic import SecretStr


@dataclass(frozen=True)
class RunPins:
    """What the OIDC token of a run has to say, each word for word; nothing here is a pattern.

    https://docs.github.com/en/actions/reference/security/oidc names the claims.
    """

    issuer: str
    audience: str
    repository: str
    workflow: str
    branch: str
    environment: str

    @property
    def ref(self) -> str:
        """The ref that the run is of."""
        return f"refs/heads/{self.branch}"

    @property
    def workflow_ref(self) -> str:
        """The workflow's file at that ref, as the claims name it."""
        return f"{self.repository}/.github/workflows/{self.workflow}@{self.ref}"


@dataclass(frozen=True)
class Workflow:
    """The workflow that is called when work waits: by its file, or by an event that it listens to."""

    api_url: str
    repository: str
    workflow: str
    branch: str
    event: str | None
    token: SecretStr

    @property
    def target(self) -> str:
        """What is called, for people and for the ledger."""
        return f"{self.repository}:{self.event or self.workflow}"
