"""What the publishers share that show apps at an address of their own."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from builder.errors import BadSettings
from builder.publishers.elsewhere import public_base
from builder.publishers.visitor import Patience, Visitor
from builder.settings import PREFIX, BuildSettings


def public_url(settings: BuildSettings) -> str:
    """The public address from the settings; BadSettings when it is none."""
    try:
        return public_base(settings.publish_url)
    except BadSettings as problem:
        raise BadSettings(f"{PREFIX}PUBLISH_URL: {problem}") from None


@contextmanager
def opened_visitor() -> Iterator[Visitor]:
    """A visitor of public addresses, without any token."""
    with httpx.Client() as http:
        yield Visitor(http, Patience(), lambda: secrets.token_urlsafe(12))
