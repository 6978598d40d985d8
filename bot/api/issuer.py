"""The public keys of an OIDC issuer, read from where its discovery document says, and kept for a while."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from bot.bluesky.transport import DeadlineTransport
from bot.errors import BotError
from bot.hosts import is_loopback

# OpenID Connect Discovery 1.0, section 4.
DISCOVERY = "/.well-known/openid-configuration"
ALGORITHMS = frozenset({"RS256", "ES256"})
LEAST_RSA_BITS = 2048
KEYS_FOR_SECONDS = 3600.0
# An unknown key has the keys read anew, but not at every caller's will; a failure is tried again a little sooner.
ANEW_AFTER_SECONDS = 60.0
AGAIN_AFTER_SECONDS = 10.0
DEADLINE_SECONDS = 10.0
MOST_BYTES = 256_000
MOST_KEYS = 50


class IssuerAway(BotError):
    """The issuer's keys cannot be had now; why, for the log."""


class IssuerKeys:
    """The keys of one issuer, asked over https only, except on the loopback; safe to use from several threads."""

    def __init__(
        self, issuer: str, steady: Callable[[], float] = time.monotonic, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        self._issuer = issuer
        self._steady = steady
        self._deadline_seconds = deadline_seconds
        self._transport = DeadlineTransport()
        # No redirects: whoever could send us elsewhere would choose the keys.
        self._http = httpx.Client(transport=self._transport, timeout=httpx.Timeout(None), follow_redirects=False)
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] | None = None
        self._read_at = 0.0
        self._failed_at: float | None = None

    def key(self, kid: str) -> jwt.PyJWK | None:
        """The key of that id, None when the issuer has none; IssuerAway when that cannot be told now."""
        with self._lock:
            now = self._steady()
            if self._keys is not None and now - self._read_at < self._keep_seconds(kid):
                return self._keys.get(kid)
            if self._failed_at is not None and now - self._failed_at < AGAIN_AFTER_SECONDS:
                raise IssuerAway("the issuer did not answer a moment ago")
            try:
                self._keys = self._read()
            except IssuerAway:
                self._failed_at = self._steady()
                raise
            self._read_at, self._failed_at = now, None
            return self._keys.get(kid)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _keep_seconds(self, kid: str) -> float:
        return KEYS_FOR_SECONDS if self._keys and kid in self._keys else ANEW_AFTER_SECONDS

    def _read(self) -> dict[str, jwt.PyJWK]:
        try:
            with self._transport.within(self._deadline_seconds):
                found = self._json(self._issuer + DISCOVERY)
                if found.get("issuer") != self._issuer:
                    raise IssuerAway("the discovery document names another issuer")
                listed = self._json(str(found.get("jwks_uri"))).get("keys")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as problem:
            raise IssuerAway(f"the issuer cannot be asked: {type(problem).__name__}") from None
        if not isinstance(listed, list):
            raise IssuerAway("the issuer's list of keys cannot be read")
        return dict(_usable(listed[:MOST_KEYS]))

    def _json(self, url: str) -> dict[str, Any]:
        if not may_be_asked(url):
            raise IssuerAway("an address of the issuer is neither https nor on this machine")
        # As it comes: what unpacks to more than it seems would not be bounded.
        with self._http.stream("GET", url, headers={"Accept-Encoding": "identity"}) as answer:
            if answer.status_code != httpx.codes.OK:
                raise IssuerAway(f"the issuer answers with status {answer.status_code}")
            body = bytearray()
            for chunk in answer.iter_raw():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise IssuerAway("the issuer's answer is too large")
        found = json.loads(bytes(body))
        if not isinstance(found, dict):
            raise IssuerAway("the issuer's answer is no object")
        return found


def may_be_asked(url: str) -> bool:
    """Whether an answer from there can be trusted to be the host's own."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    )


def _usable(listed: list[Any]) -> Iterator[tuple[str, jwt.PyJWK]]:
    """The keys that a token may be signed with; others, and what is no key, are passed over."""
    for each in listed:
        if not isinstance(each, dict) or each.get("use", "sig") != "sig" or not isinstance(each.get("kid"), str):
            continue
        try:
            key = jwt.PyJWK(each)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
        strong = not isinstance(key.key, RSAPublicKey) or key.key.key_size >= LEAST_RSA_BITS
        if key.algorithm_name in ALGORITHMS and strong:
            yield each["kid"], key
