"""What a person can do to a document where it stands: read off the table, and off what can be seen of its guards."""

from bot.ledger.views import Document
from bot.operations.doing import Deed
from guardrails.access import Role
from guardrails.transitions import FINAL_SKIPS, Actor, Guard, Move, Status, is_terminal, moves_from, sources_of

# The moves of operators that are deeds; `void` goes with a pause, and a send is settled by its own key.
MOVED_BY = {
    "approve": Deed.APPROVE,
    "stop": Deed.SKIP,
    "judge_again": Deed.JUDGE_AGAIN,
    "retry": Deed.RETRY,
    "send_again": Deed.SEND_AGAIN,
}
_NOTED_AS = {deed: move for move, deed in MOVED_BY.items()}
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


def noted_as(deed: Deed) -> str:
    """How the audit log calls a deed."""
    return _NOTED_AS.get(deed, deed.value)


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


def why_not(document: Document, deed: Deed) -> str:
    """A sentence for people on why a deed is not possible where the document stands."""
    if document.is_blank:
        return "its author wants to be forgotten: nothing is left of it"
    if document.taken_down_at is not None:
        return "it was taken down for good"
    if document.withdrawn_at is not None:
        return "it was taken back by its author, or deleted: nothing is built for it or said to it any more"
    if document.status is Status.SKIPPED and document.reason in FINAL_SKIPS:
        return f"it was skipped for good: {document.reason.value}"
    if document.sending:
        return "its reply is on its way or may be out: that is settled first"
    if deed is Deed.SEND_AGAIN and document.status is Status.ERROR:
        return "nothing is built that could be sent: build it again"
    return f"it is {document.status.value}: this is possible from {_where(document, deed)}"


def _where(document: Document, deed: Deed) -> str:
    match deed:
        case Deed.DELETE:
            return "where there is an app or a reply"
        case Deed.TAKE_DOWN:
            return "where there is an app or a reply, or may be one"
        case Deed.RELEASE_REPLY:
            return "built while its reply is held"
    (move,) = (name for name, moved in MOVED_BY.items() if moved is deed)
    possible = sources_of(document.kind, move)
    return ", ".join(status.value for status in Status if status in possible)
