"""A lane as the tests of the API play it: a client with a token, and the calls in their order."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from guardrails.facts import Moderated
from guardrails.rules import ModerationRules, Rules
from tests.bot.stage import Stage, sha256

CLAIM_ID = "claim-of-the-first-lane-0001"
APPS_URL = "http://localhost:8100"


@dataclass
class Lane:
    """The lane listener as one device sees it."""

    http: httpx.Client
    stage: Stage
    token: str = "right-token"

    def other(self, token: str, **device: Any) -> "Lane":
        """A second device at the same listener."""
        self.stage.device(token, **device)
        return replace(self, token=token)

    def claim(self, claim_id: str = CLAIM_ID, **more: Any) -> httpx.Response:
        return self.post("/api/lane/claim", {"claim_id": claim_id, "generator": "template", **more})

    def heartbeat(self, claim_id: str = CLAIM_ID, step: str = "generate") -> httpx.Response:
        return self.post(f"/api/lane/claims/{claim_id}/heartbeat", {"step": step})

    def upload(self, bundle: bytes, claim_id: str = CLAIM_ID, **headers: str) -> httpx.Response:
        path = f"/api/lane/claims/{claim_id}/bundle"
        return self.http.put(path, content=bundle, headers={**self.signed, **headers})

    def show(self, picture: bytes, claim_id: str = CLAIM_ID, **headers: str) -> httpx.Response:
        path = f"/api/lane/claims/{claim_id}/screenshot"
        return self.http.put(path, content=picture, headers={**self.signed, **headers})

    def done(self, bundle: bytes, claim_id: str = CLAIM_ID, **more: Any) -> httpx.Response:
        """Report a finished build, at the first claim's address unless said otherwise."""
        told = {"title": "Pomodoro", "address": f"{APPS_URL}/app-1", "sha256": sha256(bundle)}
        return self.report("done", claim_id, **{**told, **more})

    def report(self, outcome: str, claim_id: str = CLAIM_ID, **more: Any) -> httpx.Response:
        return self.post(f"/api/lane/claims/{claim_id}/report", {"outcome": outcome, "generator": "template", **more})

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return self.http.post(path, json={"api_version": 1, **body}, headers=self.signed)

    @property
    def signed(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@dataclass
class House:
    """The rules in force, and a moderation service that says what it is set to, and what it was asked."""

    rules: Rules = field(default_factory=Rules)
    says: Moderated | None = field(default_factory=Moderated)
    asked: list[tuple[str, bytes | None]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def moderate(self, rules: ModerationRules, text: str, image: bytes | None = None) -> Moderated | None:
        self.meanwhile()
        self.asked.append((text, image))
        return self.says

    def goes_by(self, **sections: dict[str, Any]) -> None:
        self.rules = Rules.model_validate(sections, strict=False)


def refusal(response: httpx.Response) -> tuple[int, str]:
    """How a call was refused: the status code, and the word for programs."""
    return response.status_code, response.json()["error"]
