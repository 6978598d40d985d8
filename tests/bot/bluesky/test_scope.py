"""What kind of password a session was opened with, by its token."""

import base64
import json

import pytest

from bot.bluesky.scope import Scope, scope_of


def token(payload: bytes) -> str:
    return f"head.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.sign"


@pytest.mark.parametrize("scope", Scope)
def test_a_token_names_its_scope(scope: Scope) -> None:
    """Whatever else it says."""
    assert scope is scope_of(token(json.dumps({"scope": scope.value, "sub": "did:plc:x"}).encode()))


@pytest.mark.parametrize(
    "odd",
    ["", "a.b", "a.!.c", token(b"[]"), token(b'{"scope": ["x"]}'), token(b"\xff"), token(b"{}"), token(b"[" * 20_000)],
    ids=range(8),
)
def test_any_other_token_names_none(odd: str) -> None:
    """It is the server's, and is not ours to understand."""
    assert scope_of(odd) is None
