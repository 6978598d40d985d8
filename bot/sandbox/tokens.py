"""Session tokens: JSON Web Tokens signed with HS256, as a PDS issues them."""

import base64
import binascii
import hashlib
import hmac
import json
from typing import Any

from bot.sandbox.errors import XrpcError

SERVICE_DID = "did:web:sandbox.test"


def sign(typ: str, claims: dict[str, Any], secret: bytes) -> str:
    """The token with these claims."""
    signed = f"{_encode(_dump({'typ': typ, 'alg': 'HS256'}))}.{_encode(_dump(claims))}"
    return f"{signed}.{_encode(_mac(signed, secret))}"


def read(token: str, typ: str, secret: bytes, now: float) -> dict[str, Any]:
    """The claims of a token of this type; InvalidToken for any other text, ExpiredToken once its time is over."""
    try:
        head, body, mac = token.split(".")
        genuine = hmac.compare_digest(_decode(mac), _mac(f"{head}.{body}", secret))
        claims: dict[str, Any] = json.loads(_decode(body))
        right_type = json.loads(_decode(head))["typ"] == typ
    except (ValueError, KeyError, binascii.Error) as problem:
        raise invalid_token() from problem
    if not genuine or not right_type:
        raise invalid_token()
    if claims["exp"] <= now:
        raise XrpcError(400, "ExpiredToken", "Token has expired")
    return claims


def subject(token: str) -> str | None:
    """Whose token this claims to be, unverified: for the record of calls only."""
    try:
        claims = json.loads(_decode(token.split(".")[1]))
    except (ValueError, IndexError):
        return None
    return str(claims["sub"]) if isinstance(claims, dict) and "sub" in claims else None


def invalid_token(message: str = "Token could not be verified") -> XrpcError:
    """400, not 401: so the real servers answer."""
    return XrpcError(400, "InvalidToken", message)


def _dump(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _mac(signed: str, secret: bytes) -> bytes:
    return hmac.new(secret, signed.encode(), hashlib.sha256).digest()


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
