"""What the generator `llm` may be told: which models, with which keys, and how far it may go. Imports nothing heavy."""

import math
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from pydantic import SecretStr

from builder.errors import BadSettings

# What a person has to set; errors name these, and never a value.
MODELS: Final = "SKYWRIGHT_LANE_LLM_MODELS"
ANTHROPIC_KEY: Final = "SKYWRIGHT_LANE_LLM_ANTHROPIC_KEY"
OPENAI_KEY: Final = "SKYWRIGHT_LANE_LLM_OPENAI_KEY"
COMPATIBLE_URL: Final = "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL"
COMPATIBLE_KEY: Final = "SKYWRIGHT_LANE_LLM_COMPATIBLE_KEY"
PRICE_IN: Final = "SKYWRIGHT_LANE_LLM_PRICE_IN"
PRICE_OUT: Final = "SKYWRIGHT_LANE_LLM_PRICE_OUT"

_URL = re.compile(r"https?://[^/\s]", re.IGNORECASE)


class Provider(StrEnum):
    """Who serves a model; `compatible` is any server that speaks OpenAI's Chat Completions, such as a local one."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    COMPATIBLE = "compatible"


class AnswerMode(StrEnum):
    """How a model hands over an app: by calling a tool, or as text, for servers without tool calling."""

    TOOL = "tool"
    TEXT = "text"


@dataclass(frozen=True)
class ModelName:
    """One model of one provider; printed as it is written in the settings, `provider:name`."""

    provider: Provider
    name: str

    def __str__(self) -> str:
        """The name as the settings spell it."""
        return f"{self.provider}:{self.name}"


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens, which is millionths of a dollar per token."""

    tokens_in: float
    tokens_out: float


@dataclass(frozen=True)
class LlmOptions:
    """How the generator works. `models` are tried in this order; every number of seconds is for one call.

    `price` holds for models that the price list does not know; without it they are not used under a limit of money.
    After `breaker_after` overloads in a row, over all builds, no call is made for `breaker_seconds`.
    """

    models: tuple[str, ...]
    anthropic_key: SecretStr | None = None
    openai_key: SecretStr | None = None
    compatible_key: SecretStr | None = None
    compatible_url: str | None = field(default=None, repr=False)
    anthropic_url: str = "https://api.anthropic.com"
    openai_url: str = "https://api.openai.com/v1"
    answer: AnswerMode = AnswerMode.TOOL
    max_output_tokens: int = 32_000
    first_byte_seconds: float = 120.0
    call_seconds: float = 420.0
    most_calls: int = 6
    price: Price | None = None
    breaker_after: int = 5
    breaker_seconds: float = 300.0
    overload_wait_seconds: float = 60.0
    longest_wait_seconds: float = 3600.0

    @property
    def keys(self) -> tuple[SecretStr, ...]:
        """The keys that are set."""
        return tuple(filter(None, (self.anthropic_key, self.openai_key, self.compatible_key)))

    def key_of(self, provider: Provider) -> SecretStr:
        """The provider's key; of a compatible server that wants none, a word that says so."""
        key = {
            Provider.ANTHROPIC: self.anthropic_key,
            Provider.OPENAI: self.openai_key,
            Provider.COMPATIBLE: self.compatible_key,
        }[provider]
        return key or SecretStr("none")

    def url_of(self, provider: Provider) -> str:
        """Where the provider's API begins."""
        return {
            Provider.ANTHROPIC: self.anthropic_url,
            Provider.OPENAI: self.openai_url,
            Provider.COMPATIBLE: self.compatible_url or "",
        }[provider]


KEY_SETTINGS: Final = {
    Provider.ANTHROPIC: ANTHROPIC_KEY,
    Provider.OPENAI: OPENAI_KEY,
    Provider.COMPATIBLE: COMPATIBLE_KEY,
}


def models_of(options: LlmOptions) -> tuple[ModelName, ...]:
    """The models in their order; BadSettings when there is none, or one that cannot be reached with these options."""
    if not options.models:
        raise BadSettings(f"{MODELS}: names no model")
    models = tuple(dict.fromkeys(_model(text) for text in options.models))
    problems = [problem for model in models if (problem := _problem(model.provider, options)) is not None]
    if options.price is not None and not _is_price(options.price):
        problems.append(f"{PRICE_IN}, {PRICE_OUT}: not a price in US dollars per million tokens")
    if problems:
        raise BadSettings("\n".join(dict.fromkeys(problems)))
    return models


def _model(text: str) -> ModelName:
    provider, colon, name = text.strip().partition(":")
    if not colon or not name or provider not in tuple(Provider):
        raise BadSettings(f"{MODELS}: a model is written as {', '.join(f'{each}:NAME' for each in Provider)}")
    return ModelName(Provider(provider), name)


def _problem(provider: Provider, options: LlmOptions) -> str | None:
    match provider:
        case Provider.ANTHROPIC if options.anthropic_key is None:
            return f"{ANTHROPIC_KEY}: missing, and {MODELS} names a model that needs it"
        case Provider.OPENAI if options.openai_key is None:
            return f"{OPENAI_KEY}: missing, and {MODELS} names a model that needs it"
        case Provider.COMPATIBLE if not options.compatible_url:
            return f"{COMPATIBLE_URL}: missing, and {MODELS} names a model that is served there"
        case Provider.COMPATIBLE if not _URL.match(options.compatible_url or ""):
            return f"{COMPATIBLE_URL}: not an address like http://127.0.0.1:11434/v1"
    return None


def _is_price(price: Price) -> bool:
    return all(math.isfinite(each) and each >= 0 for each in (price.tokens_in, price.tokens_out))
