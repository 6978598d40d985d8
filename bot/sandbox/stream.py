"""The sandbox's stream server: it speaks a Jetstream's frames, of what happens on the sandbox network."""

import json
import socket
import threading
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from bot.sandbox.happenings import Happening, Happenings

LOOK_SECONDS = 0.2


class SandboxStream:
    """A stream on 127.0.0.1 for the length of a `with` block; port 0 takes a free one."""

    def __init__(self, happenings: Happenings, port: int = 0) -> None:
        self._happenings = happenings
        self._ending = threading.Event()
        listening = socket.create_server(("127.0.0.1", port))
        self._server = serve(self._tell, sock=listening, compression=None, ping_interval=None, close_timeout=1)
        self.url = f"ws://127.0.0.1:{listening.getsockname()[1]}/subscribe"
        self._thread = threading.Thread(target=self._server.serve_forever, name="sandbox-stream", daemon=True)
        self._told: set[ServerConnection] = set()

    def now(self) -> int:
        """The present moment, as the stream counts."""
        return self._happenings.now()

    @property
    def listeners(self) -> int:
        """How many are connected now."""
        return len(self._told)

    def cut(self) -> None:
        """Cut every connection."""
        for connection in list(self._told):
            connection.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self.cut()
        self._server.shutdown()
        self._thread.join()

    def _tell(self, connection: ServerConnection) -> None:
        request = connection.request
        asked = parse_qs(urlsplit(request.path).query) if request is not None else {}
        collections = asked.get("wantedCollections", [])
        cursor = asked.get("cursor", [""])[0]
        now = self._happenings.last
        number = min(self._happenings.from_time(int(cursor)), now) if cursor.isdecimal() else now
        self._told.add(connection)
        try:
            self._tell_on(connection, number, collections)
        except ConnectionClosed:
            pass
        finally:
            self._told.discard(connection)

    def _tell_on(self, connection: ServerConnection, number: int, collections: list[str]) -> None:
        while not self._ending.is_set() and connection.close_code is None:
            number, happened = self._happenings.after(number, LOOK_SECONDS)
            for happening in happened:
                if _is_wanted(happening, collections):
                    connection.send(json.dumps(happening.told, separators=(",", ":"), ensure_ascii=False))


def _is_wanted(happening: Happening, collections: list[str]) -> bool:
    """Whoever wants some collections hears of accounts and identities all the same."""
    return happening.collection is None or not collections or happening.collection in collections
