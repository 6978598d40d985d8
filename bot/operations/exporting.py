"""The history with what it was about, for whoever keeps books elsewhere."""

from bot.ledger.ledger import Ledger
from bot.ledger.views import Document, Moved
from bot.operations.books import Exported
from guardrails.documents import AtUri

MOST_EXPORTED = 1000


def exported(ledger: Ledger, after: int, limit: int) -> list[Exported]:
    """The moves after a sequence number, oldest first, each with what its document was about."""
    moves = ledger.feed.after(after, limit)
    ids = {move.document_id for move in moves}
    documents, costs = ledger.pages.by_id(ids), ledger.figures.cost_of(ids)
    # What was removed in between is not told any more.
    there = [move for move in moves if move.document_id in documents]
    return [_exported(move, documents[move.document_id], costs.get(move.document_id, 0)) for move in there]


def _exported(move: Moved, document: Document, cost_micros: int) -> Exported:
    return Exported(
        seq=move.seq,
        at=move.at,
        document=document.id,
        kind=document.kind,
        author_did=document.author_did,
        author_handle=document.author_handle,
        source_uri=AtUri(document.source_uri),
        ask=str(document.body.get("ask", "")),
        move=move.name,
        source=move.from_status,
        target=move.to_status,
        actor=move.actor,
        device=move.device,
        reason=move.reason,
        detail=move.detail,
        version=move.version,
        status=document.status,
        slug=document.slug,
        reply_uri=AtUri(document.reply_uri) if document.reply_uri is not None else None,
        cost_micros=cost_micros,
    )
