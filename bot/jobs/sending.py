"""Sends one claimed record and settles what becomes of it: the same for replies, likes and notes."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

import structlog

from bot.bluesky.blobs import BLOB_NOT_FOUND, upload
from bot.bluesky.cid import cid_of
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import INVALID_SWAP, Found, cid_there, put_once, read_back
from bot.bluesky.session import Account
from bot.errors import LostRace
from bot.ledger.conditions import ACCOUNT
from bot.ledger.known import KnownReply
from bot.ledger.ledger import Ledger
from bot.ledger.send_rows import REFUSED
from bot.ledger.usage import Priority
from bot.ledger.views import Document, Send
from bot.logs import about
from guardrails.access import Caller
from guardrails.documents import AtUri, DocId, StrongRef
from guardrails.outlook import Outlook, View
from guardrails.switches import Switch
from guardrails.tid import TidClock
from guardrails.transitions import Status

Item = TypeVar("Item", Document, Send, KnownReply)

FIRST_WAIT = timedelta(seconds=2)
LONGEST_WAIT = timedelta(minutes=10)
# How long what is to be said waits when its mention could not be looked at, or was not there.
LOOK_AGAIN = timedelta(seconds=30)
# A reply whose createdAt is older than this when it goes out would stand in the wrong place of every timeline.
FRESH = timedelta(hours=1)
UPLOAD_TRIES = 2
PUT_POINTS = 2
NO_ROOM = "no room for a write: a rate limit, or the write points"
# A condition that `doctor --write` sets for a PDS whose put is not put-once: there each try is preceded by a look.
PUT_ONCE = "put_once"
log = structlog.get_logger()


class Ending(StrEnum):
    """How one step with a send ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    WAITING = "waiting"
    UNKNOWN = "unknown"
    CONFLICT = "conflicts"


@dataclass(frozen=True)
class Voice:
    """What it takes to speak: the account, the ledger, who writes, record keys, the time, and whether to end."""

    ledger: Ledger
    account: Account
    caller: Caller
    tids: TidClock
    now: Callable[[], datetime]
    stopping: Callable[[], bool]


