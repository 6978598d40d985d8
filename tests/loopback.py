"""Keeps the tests on this machine: a connection or a look-up that would leave it is refused, and fails the test."""

import ipaddress
import socket
import sys
from collections.abc import Iterator

import pytest

_attempts: list[str] = []


class LeftTheMachine(OSError):
    """A test tried to reach something that is not on the loopback interface; an OSError, so that clients clean up."""


def pytest_configure() -> None:
    # An audit hook, since it sees every socket, however it was made and whoever made it. It cannot be taken off again.
    if not getattr(sys, "_skywright_loopback_only", False):
        sys.addaudithook(_refuse)
        sys._skywright_loopback_only = True  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def left_the_machine() -> Iterator[list[str]]:
    """What this test tried to reach outside; the refusal alone may have been swallowed by an `except`."""
    _attempts.clear()
    yield _attempts
    attempts = list(_attempts)
    _attempts.clear()
    if attempts:
        pytest.fail(f"tried to leave this machine: {', '.join(attempts)}", pytrace=False)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.sendto"}:
        sock, address = arguments[0], arguments[1]
        if isinstance(sock, socket.socket) and sock.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else address
            _refuse_unless(_is_here(host), f"{event} {address}")
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = arguments[0]
        _refuse_unless(host in (None, "") or _is_address(host) or _is_here(host), f"{event} {host!r}")


def _refuse_unless(fine: bool, attempt: str) -> None:
    if not fine:
        _attempts.append(attempt)
        raise LeftTheMachine(attempt)


def _is_here(host: object) -> bool:
    name = _text(host)
    if name in {"localhost", ""} or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _is_address(host: object) -> bool:
    try:
        ipaddress.ip_address(_text(host).partition("%")[0])
    except ValueError:
        return False
    return True


def _text(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
