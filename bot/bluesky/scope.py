"""What the session of an account may do, as its access token says: that depends on the password of its login."""

import base64
import json
from enum import StrEnum


class Scope(StrEnum):
    """Whether the login was made with the account's own password or with an app password."""

    MAIN = "com.atproto.access"
    APP = "com.atproto.appPass"
    PRIVILEGED = "com.atproto.appPassPrivileged"


def scope_of(token: str) -> Scope | None:
    """The scope that an access token names, believed as it stands; None when it names none that we know."""
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        return Scope(claims["scope"])
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        return None
