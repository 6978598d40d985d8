"""The settings of the live stream of posts, the second source of mentions."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings

from bot.addresses import AN_ADDRESS


def _stream(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError("not a ws or wss address")
    return value.rstrip("/")


class StreamSettings(BaseSettings, defer_build=True):
    """A part of the bot's settings."""

    stream_url: Annotated[str, AfterValidator(_stream), AN_ADDRESS] | None = Field(
        default=None,
        max_length=200,
        description="A Jetstream, as `wss://jetstream2.us-east.bsky.network/subscribe`: mentions come in within a "
        "second, also those that the notifications drop. Without one, notifications are all that is read",
    )
    stream_silence_seconds: float = Field(
        default=30, ge=1, le=3600, description="A stream that brings no event for so long is left, and called anew"
    )
