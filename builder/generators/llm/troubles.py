"""Why a call gave no answer: the providers' errors, sorted by what comes next."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)

from builder.generators.llm.options import LlmOptions
from builder.generators.llm.spending import Tokens
from guardrails.text import clean, clip

_REFUSING_CODES: Final = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
_BUSY_STATUSES: Final = frozenset({408, 409, 425})


class Trouble(StrEnum):
    """Why there is no answer; each has another next step."""

    OVERLOADED = "overloaded"
    OUT_OF_TIME = "out of time"
    WRONG_KEY = "wrong key"
    FORBIDDEN = "forbidden"
    NO_CREDIT = "no credit"
    UNKNOWN_MODEL = "unknown model"
    REFUSED = "refused"
    REJECTED = "rejected"
    STOPPED = "stopped"


_KINDS: Final = (
    (ModelRequestTimeout, Trouble.OVERLOADED),
    (ModelRateLimitError, Trouble.OVERLOADED),
    (ModelUnavailableError, Trouble.OVERLOADED),
    (ModelServerError, Trouble.OVERLOADED),
    (ModelConnectionError, Trouble.OVERLOADED),
    (ModelAuthenticationError, Trouble.WRONG_KEY),
    (ModelQuotaExceededError, Trouble.NO_CREDIT),
    (ModelNotFoundError, Trouble.UNKNOWN_MODEL),
    (ModelRequestRejectedError, Trouble.REJECTED),
)


@dataclass(frozen=True)
class Failed:
    """No answer; `detail` is for operators and quotes no key. `tokens` is what is billed for it nevertheless."""

    trouble: Trouble
    detail: str
    tokens: Tokens
    retry_after: float | None = None


def trouble_of(problem: ModelAPIError) -> Trouble:
    """What kind of trouble a provider's error is; an error of no known kind is taken for one that passes."""
    if problem.provider_error_code in _REFUSING_CODES:
        return Trouble.REFUSED
    if isinstance(problem, ModelHTTPError) and problem.status_code == 403:
        return Trouble.FORBIDDEN
    for kind, trouble in _KINDS:
        if isinstance(problem, kind):
            return trouble
    if isinstance(problem, ModelHTTPError) and problem.status_code < 500 and problem.status_code not in _BUSY_STATUSES:
        return Trouble.REJECTED
    return Trouble.OVERLOADED


def was_let_in(problem: ModelAPIError) -> bool:
    """Whether the provider may have begun to work, and to count: what it turned away at the door costs nothing."""
    read = isinstance(problem, ModelConnectionError) and problem.phase == "read"
    return read or isinstance(problem, ModelRequestTimeout) or problem.in_stream


def detail_of(problem: ModelAPIError, trouble: Trouble, options: LlmOptions) -> str:
    """The error in a few words for operators; a provider's own words only where they help, and never with a key."""
    if isinstance(problem, ModelRequestTimeout):
        what = "nothing came" if problem.setting == "first_event_timeout" else "the answer had no end"
        return f"{what} within {problem.timeout:g} seconds"
    if not isinstance(problem, ModelHTTPError):
        return "the connection failed, or the answer broke off"
    status = f"status {problem.status_code}"
    # About a wrong key providers say parts of it.
    said = _message_of(problem.body) if trouble in (Trouble.REJECTED, Trouble.REFUSED) else ""
    for key in options.keys:
        said = said.replace(key.get_secret_value(), "…")
    said = said_by_provider(said)
    return f"{status}: {said}" if said else status


def said_by_provider(text: object) -> str:
    """Other people's words about an error, on one short line."""
    return clip(clean(text), 200, 800) if isinstance(text, str) else ""


def _message_of(body: object) -> str:
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    message = inner.get("message") if isinstance(inner, Mapping) else None
    return message if isinstance(message, str) else ""
