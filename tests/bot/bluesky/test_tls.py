"""The deadline and the certificate hold over TLS as well."""

import datetime
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bot.bluesky import transport
from bot.bluesky.transport import DeadlineTransport
from tests.bot.bluesky.scripted import raw_server

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1 in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pds")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(here, critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(transport, "_certificates", lambda: context)


def serving(certificate: Path, answer: bytes, pause: float = 0) -> Callable[[socket.socket, threading.Event], None]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def talk(connection: socket.socket, over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as wrapped:
            wrapped.recv(65536)
            for byte in answer:
                wrapped.sendall(bytes([byte]))
                if over.wait(pause):
                    return

    return talk


def get(url: str, deadline: float = 5) -> httpx.Response:
    made = DeadlineTransport()
    with httpx.Client(transport=made, timeout=httpx.Timeout(None)) as client, made.within(deadline):
        return client.get(url.replace("http:", "https:"))


def test_an_answer_comes_over_tls(certificate: Path, trusted: None) -> None:
    """From a server whose certificate is trusted."""
    with raw_server(serving(certificate, HELLO)) as url:
        assert "hello" == get(url).text


def test_an_unknown_certificate_is_no_connection(certificate: Path) -> None:
    """No password for somebody in between."""
    with raw_server(serving(certificate, HELLO)) as url, pytest.raises(httpx.ConnectError):
        get(url)


def test_a_dripping_answer_over_tls_ends_at_the_deadline(certificate: Path, trusted: None) -> None:
    """Each byte is a record of its own."""
    started = time.monotonic()
    with raw_server(serving(certificate, HELLO, pause=0.05)) as url, pytest.raises(httpx.ReadTimeout):
        get(url, deadline=0.5)

    assert time.monotonic() - started < 2


@pytest.fixture
def mute() -> Iterator[str]:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        over.wait(5)

    with raw_server(talk) as url:
        yield url


def test_a_handshake_that_never_comes_ends_at_the_deadline(mute: str, trusted: None) -> None:
    """The server accepts and says nothing."""
    started = time.monotonic()
    with pytest.raises(httpx.ConnectTimeout):
        get(mute, deadline=0.3)

    assert time.monotonic() - started < 2
