"""Our own standing: is the account active, and what is it labelled."""

from dataclasses import dataclass

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.labels import labels_in
from bot.bluesky.session import Account
from guardrails.facts import Label


@dataclass(frozen=True)
class OwnState:
    """What our PDS says of our account; `status` tells why it is not active: `deactivated`, `takendown`, …"""

    active: bool
    status: str | None
    handle: str


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
    return labels_in(account.query("app.bsky.actor.getProfile", {"actor": account.did}))
