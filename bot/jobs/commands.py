"""What an asker's command does: cancel and delete take the ask back, and our answer and the app with it."""

from collections.abc import Sequence

import structlog

from bot.jobs.take_back import Hand, withdraw
from bot.ledger.known import KnownReply
from bot.ledger.views import Document
from guardrails.documents import AtUri, Did
from guardrails.request import Command, CommandWord, read_post
from guardrails.transitions import Reason, Status

TAKES_BACK = frozenset({CommandWord.CANCEL, CommandWord.DELETE})
log = structlog.get_logger()
_OPEN = frozenset(
    {
        Status.RECEIVED,
        Status.AWAITING_APPROVAL,
        Status.PENDING_BUILD,
        Status.BUILDING,
        Status.BUILT,
    }
)


def obey(hand: Hand, document: Document, our_did: Did) -> None:
    """Take back what the command in a document is about; LostRace when that has just moved: obey once more.

    Before the document itself is moved, so that a crash in between obeys twice, never not at all.
    """
    match read_post(document.mention.record, our_did):
        case Command(word=word) if word in TAKES_BACK:
            for asked in _asked(hand, document):
                if isinstance(asked, KnownReply):
                    hand.ledger.known.take_back(hand.caller, asked)
                    log.info("withdrawn", doc=asked.id, status="known", reason=Reason.CANCELLED.value)
                elif asked.withdrawn_at is None and (asked.status in _OPEN or asked.reply_uri is not None):
                    withdraw(hand, asked, Reason.CANCELLED)


def _asked(hand: Hand, document: Document) -> Sequence[Document | KnownReply]:
    """The same author's ask that the command answers, itself or by our reply; else the one that began the thread.

    Of one that only an earlier ledger held, our reply.
    """
    match document.mention.record.get("reply"):
        case {"parent": {"uri": str(parent)}}:
            return _about(hand, document, AtUri(parent)) or _about(hand, document, document.mention.root.uri)
    return []


def _about(hand: Hand, document: Document, uri: AtUri) -> Sequence[Document | KnownReply]:
    asked = hand.ledger.queries.conversation(document.author_did, uri)
    return asked or hand.ledger.known.conversation(document.author_did, uri)
