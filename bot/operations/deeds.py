"""What a person can do to a document where it stands: read off the table, and off what can be seen of its guards."""

from bot.ledger.views import Document
from bot.operations.port import Deed
from guardrails.access import Role
from guardrails.transitions import FINAL_SKIPS, Actor, Guard, Move, Status, is_terminal, moves_from

# The moves of operators that are deeds; `void` goes with a pause, and a send is settled by its own key.
MOVED_BY = {
    "approve": Deed.APPROVE,
    "stop": Deed.SKIP,
    "judge_again": Deed.JUDGE_AGAIN,
    "retry": Deed.RETRY,
    "send_again": Deed.SEND_AGAIN,
}
# These need the words of the ask.
_READS = frozenset({Deed.APPROVE, Deed.JUDGE_AGAIN, Deed.RETRY, Deed.SEND_AGAIN})


def deeds_at(document: Document, role: Role) -> tuple[Deed, ...]:
    """What somebody of this role can do to the document as it was read, in the order of `Deed`; none for a viewer.

    What only the clock or another document tells is left to the ledger: an approval may come too late.
    """
    if role is not Role.OPERATOR:
        return ()
    possible = _moves(document) | _beside_the_table(document)
    return tuple(deed for deed in Deed if deed in possible)


def _moves(document: Document) -> set[Deed]:
    rows = moves_from(document.kind, document.status, Actor.OPERATOR)
    deeds = {MOVED_BY[row.name] for row in rows if row.name in MOVED_BY and _fits(document, row)}
    return deeds - _READS if document.is_blank else deeds


def _fits(document: Document, row: Move) -> bool:
    seen = {
        Guard.NO_LIVE_SEND: not document.sending,
        Guard.REASON_KEPT: document.reason not in FINAL_SKIPS,
        Guard.HAS_RESULT: document.result_json is not None,
        Guard.NOT_TAKEN_BACK: not document.is_taken_back,
    }
    return all(seen.get(guard, True) for guard in row.guards)


def _beside_the_table(document: Document) -> set[Deed]:
    """What moves nothing, or is no single move."""
    deeds: set[Deed] = set()
    if document.is_blank:
        return deeds
    over = is_terminal(document.kind, document.status)
    public = document.reply_uri is not None or (document.result_json is not None and document.status != Status.SKIPPED)
    if document.reply_held is not None and not document.sending:
        deeds.add(Deed.RELEASE_REPLY)
    if document.withdrawn_at is None and (document.sending or (over and public)):
        deeds.add(Deed.DELETE)
    if document.taken_down_at is None and (not over or public or document.slug is not None):
        deeds.add(Deed.TAKE_DOWN)
    return deeds
