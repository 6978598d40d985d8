"""Sends in words, wherever a person reads of them: how one stands, what it says, and what a decision puts at risk."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from bot.ledger.send_rows import CLAIMED, DELETE, REFUSED
from bot.ledger.sends import reply_key
from bot.ledger.views import Send
from bot.operations.port import Settling
from guardrails.documents import DocId

_AT_RISK: Mapping[Settling, str] = MappingProxyType(
    {
        Settling.SENT: (
            "It counts as sent, as {uri}; nothing is sent under this key any more.\n"
            "At risk: if that record is not what was to be said, it is never said."
        ),
        Settling.ABANDON: (
            "Nothing is sent under this key any more, and its document {document}.\n"
            "At risk: if the record is out there after all, because only the answer to a try was lost, whoever has it "
            "sent again says it a second time. Look at the bot's own posts first."
        ),
        Settling.AGAIN: (
            "The bot looks under the same key, and sends the same record if nothing is there; it never overwrites.\n"
            "At risk: a record that somebody deleted reads as never sent, and comes back. If another record stands "
            "there, or one that moderators took down, the conflict comes back."
        ),
    }
)


def state_of(send: Send) -> str:
    """How a send stands, in a word: of a claimed one, what it waits for; of a refused one, that it may be out."""
    if send.state == REFUSED and (send.conflict or send.next_try_at is not None):
        return "refused, in conflict" if send.conflict else "refused, may still land"
    if send.state != CLAIMED:
        return send.state
    return "conflict" if send.conflict else "unknown" if send.unknown_since else "waiting"


def waits_for_a_try(send: Send) -> bool:
    """Whether it is tried again by itself."""
    return send.state == CLAIMED and not send.conflict


def can_be_decided(send: Send) -> bool:
    """Whether a person's decision would be taken; what is settled stands."""
    return send.state == CLAIMED


def why_of(send: Send) -> str:
    """Why it stands so; empty for what went well."""
    return send.conflict or send.problem or send.decision or ""


def gist(send: Send) -> str:
    """What is frozen, in its own words where it has some."""
    match send.record:
        case _ if send.op == DELETE:
            return f"deletion of {send.collection}/{send.rkey}"
        case {"text": str(text)}:
            return text
        case {"subject": {"uri": str(uri)}}:
            return f"like of {uri}"
    return json.dumps(send.record)


def at_risk(send: Send, settling: Settling, uri: str | None = None) -> str:
    """What a decision does and what it puts at risk, in two lines; `uri` is the record that is said to be out."""
    is_reply = send.document_id is not None and send.key == reply_key(DocId(send.document_id))
    document = "goes to error" if is_reply else "stays as it is"
    return _AT_RISK[settling].format(uri=uri or "", document=document)
