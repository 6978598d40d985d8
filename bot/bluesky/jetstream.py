"""The live stream of posts, as a Jetstream sends it: one connection, its frames, and what those say that matter."""

import json
import re
from collections.abc import Container, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from guardrails.documents import POST_COLLECTION, AtUri, split_at_uri

# What the server is asked to leave out, and what is not taken from one that does not: no post is as long.
ASKED_BYTES = 1_000_000
MOST_BYTES = 1_500_000
MOST_WAITING = 64
OPEN_SECONDS = 10.0
# A deletion names a DID and two keys, and brings no record; that of a far longer DID is found in its post's turn.
DELETION_BYTES = 300
# Of no calendar any more, and more than a database counts to.
_NO_MOMENT = 2**63
_DELETION = b'"delete"'
_KEY = re.compile(rb'"rkey":\s*"([^"\\]+)"')


class StreamFailed(Exception):
    """The stream cannot be had, has ended or has gone silent: call it anew."""


class Operation(StrEnum):
    """What was done to a record."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True)
class Told:
    """What a frame says of a post; nothing of it is proven. A deletion has neither CID nor record."""

    operation: Operation
    uri: AtUri
    cid: str = ""
    record: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Event:
    """A frame: its time by the server's count of microseconds, and what it says of a post, if it is about one."""

    time_us: int
    told: Told | None


def is_worth_a_look(frame: bytes, needle: bytes, keys: Container[bytes]) -> bool:
    """Whether a frame is wanted, or may tell of the deletion of a record with one of these keys.

    One call for each frame that there is.
    """
    # The quickest search that there is for what is hardly ever there: `in` takes half as long again.
    if frame.partition(needle)[1]:
        return True
    return len(frame) <= DELETION_BYTES and may_delete(frame, keys)


def wanted(frame: bytes, needle: bytes) -> bool:
    """Whether a frame is worth a look: whatever mentions or answers us names our DID, which is the needle."""
    return needle in frame


def may_delete(frame: bytes, keys: Container[bytes]) -> bool:
    """Whether a frame may tell of the deletion of a record with one of these keys."""
    if not frame.partition(_DELETION)[1]:
        return False
    key = _KEY.search(frame)
    return key is None or key[1] in keys


def read_frame(frame: bytes) -> Event:
    """What a frame says; ValueError for what no Jetstream sends."""
    try:
        said = json.loads(frame)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    match said:
        case {"time_us": int(time_us)} if not 0 <= time_us < _NO_MOMENT:
            raise ValueError("a time that is none")
        case {"time_us": int(time_us), "kind": "commit", "did": str(did), "commit": dict(commit)}:
            return Event(time_us, _told(did, commit))
        case {"time_us": int(time_us), "kind": str()}:
            return Event(time_us, None)
    raise ValueError("not an event")


class Connection:
    """One connection to a stream."""

    def __init__(self, client: ClientConnection) -> None:
        self._client = client

    def next(self, seconds: float) -> bytes | None:
        """The next frame, None when none comes in time; StreamFailed once the connection has ended."""
        try:
            return self._client.recv(timeout=seconds, decode=False)
        except TimeoutError:
            return None
        except ConnectionClosed as closed:
            raise StreamFailed(_ended(closed)) from None
        except (OSError, WebSocketException) as problem:
            raise StreamFailed(type(problem).__name__) from None


@contextmanager
def connected(url: str, cursor: int, open_seconds: float = OPEN_SECONDS) -> Iterator[Connection]:
    """A connection that tells of posts from a moment on; StreamFailed when there is none."""
    asked = {"wantedCollections": POST_COLLECTION, "maxMessageSizeBytes": ASKED_BYTES, "cursor": cursor}
    address = f"{url}{'&' if '?' in url else '?'}{urlencode(asked)}"
    with ExitStack() as stack:
        try:
            # Its liveness is the age of its last event. Proxies of the environment are not used.
            opening = connect(
                address,
                proxy=None,
                compression=None,
                ping_interval=None,
                open_timeout=open_seconds,
                close_timeout=1,
                max_size=MOST_BYTES,
                max_queue=MOST_WAITING,
            )
            client = stack.enter_context(opening)
        except (OSError, EOFError, OverflowError, ValueError, WebSocketException) as problem:
            raise StreamFailed(f"it cannot be reached: {_said(problem)}") from None
        yield Connection(client)


def _told(did: str, commit: dict[str, Any]) -> Told | None:
    match commit:
        case {"operation": str(operation), "collection": str(collection), "rkey": str(rkey)}:
            if collection != POST_COLLECTION:
                return None
            uri = AtUri(f"at://{did}/{collection}/{rkey}")
            if split_at_uri(uri) != (did, collection, rkey):
                raise ValueError("a DID or a key that is none")
            if Operation(operation) is Operation.DELETE:
                return Told(Operation.DELETE, uri)
            match commit:
                case {"cid": str(cid), "record": dict(record)}:
                    return Told(Operation(operation), uri, cid, record)
    raise ValueError("not a commit")


def _ended(closed: ConnectionClosed) -> str:
    """Of what the server says only the number: its words are anybody's."""
    frame = closed.rcvd or closed.sent
    return f"the connection was closed ({int(frame.code)})" if frame is not None else "the connection was cut"


def _said(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    return type(problem).__name__
