"""What an asker's command does: cancel and delete take the ask back, and our answer and the app with it."""

from bot.jobs.take_back import Hand, withdraw
from bot.ledger.views import Document
from guardrails.documents import AtUri, Did
from guardrails.request import Command, CommandWord, read_post
from guardrails.transitions import Reason, Status

TAKES_BACK = frozenset({CommandWord.CANCEL, CommandWord.DELETE})
_STANDING = frozenset(
    {
        Status.RECEIVED,
        Status.AWAITING_APPROVAL,
        Status.PENDING_BUILD,
        Status.BUILDING,
        Status.BUILT,
        Status.REPLIED,
    }
)


def obey(hand: Hand, document: Document, our_did: Did) -> None:
    """Take back what the command in a document is about; LostRace when that has just moved: obey once more.

    Before the document itself is moved, so that a crash in between obeys twice, never not at all.
    """
    match read_post(document.mention.record, our_did):
        case Command(word=word) if word in TAKES_BACK:
            for asked in _asked(hand, document):
                if asked.status in _STANDING and asked.withdrawn_at is None:
                    withdraw(hand, asked, Reason.CANCELLED)


def _asked(hand: Hand, document: Document) -> list[Document]:
    """The same author's ask that the command answers, itself or by our reply; else the one that began the thread."""
    match document.mention.record.get("reply"):
        case {"parent": {"uri": str(parent)}}:
            asked = hand.ledger.queries.conversation(document.author_did, AtUri(parent))
            return asked or hand.ledger.queries.conversation(document.author_did, document.mention.root.uri)
    return []
