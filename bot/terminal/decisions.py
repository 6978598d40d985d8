"""`skywright approve`, `skip`, `retry` and `delete`: a person moves one document on, or all that filters leave."""

from dataclasses import replace

from bot.ledger.send_rows import ABANDONED
from bot.ledger.sends import reply_key
from bot.ledger.views import Document
from bot.operations.doing import Act, Deed
from bot.operations.port import Operations
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.bulk import act_of, do_in_bulk, tell_outcome
from bot.terminal.failures import Exit, end
from bot.terminal.opening import opened_operations
from bot.terminal.options import Filters
from bot.terminal.selecting import check_one_way
from guardrails.transitions import FINAL_SKIPS, Status, sources_of

ON_ITS_WAY = "its reply is on its way or may be out: `skywright sends` shows it, `skywright resolve` settles it"
SECOND = (
    "{document}: a reply to it was abandoned.\n"
    "At risk: if that one is out after all, its asker is answered twice. Look at the bot's own posts first."
)
DELETES = "At risk: {what} is gone from everybody's thread, with the app behind it; this cannot be taken back."


def approve_command(name: str | None, filters: Filters, version: int | None, *, yes: bool, as_json: bool) -> None:
    """Let an ask be built without or after the guardrails' word, or a held reply go out."""
    check_one_way(name, filters, version)
    with opened_operations() as operations:
        if name is None:
            do_in_bulk(operations, filters, _approval, "approve", yes=yes, as_json=as_json)
            return
        document = _shown(operations, name, version)
        act = _approval(document)
        if act.deed is Deed.APPROVE:
            _check(document, "approve", more=", and from built while its reply is held")
            if document.approve_by is not None and document.approve_by <= operations.me().at:
                end(f"{document.id} could be approved until {document.approve_by:%Y-%m-%d %H:%M} UTC", Exit.NOT_DONE)
        _do(operations, act, as_json=as_json)


def skip_command(
    name: str | None, why: str, filters: Filters, version: int | None, *, yes: bool, as_json: bool
) -> None:
    """Stop a document. An ask that waited for an approval is declined, which its author may be told in a line."""
    check_one_way(name, filters, version)

    def act(document: Document) -> Act:
        return act_of(Deed.SKIP, document, why=why.strip())

    with opened_operations() as operations:
        if name is None:
            do_in_bulk(operations, filters, act, "skip", yes=yes, as_json=as_json)
            return
        document = _shown(operations, name, version)
        _check(document, "stop")
        if document.sending:
            end(f"{document.id}: {ON_ITS_WAY}", Exit.NOT_DONE)
        _do(operations, act(document), as_json=as_json)


def retry_command(
    name: str | None, filters: Filters, version: int | None, *, send: bool, yes: bool, as_json: bool
) -> None:
    """Build again with a fresh budget, or judge again what was skipped; with `send` the reply goes out under a new key.

    Where a reply was abandoned it asks first: that one may be out. Of several, those are not done.
    """
    check_one_way(name, filters, version)

    def act(document: Document) -> Act:
        if send:
            return act_of(Deed.SEND_AGAIN, document)
        return act_of(Deed.JUDGE_AGAIN if document.status is Status.SKIPPED else Deed.RETRY, document)

    with opened_operations() as operations:
        if name is None:
            do_in_bulk(operations, filters, act, "send again" if send else "retry", yes=yes, as_json=as_json)
            return
        document = _shown(operations, name, version)
        _check_retry(document, send=send)
        one = act(document)
        if one.deed is not Deed.JUDGE_AGAIN and _was_abandoned(operations, document):
            check_can_ask(yes=yes)
            confirm(SECOND.format(document=document.id), yes=yes)
            one = replace(one, second_reply=True)
        _do(operations, one, as_json=as_json)


def delete_command(
    name: str | None, why: str, filters: Filters, version: int | None, *, yes: bool, as_json: bool
) -> None:
    """Take our reply and its app back, as its asker could; asks first."""
    check_one_way(name, filters, version)
    check_can_ask(yes=yes)

    def act(document: Document) -> Act:
        return act_of(Deed.DELETE, document, why=why.strip())

    with opened_operations() as operations:
        if name is None:
            risk = DELETES.format(what="each reply")
            do_in_bulk(operations, filters, act, "delete the replies to", yes=yes, as_json=as_json, risk=risk)
            return
        document = _shown(operations, name, version)
        what = document.reply_uri or "its reply"
        confirm(f"{document.id} is {document.status.value}.\n{DELETES.format(what=what)}", yes=yes)
        _do(operations, act(document), as_json=as_json)


def _approval(document: Document) -> Act:
    return act_of(Deed.APPROVE if document.reply_held is None else Deed.RELEASE_REPLY, document)


def _check_retry(document: Document, *, send: bool) -> None:
    if document.status is Status.ERROR and document.withdrawn_at is not None:
        end(f"{document.id} was taken back by its author: nothing is said to it any more", Exit.NOT_DONE)
    if document.status is Status.SKIPPED and not send:
        if document.reason in FINAL_SKIPS:
            end(f"{document.id} was skipped for good: {document.reason.value}", Exit.NOT_DONE)
        return
    _check(document, "send_again" if send else "retry")
    if send and document.result_json is None:
        end(f"{document.id} has nothing built to send: leave --send out", Exit.NOT_DONE)


def _was_abandoned(operations: Operations, document: Document) -> bool:
    key = reply_key(document.id)
    return any(send.key == key and send.state == ABANDONED for send in operations.whole(document.id).sends)


def _shown(operations: Operations, name: str, version: int | None) -> Document:
    document = operations.find(name)
    if version is not None and document.version != version:
        end(f"{document.id} is {document.status.value} at version {document.version} by now", Exit.NOT_DONE)
    return document


def _check(document: Document, move: str, more: str = "") -> None:
    """End unless the move can be made from where the document stands; from where it can be made is said."""
    possible = sources_of(document.kind, move)
    if document.status not in possible:
        where = ", ".join(status.value for status in Status if status in possible)
        end(f"{document.id} is {document.status.value}: this is possible from {where}{more}", Exit.NOT_DONE)


def _do(operations: Operations, act: Act, *, as_json: bool) -> None:
    (outcome,) = operations.act([act])
    tell_outcome(outcome, as_json=as_json)
