"""Names of hosts: what a client called a listener by, and which of them are this machine."""

import ipaddress
import re

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII)


def is_loopback(host: str) -> bool:
    """Whether a host name or address without brackets is this machine itself."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """The name in a Host header: lower case, without port and final dot; empty when it is no name at all."""
    match = _HOST.fullmatch(header.strip().lower())
    return match[1].removesuffix(".") if match else ""
