"""Raw requests to a network, past our own client, and the tokens that go with them."""

import base64
import hashlib
import hmac
import json
import time
from typing import Any

import httpx

from tests.contract.target import Person


class Wire:
    """Raw XRPC to one PDS, with whatever token a test wants."""

    def __init__(self, pds_url: str) -> None:
        self._url = pds_url
        self._http = httpx.Client(timeout=30, trust_env=False)

    def close(self) -> None:
        self._http.close()

    def get(self, nsid: str, params: dict[str, Any], token: str | None = None) -> httpx.Response:
        return self._http.get(f"{self._url}/xrpc/{nsid}", params=params, headers=_bearer(token))

    def post(self, nsid: str, body: object, token: str | None = None) -> httpx.Response:
        return self._http.post(f"{self._url}/xrpc/{nsid}", json=body, headers=_bearer(token))

    def post_raw(self, nsid: str, content: bytes, token: str | None = None, media_type: str = "") -> httpx.Response:
        headers = {**_bearer(token), **({"Content-Type": media_type} if media_type else {})}
        return self._http.post(f"{self._url}/xrpc/{nsid}", content=content, headers=headers)

    def log_in(self, person: Person) -> dict[str, Any]:
        body = {"identifier": person.did, "password": person.password}
        session: dict[str, Any] = self.post("com.atproto.server.createSession", body).json()
        return session


def expired(token: str, secret: bytes) -> str:
    """The same token, as genuine, from yesterday."""
    head = token.partition(".")[0]
    yesterday = int(time.time()) - 86400
    old = {**claims_of(token), "iat": yesterday, "exp": yesterday + 60}
    signed = f"{head}.{_encode(json.dumps(old, separators=(',', ':')).encode())}"
    return f"{signed}.{_encode(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


def tampered(token: str) -> str:
    """The same token with another signature."""
    signed, _, mac = token.rpartition(".")
    return f"{signed}.{mac[::-1]}"


def claims_of(token: str) -> dict[str, Any]:
    """What a token says."""
    claims = token.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    return found


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}
