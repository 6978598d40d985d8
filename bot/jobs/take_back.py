"""Takes back what was asked or answered, once its author has: the build ends, the reply and the app go."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Protocol

import structlog

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import Absent, Found, delete_record, read_back
from bot.errors import LostRace, NoSuchDocument
from bot.jobs.sending import NO_ROOM, Ending, Voice, begun, in_public, is_silenced, no_room_until, wait_after
from bot.ledger.known import DELETE_PREFIX, delete_key
from bot.ledger.ledger import Ledger
from bot.ledger.send_rows import ANSWERED, DELETE
from bot.ledger.sends import Frozen, reply_key
from bot.ledger.usage import Priority
from bot.ledger.views import Document, Send
from guardrails.access import Caller
from guardrails.documents import AtUri, StrongRef, split_at_uri
from guardrails.transitions import Reason, is_terminal

BATCH = 100
DELETE_POINTS = 1
# A put that was tried more than once may land after the deletion: so soon, and so late at most, it is looked for.
FIRST_LOOK = timedelta(seconds=65)
LAST_LOOK = timedelta(minutes=30)
log = structlog.get_logger()


class Hand(Protocol):
    """What it takes to take something back: the ledger, and who writes."""

    @property
    def ledger(self) -> Ledger:
        """Where it stands."""
        ...

    @property
    def caller(self) -> Caller:
        """The bot."""
        ...


def withdraw(hand: Hand, document: Document, reason: Reason) -> None:
    """Take a document back for its author: one that is not answered ends, and a standing claim with it.

    What is answered, or about to be, is marked; `take_back_once` deletes our reply once its key is settled. The app
    goes from its address at once. IllegalMove for a document that ended otherwise; LostRace when it has just moved.
    """
    over = is_terminal(document.kind, document.status) and document.reply_uri is not None
    if (over or not _ended(hand, document, reason)) and not _marked(hand, document, reason):
        raise LostRace(f"{document.id} is not {document.status.value} any more")
    hand.ledger.documents.reopen_joined_to(hand.caller, document)
    log.info("withdrawn", document=document.id, status=document.status.value, reason=reason.value)


def take_back_once(voice: Voice) -> list[str]:
    """Delete our replies to what was withdrawn, and our links to it, and say how each ended.

    What is left undone is begun again.

    A network that does not answer, or wants us to wait, is not asked further in this round.
    """
    if is_silenced(voice.ledger):
        return []
    endings: list[str] = []
    for ending in _deletions(voice):
        if ending is not None:
            endings.append(ending)
        if ending in (Ending.WAITING, Ending.UNKNOWN):
            break
    return endings


def _deletions(voice: Voice) -> Iterator[str | None]:
    for send in voice.ledger.outbox.deleted_lately(BATCH):
        yield in_public(_look_again, voice, send)
    for send in voice.ledger.outbox.due(BATCH, DELETE_PREFIX, DELETE):
        yield in_public(_again, voice, send)
    for document in voice.ledger.sightings.to_take_back(BATCH):
        yield in_public(_begin, voice, document)
    for send in voice.ledger.documents.dead_links(BATCH):
        yield in_public(_delete_link, voice, send)


def _ended(hand: Hand, document: Document, reason: Reason) -> bool:
    """False when a reply was claimed meanwhile: then it goes out first."""
    try:
        hand.ledger.documents.withdraw(hand.caller, document, reason)
    except LostRace:
        if not hand.ledger.queries.document(document.id).sending:
            raise
        return False
    return True


def _marked(hand: Hand, document: Document, reason: Reason) -> bool:
    return hand.ledger.sightings.withdrawn(document, reason).withdrawn_at is not None


def _begin(voice: Voice, document: Document) -> str | None:
    return None if _begun(voice, document) else _delete(voice, document)


def _begun(voice: Voice, document: Document) -> bool:
    """Whether the deletion has a key already: it is due at its own time, done, or given up by a person."""
    send = _send_of(voice, delete_key(AtUri(str(document.reply_uri))))
    if send is not None and send.state == ANSWERED:
        voice.ledger.sightings.reply_deleted(document)
    return send is not None


def _delete(voice: Voice, document: Document) -> str:
    uri = AtUri(str(document.reply_uri))
    until = no_room_until(voice, DELETE_POINTS, Priority.REPLY)
    if until is not None:
        return Ending.WAITING
    frozen, sends = _frozen(voice, document, uri), voice.ledger.sends
    claim = partial(sends.claim_aside, voice.caller, delete_key(uri), document, frozen, DELETE)
    return _try(voice, begun(voice, DELETE_POINTS, claim))


def _delete_link(voice: Voice, said: Send) -> str:
    """The app that it led to is gone with the ask that it was built for."""
    if no_room_until(voice, DELETE_POINTS, Priority.REPLY) is not None:
        return Ending.WAITING
    document = voice.ledger.queries.document(str(said.document_id))
    frozen, key = Frozen(said.collection, said.rkey, said.record, said.cid), delete_key(AtUri(str(said.uri)))
    claim = partial(voice.ledger.sends.claim_aside, voice.caller, key, document, frozen, DELETE)
    return _try(voice, begun(voice, DELETE_POINTS, claim))


def _frozen(voice: Voice, document: Document, uri: AtUri) -> Frozen:
    """What is to be deleted, as it was said; where only its address is known, that."""
    parts = split_at_uri(uri)
    said = _send_of(voice, reply_key(document.id))
    if said is None or said.rkey != parts.rkey:
        return Frozen(parts.collection, parts.rkey, {}, "")
    return Frozen(parts.collection, parts.rkey, said.record, said.cid)


def _again(voice: Voice, send: Send) -> str:
    """A deletion that may have been done is simply done again."""
    until = no_room_until(voice, DELETE_POINTS, Priority.REPLY)
    if until is not None:
        wait = until - voice.now()
        voice.ledger.sends.not_sent(send, NO_ROOM, wait, still_unknown=send.unknown_since is not None)
        return Ending.WAITING
    return _try(voice, begun(voice, DELETE_POINTS, partial(voice.ledger.sends.begin_try, send)))


def _try(voice: Voice, send: Send) -> str:
    uri = send.key.removeprefix(DELETE_PREFIX)
    if split_at_uri(uri).did != voice.account.did:
        voice.ledger.sends.in_conflict(send, "it stands in the repository of another account")
        return Ending.CONFLICT
    try:
        delete_record(voice.account, send.collection, send.rkey)
    except CallFailed as failed:
        log.warning("delete_failed", document=send.document_id, key=send.key, tries=send.tries, failure=str(failed))
        if failed.failure is not Failure.REFUSED or not _is_absent(voice, send):
            return _failed(voice, send, failed)
    return _deleted(voice, send, AtUri(uri))


def _look_again(voice: Voice, send: Send) -> str | None:
    """A put of it that was on its way may have come after the deletion: then it is deleted again."""
    ending = None
    said = voice.ledger.sends.put_at(send.collection, send.rkey)
    try:
        there = read_back(voice.account, send.collection, send.rkey)
        if isinstance(there, Found) and said is not None and there.cid in said.cids:
            if no_room_until(voice, DELETE_POINTS, Priority.REPLY) is not None:
                return Ending.WAITING
            delete_record(voice.account, send.collection, send.rkey)
            log.warning("landed_after_deletion", document=send.document_id, uri=there.uri)
            ending = "deleted"
    except CallFailed as failed:
        voice.ledger.outbox.look_whether_deleted(send, wait_after(send, failed, voice.now()))
        return Ending.UNKNOWN
    since = voice.now() - (send.settled_at or voice.now())
    voice.ledger.outbox.look_whether_deleted(send, max(FIRST_LOOK, 5 * since) if since < LAST_LOOK else None)
    return ending


def _is_absent(voice: Voice, send: Send) -> bool:
    try:
        return isinstance(read_back(voice.account, send.collection, send.rkey), Absent)
    except CallFailed:
        return False


def _failed(voice: Voice, send: Send, failed: CallFailed) -> str:
    """Refused, too, it stays: what its author took back is not left standing without a person knowing."""
    voice.ledger.sends.unknown(send, str(failed), wait_after(send, failed, voice.now()))
    return Ending.UNKNOWN


def _deleted(voice: Voice, send: Send, uri: AtUri) -> str:
    """The document is marked first: a crash in between leaves a deletion that is done again."""
    document = voice.ledger.queries.document(send.document_id) if send.document_id is not None else None
    if document is not None and document.reply_uri == uri:
        voice.ledger.sightings.reply_deleted(document)
    voice.ledger.sends.answered(voice.caller, send, StrongRef(uri=uri, cid=send.cid))
    said = voice.ledger.sends.put_at(send.collection, send.rkey)
    if said is not None and said.tries > 1:
        voice.ledger.outbox.look_whether_deleted(send, FIRST_LOOK)
    log.info("reply_deleted", document=send.document_id, uri=uri, tries=send.tries)
    return "deleted"


def _send_of(voice: Voice, key: str) -> Send | None:
    try:
        return voice.ledger.queries.send(key)
    except NoSuchDocument:
        return None
