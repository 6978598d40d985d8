"""Says what was built, once: claims the key, sends the frozen record, and settles every outcome."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import structlog

from bot.bluesky.cid import cid_of
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import INVALID_SWAP, Found, cid_there, put_once, read_back
from bot.bluesky.session import Account
from bot.errors import LostRace
from bot.jobs.look import LookProof
from bot.ledger.ledger import Ledger
from bot.ledger.sends import Frozen
from bot.ledger.views import Document, Send
from bot.texts import built_reply, language_of
from guardrails.access import Caller
from guardrails.documents import POST_COLLECTION, AtUri, StrongRef
from guardrails.switches import Switch
from guardrails.tid import TidClock, parse_tid

Item = TypeVar("Item", Document, Send)

BATCH = 20
FIRST_WAIT = timedelta(seconds=2)
LONGEST_WAIT = timedelta(minutes=10)
log = structlog.get_logger()


@dataclass(frozen=True)
class Replied:
    """What a round did: how many sends ended each way."""

    answered: int = 0
    refused: int = 0
    waiting: int = 0
    unknown: int = 0
    conflicts: int = 0
    lost: int = 0
    broken: int = 0
    paused: bool = False


@dataclass(frozen=True)
class Voice:
    """What it takes to speak: the account, the ledger, who writes, record keys, the time, and whether to end."""

    ledger: Ledger
    account: Account
    caller: Caller
    tids: TidClock
    now: Callable[[], datetime]
    stopping: Callable[[], bool]


def reply_once(voice: Voice, proof: LookProof) -> Replied:
    """Settle the sends that are due, then answer what is built; the proof says that the repository was looked at."""
    if voice.ledger.desk.is_on(Switch.PAUSE_REPLIES):
        return Replied(paused=True)
    done = Replied()
    for send in voice.ledger.sends.due(BATCH):
        done = _guarded(_resume, voice, send, done)
    for document in voice.ledger.queries.ready_to_answer(BATCH):
        done = _guarded(_answer, voice, document, done)
    return done


def freeze_reply(document: Document, tids: TidClock) -> Frozen:
    """The record of the reply to a built document as it will be sent: parent the mention, root the mention's root."""
    if document.result is None:
        raise LostRace(f"{document.id} has no result")
    speech = built_reply(document.result, language_of(document.mention.langs))
    rkey = tids.mint()
    record = {
        "$type": POST_COLLECTION,
        "text": speech.text,
        "facets": list(speech.facets),
        "reply": {"root": document.mention.root.model_dump(), "parent": document.mention.post.model_dump()},
        "langs": list(speech.langs),
        "createdAt": _stamp(parse_tid(rkey).at),
    } | ({"embed": speech.embed} if speech.embed else {})
    return Frozen(POST_COLLECTION, rkey, record, cid_of(record))


def _answer(voice: Voice, document: Document) -> str:
    if voice.ledger.sends.is_answered(document.id):
        voice.ledger.sends.finish_adopted(voice.caller, document)
        return "answered"
    send = voice.ledger.sends.claim_reply(voice.caller, document, freeze_reply(document, voice.tids))
    return _try(voice, send, was_unknown=False)


def _resume(voice: Voice, send: Send) -> str:
    """A claim that stands: what may have been sent is read back before it is sent again."""
    if send.unknown_since is None:
        return _try(voice, voice.ledger.sends.begin_try(send), was_unknown=False)
    try:
        there = read_back(voice.account, send.collection, send.rkey)
    except CallFailed as failed:
        voice.ledger.sends.unknown(send, str(failed), _wait(send, failed, voice.now()))
        return "unknown"
    if isinstance(there, Found):
        return _found(voice, send, there.cid)
    return _try(voice, voice.ledger.sends.begin_try(send), was_unknown=True)


def _try(voice: Voice, send: Send, *, was_unknown: bool) -> str:
    try:
        ref = put_once(voice.account, send.collection, send.rkey, json.dumps(send.record))
    except CallFailed as failed:
        log.warning("send_failed", doc=send.document_id, key=send.key, tries=send.tries, failure=str(failed))
        return _failed(voice, send, failed, was_unknown=was_unknown)
    return _settled(voice, send, ref)


def _failed(voice: Voice, send: Send, failed: CallFailed, *, was_unknown: bool) -> str:
    wait = _wait(send, failed, voice.now())
    match failed.failure:
        case Failure.UNKNOWN:
            voice.ledger.sends.unknown(send, str(failed), wait)
            return "unknown"
        case Failure.NOT_SENT | Failure.AUTH | Failure.RATE_LIMITED:
            voice.ledger.sends.not_sent(send, str(failed), wait, still_unknown=was_unknown)
            return "waiting"
        case Failure.REFUSED if failed.error == INVALID_SWAP:
            return _found(voice, send, cid_there(failed) or "")
        case Failure.REFUSED if was_unknown:
            return _refused_after_unknown(voice, send, failed, wait)
        case Failure.REFUSED:
            voice.ledger.sends.refused(voice.caller, send, str(failed))
            return "refused"


def _refused_after_unknown(voice: Voice, send: Send, failed: CallFailed, wait: timedelta) -> str:
    """An earlier try may have landed after it was looked for: look once more before the refusal counts."""
    try:
        there = read_back(voice.account, send.collection, send.rkey)
    except CallFailed as unread:
        voice.ledger.sends.unknown(send, str(unread), wait)
        return "unknown"
    if isinstance(there, Found):
        return _found(voice, send, there.cid)
    voice.ledger.sends.refused(voice.caller, send, str(failed))
    return "refused"


def _found(voice: Voice, send: Send, cid: str) -> str:
    """Something stands under our key: one of our own frozen versions is an answer, anything else a person's case."""
    if cid not in send.cids:
        voice.ledger.sends.in_conflict(send, f"another record is there: {cid or 'unnamed'}")
        log.error("send_conflict", doc=send.document_id, key=send.key, there=cid)
        return "conflicts"
    uri = AtUri(f"at://{voice.account.did}/{send.collection}/{send.rkey}")
    return _settled(voice, send, StrongRef(uri=uri, cid=cid))


def _settled(voice: Voice, send: Send, ref: StrongRef) -> str:
    voice.ledger.sends.answered(voice.caller, send, ref)
    log.info("answered", doc=send.document_id, key=send.key, uri=ref.uri, tries=send.tries)
    return "answered"


def _wait(send: Send, failed: CallFailed, now: datetime) -> timedelta:
    """How long until the next try: what the server said, else twice as long each time, bounded."""
    if failed.retry_at is not None:
        return max(failed.retry_at - now, FIRST_WAIT)
    return min(FIRST_WAIT * float(2 ** min(send.tries, 16)), LONGEST_WAIT)


def _guarded(step: Callable[[Voice, Item], str], voice: Voice, item: Item, done: Replied) -> Replied:
    """One step of a round, so that what goes wrong with one document does not stop the others; none once we end."""
    if voice.stopping():
        return done
    try:
        field = step(voice, item)
    except LostRace:
        field = "lost"
    except Exception:
        log.exception("reply_failed", item=str(item.id))
        field = "broken"
    return replace(done, **{field: getattr(done, field) + 1})


def _stamp(moment: datetime) -> str:
    """Microseconds kept: two replies of one account never carry the same createdAt."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
