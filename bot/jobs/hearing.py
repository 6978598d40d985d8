"""Which posts are for us: those that mention us, and a bare command of an asker right under our answer."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.bluesky.notifications import POST_REASONS, Notification
from bot.ledger.ledger import Ledger
from guardrails.around import parent_of
from guardrails.documents import AtUri, Did, Mention, StrongRef, split_at_uri
from guardrails.facts import Standing
from guardrails.request import Command, CommandWord, NotARequest, read_post
from guardrails.tid import parse_tid


def as_mention(item: Notification, our_did: Did) -> Mention | None:
    """The document body of a notification, None when the post cannot be addressed to us or is our own.

    A bare command under a post of ours is one as well; whether it counts, `for_us` knows.
    """
    ask = ask_in(item.record, item.author_did, our_did) if item.reason in POST_REASONS else None
    if ask is None:
        return None
    return mention_of(item.uri, item.cid, item.author_did, item.author_handle, item.record, ask, item.indexed_at)


def ask_in(record: Mapping[str, Any], author_did: Did, our_did: Did) -> str | None:
    """What a post asks of us, None when it cannot be addressed to us or is our own."""
    if author_did == our_did:
        return None
    read = read_post(record, our_did)
    if isinstance(read, NotARequest):
        read = read_post(record, our_did, mentioned=False)
        if not isinstance(read, Command) or not _is_ours(parent_of(record), our_did):
            return None
    return read.word.value if isinstance(read, Command) else read.ask


def is_stale(item: Notification, stale_before: datetime, *, late: bool) -> bool:
    """Whether it was there before the first start: by its time, and by its key where it may have come `late`.

    A slow clock may date a new post back, but hardly its key.
    """
    if item.indexed_at >= stale_before or not late:
        return item.indexed_at < stale_before
    try:
        return parse_tid(split_at_uri(item.uri).rkey).at < stale_before
    except (ValueError, OverflowError):
        return False


def for_us(ledger: Ledger, our_did: Did, mentions: Sequence[Mention]) -> list[Mention]:
    """Without what strangers say under our answers, and without what the forgotten say, but that they come back.

    What somebody said while they were forgotten is not heard later either.
    """
    bare = {mention.post.uri: parent for mention in mentions if (parent := _bare_parent(mention, our_did)) is not None}
    answers = ledger.queries.answers_at(set(bare.values()))
    authors = {mention.author_did for mention in mentions}
    standing, back = ledger.people.standing_of(authors), ledger.people.back_since(authors)

    def counts(mention: Mention) -> bool:
        answer = answers.get(bare[mention.post.uri]) if mention.post.uri in bare else None
        by_asker = answer is not None and answer.author_did == mention.author_did
        before = mention.indexed_at < back.get(mention.author_did, mention.indexed_at)
        left_alone = before or Standing.FORGOTTEN in standing[mention.author_did]
        return (mention.post.uri not in bare or by_asker) and (not left_alone or _comes_back(mention, our_did))

    return [mention for mention in mentions if counts(mention)]


def mention_of(
    uri: AtUri,
    cid: str,
    author_did: str,
    author_handle: str,
    record: Mapping[str, Any],
    ask: str,
    indexed_at: datetime,
    *,
    by_operator: bool = False,
) -> Mention:
    """A mention's body from a post's record; its root is the post's own root when it is itself a reply."""
    post = StrongRef(uri=uri, cid=cid)
    langs = record.get("langs")
    return Mention.model_validate(
        {
            "post": post,
            "author_did": author_did,
            "author_handle": author_handle,
            "text": record["text"],
            "ask": ask,
            "langs": tuple(lang for lang in langs if isinstance(lang, str)) if isinstance(langs, list) else (),
            "root": _root(record) or post,
            "created_at": str(record.get("createdAt", "")),
            "indexed_at": indexed_at,
            "by_operator": by_operator,
            "record": dict(record),
        }
    )


def _bare_parent(mention: Mention, our_did: Did) -> AtUri | None:
    """The post that a post without our mention replies to."""
    is_bare = isinstance(read_post(mention.record, our_did), NotARequest)
    return parent_of(mention.record) if is_bare else None


def _comes_back(mention: Mention, our_did: Did) -> bool:
    return read_post(mention.record, our_did, mentioned=False) == Command(CommandWord.REMEMBER_ME)


def _is_ours(uri: AtUri | None, our_did: Did) -> bool:
    return uri is not None and split_at_uri(uri).did == our_did


def _root(record: Mapping[str, Any]) -> StrongRef | None:
    match record.get("reply"):
        case {"root": {"uri": str(uri), "cid": str(cid)}}:
            return StrongRef(uri=AtUri(uri), cid=cid)
    return None