def stamp(moment: datetime) -> str:
    """A createdAt; microseconds kept, so that two records of one account never carry the same."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def guarded(step: Callable[[Voice, Item], str | None], voice: Voice, item: Item) -> str | None:
    """How one step of a round ended, so that what goes wrong with one does not stop the others; None once we end."""
    if voice.stopping():
        return None
    with about(document=_document_of(item)):
        try:
            return step(voice, item)
        except LostRace:
            return "lost"
        except Exception as error:
            log.exception("send_broken", item=str(item.id))
            _put_off(voice, item, type(error).__name__)
            return "broken"


def in_public(step: Callable[[Voice, Item], str | None], voice: Voice, item: Item) -> str | None:
    """The same of a step that may say something; None, too, once nothing may be said, also in the middle of a round."""

    def aloud(voice: Voice, item: Item) -> str | None:
        return step(voice, item) if not is_silenced(voice.ledger) else None

    return guarded(aloud, voice, item)


def is_silenced(ledger: Ledger) -> bool:
    """Whether nothing may be said in public: replies are paused, or the account is not in good standing."""
    return ledger.desk.is_on(Switch.PAUSE_REPLIES) or ledger.conditions.stands(ACCOUNT)


def _document_of(item: Document | Send | KnownReply) -> DocId | None:
    return item.document_id if isinstance(item, Send) else item.id


def _put_off(voice: Voice, item: Document | Send | KnownReply, problem: str) -> None:
    """What broke comes up again after all the others, so that it does not take their place in every round."""
    with suppress(LostRace):
        if isinstance(item, Send) and item.state == REFUSED:
            voice.ledger.outbox.look_later(item, LONGEST_WAIT)
        elif isinstance(item, Send):
            voice.ledger.sends.unknown(item, f"broken: {problem}", LONGEST_WAIT)
        elif isinstance(item, Document) and item.status is Status.BUILT:
            voice.ledger.sightings.answer_later(item, LONGEST_WAIT)


def no_room_until(voice: Voice, points: int, priority: Priority) -> datetime | None:
    """Take write points for a try; None when it may begin, else when to ask again.

    None are taken, and no try is begun, for what the server would only refuse, by what it has told so far.
    """
    return voice.account.no_writes_until(points) or voice.ledger.pace.spend(points, priority)


def begun(voice: Voice, points: int, begin: Callable[[], Send]) -> Send:
    """Begin the try that write points were taken for; where it cannot begin, as when another has, they go back."""
    try:
        return begin()
    except Exception:
        voice.ledger.pace.unspend(points)
        raise


def first_try(voice: Voice, send: Send) -> Ending:
    """Send a record that was claimed just now, and never before."""
    if voice.ledger.conditions.stands(PUT_ONCE):
        return resume(voice, send, Priority.REPLY, tried=True)
    return _try(voice, send, was_unknown=False)


def resume(
    voice: Voice,
    send: Send,
    priority: Priority,
    welcome: Callable[[Send], Outlook] = lambda _: Outlook(View.OPEN),
    *,
    tried: bool = False,
) -> Ending:
    """Go on with a claim that stands: what may have been sent is read back before the same bytes go out again.

    `welcome` says whether a record that is surely absent should still go out: not any more where it is CLOSED, not
    now for anything else but OPEN. `tried`: this try is begun already, and paid for.
    """
    was_unknown = send.unknown_since is not None
    if was_unknown or voice.ledger.conditions.stands(PUT_ONCE):
        try:
            there = read_back(voice.account, send.collection, send.rkey)
        except CallFailed as failed:
            return _cannot_tell(voice, send, failed)
        if isinstance(there, Found):
            return _found(voice, send, there.cid)
    seen = welcome(send)
    if seen.view is View.CLOSED:
        # What was read as absent may be a put that is late.
        voice.ledger.sends.refused(voice.caller, send, seen.reason, may_land=was_unknown or send.tries > 1)
        return Ending.REFUSED
    if seen.view is not View.OPEN:
        voice.ledger.sends.not_sent(send, seen.reason, LOOK_AGAIN, still_unknown=was_unknown)
        return Ending.WAITING
    if not tried:
        until = no_room_until(voice, PUT_POINTS, priority)
        if until is not None:
            voice.ledger.sends.not_sent(send, NO_ROOM, until - voice.now(), still_unknown=was_unknown)
            return Ending.WAITING
    # Also for a try that is begun already: the look has taken of its time.
    send = begun(voice, PUT_POINTS, lambda: voice.ledger.sends.begin_try(_fresh(voice, send)))
    return _try(voice, send, was_unknown=was_unknown)


def _fresh(voice: Voice, send: Send) -> Send:
    """The same record under the same key, dated anew when its date is hours old; only after a proven absence."""
    created = send.record.get("createdAt")
    now = voice.now()
    if not isinstance(created, str) or datetime.fromisoformat(created) > now - FRESH:
        return send
    return _frozen_anew(voice, send, send.record | {"createdAt": stamp(now)})


def _try(voice: Voice, send: Send, *, was_unknown: bool) -> Ending:
    if _thumb(send.record) is not None:
        try:
            _upload_picture(voice, send)
        except CallFailed as failed:
            return _without_picture(voice, send, failed, was_unknown=was_unknown)
    try:
        ref = put_once(voice.account, send.collection, send.rkey, json.dumps(send.record))
    except CallFailed as failed:
        log.warning("send_failed", document=send.document_id, key=send.key, tries=send.tries, failure=str(failed))
        return _failed(voice, send, failed, was_unknown=was_unknown)
    return _settled(voice, send, ref)


def _upload_picture(voice: Voice, send: Send) -> None:
    """Put the bytes where the record will look for them; on every try, since the PDS forgets what nobody names."""
    picture = voice.ledger.sends.picture(send)
    if picture is None:
        raise CallFailed(Failure.REFUSED, "the picture is not kept any more", error=BLOB_NOT_FOUND)
    mime, content = picture
    upload(voice.account, content, mime)


def _without_picture(voice: Voice, send: Send, failed: CallFailed, *, was_unknown: bool) -> Ending:
    """A picture never costs the reply: while the PDS is away it is tried again, and then left out.

    It is left out at once where uploads alone are used up for long: a PDS counts them by the day.
    """
    away = failed.failure in (Failure.NOT_SENT, Failure.AUTH, Failure.RATE_LIMITED)
    used_up = failed.failure is Failure.RATE_LIMITED and wait_after(send, failed, voice.now()) > LONGEST_WAIT
    if away and not used_up and (send.tries < UPLOAD_TRIES or failed.failure is not Failure.NOT_SENT):
        return _failed(voice, send, failed, was_unknown=was_unknown)
    log.warning("thumb_dropped", document=send.document_id, key=send.key, failure=str(failed))
    lighter = _lighter(send.record)
    if lighter is None:
        return _failed(voice, send, failed, was_unknown=was_unknown)
    return _try(voice, _begun_anew(voice, send, lighter), was_unknown=was_unknown)


def _failed(voice: Voice, send: Send, failed: CallFailed, *, was_unknown: bool) -> Ending:
    match failed.failure:
        case Failure.UNKNOWN:
            return _cannot_tell(voice, send, failed)
        case Failure.NOT_SENT | Failure.AUTH | Failure.RATE_LIMITED:
            wait = wait_after(send, failed, voice.now())
            voice.ledger.sends.not_sent(send, str(failed), wait, still_unknown=was_unknown)
            return Ending.WAITING
        case Failure.REFUSED if failed.error == INVALID_SWAP:
            return _found(voice, send, cid_there(failed) or "")
        case Failure.REFUSED:
            return _refused(voice, send, failed, was_unknown=was_unknown)


def _refused(voice: Voice, send: Send, failed: CallFailed, *, was_unknown: bool) -> Ending:
    """A refusal counts once an earlier try cannot have landed; then the record sheds what can be shed, or ends."""
    if was_unknown:
        try:
            there = read_back(voice.account, send.collection, send.rkey)
        except CallFailed as unread:
            return _cannot_tell(voice, send, unread)
        if isinstance(there, Found):
            return _found(voice, send, there.cid)
    lighter = _lighter(send.record)
    if lighter is None:
        voice.ledger.sends.refused(voice.caller, send, str(failed), may_land=was_unknown or send.tries > 1)
        return Ending.REFUSED
    log.warning("embed_dropped", document=send.document_id, key=send.key, failure=str(failed))
    return _try(voice, _begun_anew(voice, send, lighter), was_unknown=was_unknown)


def _lighter(record: dict[str, Any]) -> dict[str, Any] | None:
    """The record without its card's picture, or without its card; None when nothing is left to shed."""
    embed = record.get("embed")
    if embed is None:
        return None
    if _thumb(record) is None:
        return {name: value for name, value in record.items() if name != "embed"}
    external = {name: value for name, value in embed["external"].items() if name != "thumb"}
    return record | {"embed": embed | {"external": external}}


