"""`skywright approve`, `skip` and `retry`: a person moves one document on."""

from bot.ledger.ledger import Ledger
from bot.ledger.send_rows import ABANDONED
from bot.ledger.sends import reply_key
from bot.ledger.views import Document
from bot.settings import LedgerSettings, load_settings
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.failures import Exit, end
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.screen import Screen, safe
from bot.terminal.show import named_document
from guardrails.transitions import FINAL_SKIPS, Reason, Status, sources_of

ON_ITS_WAY = "its reply is on its way or may be out: `skywright sends` shows it, `skywright resolve` settles it"
SECOND = (
    "{document}: a reply to it was abandoned.\n"
    "At risk: if that one is out after all, its asker is answered twice. Look at the bot's own posts first."
)


def approve_command(name: str, version: int | None) -> None:
    """Let an ask be built without or after the guardrails' word, or a held reply go out."""
    settings = load_settings(LedgerSettings)
    with opened_ledger(settings) as ledger:
        document = _shown(ledger, settings, name, version)
        if document.reply_held is not None:
            _say(ledger.decisions.release_reply(operator(), document), "its reply goes out next")
            return
        _check(document, "approve", more=", and from built while its reply is held")
        if document.approve_by is not None and document.approve_by <= ledger.db.time():
            end(f"{document.id} could be approved until {document.approve_by:%Y-%m-%d %H:%M} UTC", Exit.NOT_DONE)
        _say(ledger.documents.approve(operator(), document))


def skip_command(name: str, reason: str, version: int | None) -> None:
    """Stop a document. An ask that waited for an approval is declined, which its author may be told in a line."""
    settings = load_settings(LedgerSettings)
    with opened_ledger(settings) as ledger:
        document = _shown(ledger, settings, name, version)
        _check(document, "stop")
        if document.sending:
            end(f"{document.id}: {ON_ITS_WAY}", Exit.NOT_DONE)
        why = Reason.DECLINED if document.status is Status.AWAITING_APPROVAL else Reason.STOPPED
        _say(ledger.documents.stop(operator(), document, why, reason.strip()))


def retry_command(name: str, version: int | None, *, send: bool, yes: bool) -> None:
    """Build again with a fresh budget, or judge again what was skipped; with `send` the reply goes out under a new key.

    Where a reply was abandoned it asks first: that one may be out.
    """
    settings = load_settings(LedgerSettings)
    with opened_ledger(settings) as ledger:
        document = _shown(ledger, settings, name, version)
        if document.status is Status.ERROR and document.withdrawn_at is not None:
            end(f"{document.id} was taken back by its author: nothing is said to it any more", Exit.NOT_DONE)
        if document.status is Status.SKIPPED and not send:
            if document.reason in FINAL_SKIPS:
                end(f"{document.id} was skipped for good: {document.reason.value}", Exit.NOT_DONE)
            _say(ledger.documents.judge_again(operator(), document))
            return
        _check(document, "send_again" if send else "retry")
        if send and document.result_json is None:
            end(f"{document.id} has nothing built to send: leave --send out", Exit.NOT_DONE)
        if _was_abandoned(ledger, document):
            check_can_ask(yes=yes)
            confirm(SECOND.format(document=document.id), yes=yes)
        again = ledger.documents.send_again if send else ledger.documents.retry
        _say(again(operator(), document))


def _was_abandoned(ledger: Ledger, document: Document) -> bool:
    key = reply_key(document.id)
    return any(send.key == key and send.state == ABANDONED for send in ledger.queries.sends(document.id))


def _shown(ledger: Ledger, settings: LedgerSettings, name: str, version: int | None) -> Document:
    document = named_document(ledger, settings, name)
    if version is not None and document.version != version:
        end(f"{document.id} is {document.status.value} at version {document.version} by now", Exit.NOT_DONE)
    return document


def _check(document: Document, move: str, more: str = "") -> None:
    """End unless the move can be made from where the document stands; from where it can be made is said."""
    possible = sources_of(document.kind, move)
    if document.status not in possible:
        where = ", ".join(status.value for status in Status if status in possible)
        end(f"{document.id} is {document.status.value}: this is possible from {where}{more}", Exit.NOT_DONE)


def _say(document: Document, more: str = "") -> None:
    told = f"{document.id} is {document.status.value} ({document.reason.value}) at version {document.version}"
    Screen().print(safe(f"{told}{'; ' if more else ''}{more}"))
