"""The doctor's look at the account: its login, what its password lets it do, its labels, and what it does not hear."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from bot.bluesky.errors import CallFailed
from bot.bluesky.kept_away import EVERYBODY, kept_away, who_may_notify
from bot.bluesky.labels import calls_itself_bot
from bot.bluesky.profiles import own_labels, own_state
from bot.bluesky.scope import Scope
from bot.bluesky.session import Account
from bot.jobs.standing import harms
from bot.ledger.ledger import Ledger
from bot.settings import Settings
from bot.terminal.account import login_mend, opened_account
from bot.terminal.reaching import LOOK_SECONDS
from guardrails.documents import Did
from guardrails.findings import Finding, fail, ok, warn

LOOK_AT_IT = "look at it in an app; its mail may hold the moderators' reasons"
# A session outlives the setting: it is renewed for months, whatever the password is by then.
ANOTHER = (
    "make an app password in the account's settings in an app, without access to messages; set SKYWRIGHT_PASSWORD to "
    "it, and SKYWRIGHT_SESSION_KEY to a new key (`skywright new-key`), which ends the session that is kept"
)
NOT_TOLD = "MethodNotImplemented"


@dataclass(frozen=True)
class LoggedIn:
    """The account that a login reached, and whether it may write."""

    did: Did
    active: bool


def account_findings(settings: Settings, ledger: Ledger) -> Generator[Finding, None, LoggedIn | None]:
    """Whether the account can log in, may work and is heard; returns it, None when the login failed."""
    hasty = settings.model_copy(update={"call_deadline_seconds": min(settings.call_deadline_seconds, LOOK_SECONDS)})
    try:
        with opened_account(hasty, ledger) as account:
            # The first call finds out whether the kept session is still good, and renews it if it is not.
            state = own_state(account)
            yield ok("login", f"{state.handle} ({account.did}) at {account.pds_url}")
            yield _password(account.scope)
            if state.active:
                yield ok("account", "active")
                yield from _as_others_see_it(account)
            else:
                yield fail("account", f"not active: {state.status or 'no reason given'}", LOOK_AT_IT)
            return LoggedIn(account.did, state.active)
    except CallFailed as failed:
        yield fail("login", str(failed), login_mend(failed))
        return None


def _password(scope: Scope | None) -> Finding:
    match scope:
        case Scope.APP:
            return ok("password", "an app password")
        case Scope.PRIVILEGED:
            told = "an app password that may also read and write the account's messages, which nothing here does"
            return warn("password", told, ANOTHER)
        case Scope.MAIN:
            told = "the account's own password: whoever has it, or the session, can take the account over"
            return warn("password", told, ANOTHER)
        case None:
            return warn("password", "the session does not say what it may do", "make sure that it is an app password")


def _as_others_see_it(account: Account) -> Iterator[Finding]:
    """By the AppView, which the PDS passes the questions on to; where it is away, nothing else is asked of it."""
    try:
        labels = own_labels(account)
    except CallFailed as failed:
        mend = "wait: until it answers the bot hears nobody; of a new account, it may not know yet"
        yield fail("appview", f"does not answer through the PDS: {failed}", mend)
        return
    yield ok("appview", "answers through the PDS")
    harmful = sorted({label.val for label in labels if label.src != account.did and harms(label.val)})
    if harmful:
        yield fail("labels", f"others have labelled the account {', '.join(harmful)}", LOOK_AT_IT)
    elif not calls_itself_bot(account.did, labels):
        yield warn("labels", "the account does not say that it is a bot", "`skywright profile apply`")
    else:
        yield ok("labels", ", ".join(sorted({label.val for label in labels})))
    yield _told("mutes", lambda: _mutes(account))
    yield _told("notifications", lambda: _notifications(account))


def _mutes(account: Account) -> Finding:
    """Who is muted mentions the bot, and it hears nothing."""
    kept = kept_away(account)
    told = f"accounts muted: {kept.muted}, lists: {kept.muted_lists}; accounts blocked: {kept.blocked}"
    if kept.muted.n or kept.muted_lists.n:
        mend = "unmute them in an app; `skywright deny` is for those who are not to be answered"
        return warn("mutes", f"{told}: what the muted ask is not heard", mend)
    return ok("mutes", told)


def _notifications(account: Account) -> Finding:
    wanted = who_may_notify(account, ("mention", "reply"))
    narrow = [f"{reason}: {who or 'nobody'}" for reason, who in wanted.items() if who != EVERYBODY]
    if narrow:
        mend = "let everybody notify the account of mentions and replies, in the settings of an app"
        return warn("notifications", f"not everybody's are wanted ({', '.join(narrow)})", mend)
    return ok("notifications", "everybody's mentions and replies are wanted")


def _told(name: str, look: Callable[[], Finding]) -> Finding:
    """What a look finds; not every network tells all of it."""
    try:
        return look()
    except CallFailed as failed:
        if failed.error == NOT_TOLD:
            return ok(name, "this network does not tell")
        return warn(name, f"cannot be told: {failed}", "run the doctor again later")
