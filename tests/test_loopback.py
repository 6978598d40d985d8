import socket

import httpx
import pytest

from tests.loopback import LeftTheMachine


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("8.8.8.8", 53)])
def test_an_address_elsewhere_is_refused(address: tuple[str, int], left_the_machine: list[str]) -> None:
    """No packet leaves; the attempt is noted for the end of the test."""
    with socket.socket() as sock, pytest.raises(LeftTheMachine, match=address[0]):
        sock.connect(address)

    assert [f"socket.connect {address}"] == left_the_machine
    left_the_machine.clear()


def test_a_datagram_elsewhere_is_refused(left_the_machine: list[str]) -> None:
    """UDP needs no connection to leave the machine."""
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(LeftTheMachine):
        sock.sendto(b"?", ("192.0.2.1", 53))

    left_the_machine.clear()


def test_an_ipv6_address_elsewhere_is_refused(left_the_machine: list[str]) -> None:
    """A mapped IPv4 address is judged by what it maps to."""
    with socket.socket(socket.AF_INET6) as sock, pytest.raises(LeftTheMachine):
        sock.connect(("::ffff:192.0.2.1", 80))

    left_the_machine.clear()


def test_a_name_elsewhere_is_not_looked_up(left_the_machine: list[str]) -> None:
    """Neither through an HTTP client, which turns the refusal into an error of its own."""
    with pytest.raises(httpx.ConnectError, match=r"bsky\.example"):
        httpx.get("http://bsky.example/", timeout=1)

    left_the_machine.clear()


def test_this_machine_can_be_reached() -> None:
    """By address and by name."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost"):
            socket.create_connection((host, port), timeout=5).close()
