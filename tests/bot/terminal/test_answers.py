"""An answer from an address that may be anybody's."""

import httpx
import pytest

from bot.terminal.answers import object_in


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"1", b"\xff", b'{"jobs": ', b"[" * 20_000, b'{"a":' * 20_000], ids=range(8)
)
def test_what_is_no_object_says_nothing(body: bytes) -> None:
    """However it is broken."""
    assert {} == object_in(httpx.Response(200, content=body))


def test_an_object_is_read() -> None:
    """As it stands."""
    assert {"jobs": [1]} == object_in(httpx.Response(503, content=b'{"jobs": [1]}'))
