"""The name that a client called a listener by."""

import re

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII)


def host_name(header: str) -> str:
    """The name in a Host header: lower case, without port and final dot; empty when it is no name at all."""
    match = _HOST.fullmatch(header.strip().lower())
    return match[1].removesuffix(".") if match else ""
