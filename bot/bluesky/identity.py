"""Who an account is and where it lives: handle → DID → DID document → PDS, without the AppView."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

import httpx
from atproto_core.did_doc import DidDocument, is_valid_did_doc
from atproto_identity.handle.resolver import HandleResolver

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.translate import Clock, failure_from, failure_of
from bot.bluesky.transport import DeadlineTransport
from guardrails.documents import Did, is_did

_HANDLE = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)

DnsLookUp = Callable[[str], str | None]


@dataclass(frozen=True)
class Identity:
    """What a DID document says: the handles that it claims and the server that holds the repository."""

    did: Did
    handles: tuple[str, ...]
    pds_url: str


def is_handle(text: str) -> bool:
    """Whether a text has the form of a handle."""
    return _HANDLE.fullmatch(text) is not None and len(text) <= 253


class IdentityResolver:
    """Looks identities up where they are published; every failure is a CallFailed."""

    def __init__(
        self, plc_url: str, *, deadline_seconds: float, now: Clock, dns_look_up: DnsLookUp | None = None
    ) -> None:
        self._plc_url = plc_url.rstrip("/")
        self._seconds = deadline_seconds
        self._now = now
        self._dns_look_up = dns_look_up or _dns_look_up
        self._transport = DeadlineTransport()
        self._http = httpx.Client(transport=self._transport, timeout=httpx.Timeout(None))

    def did_of(self, handle: str) -> Did:
        """The DID that a handle's domain names, by DNS and else by its well-known file."""
        found = self._dns_look_up(handle)
        if found is None:
            lines = self._get(f"https://{handle}/.well-known/atproto-did").text.split()
            found = lines[0] if lines else ""
        if not is_did(found):
            raise CallFailed(Failure.REFUSED, f"the handle {handle} does not name a DID", error="HandleNotFound")
        return Did(found)

    def identity_of(self, did: Did) -> Identity:
        """What the DID's document says; refused when it is not this DID's document or names no PDS."""
        raw = self._json(_document_url(did, self._plc_url), f"the document of {did}")
        if not isinstance(raw, dict) or not is_valid_did_doc(raw):
            raise CallFailed(Failure.NOT_SENT, f"the document of {did} cannot be read")
        document = DidDocument.from_dict(raw)
        pds_url = document.get_pds_endpoint()
        if document.id != did or not pds_url:
            raise CallFailed(Failure.REFUSED, f"the document of {did} names no PDS", error="NoPds")
        names = tuple(name.removeprefix("at://") for name in document.also_known_as or [])
        return Identity(did, names, pds_url.rstrip("/"))

    def entered_at(self, did: Did) -> datetime:
        """When the PLC took the first operation of one of its DIDs."""
        about = f"the log of {did}"
        match self._json(f"{self._plc_url}/{did}/log/audit", about):
            case [{"did": str(whose), "createdAt": str(at)}, *_] if whose == did:
                with suppress(ValueError):
                    if (moment := datetime.fromisoformat(at)).tzinfo is not None:
                        return moment
        raise CallFailed(Failure.NOT_SENT, f"{about} cannot be read")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _json(self, url: str, what: str) -> object:
        response = self._get(url)
        try:
            answer: object = response.json()
        except (ValueError, RecursionError):
            raise CallFailed(Failure.NOT_SENT, f"{what} is not JSON") from None
        return answer

    def _get(self, url: str) -> httpx.Response:
        try:
            with self._transport.within(self._seconds):
                response = self._http.get(url)
        except Exception as problem:
            raise failure_from(problem, writes=False, now=self._now) from None
        if response.status_code in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
            raise CallFailed(Failure.REFUSED, f"nothing at {url}", status=response.status_code, error="NotFound")
        if not response.is_success:
            message = f"{url} answered {response.status_code}"
            raise failure_of(response.status_code, response.headers, None, message, writes=False, now=self._now)
        return response


def _document_url(did: Did, plc_url: str) -> str:
    method, _, name = did.removeprefix("did:").partition(":")
    if method == "plc":
        return f"{plc_url}/{did}"
    if method == "web" and ":" not in name:
        host = unquote(name)
        scheme = "http" if host.partition(":")[0] == "localhost" else "https"
        return f"{scheme}://{host}/.well-known/did.json"
    raise CallFailed(Failure.REFUSED, f"{did} is of a kind that cannot be looked up", error="UnsupportedDidMethod")


def _dns_look_up(handle: str) -> str | None:
    try:
        found: str | None = HandleResolver(timeout=5.0).resolve_dns(handle)
    except ValueError:
        # A text of the domain that is none.
        return None
    return found
