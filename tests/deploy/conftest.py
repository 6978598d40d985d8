"""A bot, GitHub's two services that a run calls, and runs of the workflow between them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.api.enrolment import Runs
from bot.api.issuer import IssuerKeys
from bot.api.lane import lane_app
from bot.api.oidc import RunTokens
from bot.github import RunPins
from bot.ledger.enrolments import Place
from bot.ledger.views import Attempt, Document
from guardrails.documents import DocId
from tests.bot.api.lanes import APPS_URL
from tests.bot.bluesky.scripted import Answer, Call, ScriptedPds, answered, scripted_pds
from tests.bot.issuer import REPOSITORY, Issuer, issuing
from tests.bot.serving import served
from tests.bot.stage import Stage, staged
from tests.deploy.actions import ROOT, TOOLS, Run, load_workflow
from tests.missing import missing

WORKFLOW = ROOT / "deploy" / "github" / "builder-lane.yml"
KEY = "canary-key-of-the-model"
# What a repository sets; the secrets of each environment, of which the lane's has none unless a test gives it one.
VARIABLES = {
    "SKYWRIGHT_LANE_AUDIENCE": "skywright",
    "SKYWRIGHT_LANE_GENERATOR": "",
    "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL": "",
    "SKYWRIGHT_LANE_LLM_MODELS": "",
}
MODEL = {
    "SKYWRIGHT_LANE_LLM_ANTHROPIC_KEY": KEY,
    "SKYWRIGHT_LANE_LLM_COMPATIBLE_KEY": "",
    "SKYWRIGHT_LANE_LLM_OPENAI_KEY": "",
}


@dataclass
class GitHub:
    """Gives each job the OIDC token that its permissions and its environment earn, and takes calls of workflows."""

    issuer: Issuer
    stage: Stage
    workflow: Any
    server: ScriptedPds | None = None
    dispatches: list[Call] = field(default_factory=list)

    @property
    def url(self) -> str:
        assert self.server is not None
        return self.server.url

    def machine(self, job: str) -> dict[str, str]:
        """What the runner tells the steps of a job about GitHub's services."""
        told = {"GITHUB_API_URL": self.url}
        if self.workflow["jobs"][job].get("permissions", {}).get("id-token") == "write":
            told |= {
                "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.url}/token/{job}?api-version=2.0",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": f"of-{job}",
            }
        # No sandbox for the root that tests often are; the browser check has tests of its own.
        return told | {"SKYWRIGHT_LANE_BROWSER": "off"}

    def answer(self, call: Call) -> Answer:
        if call.path.endswith("/dispatches"):
            self.dispatches.append(call)
            return Answer(204, b"")
        job = call.path.removeprefix("/token/")
        if call.token != f"of-{job}" or ["2.0"] != call.params["api-version"]:
            return Answer(401)
        now = int(self.stage.clock().timestamp())
        environment, [audience] = self.workflow["jobs"][job].get("environment"), call.params["audience"]
        token = self.issuer.token(aud=audience, environment=environment, iat=now, nbf=now - 600, exp=now + 300)
        return answered({"count": 1, "value": token})


@dataclass
class Lane:
    """Runs of the workflow, at a bot with real listeners; `between` is how long a job takes, by the bot's clock."""

    stage: Stage
    github: GitHub
    bot_url: str
    place: Path
    runs: list[Run] = field(default_factory=list)
    between: timedelta = timedelta(minutes=20)

    def started(self, token: str = "", **variables: str) -> Run:
        """A new run of which no job has begun."""
        secrets = {"skywright-lane": {"SKYWRIGHT_LANE_TOKEN": token}, "skywright-model": MODEL}
        told = {**VARIABLES, "SKYWRIGHT_LANE_BOT_URL": self.bot_url, **variables}
        place = self.place / f"run-{len(self.runs) + 1}"
        self.runs.append(Run(self.github.workflow, place, secrets, told, self.github.machine))
        return self.runs[-1]

    def through(self, run: Run, *jobs: str) -> list[str]:
        """Run these jobs one after another, with time between them; how they ended."""
        ended = []
        for job in jobs:
            ended.append(run.job(job).result)
            self.stage.clock.shift += self.between
        return ended

    def document(self, document_id: DocId) -> Document:
        return self.stage.ledger.queries.document(document_id)

    def attempt(self, document_id: DocId) -> Attempt:
        """The only attempt."""
        [attempt] = self.stage.ledger.queries.attempts(document_id)
        return attempt


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
def lane(tmp_path: Path, issuer: Issuer) -> Iterator[Lane]:
    """A bot that lets the runs in, and nothing that waits."""
    with open_lane(tmp_path, issuer) as lane:
        yield lane


@contextmanager
def open_lane(folder: Path, issuer: Issuer) -> Iterator[Lane]:
    """The same in a folder, for the length of the block."""
    for tool in TOOLS:
        if not shutil.which(tool):
            missing(f"no {tool} on PATH, which the workflow's steps call")
    # As deploy/github/README.md has it set.
    pins = RunPins(issuer.url, "skywright", REPOSITORY, "builder-lane.yml", "main", "skywright-lane")
    keys = IssuerKeys(issuer.url)
    with staged(folder) as stage:
        github = GitHub(issuer, stage, load_workflow(WORKFLOW))
        place = Place("a run", APPS_URL, 3600)
        runs = Runs(RunTokens(pins, keys, stage.clock), place, timedelta(hours=2))
        with (
            served(lambda _: lane_app(stage.ledger, APPS_URL, runs=runs)) as port,
            scripted_pds(github.answer) as server,
        ):
            github.server = server
            yield Lane(stage, github, f"http://127.0.0.1:{port}", folder)
    keys.close()
