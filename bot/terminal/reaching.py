"""One look of the doctor at an address: within a deadline in all, however slowly it answers."""

import socket
from dataclasses import dataclass

import httpx

from bot.bluesky.transport import DeadlineTransport

LOOK_SECONDS = 8.0
CONNECT_SECONDS = 4.0
_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"


@dataclass(frozen=True)
class Away:
    """Nobody has answered, and why."""

    why: str


def looked_at(method: str, address: str, *, seconds: float = LOOK_SECONDS) -> httpx.Response | Away:
    """What an address answers within so many seconds; redirects are not followed.

    Names below localhost are this machine, as browsers take them. No proxy of the environment is used: most of these
    addresses are on this machine.
    """
    transport = DeadlineTransport(connect_seconds=CONNECT_SECONDS, resolve=_resolve)
    with httpx.Client(transport=transport, timeout=httpx.Timeout(None), trust_env=False) as client:
        try:
            with transport.within(seconds):
                return client.request(method, address)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as problem:
            return Away(_why(problem))


def _why(problem: Exception) -> str:
    if _UNTRUSTED in str(problem):
        return "does not prove with a certificate that it is that name"
    return f"does not answer ({type(problem).__name__})"


def _resolve(host: str, port: int) -> list[str]:
    name = "localhost" if host.endswith(".localhost") else host
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))