def _thumb(record: dict[str, Any]) -> object:
    match record.get("embed"):
        case {"external": {"thumb": thumb}}:
            return thumb
    return None


def _begun_anew(voice: Voice, send: Send, record: dict[str, Any]) -> Send:
    return voice.ledger.sends.begin_try(_frozen_anew(voice, send, record))


def _frozen_anew(voice: Voice, send: Send, record: dict[str, Any]) -> Send:
    return voice.ledger.sends.freeze_anew(send, record, cid_of(record))


def _cannot_tell(voice: Voice, send: Send, failed: CallFailed) -> Ending:
    voice.ledger.sends.unknown(send, str(failed), wait_after(send, failed, voice.now()))
    return Ending.UNKNOWN


def _found(voice: Voice, send: Send, cid: str) -> Ending:
    """Something stands under our key: one of our own frozen versions is an answer, anything else a person's case."""
    if cid not in send.cids:
        voice.ledger.sends.in_conflict(send, f"another record is there: {cid or 'unnamed'}")
        log.error("send_conflict", document=send.document_id, key=send.key, there=cid)
        return Ending.CONFLICT
    uri = AtUri(f"at://{voice.account.did}/{send.collection}/{send.rkey}")
    return _settled(voice, send, StrongRef(uri=uri, cid=cid))


def look_for(voice: Voice, send: Send) -> Ending | None:
    """Look once more for a record that was refused while a put of it may have been on its way; None when it is absent.

    Nothing is sent: what has landed after all is ours, whatever was decided meanwhile.
    """
    try:
        there = read_back(voice.account, send.collection, send.rkey)
    except CallFailed as failed:
        voice.ledger.outbox.look_later(send, _longer(send, failed, voice.now()))
        return Ending.UNKNOWN
    if isinstance(there, Found) and there.cid not in send.cids:
        voice.ledger.outbox.something_else_there(send, f"another record is there: {there.cid}")
        log.error("send_conflict", document=send.document_id, key=send.key, there=there.cid)
        return Ending.CONFLICT
    if isinstance(there, Found):
        log.warning("landed_late", document=send.document_id, key=send.key, uri=there.uri)
        return _settled(voice, send, StrongRef(uri=there.uri, cid=there.cid))
    voice.ledger.outbox.look_later(send, None)
    return None


def _settled(voice: Voice, send: Send, ref: StrongRef) -> Ending:
    voice.ledger.sends.answered(voice.caller, send, ref)
    log.info("answered", document=send.document_id, key=send.key, uri=ref.uri, tries=send.tries)
    return Ending.ANSWERED


def _longer(send: Send, failed: CallFailed, now: datetime) -> timedelta:
    """As long again as it was looked for so far: nothing is tried, so that tries do not tell."""
    since = now - (send.settled_at or now)
    return max(wait_after(send, failed, now), min(since, LONGEST_WAIT))


def wait_after(send: Send, failed: CallFailed, now: datetime) -> timedelta:
    """How long until the next try: what the server said, else twice as long each time, bounded."""
    if failed.retry_at is not None:
        return max(failed.retry_at - now, FIRST_WAIT)
    return min(FIRST_WAIT * float(2 ** min(send.tries, 16)), LONGEST_WAIT)
