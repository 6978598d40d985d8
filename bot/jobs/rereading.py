"""Reads a mention anew from its post as it is now, after an edit."""

from pydantic import ValidationError

from bot.bluesky.sight import Seen, Sight
from bot.jobs.hearing import mention_of
from guardrails.documents import Did, Mention
from guardrails.request import Command, Request, read_post
from guardrails.text import clean


def reread(mention: Mention, sight: Sight, our_did: Did) -> Mention | None:
    """The mention by what its post says now; None when that is the version that was read, or cannot be read.

    An edit that took our mention out is read as well: it is for the guardrails to say that it is not ours any more.
    """
    if sight.kind is not Seen.VISIBLE or sight.cid in (None, mention.post.cid) or sight.record is None:
        return None
    match read_post(sight.record, our_did):
        case Request(ask=ask):
            pass
        case Command(word=word):
            ask = word.value
        case _:
            ask = clean(str(sight.record.get("text", "")))
    try:
        again = mention_of(
            mention.post.uri,
            str(sight.cid),
            mention.author_did,
            sight.author_handle or mention.author_handle,
            {"text": "", **sight.record},
            ask,
            mention.indexed_at,
            by_operator=mention.by_operator,
        )
    except ValidationError:
        return None
    return again.model_copy(update={"stale": mention.stale})
