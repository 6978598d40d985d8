"""The settings of a lane that is a workflow on GitHub: whose runs may log in, and what is called when work waits."""

from datetime import timedelta
from typing import TYPE_CHECKING

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from bot.addresses import SafeUrl, Url
from bot.github import RunPins, Workflow

# Only the bot calls workflows and lets their runs in, and these bring their tables along.
if TYPE_CHECKING:
    from bot.ledger.dispatches import Pace
    from bot.ledger.enrolments import Place


class GitHubSettings(BaseSettings, defer_build=True):
    """A part of the bot's settings. All is pinned: nothing here is a pattern, and what is not set lets nobody in."""

    github_repository: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}$",
        description="`OWNER/NAME` of the repository whose workflow is a lane",
    )
    github_workflow: str = Field(
        default="builder-lane.yml", pattern=r"^[A-Za-z0-9._-]{1,100}\.ya?ml$", description="The workflow's file"
    )
    github_branch: str = Field(
        default="main", pattern=r"^[A-Za-z0-9._/-]{1,200}$", description="The branch that the workflow runs on"
    )
    github_environment: str | None = Field(
        default=None,
        min_length=1,
        max_length=255,
        description="The environment whose runs may log in by OIDC; without one, none may",
    )
    github_audience: str | None = Field(
        default=None,
        min_length=1,
        max_length=255,
        description="The audience of their OIDC tokens: the `SKYWRIGHT_LANE_AUDIENCE` of the workflow",
    )
    github_issuer: SafeUrl = Field(
        default="https://token.actions.githubusercontent.com", description="Who issues their OIDC tokens"
    )
    github_prefix: Url | None = Field(
        default=None, description="Where they may publish, if not under the bot's own apps"
    )
    github_run_minutes: float = Field(
        default=120, ge=5, le=60 * 24, description="How long the token of a run is good for"
    )
    github_lease_minutes: float = Field(
        default=60, ge=1, le=60 * 24, description="The longest lease that a claim of a run may ask for"
    )
    github_token: SecretStr | None = Field(
        default=None, description="A token that may run the workflow; with one, the bot calls it when work waits"
    )
    github_event: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9._-]{1,100}$",
        description="Call it by a `repository_dispatch` event of this type, not by `workflow_dispatch`",
    )
    github_api_url: SafeUrl = Field(default="https://api.github.com", description="GitHub's API")
    github_again_minutes: float = Field(
        default=10, ge=1, le=60 * 24, description="When it is called again for work that no lane has come for"
    )
    github_calls_per_hour: int = Field(
        default=12, ge=1, le=500, description="How often it is called in an hour at most"
    )

    @property
    def run_pins(self) -> RunPins | None:
        """What CI runs have to say to be let in; None when not all of it is set."""
        if self.github_repository is None or self.github_environment is None or self.github_audience is None:
            return None
        return RunPins(
            issuer=self.github_issuer,
            audience=self.github_audience,
            repository=self.github_repository,
            workflow=self.github_workflow,
            branch=self.github_branch,
            environment=self.github_environment,
        )

    @property
    def workflow(self) -> Workflow | None:
        """The workflow that is called when work waits; None when there is none, or no token to call it with."""
        if self.github_repository is None or self.github_token is None:
            return None
        return Workflow(
            api_url=self.github_api_url,
            repository=self.github_repository,
            workflow=self.github_workflow,
            branch=self.github_branch,
            event=self.github_event,
            token=self.github_token,
        )

    @property
    def pace(self) -> "Pace":
        """How often it is called."""
        from bot.ledger.dispatches import Pace  # noqa: PLC0415 - as above

        return Pace(again_after=timedelta(minutes=self.github_again_minutes), per_hour=self.github_calls_per_hour)

    def run_place(self, apps_url: str) -> "Place":
        """What a run that is let in becomes, at a bot whose apps are there."""
        from bot.ledger.enrolments import Place  # noqa: PLC0415 - as above

        return Place("a run of the workflow", self.github_prefix or apps_url, round(60 * self.github_lease_minutes))

    @property
    def run_lasts(self) -> timedelta:
        """How long a run's token is good for."""
        return timedelta(minutes=self.github_run_minutes)
