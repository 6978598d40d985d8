"""How the account is reached; apart from the session, so that settings need not load the SDK."""

from dataclasses import dataclass

from pydantic import SecretStr


@dataclass(frozen=True)
class AccountConfig:
    """How to reach the account; the identifier is a handle (a leading @ is dropped) or a DID."""

    identifier: str
    password: SecretStr
    pds_url: str | None = None
    plc_url: str = "https://plc.directory"
    call_deadline_seconds: float = 30.0
