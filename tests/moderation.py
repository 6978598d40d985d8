"""A moderation service on loopback: what a test wants it to say, and what it was asked."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from guardrails.rules import ModerationRules, Rules
from tests.bot.bluesky.scripted import Answer, Call, answered, scripted_pds

CATEGORIES = ("harassment", "violence", "sexual")


@dataclass
class Service:
    """Flags what `flags` says of a text; `down` is what it answers instead, while it is not there."""

    url: str = ""
    flags: Callable[[str], tuple[str, ...]] = lambda text: ()
    down: Answer | None = None
    calls: int = 0
    asked: list[Any] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def texts(self) -> list[Any]:
        """What it was asked about, in the order of its answers."""
        return [each["input"] for each in self.asked]

    def rules(self, **more: Any) -> Rules:
        """Rules that name it."""
        return Rules(moderation=ModerationRules.model_validate({"url": self.url, **more}, strict=False))

    def answer(self, call: Call) -> Answer:
        self.calls += 1
        if self.down is not None:
            return self.down
        self.asked.append(json.loads(call.body))
        self.headers.append(call.headers)
        return answered({"id": "modr-1", "model": "m", "results": [self._result(each) for each in self._inputs()]})

    def _inputs(self) -> list[str]:
        given = self.asked[-1]["input"]
        if isinstance(given, str):
            return [given]
        return given if isinstance(given[0], str) else ["a picture"]

    def _result(self, text: str) -> dict[str, Any]:
        flagged = self.flags(text)
        categories = {name: name in flagged for name in (*CATEGORIES, *flagged)}
        return {"flagged": bool(flagged), "categories": categories, "category_scores": {}}


@contextmanager
def moderation_service() -> Iterator[Service]:
    """The service, up for the length of the block."""
    service = Service()
    with scripted_pds(service.answer) as server:
        service.url = server.url
        yield service
