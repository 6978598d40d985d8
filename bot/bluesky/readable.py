"""Answers that no author can make unreadable: what a parser would refuse is taken out of them first."""

import re

import httpx

from bot.bluesky.shallow import shallow
from bot.bluesky.transport import DeadlineTransport

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
# Every escape, from the left, so that what follows a backslash of its own is none.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_OF_THE_BODY = (b"content-length", b"content-encoding", b"transfer-encoding")


class ReadableTransport(DeadlineTransport):
    """Reads each answer whole, within the call's deadline, and cuts it to what a parser takes."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        answer = super().handle_request(request)
        content = answer.read()
        cut = shallow(paired(content))
        if cut is content:
            return answer
        headers = [(name, value) for name, value in answer.headers.raw if name.lower() not in _OF_THE_BODY]
        return httpx.Response(answer.status_code, headers=headers, content=cut)


def paired(content: bytes) -> bytes:
    """The JSON text with U+FFFD for each escaped half of a surrogate pair; the same object where there is none."""
    if not _HALF.search(content):
        return content
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], content)
