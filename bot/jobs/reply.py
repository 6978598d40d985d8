"""Says what was built, once: looks whether it can be seen, claims the key, and settles every send that is due."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot.bluesky.blobs import blob_ref
from bot.bluesky.sight import ThreadSight, look_at_threads
from bot.bluesky.thumbs import THUMB_MIME, thumbnail
from bot.errors import LostRace
from bot.jobs.freezing import freeze_post
from bot.jobs.look import UNREAD, LookProof
from bot.jobs.outlook import outlook
from bot.jobs.sending import (
    FIRST_WAIT,
    LOOK_AGAIN,
    PUT_POINTS,
    Ending,
    Voice,
    first_try,
    in_public,
    is_silenced,
    look_for,
    resume,
)
from bot.ledger.moves import REPLY_PREFIX
from bot.ledger.sends import Frozen
from bot.ledger.usage import Priority
from bot.ledger.views import Document, Send
from bot.speech import built_reply
from bot.texts import language_of
from guardrails.documents import AtUri
from guardrails.outlook import Outlook, View
from guardrails.tid import TidClock
from guardrails.transitions import Reason

BATCH = 20
ASK_AGAIN = timedelta(seconds=5)
# How long a claimed reply waits for an author whose account is not there.
AWAY_FOR = timedelta(hours=24)
log = structlog.get_logger()


@dataclass(frozen=True)
class Manners:
    """How much is said at most, and how old an answer may be that nobody has looked at."""

    per_hour: int = 120
    hold_after: timedelta = timedelta(hours=24)


@dataclass(frozen=True)
class Replied:
    """What a round did: how many sends and documents ended each way."""

    answered: int = 0
    refused: int = 0
    waiting: int = 0
    unknown: int = 0
    conflicts: int = 0
    held: int = 0
    lost: int = 0
    broken: int = 0
    paused: bool = False


def reply_once(voice: Voice, proof: LookProof, manners: Manners) -> Replied:
    """Settle the replies that are due, then answer what is built: everybody's oldest first, at the set pace.

    The proof says that the repository was looked at; for who asked before that reaches, it is looked on first. Nothing
    is sent while replies are paused or the account is not in good standing.
    """
    done = settle_once(voice, proof)
    if done.paused:
        return done
    ready = [document for document in voice.ledger.queries.ready_to_answer(BATCH) if not _aside(voice, document)]
    # By the columns: one whose body cannot be read is not to stop the others.
    uris = [AtUri(document.source_uri) for document in ready]
    sights = look_at_threads(voice.account, uris, voice.stopping) if uris else {}

    def answer(voice: Voice, document: Document) -> str | None:
        if not proof.reaches(document):
            if not proof.look_on(voice.account, document, voice.stopping):
                voice.ledger.sightings.answer_later(document, LOOK_AGAIN, UNREAD)
                return Ending.WAITING
            # The look takes up to a round's time.
            if _aside(voice, document) or is_silenced(voice.ledger):
                return None
        return _answer(voice, document, sights[AtUri(document.source_uri)], manners)

    for document in ready:
        done = _counted(done, in_public(answer, voice, document))
    return done


def settle_once(voice: Voice, _proof: LookProof) -> Replied:
    """Settle the replies that are due and begin no new one: also while nobody knows what was said meanwhile."""
    if is_silenced(voice.ledger):
        return Replied(paused=True)
    done = Replied()
    for send in voice.ledger.outbox.due(BATCH, REPLY_PREFIX):
        done = _counted(done, in_public(_settle, voice, send))
    for send in voice.ledger.outbox.to_look_for(BATCH, REPLY_PREFIX):
        done = _counted(done, in_public(look_for, voice, send))
    return done


def freeze_reply(document: Document, tids: TidClock, thumb: dict[str, Any] | None = None) -> Frozen:
    """The record of the reply to a built document as it will be sent."""
    if document.result is None:
        raise LostRace(f"{document.id} has no result")
    speech = built_reply(document.result, language_of(document.mention.langs), thumb)
    return freeze_post(speech, document.mention, tids)


def _aside(voice: Voice, document: Document) -> bool:
    """Whether a reply of ours was found before this was built: then nothing is to be sent."""
    if not voice.ledger.sends.is_answered(document.id):
        return False
    try:
        voice.ledger.sends.finish_adopted(voice.caller, document)
    except LostRace:
        log.info("adopted_elsewhere", document=document.id)
    return True


def _answer(voice: Voice, document: Document, sight: ThreadSight, manners: Manners) -> str:
    if document.withdrawn_at is not None:
        # Somebody has opened it again after its author took it back.
        voice.ledger.documents.withdraw(voice.caller, document, Reason.CANCELLED)
        return Ending.REFUSED
    seen = outlook(sight)
    if seen.view is View.CLOSED:
        voice.ledger.documents.cannot_reply(voice.caller, document, seen.reason)
        log.info("cannot_reply", document=document.id, why=seen.reason)
        return Ending.REFUSED
    age = voice.now() - document.asked_at
    # Released, and nobody there to read it: that is for the person again, and not asked for ever.
    released, is_away = document.reply_released_by is not None, seen.view is View.AWAY
    if age > manners.hold_after and (not released or is_away):
        why = f"{age.total_seconds() / 3600:.0f} hours old" + (f", {seen.reason}" if released else "")
        voice.ledger.decisions.hold_reply(voice.caller, document, why)
        log.warning("reply_held", document=document.id, why=why)
        return "held"
    if seen.view is not View.OPEN:
        voice.ledger.sightings.answer_later(document, _look_again(seen, voice.now()))
        return Ending.WAITING
    refusing = voice.account.no_writes_until(PUT_POINTS)
    until = refusing or voice.ledger.pace.spend_with_place(manners.per_hour, PUT_POINTS)
    if until is not None:
        log.info("reply_waits", document=document.id, until=str(until))
        voice.ledger.sightings.answer_later(document, min(until - voice.now(), LOOK_AGAIN))
        return Ending.WAITING
    try:
        send = _claimed(voice, document)
    except Exception:
        voice.ledger.pace.unspend_with_place(manners.per_hour, PUT_POINTS)
        raise
    return first_try(voice, send)


def _claimed(voice: Voice, document: Document) -> Send:
    picture = _picture(voice, document)
    thumb = blob_ref(picture, THUMB_MIME) if picture is not None else None
    kept = (THUMB_MIME, picture) if picture is not None else None
    return voice.ledger.sends.claim_reply(voice.caller, document, freeze_reply(document, voice.tids, thumb), kept)


def _look_again(seen: Outlook, now: datetime) -> timedelta:
    """How long until the next look: a post that was not there needs time, an unanswered question only a little."""
    if seen.view is not View.UNCLEAR:
        return LOOK_AGAIN
    return min(max(seen.until - now, FIRST_WAIT), LOOK_AGAIN) if seen.until is not None else ASK_AGAIN


def _picture(voice: Voice, document: Document) -> bytes | None:
    """The app's screenshot, small enough for a card."""
    if document.slug is None:
        return None
    screen = voice.ledger.sightings.screen(document.slug, document.attempt)
    return thumbnail(screen) if screen is not None else None


def _settle(voice: Voice, send: Send) -> str:
    def welcome(send: Send) -> Outlook:
        """Hours may have passed since the claim: somebody may have taken the mention back, or shut the door."""
        if send.document_id is None:
            return Outlook(View.OPEN)
        document = voice.ledger.queries.document(send.document_id)
        if document.is_taken_back:
            return Outlook(View.CLOSED, "taken back by its author, or by an operator")
        uri = AtUri(document.source_uri)
        seen = outlook(look_at_threads(voice.account, [uri])[uri])
        if seen.view is View.UNCLEAR:
            # It was open at the claim: a look that tells nothing changes nothing.
            return Outlook(View.OPEN)
        if seen.view is View.AWAY and voice.now() - send.claimed_at > AWAY_FOR:
            return replace(seen, view=View.CLOSED)
        return seen

    return resume(voice, send, Priority.REPLY, welcome)


def _counted(done: Replied, field: str | None) -> Replied:
    return replace(done, **{field: getattr(done, field) + 1}) if field is not None else done
