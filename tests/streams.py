"""A stream server that plays what a test gives it, however odd; and the frames of a Jetstream."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

POST = "app.bsky.feed.post"
Play = Callable[[ServerConnection], None]


class PlayedStream:
    """Each connection is given the next play, and the last one for ever; `asked` are the paths that were called."""

    def __init__(self, url: str, asked: list[str]) -> None:
        self.url = url
        self.asked = asked


@contextmanager
def played(*plays: Play) -> Iterator[PlayedStream]:
    """A stream server on 127.0.0.1."""
    asked: list[str] = []
    over = threading.Event()

    def play(connection: ServerConnection) -> None:
        request = connection.request
        asked.append(request.path if request is not None else "")
        with suppress(ConnectionClosed):
            plays[min(len(asked), len(plays)) - 1](connection)

    listening = socket.create_server(("127.0.0.1", 0))
    with serve(play, sock=listening, compression=None, ping_interval=None, close_timeout=0.2) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield PlayedStream(f"ws://127.0.0.1:{listening.getsockname()[1]}/subscribe", asked)
        finally:
            over.set()
            server.shutdown()
            thread.join()


def tells(*frames: bytes | str) -> Play:
    """Sends these, and then nothing, until the other side has had enough."""

    def play(connection: ServerConnection) -> None:
        for frame in frames:
            connection.send(frame)
        with suppress(TimeoutError):
            connection.recv(timeout=30)

    return play


def closes(*frames: str) -> Play:
    """Sends these and closes."""

    def play(connection: ServerConnection) -> None:
        for frame in frames:
            connection.send(frame)

    return play


def frame(did: str, rkey: str, record: dict[str, Any] | None, cid: str = "bafycid", **more: Any) -> str:
    """A frame of a post that was created; without a record, of one that was deleted."""
    commit: dict[str, Any] = {"rev": "3krev", "operation": "create", "collection": POST, "rkey": rkey}
    commit |= {"record": record, "cid": cid} if record is not None else {"operation": "delete"}
    told = {"did": did, "time_us": 1_700_000_000_000_000, "kind": "commit", "commit": commit} | more
    return json.dumps(told, separators=(",", ":"))
