"""One XRPC call at a time over the SDK, with a total deadline, and every failure in five classes."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx
from atproto_client import Client, Session, models
from atproto_client.client.session import SessionResponse
from atproto_client.models.dot_dict import DotDict
from atproto_client.request import Request, Response

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.gate import Bucket, bucket_of
from bot.bluesky.readable import ReadableTransport
from bot.bluesky.translate import Clock, failure_from, passing

Json = dict[str, Any]
T = TypeVar("T")
Told = Callable[[Bucket, Mapping[str, Any]], None]

_TOKEN = re.compile(r"[!-~]+")


class Xrpc:
    """Calls to one PDS; which session a call uses is said with the call.

    The SDK's own session upkeep is switched off in every call: it goes by the local clock, and its failure cannot be
    told from a failure of the call. `told` hears the headers of every answer that is no failure.
    """

    def __init__(self, pds_url: str, *, deadline_seconds: float, now: Clock, told: Told = lambda *_: None) -> None:
        self._pds_url = pds_url
        self._told = told
        self._seconds = deadline_seconds
        self._now = now
        self._transport = ReadableTransport()
        # No redirects: the token and the password are for this host only.
        request = Request(transport=self._transport, timeout=httpx.Timeout(None), max_redirects=0)
        self._sdk = Client(base_url=pds_url, request=request)

    @contextmanager
    def deadline(self) -> Iterator[None]:
        """All calls of this thread inside the block share one deadline."""
        with self._transport.within(self._seconds):
            yield

    def query(self, nsid: str, params: Mapping[str, Any], token: str | None = None) -> Json:
        """Ask; raises CallFailed, for anything that may pass with NOT_SENT."""

        def ask() -> Response:
            return self._sdk.invoke_query(
                nsid, params=DotDict(dict(params)), headers=_bearer(token), ignore_session_check=True
            )

        return self._heard(nsid, self._translated(ask, token, writes=False), writes=False)

    def procedure(self, nsid: str, body: Mapping[str, Any], token: str, *, writes: bool) -> Json:
        """Send a body as it is, nulls included; raises CallFailed, with UNKNOWN when a write may have happened."""
        content = json.dumps(body, allow_nan=False).encode()
        return self._sent(nsid, content, "application/json", token, writes=writes)

    def upload(self, nsid: str, content: bytes, media_type: str, token: str) -> Json:
        """Send bytes to a method that may be called again with the same; raises CallFailed, never with UNKNOWN."""
        return self._sent(nsid, content, media_type, token, writes=False)

    def create_session(self, did: str, password: str) -> Session:
        """Log in; the session stays on this PDS, whatever the DID document in the answer says.

        Raises CallFailed: UNKNOWN when the server may have counted the login, NOT_SENT when it has not.
        """

        def log_in() -> SessionResponse:
            data = models.ComAtprotoServerCreateSession.Data(identifier=did, password=password)
            return self._sdk.com.atproto.server.create_session(data, ignore_session_check=True)

        return self._session_of(self._translated(log_in, password, writes=True), Failure.UNKNOWN)

    def refresh_session(self, session: Session) -> Session:
        """The successor of a session; repeating a refresh whose answer was lost is harmless."""

        def refresh() -> SessionResponse:
            headers = _bearer(session.refresh_jwt)
            return self._sdk.com.atproto.server.refresh_session(headers=headers, ignore_session_check=True)

        return self._session_of(self._translated(refresh, session.refresh_jwt, writes=False), Failure.NOT_SENT)

    def end_session(self, session: Session) -> None:
        """Have the server forget a session; raises CallFailed."""

        def end() -> None:
            headers = _bearer(session.refresh_jwt)
            self._sdk.com.atproto.server.delete_session(headers=headers, ignore_session_check=True)

        self._translated(end, session.refresh_jwt, writes=False)

    def close(self) -> None:
        """Close the connections."""
        self._sdk.request.close()

    def _sent(self, nsid: str, content: bytes, media_type: str, token: str, *, writes: bool) -> Json:
        headers = {**_bearer(token), "Content-Type": media_type}

        def send() -> Response:
            return self._sdk.invoke_procedure(nsid, content=content, headers=headers, ignore_session_check=True)

        return self._heard(nsid, self._translated(send, token, writes=writes), writes=writes)

    def _heard(self, nsid: str, answer: Response, *, writes: bool) -> Json:
        self._told(bucket_of(nsid, writes=writes), answer.headers)
        return _json_of(answer, writes=writes)

    def _session_of(self, answer: SessionResponse, otherwise: Failure) -> Session:
        session = Session(answer.handle, answer.did, answer.access_jwt, answer.refresh_jwt, self._pds_url)
        if not has_tokens(session):
            raise CallFailed(otherwise, "the answer to the login holds no tokens")
        return session

    def _translated(self, call: Callable[[], T], secret: str | None, *, writes: bool) -> T:
        try:
            with self.deadline():
                return call()
        except Exception as problem:
            failed = failure_from(problem, writes=writes, now=self._now)
        # Raised outside the handler: what the SDK raised holds the answer, and an answer may echo what was sent.
        if secret:
            failed.hide(secret)
        raise failed


def has_tokens(session: Session) -> bool:
    """Whether both tokens of a session can be sent in a header."""
    return all(_TOKEN.fullmatch(token) for token in (session.access_jwt, session.refresh_jwt))


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _json_of(answer: Response, *, writes: bool) -> Json:
    if isinstance(answer.content, dict):
        return answer.content
    if answer.content == b"":
        return {}
    raise CallFailed(passing(writes), "the answer is not a JSON object", status=answer.status_code)
