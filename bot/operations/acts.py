"""One deed on one document: whether it is possible, what it does to the ledger, and how that is told."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

import structlog

from bot.errors import AlreadyDone, LostRace
from bot.ledger.audit import AuditEntry
from bot.ledger.ledger import Ledger
from bot.ledger.send_rows import ABANDONED
from bot.ledger.sends import reply_key
from bot.ledger.views import Document
from bot.operations.deeds import deeds_at, noted_as, why_not
from bot.operations.doing import Act, Deed, Ending, Outcome
from guardrails.access import Caller
from guardrails.documents import DocId
from guardrails.errors import RuleError
from guardrails.transitions import Reason, Status

SECOND = "a reply to it was abandoned, which may be out: say that a second one may go out"
USED = "its action id was used for something else"
_AGAIN = frozenset({Deed.RETRY, Deed.SEND_AGAIN})
log = structlog.get_logger()


class Acts:
    """Does what an operator wants done, each for itself and over the version that was seen."""

    def __init__(self, ledger: Ledger, caller: Caller) -> None:
        self._ledger = ledger
        self._caller = caller

    def done(self, acts: Sequence[Act]) -> list[Outcome]:
        """How each ended; one that fails stops no other, and what was done before is not done again."""
        noted = self._ledger.audit.done([act.action_id for act in acts])
        found = self._ledger.pages.by_id({act.on.id for act in acts})
        return [self._outcome(act, found.get(act.on.id), noted.get(act.action_id)) for act in acts]

    def _outcome(self, act: Act, document: Document | None, noted: AuditEntry | None) -> Outcome:
        if document is None:
            return Outcome(act.on.id, Ending.FAILED, f"no document {act.on.id}")
        try:
            return self._done_before(act, document, noted) if noted is not None else self._act(act, document)
        except Exception:
            log.exception("act_failed", document=act.on.id, deed=act.deed.value)
            return Outcome(act.on.id, Ending.FAILED, "it failed; the bot's log says why, and nothing was changed")

    def _act(self, act: Act, document: Document) -> Outcome:
        """Over the document as it was read before the first act: what came in between makes the write lose."""
        refused = self._refused(act, document)
        if refused is not None:
            return refused if refused.ending is not Ending.CHANGED else self._too_late(act, "at another version")
        try:
            done = self._deed(act.deed)(replace(self._caller, action_id=act.action_id), document, act)
        except (AlreadyDone, LostRace) as late:
            return self._too_late(act, str(late))
        except RuleError as refused_by:
            return _told(document, Ending.NOT_ALLOWED, str(refused_by))
        return _told(done, Ending.DONE, self._said(act, done))

    def _refused(self, act: Act, document: Document) -> Outcome | None:
        if not act.action_id:
            return _told(document, Ending.FAILED, "an act needs an id of its own")
        if document.version != act.on.version:
            return _changed(document)
        if act.deed not in deeds_at(document, self._caller.role):
            return _told(document, Ending.NOT_ALLOWED, why_not(document, act.deed))
        over = document.approve_by if act.deed is Deed.APPROVE and document.status is Status.AWAITING_APPROVAL else None
        if over is not None and over <= self._ledger.db.time():
            return _told(document, Ending.NOT_ALLOWED, f"it could be approved until {over:%Y-%m-%d %H:%M} UTC")
        if act.deed in _AGAIN and not act.second_reply and self._was_abandoned(document.id):
            return _told(document, Ending.NOT_ALLOWED, SECOND)
        return None

    def _deed(self, deed: Deed) -> Callable[[Caller, Document, Act], Document]:
        """How the ledger does a deed; the one place where one becomes a write."""
        ledger = self._ledger
        match deed:
            case Deed.APPROVE:
                return lambda caller, document, _: ledger.documents.approve(caller, document)
            case Deed.RELEASE_REPLY:
                return lambda caller, document, _: ledger.decisions.release_reply(caller, document)
            case Deed.SKIP:
                return lambda caller, document, act: ledger.documents.stop(caller, document, _no(document), act.why)
            case Deed.JUDGE_AGAIN:
                return lambda caller, document, _: ledger.documents.judge_again(caller, document)
            case Deed.RETRY:
                return lambda caller, document, _: ledger.documents.retry(caller, document)
            case Deed.SEND_AGAIN:
                return lambda caller, document, _: ledger.documents.send_again(caller, document)
            case Deed.DELETE:
                return lambda caller, document, act: ledger.takedowns.delete(caller, document, act.why)
            case Deed.TAKE_DOWN:
                return lambda caller, document, act: ledger.takedowns.take_down(
                    caller, document, act.why, keep_reply=act.keep_reply
                )
            case _ as never:
                assert_never(never)

    def _too_late(self, act: Act, why: str) -> Outcome:
        """Somebody was faster: with this very act, or with another."""
        noted = self._ledger.audit.done([act.action_id]).get(act.action_id)
        document = self._ledger.queries.document(act.on.id)
        if noted is not None:
            return self._done_before(act, document, noted)
        log.info("act_too_late", document=act.on.id, deed=act.deed.value, why=why)
        return _changed(document)

    def _done_before(self, act: Act, document: Document, noted: AuditEntry) -> Outcome:
        if (noted.action, noted.target) != (noted_as(act.deed), act.on.id):
            return _told(document, Ending.NOT_ALLOWED, USED)
        return _told(document, Ending.DONE, self._said(act, document))

    def _said(self, act: Act, document: Document) -> str:
        match act.deed:
            case Deed.RELEASE_REPLY:
                return "its reply goes out next"
            case Deed.DELETE:
                return f"its app is gone{self._reply(document)}{self._elsewhere(document)}"
            case Deed.TAKE_DOWN:
                return f"it is taken down for good{self._reply(document)}{self._elsewhere(document)}"
        return f"it is {document.status.value}"

    def _reply(self, document: Document) -> str:
        if document.sending:
            return "; its reply is on its way, and is deleted once that is settled" if document.withdrawn_at else ""
        if document.reply_uri is None or document.reply_deleted_at is not None:
            return ""
        return "; our reply is deleted next" if document.withdrawn_at is not None else "; our reply stays"

    def _elsewhere(self, document: Document) -> str:
        """What stands on somebody else's host is out of the bot's reach."""
        app = self._ledger.hosting.app(document.slug) if document.slug is not None else None
        if app is None or app.address is None:
            return ""
        return f"; at {app.address} it stands until its lane runs `skywright-builder unpublish {app.slug} --reason WHY`"

    def _was_abandoned(self, document_id: DocId) -> bool:
        key = reply_key(document_id)
        return any(send.key == key and send.state == ABANDONED for send in self._ledger.queries.sends(document_id))


def _no(document: Document) -> Reason:
    """An ask that waited for an approval is declined, which its author may be told in a line."""
    return Reason.DECLINED if document.status is Status.AWAITING_APPROVAL else Reason.STOPPED


def _changed(document: Document) -> Outcome:
    told = f"it is {document.status.value} at version {document.version} by now"
    return _told(document, Ending.CHANGED, told)


def _told(document: Document, ending: Ending, told: str) -> Outcome:
    return Outcome(document.id, ending, told, document.status, document.version, document.reason)
