"""Looks at the account itself: whether it is active, and what others have labelled it."""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.profiles import own_labels, own_state
from bot.bluesky.session import Account
from bot.ledger.conditions import ACCOUNT
from bot.ledger.ledger import Ledger

# Labels on an account for which readers' apps hide it or warn of it; those with a "!" are orders, and most of them do.
HARMFUL = {"spam", "scam", "impersonation", "misleading", "security", "threat", "needs-review", "intolerant"}
HARMLESS_ORDERS = {"!no-unauthenticated", "!no-promote"}
_STATES = {"AccountTakedown": "takendown", "AccountDeactivated": "deactivated", "AccountSuspended": "suspended"}
MEND = "look at the account in an app; its mail may hold the moderators' reasons"
log = structlog.get_logger()


@dataclass(frozen=True)
class Standing:
    """What is wrong with the account; nothing, when it may speak and is heard."""

    trouble: str | None


def standing_once(ledger: Ledger, account: Callable[[], Account]) -> Standing:
    """Ask how the account stands and note it as a condition; raises CallFailed when that cannot be told.

    `account` opens it: of an account that is closed, the login says so.
    """
    try:
        trouble = _trouble(account())
    except CallFailed as failed:
        trouble = _state_in(failed)
        if trouble is None:
            raise
    if trouble is not None:
        _set(ledger, trouble)
    elif ledger.conditions.clear(ACCOUNT):
        log.info("account_fine")
    return Standing(trouble)


def heed_failure(ledger: Ledger, failed: CallFailed) -> None:
    """Note at once what a failed call says of the account, before anything else is tried."""
    trouble = _state_in(failed) if failed.failure is Failure.AUTH else None
    if trouble is not None:
        _set(ledger, trouble)


def harms(value: str) -> bool:
    """Whether readers' apps hide an account, or warn of it, for a label that others have put on it."""
    return value in HARMFUL or (value.startswith("!") and value not in HARMLESS_ORDERS)


def _trouble(account: Account) -> str | None:
    state = own_state(account)
    if not state.active:
        return f"the account is {state.status or 'not active'}"
    labels = {label.val for label in own_labels(account) if label.src != account.did and harms(label.val)}
    return f"the account is labelled {', '.join(sorted(labels))}" if labels else None


def _state_in(failed: CallFailed) -> str | None:
    """The state that an error names; here it is always our own account's that was asked about."""
    state = _STATES.get(failed.error or "")
    return f"the account is {state}" if state is not None else None


def _set(ledger: Ledger, trouble: str) -> None:
    if ledger.conditions.set(ACCOUNT, trouble):
        log.error("account_in_trouble", detail=trouble, mend=MEND)
