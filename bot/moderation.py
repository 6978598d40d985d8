"""The moderation service: anything that speaks OpenAI's moderation API, asked about a text and perhaps a picture."""

import base64
import json
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import structlog
from pydantic import SecretStr

from bot.bluesky.transport import DeadlineTransport
from guardrails.facts import Moderated
from guardrails.rules import ModerationRules
from guardrails.text import clip, visible

# https://platform.openai.com/docs/api-reference/moderations
ENDPOINT = "/v1/moderations"
# A long text is asked about in parts, of which one may be flagged.
PART = 8000
FLAGGED = "flagged"
MOST_CATEGORIES = 50
CATEGORY_LENGTH = 100
log = structlog.get_logger()


class Moderator:
    """Asks the service that the rules of whoever asks name; safe to use from several threads."""

    def __init__(self, key: SecretStr | None = None) -> None:
        self._key = key
        self._transport = DeadlineTransport()
        # No redirects: the key is for this host only.
        self._http = httpx.Client(transport=self._transport, timeout=httpx.Timeout(None), follow_redirects=False)

    def moderate(self, rules: ModerationRules, text: str, image: bytes | None = None) -> Moderated | None:
        """What the service flags in a text and in a JPEG; nothing where there is no service or nothing to be said.

        None when it does not say all, for whatever reason, within the rules' deadline: then nothing follows from it.
        """
        if not rules.url:
            return Moderated()
        questions = _questions(text, image if rules.images else None)
        try:
            with self._transport.within(rules.deadline_seconds):
                found = [category for question in questions for category in self._ask(rules, question)]
        except _NoAnswer as problem:
            log.warning("moderation_failed", problem=str(problem))
            return None
        return Moderated(categories=tuple(dict.fromkeys(found))[:MOST_CATEGORIES])

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _ask(self, rules: ModerationRules, question: "_Question") -> list[str]:
        body = json.dumps({"model": rules.model, "input": question.asked}).encode()
        try:
            answer = self._http.post(_address(rules.url), content=body, headers=self._headers())
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as problem:
            raise _NoAnswer(type(problem).__name__) from None
        if answer.status_code != httpx.codes.OK:
            raise _NoAnswer(f"status {answer.status_code}")
        return _flagged(answer.content, question.results)

    def _headers(self) -> dict[str, str]:
        bearer = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key is not None else {}
        return {"Content-Type": "application/json", **bearer}


class _NoAnswer(Exception):
    """The service did not say, and why."""


class _Question(NamedTuple):
    """What is asked in one call, and how many results its answer has."""

    asked: object
    results: int


def _questions(text: str, image: bytes | None) -> Iterator[_Question]:
    parts = [text[start : start + PART] for start in range(0, len(text), PART)] if text.strip() else []
    if parts:
        yield _Question(parts if len(parts) > 1 else parts[0], len(parts))
    if image is not None:
        url = f"data:image/jpeg;base64,{base64.b64encode(image).decode()}"
        yield _Question([{"type": "image_url", "image_url": {"url": url}}], 1)


def _address(url: str) -> str:
    """The endpoint, whether a rule names it or only the server, with its version or without."""
    named = urlsplit(url)
    path = named.path.rstrip("/")
    if not path.endswith("/moderations"):
        path = path.removesuffix("/v1") + ENDPOINT
    return named._replace(path=path).geturl()


def _flagged(content: bytes, results: int) -> list[str]:
    """The categories that an answer to so many inputs flags."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        raise _NoAnswer("the answer is no JSON") from None
    match answer:
        case {"results": list(found)} if len(found) == results:
            return [category for result in found for category in _categories(result)]
    raise _NoAnswer("the answer has other results")


def _categories(result: object) -> list[str]:
    match result:
        case {"flagged": bool(flagged), "categories": dict(listed)}:
            named = [
                clip(visible(str(name)), CATEGORY_LENGTH, CATEGORY_LENGTH) for name in listed if listed[name] is True
            ]
            return named or ([FLAGGED] if flagged else [])
    raise _NoAnswer("a result cannot be read")
