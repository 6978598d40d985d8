"""`skywright resolve`: a person decides about a send that does not settle itself."""

from enum import StrEnum
from typing import Any

import typer

from bot.bluesky.posts import resolve_link
from bot.bluesky.records import Absent, Found, read_back
from bot.bluesky.session import Account
from bot.ledger.ledger import Ledger
from bot.ledger.send_rows import CLAIMED, DELETE
from bot.ledger.sends import reply_key
from bot.ledger.views import Send
from bot.settings import LedgerSettings, Settings, load_settings
from bot.terminal.account import opened_account
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.failures import Exit, end
from bot.terminal.moments import ago
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.outbox import gist, state_of
from bot.terminal.show import named_document
from guardrails.documents import AtUri, DocId, RecordKey, StrongRef, split_at_uri
from guardrails.text import visible

KINDS = ("reply:", "like:", "note:", "delete:")
# These answer the mention itself; notes of a day may have been set off by any of an author's mentions.
ABOUT_THE_MENTION = ("reply:", "like:")


class Verdict(StrEnum):
    """What a person can decide about a send."""

    SENT = "sent"
    ABANDON = "abandon"
    AGAIN = "again"

    @classmethod
    def chosen(cls, sent: str | None, *, abandon: bool, again: bool) -> "Verdict":
        """The one that was chosen; typer.BadParameter for none or several."""
        said = [(cls.SENT, sent is not None), (cls.ABANDON, abandon), (cls.AGAIN, again)]
        chosen = [verdict for verdict, is_said in said if is_said]
        if len(chosen) != 1:
            raise typer.BadParameter("say one of --sent URI, --abandon and --again")
        return chosen[0]


AT_RISK = {
    Verdict.SENT: (
        "It counts as sent, as {uri}; nothing is sent under this key any more.\n"
        "At risk: if that record is not what was to be said, it is never said."
    ),
    Verdict.ABANDON: (
        "Nothing is sent under this key any more, and its document {document}.\n"
        "At risk: if the record is out there after all, because only the answer to a try was lost, whoever has it sent "
        "again says it a second time. Look at the bot's own posts first."
    ),
    Verdict.AGAIN: (
        "The bot looks under the same key, and sends the same record if nothing is there; it never overwrites.\n"
        "At risk: a record that somebody deleted reads as never sent, and comes back. If another record stands there, "
        "or one that moderators took down, the conflict comes back."
    ),
}


def resolve_command(name: str, verdict: Verdict, uri: str | None, *, yes: bool) -> None:
    """Ask, then write the decision under the operator's name; LostRace when the send has moved on meanwhile."""
    check_can_ask(yes=yes)
    account_settings = load_settings(Settings) if uri is not None else None
    settings = account_settings or load_settings(LedgerSettings)
    with opened_ledger(settings) as ledger:
        send = _named_send(ledger, settings, name)
        if send.state != CLAIMED:
            end(f"{send.key} is settled: {send.state}{f' as {send.uri}' if send.uri else ''}", Exit.NOT_DONE)
        ref = None
        if account_settings is not None and uri is not None:
            with opened_account(account_settings, ledger) as account:
                ref = _record_of_ours(account, ledger, send, uri)
        confirm(_told(ledger, send, verdict, ref), yes=yes)
        decided = _decide(ledger, send, verdict, ref)
    typer.echo(visible(f"{decided.key}: {state_of(decided)}, decided by {decided.decided_by}: {decided.decision}"))


def _named_send(ledger: Ledger, settings: LedgerSettings, name: str) -> Send:
    name = name.strip()
    if name.startswith(KINDS):
        return ledger.queries.send(name)
    return ledger.queries.send(reply_key(named_document(ledger, settings, name).id))


def _told(ledger: Ledger, send: Send, verdict: Verdict, ref: StrongRef | None) -> str:
    state, since = state_of(send), ago(send.unknown_since or send.claimed_at, ledger.db.time())
    # What a server said stays on its line here, so that it cannot pass for ours.
    why = visible(send.conflict or send.problem or "no answer came")
    is_reply = send.document_id is not None and send.key == reply_key(DocId(send.document_id))
    document = "goes to error" if is_reply else "stays as it is"
    risk = AT_RISK[verdict].format(uri=ref.uri if ref is not None else "", document=document)
    return f"{send.key}: {state} for {since}, tries {send.tries}: {why}\nfrozen: {visible(gist(send))}\n\n{risk}"


def _decide(ledger: Ledger, send: Send, verdict: Verdict, ref: StrongRef | None) -> Send:
    if verdict is Verdict.SENT and ref is not None:
        return ledger.decisions.sent(operator(), send, ref)
    if verdict is Verdict.ABANDON:
        return ledger.decisions.abandoned(operator(), send)
    return ledger.decisions.again(operator(), send)


def _record_of_ours(account: Account, ledger: Ledger, send: Send, name: str) -> StrongRef:
    """The record that a person says was sent, once our own PDS has shown that it can be."""
    uri = resolve_link(account, name) if name.startswith(("http://", "https://")) else AtUri(name.strip())
    try:
        did, collection, rkey = split_at_uri(uri)
    except ValueError as problem:
        raise typer.BadParameter(f"--sent {name!r}: {problem}") from None
    if did != account.did:
        end(f"{uri} is not in our repository, which is {account.did}", Exit.FAILED)
    if collection != send.collection:
        end(f"{uri} is no {send.collection}, which {send.key} was to be", Exit.FAILED)
    found = read_back(account, collection, rkey)
    if send.op == DELETE:
        return _deleted(send, uri, rkey, found)
    if isinstance(found, Absent):
        end(f"{uri} is not there: never sent, deleted, or taken down by moderators", Exit.NOT_FOUND)
    _check_is_meant(ledger, send, found)
    return StrongRef(uri=uri, cid=found.cid)


def _deleted(send: Send, uri: AtUri, rkey: RecordKey, found: Found | Absent) -> StrongRef:
    if rkey != send.rkey:
        end(f"{uri} is not what {send.key} was to delete", Exit.FAILED)
    if isinstance(found, Found):
        end(f"{uri} is still there", Exit.FAILED)
    return StrongRef(uri=uri, cid=send.cid)


def _check_is_meant(ledger: Ledger, send: Send, found: Found) -> None:
    """A reply answers the mention, a like is of it; what is another send's record is not this one's too."""
    if send.document_id is None:
        return
    document = ledger.queries.document(send.document_id)
    about = _about(found.record)
    if send.key.startswith(ABOUT_THE_MENTION) and about != document.source_uri:
        told = f"is about {visible(about)}" if about else "answers nothing"
        end(f"{found.uri} {told}, and not about the mention {document.source_uri}", Exit.FAILED)
    for other in ledger.queries.sends(document.id):
        if other.id != send.id and other.uri == found.uri:
            end(f"{found.uri} is what {other.key} was sent as", Exit.FAILED)


def _about(record: dict[str, Any]) -> str | None:
    match record:
        case {"reply": {"parent": {"uri": str(uri)}}} | {"subject": {"uri": str(uri)}}:
            return uri
    return None
