"""New secrets and names, from the system's randomness."""

import secrets

from guardrails.documents import DeviceId

# 256 bits: nobody guesses one, however often they may try.
_BYTES = 32


def new_token() -> str:
    """A device token."""
    return f"sw_{secrets.token_urlsafe(_BYTES)}"


def new_code() -> str:
    """The code of an invitation."""
    return f"swi_{secrets.token_urlsafe(_BYTES)}"


def new_session() -> tuple[str, str]:
    """A name for a session of the console, which is no secret, and the secret that its browser keeps."""
    return secrets.token_hex(6), secrets.token_urlsafe(_BYTES)


def new_console_code() -> str:
    """The code of a link into the console."""
    return secrets.token_urlsafe(_BYTES)


def new_action() -> str:
    """A name for one press of a button, so that pressing it twice does it once."""
    return secrets.token_urlsafe(12)


def new_device(role: str) -> DeviceId:
    """A name for a new device, which is no secret."""
    return DeviceId(f"{role}-{secrets.token_hex(6)}")
