"""Posts of ours under a mention, frozen as they will be sent."""

from bot.bluesky.cid import cid_of
from bot.jobs.sending import stamp
from bot.ledger.sends import Frozen
from bot.speech import Speech
from guardrails.documents import POST_COLLECTION, Mention
from guardrails.tid import TidClock, parse_tid


def freeze_post(speech: Speech, mention: Mention, tids: TidClock) -> Frozen:
    """The record of a post that says this: its parent is the mention, its root the mention's root."""
    rkey = tids.mint()
    record = {
        "$type": POST_COLLECTION,
        "text": speech.text,
        "facets": list(speech.facets),
        "reply": {"root": mention.root.model_dump(), "parent": mention.post.model_dump()},
        "langs": list(speech.langs),
        "createdAt": stamp(parse_tid(rkey).at),
    }
    if speech.embed is not None:
        record["embed"] = speech.embed
    return Frozen(POST_COLLECTION, rkey, record, cid_of(record))
