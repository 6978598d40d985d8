"""HTTP whose every call ends at a total deadline, however slowly its bytes drip."""

import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import httpcore
import httpx

# Larger than any page that the network serves, small enough to hold.
ANSWER_BYTES = 32_000_000

Resolver = Callable[[str, int], list[str]]
SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class DeadlineTransport(httpx.HTTPTransport):
    """A transport for httpx that refuses to work outside `within(seconds)`.

    Redirects are the client's affair; proxies of the environment are not used.
    """

    def __init__(self, *, connect_seconds: float = 5.0, resolve: Resolver | None = None) -> None:
        self._calls = _Calls(connect_seconds)
        self._pool = httpcore.ConnectionPool(
            ssl_context=_certificates(),
            network_backend=_Backend(self._calls, resolve or _resolve),
        )

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """All that this thread sends inside the block has `seconds`; an inner block cannot extend an outer one."""
        outer = self._calls.current
        ends = time.monotonic() + seconds
        self._calls.current = _Call(min(ends, outer.ends) if outer else ends, ANSWER_BYTES)
        try:
            yield
        finally:
            self._calls.current = outer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; RuntimeError outside `within`."""
        if self._calls.current is None:
            raise RuntimeError("a call to the network needs a deadline")
        return super().handle_request(request)


@dataclass
class _Call:
    """What is left of one call: time and answer bytes."""

    ends: float
    bytes_left: int

    def wait(self, timeout: float | None, expired: type[Exception]) -> float:
        """How long the next step may take, at most `timeout`; raises `expired` when the deadline is over."""
        left = self.ends - time.monotonic()
        if left <= 0:
            raise expired("the call's deadline is over")
        return left if timeout is None else min(left, timeout)


class _Calls(threading.local):
    """The call that the present thread is in."""

    current: _Call | None = None

    def __init__(self, connect_seconds: float) -> None:
        self.connect_seconds = connect_seconds

    def call(self) -> _Call:
        # A connection may be closed by another thread's pool upkeep, outside any call.
        return self.current or _Call(time.monotonic() + self.connect_seconds, ANSWER_BYTES)


class _Backend(httpcore.NetworkBackend):
    """Connects within the call's deadline, name look-up and all addresses of the host included."""

    def __init__(self, calls: _Calls, resolve: Resolver) -> None:
        self._calls = calls
        self._resolve = resolve
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.NetworkStream:
        call = self._calls.call()
        first = _Call(time.monotonic() + call.wait(self._calls.connect_seconds, httpcore.ConnectTimeout), 0)
        addresses = _addresses(host, port, first.wait(timeout, httpcore.ConnectTimeout), self._resolve)
        for tried, address in enumerate(addresses):
            share = first.wait(None, httpcore.ConnectTimeout) / (len(addresses) - tried)
            try:
                stream = self._sockets.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if tried == len(addresses) - 1:
                    raise
            else:
                return _Stream(stream, self._calls)
        raise httpcore.ConnectError("the name has no address")


class _Stream(httpcore.NetworkStream):
    """A connection on which every wait is bounded by the deadline of the call that waits."""

    def __init__(self, stream: httpcore.NetworkStream, calls: _Calls) -> None:
        self._stream = stream
        self._calls = calls

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        call = self._calls.call()
        data = self._stream.read(max_bytes, call.wait(timeout, httpcore.ReadTimeout))
        call.bytes_left -= len(data)
        if call.bytes_left < 0:
            raise httpcore.ReadError("the answer is too large")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._calls.call().wait(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        wait = self._calls.call().wait(self._calls.connect_seconds, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, wait), self._calls)

    def get_extra_info(self, info: str) -> object:
        found: object = self._stream.get_extra_info(info)
        return found


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than many a call."""
    return httpx.create_ssl_context()


def _addresses(host: str, port: int, seconds: float, resolve: Resolver) -> list[str]:
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    found: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()
    # The system's look-up cannot be interrupted: its thread is left behind when it is too slow.
    threading.Thread(target=_look_up, args=(host, port, resolve, found), daemon=True).start()
    try:
        answer = found.get(timeout=seconds)
    except queue.Empty:
        raise httpcore.ConnectTimeout("the name look-up took too long") from None
    if isinstance(answer, Exception):
        raise httpcore.ConnectError("the name look-up failed") from answer
    return answer


def _look_up(host: str, port: int, resolve: Resolver, found: "queue.SimpleQueue[list[str] | Exception]") -> None:
    try:
        found.put(resolve(host, port))
    except (OSError, UnicodeError) as problem:
        found.put(problem)


def _resolve(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))
