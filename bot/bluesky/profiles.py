"""Our own standing: is the account active, and what is it labelled."""

from dataclasses import dataclass

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account


@dataclass(frozen=True)
class OwnState:
    """What our PDS says of our account; `status` tells why it is not active: `deactivated`, `takendown`, …"""

    active: bool
    status: str | None
    handle: str


@dataclass(frozen=True)
class Label:
    """A label on our account; a self-label has our own DID as its source."""

    source: str
    value: str


def own_state(account: Account) -> OwnState:
    """Whether the account may work, asked of our PDS; an empty page of notifications is no proof. Raises CallFailed."""
    try:
        answer = account.query("com.atproto.server.getSession")
    except CallFailed as failed:
        # A taken-down account has no session to show, but its repository still has a status.
        if failed.failure is not Failure.REFUSED:
            raise
        answer = account.query("com.atproto.sync.getRepoStatus", {"did": account.did})
    status, handle = answer.get("status"), answer.get("handle")
    return OwnState(
        active=answer.get("active", True) is True,
        status=status if isinstance(status, str) else None,
        handle=handle if isinstance(handle, str) else account.handle,
    )


def own_labels(account: Account) -> tuple[Label, ...]:
    """The labels that others and we ourselves put on our account, as the AppView shows them; raises CallFailed."""
    labels = account.query("app.bsky.actor.getProfile", {"actor": account.did}).get("labels")
    return tuple(_labels(labels)) if isinstance(labels, list) else ()


def _labels(labels: list[object]) -> list[Label]:
    found = []
    for label in labels:
        match label:
            case {"src": str(source), "val": str(value)}:
                found.append(Label(source, value))
    return found
