"""A server of models, a clock that stands, and a workspace to write into."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from builder.generators.llm.generator import LlmGenerator, make_llm
from builder.generators.llm.options import LlmOptions
from builder.outcomes import App, Ask, Budget, Outcome
from builder.ports import Task
from builder.stopping import Stop
from builder.workspace import Workspace, open_workspace
from guardrails.wire import Limits
from tests.builder.llm.fake_models import FakeModels, serving

KEY = "sk-a-key-of-the-tests"


class LlmBench:
    """A generator that is served by the fake, and one workspace."""

    def __init__(self, models: FakeModels, workspace: Workspace) -> None:
        self.models = models
        self.workspace = workspace
        self.seconds = 1000.0
        self.stop = Stop()

    def options(self, *models: str, **others: object) -> LlmOptions:
        key = SecretStr(KEY)
        given: dict[str, object] = {
            "anthropic_key": key,
            "openai_key": key,
            "compatible_key": key,
            "anthropic_url": self.models.url,
            "openai_url": f"{self.models.url}/v1",
            "compatible_url": f"{self.models.url}/v1",
            "first_byte_seconds": 10.0,
            **others,
        }
        return LlmOptions(models or ("compatible:small",), **given)  # type: ignore[arg-type]

    def generator(self, *models: str, **others: object) -> LlmGenerator:
        return make_llm(self.options(*models, **others), lambda: self.seconds)

    def task(self, ask: Ask | str = "make a dice roller", **others: object) -> Task:
        ask = Ask(ask) if isinstance(ask, str) else ask
        given: dict[str, object] = {"budget": Budget(600.0), "limits": Limits(), **others}
        return Task(ask, self.workspace, self.stop, **given)  # type: ignore[arg-type]

    def generate(self, *models: str, task: Task | None = None, **others: object) -> Outcome[App]:
        return self.generator(*models, **others).generate(task or self.task())

    @property
    def files(self) -> dict[str, str]:
        found = self.workspace.snapshot(Limits()).files
        return {name: content.decode() for name, content in found.items()}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[LlmBench]:
    with serving(FakeModels()) as models, open_workspace(tmp_path) as workspace:
        yield LlmBench(models, workspace)
