"""Sends messages to operators over a webhook."""

import re
from urllib.parse import urlsplit

import httpx

from bot.bluesky.transport import DeadlineTransport
from bot.notices import Channel, Notice, body_of
from bot.outgoing import Failed, retry_after
from guardrails.text import clip, visible

SAID = 120
READ_BYTES = 4_000
_SHORTEST_SECRET = 6
_MENDS = {
    401: "its address is wrong or was withdrawn",
    403: "its address is wrong or was withdrawn",
    404: "its address is wrong or was withdrawn",
    410: "it was withdrawn",
    429: "too much was said there",
}


class Webhook:
    """One channel. Its address is in no message and no failure, and what it answers is kept to a line."""

    def __init__(self, channel: Channel, deadline_seconds: float) -> None:
        self._channel = channel
        self._deadline_seconds = deadline_seconds
        self._transport = DeadlineTransport()
        # No redirects: the message is for this host only.
        self._http = httpx.Client(transport=self._transport, timeout=httpx.Timeout(None), follow_redirects=False)

    def tell(self, notice: Notice) -> Failed | None:
        """Send a message; None once it was taken. After an answer that got lost it may come twice."""
        url = self._channel.url.get_secret_value()
        headers = {"Accept-Encoding": "identity", "User-Agent": "skywright"}
        body = body_of(notice, self._channel.shape)
        try:
            with (
                self._transport.within(self._deadline_seconds),
                self._http.stream("POST", url, headers=headers, json=body) as answer,
            ):
                return None if answer.is_success else self._refused(answer)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as problem:
            # The kind only: what it says may name the address.
            return Failed(f"it cannot be reached: {type(problem).__name__}")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _refused(self, answer: httpx.Response) -> Failed:
        status = answer.status_code
        said = bytearray()
        for chunk in answer.iter_raw(READ_BYTES):
            said += chunk
            if len(said) >= READ_BYTES:
                break
        theirs = self._without_the_address(bytes(said[:READ_BYTES]).decode(errors="replace"))
        parts = (f"it answers with status {status}", _MENDS.get(status, ""), theirs)
        return Failed("; ".join(filter(None, parts)), retry_after(answer.headers.get("Retry-After", "")))

    def _without_the_address(self, said: str) -> str:
        parts = urlsplit(self._channel.url.get_secret_value())
        secrets = [part for part in re.split(r"[/?&=:@]", f"{parts.netloc}/{parts.path}?{parts.query}") if part]
        for secret in sorted(secrets, key=len, reverse=True):
            if len(secret) >= _SHORTEST_SECRET:
                said = said.replace(secret, "…")
        line = next((line for line in said.splitlines() if line.strip()), "")
        return clip(visible(line.strip()), SAID, 4 * SAID)
