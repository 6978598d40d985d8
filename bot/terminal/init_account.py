"""The login of `skywright init`: an app password, tried once, whose session is kept; never the account's own."""

from contextlib import suppress
from datetime import datetime

from atproto_client import Session
from pydantic import SecretStr

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.login import JUST_LOGGED_IN
from bot.bluesky.scope import Scope, scope_of
from bot.bluesky.session import Account, open_account
from bot.bluesky.xrpc import Xrpc
from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.presence import LedgerSessions, ledger_sessions
from bot.settings import Settings
from bot.terminal.account import login_mend
from bot.terminal.doctor_account import account_findings
from bot.terminal.failures import Exit, end
from bot.terminal.init_asking import NOTHING_WRITTEN, Asker
from bot.terminal.init_draft import Draft
from guardrails.documents import Did
from guardrails.findings import Finding, State

# The network allows 30 in five minutes and 300 in a day, and a bot needs one now and then.
MOST_LOGINS = 5
SECOND_FACTOR = "AuthFactorTokenRequired"
HOW_TO = (
    "make an app password: in an app, Settings → Privacy and security → App passwords → Add; leave access to direct "
    "messages off"
)
OWN = "that is the account's own password, and whoever has it can take the account over"


class OwnPassword(Exception):
    """The session is one of the account's own password."""

    def __init__(self, session: Session) -> None:
        super().__init__(OWN)
        self.session = session


class AppSessions(LedgerSessions):
    """The ledger's sessions, none of which can take the account over."""

    def save(self, did: Did, text: str, expected_version: int | None) -> int:
        """Keep a session; OwnPassword for one that is not to be kept."""
        session = Session.decode(text)
        if scope_of(session.access_jwt) is Scope.MAIN:
            raise OwnPassword(session)
        return super().save(did, text, expected_version)

    def pause_logins(self, did: Did, until: datetime, why: str, error: str | None) -> None:
        """No login before that moment; but whoever sits here may have another password at once."""
        if why != JUST_LOGGED_IN:
            super().pause_logins(did, until, why, error)


def log_in(asker: Asker, draft: Draft, given: SecretStr | None, ledger: Ledger, place: Settings) -> Account:
    """The account, logged in with a password that is right; it stands in the draft then. The caller closes it.

    A session that is kept already is used, while the password is the one that it was made with.
    """
    password = given.get_secret_value() if given is not None else None
    for number in range(1, MOST_LOGINS + 1):
        _take(asker, draft, password)
        chosen = {name: SecretStr(draft.values[name]) for name in ("password", "session_key")}
        settings = place.model_copy(update={**chosen, "identifier": draft.values["identifier"]})
        try:
            account = _opened(settings, ledger)
        except OwnPassword as own:
            _forget(own.session, settings)
            asker.refuse("password", f"{OWN}: it is not kept", HOW_TO)
        except CallFailed as failed:
            _tell(asker, failed)
        else:
            if asker.goes_on(each for each in account_findings(settings, ledger) if not _is_mended_next(each)):
                return account
            account.close()
            # The session that is kept ends with its key.
            draft.values.pop("session_key")
        asker.say(f"  try {number} of {MOST_LOGINS}: the network allows few logins")
        password = ""
    end(f"that were {MOST_LOGINS} tries; {NOTHING_WRITTEN}. To go on: {HOW_TO}", Exit.FAILED)


def _is_mended_next(finding: Finding) -> bool:
    """That the account does not say that it is a bot."""
    return finding.name == "labels" and finding.state is State.WARN


def _take(asker: Asker, draft: Draft, password: str | None) -> None:
    """Put a password into the draft; another one than before comes with a new key, which ends the session of the old.

    None is asked for where one stands, unless it was wrong: then `password` is empty.
    """
    before = draft.values.get("password")
    if not password and asker.asks:
        keep = "; Enter keeps the one that is set" if before and password is None else ""
        while not password:
            password = asker.secret(f"Its app password, which is not shown{keep}") or (before if keep else "")
    password = password or before or ""
    draft.values["password"] = password
    filed = draft.earlier
    if filed.get("password", password) != password and draft.values.get("session_key") == filed.get("session_key"):
        draft.values.pop("session_key", None)
    if not draft.values.get("session_key"):
        from cryptography.fernet import Fernet  # noqa: PLC0415

        draft.values["session_key"] = Fernet.generate_key().decode()


def _opened(settings: Settings, ledger: Ledger) -> Account:
    account = open_account(settings.account, ledger_sessions(ledger.db, settings, AppSessions), Clock())
    if account.scope is Scope.MAIN:
        # Kept by an earlier program: it ends with the key that it is sealed with.
        account.close()
        raise CallFailed(Failure.AUTH, f"a session is kept of another login: {OWN}")
    return account


def _tell(asker: Asker, failed: CallFailed) -> None:
    if failed.error == SECOND_FACTOR:
        told = f"{OWN}: the network asks for a second factor, and an app password needs none"
        asker.refuse("password", told, HOW_TO)
    elif failed.failure is Failure.AUTH:
        asker.refuse("login", str(failed), f"type it again, or {HOW_TO}")
    else:
        asker.refuse("login", str(failed), login_mend(failed))


def _forget(session: Session, settings: Settings) -> None:
    """End a session at the server; where that fails it runs out by itself."""
    xrpc = Xrpc(session.pds_endpoint or "", deadline_seconds=settings.call_deadline_seconds, now=Clock())
    with suppress(CallFailed):
        xrpc.end_session(session)
    xrpc.close()
