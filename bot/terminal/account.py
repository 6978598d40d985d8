"""The bot's account for a command, over the session that the ledger keeps."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.bluesky.errors import CallFailed
from bot.bluesky.session import Account, open_account
from bot.clock import Clock
from bot.errors import BadSettings
from bot.ledger.desk import SealedSessions
from bot.ledger.ledger import Ledger
from bot.presence import LedgerSessions
from bot.settings import Settings, load_settings


@contextmanager
def opened_account(settings: Settings, ledger: Ledger) -> Iterator[Account]:
    """The account, logged in only when no kept session works; raises CallFailed."""
    sealed = SealedSessions(ledger.db, settings.session_key.get_secret_value())
    account = open_account(settings.account, LedgerSessions(sealed), Clock())
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
