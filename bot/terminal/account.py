"""The bot's account for a command, over the session that the ledger keeps."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account, open_account
from bot.clock import Clock
from bot.errors import BadSettings
from bot.ledger.ledger import Ledger
from bot.presence import ledger_sessions
from bot.settings import Settings, load_settings


@contextmanager
def opened_account(settings: Settings, ledger: Ledger, *, retry: bool = False) -> Iterator[Account]:
    """The account, logged in only when no kept session works; raises CallFailed.

    With `retry` a password that was refused is tried once more.
    """
    account = open_account(settings.account, ledger_sessions(ledger.db, settings), Clock(), retry=retry)
    try:
        yield account
    finally:
        account.close()


def did_of_handle(ledger: Ledger, handle: str) -> str | None:
    """The DID that a handle has now, as our PDS says; None when it cannot be asked or does not know."""
    try:
        with opened_account(load_settings(Settings), ledger) as account:
            did = account.query("com.atproto.identity.resolveHandle", {"handle": handle}).get("did")
    except (BadSettings, CallFailed):
        return None
    return did if isinstance(did, str) else None


def login_mend(failed: CallFailed) -> str:
    """What a person can do about an account that cannot be opened."""
    match failed.failure:
        case Failure.AUTH:
            return (
                "mend SKYWRIGHT_IDENTIFIER or make a new app password for SKYWRIGHT_PASSWORD; "
                "if both are right, `skywright login --retry`"
            )
        case Failure.REFUSED:
            # The handle of a deactivated account does not resolve.
            return "mend SKYWRIGHT_IDENTIFIER (best the DID), SKYWRIGHT_PDS_URL or SKYWRIGHT_PLC_URL"
        case Failure.RATE_LIMITED:
            return f"wait until {failed.retry_at:%Y-%m-%d %H:%M:%S} UTC" if failed.retry_at else "wait"
        case Failure.NOT_SENT | Failure.UNKNOWN:
            return "look at this machine's network, at SKYWRIGHT_PDS_URL and SKYWRIGHT_PLC_URL, or wait"
