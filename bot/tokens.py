"""New secrets and names for devices, from the system's randomness."""

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


def new_device(role: str) -> DeviceId:
    """A name for a new device, which is no secret."""
    return DeviceId(f"{role}-{secrets.token_hex(6)}")
