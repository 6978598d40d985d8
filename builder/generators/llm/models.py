"""Reaches the models through pydantic-ai; the client is ours, so that nothing of the environment goes along.

Importing this takes seconds, for the providers' libraries: only a lane that generates with `llm` does.
"""

import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from builder.generators.llm.options import LlmOptions, ModelName, Provider

CONNECT_SECONDS: Final = 10.0
# The libraries add headers from the environment and about this machine; only these leave it.
_HEADERS: Final = frozenset(
    {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
        "authorization",
        "x-api-key",
        "anthropic-version",
        "anthropic-beta",
    }
)


@asynccontextmanager
async def open_model(name: ModelName, options: LlmOptions) -> AsyncIterator[Model]:
    """The model, with a connection of its own that is closed at the end; it repeats no request by itself."""
    url = options.url_of(name.provider)
    async with httpx2.AsyncClient(
        timeout=httpx2.Timeout(options.first_byte_seconds, connect=CONNECT_SECONDS),
        # Loopback never goes through a proxy from the environment.
        trust_env=not _is_loopback(url),
        follow_redirects=False,
        headers={"User-Agent": "skywright-builder"},
        event_hooks={"request": [_strip]},
    ) as http:
        yield _model(name, url, options, http)


def _model(name: ModelName, url: str, options: LlmOptions, http: httpx2.AsyncClient) -> Model:
    key = options.key_of(name.provider).get_secret_value()
    if name.provider is Provider.ANTHROPIC:
        anthropic = AsyncAnthropic(api_key=key, base_url=url, http_client=http, max_retries=0, open_telemetry=False)
        return AnthropicModel(name.name, provider=AnthropicProvider(anthropic_client=anthropic))
    client = AsyncOpenAI(api_key=key, organization="", project="", base_url=url, http_client=http, max_retries=0)
    # An answer that ends without a reason has broken off, and must not pass for a whole one.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if name.provider is Provider.OPENAI:
        return OpenAIChatModel(name.name, provider=OpenAIProvider(openai_client=client), profile=profile)
    provider = OpenAICompatibleProvider("compatible", openai_client=client)
    # Most servers of open models know the older name of this parameter only.
    profile["openai_chat_supports_max_completion_tokens"] = False
    return OpenAIChatModel(name.name, provider=provider, profile=profile)


async def _strip(request: httpx2.Request) -> None:
    for header in set(request.headers) - _HEADERS:
        del request.headers[header]


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
