"""Holds the bot's repository and its ledger against what was asked."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bot.ledger.feed import Filter
from bot.ledger.ledger import Ledger
from bot.ledger.sends import reply_key
from bot.ledger.views import Document, Moved, Send
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.documents import newest
from tests.network.net import Network

ALL = 100_000
Record = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What a run came to; `disagreements` say where the ledger tells another story than the repository."""

    doubles: int
    losses: int
    unknowns: int
    disagreements: list[str]


def verdict(
    ledger: Ledger,
    posts: Sequence[Record],
    likes: Sequence[Record],
    mentions: Sequence[StrongRef],
    unclear: Collection[str],
) -> Verdict:
    """Count the replies among the bot's posts, and compare the ledger with them.

    A reply too many and a post that answers no mention are doubles; a post that was liked twice is a disagreement, and
    whether every like came through is not asked. `unclear` holds the record keys whose put was left
    without a clear answer at least once: cut, late, a 5xx, or its sender killed before the answer came. Those that the
    ledger has as answered, with the uri that is in the repository, are the unknowns that settled. A process killed by
    chance in the middle of a call leaves one, too, that nobody outside it sees: the count is a lower bound.
    """
    replies: dict[str, list[Record]] = defaultdict(list)
    for post in posts:
        replies[_parent(post)].append(post)
    documents = {document.source_uri: document for document in newest(ledger, ALL)}
    sends = {uri: ledger.queries.sends(document.id) for uri, document in documents.items()}
    asked = [mention.uri for mention in mentions]
    answered: dict[str, str | None] = {
        send.rkey: send.uri for found in sends.values() for send in found if send.state == "answered"
    }
    there = {str(post["uri"]) for post in posts}
    found = [
        f"{uri}: {said}"
        for uri in asked
        for said in _of_mention(ledger, documents.get(uri), replies[uri], sends.get(uri, []))
    ]
    return Verdict(
        doubles=len(posts) - sum(bool(replies[uri]) for uri in asked),
        losses=sum(not replies[uri] for uri in asked),
        unknowns=sum(answered.get(key) in there for key in unclear),
        disagreements=found + list(_at_large(ledger, documents.keys() - set(asked), likes)),
    )


def records_of(network: Network, did: str, collection: str) -> list[Record]:
    """Every record of a collection of an account, straight from its PDS."""
    params = {"repo": did, "collection": collection, "limit": 100}
    found: list[Record] = []
    while True:
        page = network.query(did, "com.atproto.repo.listRecords", params)
        found += page["records"]
        if not page.get("cursor"):
            return found
        params["cursor"] = page["cursor"]


def _parent(post: Record) -> str:
    return str(post["value"].get("reply", {}).get("parent", {}).get("uri", ""))


def _of_mention(ledger: Ledger, document: Document | None, replies: list[Record], sends: list[Send]) -> Iterator[str]:
    if document is None:
        yield "there is no document"
        return
    if document.status is not Status.REPLIED:
        yield f"{document.status.value}, {document.reason.value} {document.detail}"
    there = [(reply["uri"], reply["cid"]) for reply in replies]
    known = [(send.uri, send.cid) for send in sends if send.key == reply_key(document.id) and send.state == "answered"]
    if known != there:
        yield f"the ledger knows {known}, the repository holds {there}"
    if [document.reply_uri] != [uri for uri, _ in there]:
        yield f"the document names {document.reply_uri}"
    if any(send.key == reply_key(document.id) and send.state == "claimed" for send in sends):
        yield "not settled"
    moves = ledger.feed.after(0, ALL, Filter(document_id=document.id))
    if not _replays(moves, document.status):
        yield f"another history: {[move.to_status.value for move in moves]}"


def _replays(moves: Sequence[Moved], status: Status) -> bool:
    """Whether every move starts where the one before it ended, and the last one ends at the present status."""
    path = [move.to_status for move in moves]
    return [None, *path] == [*(move.from_status for move in moves), status]


def _at_large(ledger: Ledger, uninvited: Collection[str], likes: Sequence[Record]) -> Iterator[str]:
    if uninvited:
        yield f"documents that nobody asked for: {sorted(uninvited)}"
    if unsettled := ledger.queries.unsettled_sends(ALL):
        yield f"nobody knows whether these were sent: {[send.key for send in unsettled]}"
    liked = Counter(like["value"]["subject"]["uri"] for like in likes)
    if twice := [uri for uri, number in liked.items() if number > 1]:
        yield f"liked twice: {twice}"
    if parked := ledger.desk.parked_count():
        yield f"parked: {parked}"
