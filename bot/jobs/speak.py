"""Says what stands beside the replies: a like for what was taken on, a line for an end without an app, or in answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from bot.bluesky.sight import ThreadSight, look_at_threads
from bot.errors import LostRace, NoAnswerLeft
from bot.jobs.asides import LIKE_PREFIX, LOOK_AGAIN, Aside, Fit, Planned, Tact, likes, notes
from bot.jobs.look import LookProof
from bot.jobs.notes import LATE, NOTE_PREFIX
from bot.jobs.sending import (
    PUT_POINTS,
    Ending,
    Voice,
    begun,
    first_try,
    in_public,
    is_silenced,
    look_for,
    no_room_until,
    resume,
)
from bot.ledger.usage import Priority
from bot.ledger.views import Document, Send
from guardrails.documents import AtUri
from guardrails.outlook import Outlook, View
from guardrails.transitions import Reason

BATCH = 10
SILENT = "silent"


@dataclass(frozen=True)
class Spoken:
    """What a round did: how many sends and documents ended each way. `silent`: nothing is left to be said."""

    answered: int = 0
    refused: int = 0
    waiting: int = 0
    unknown: int = 0
    conflicts: int = 0
    silent: int = 0
    lost: int = 0
    broken: int = 0
    paused: bool = False


def speak_once(voice: Voice, proof: LookProof, tact: Tact) -> Spoken:
    """Settle the likes and notes that are due, then say the new ones, a few a round.

    The proof says that the repository was looked at. Nothing is sent while replies are paused or the account is not
    in good standing; where write points are short, they are left to the replies.
    """
    done, queries = settle_asides_once(voice, proof, tact), voice.ledger.queries
    if done.paused:
        return done
    done = _said(voice, queries.to_like(BATCH), likes(voice, tact), done)
    return _said(voice, queries.to_tell(BATCH), notes(voice, tact), done)


def settle_asides_once(voice: Voice, _proof: LookProof, tact: Tact) -> Spoken:
    """Settle the likes and notes that are due and say nothing new."""
    if is_silenced(voice.ledger):
        return Spoken(paused=True)
    done = _settled(voice, LIKE_PREFIX, likes(voice, tact), Spoken())
    return _settled(voice, NOTE_PREFIX, notes(voice, tact), done)


def _settled(voice: Voice, prefix: str, aside: Aside, done: Spoken) -> Spoken:
    def settle(voice: Voice, send: Send) -> str:
        return resume(voice, send, Priority.EXTRA, lambda send: _welcome(voice, send, aside))

    for send in voice.ledger.outbox.due(BATCH, prefix):
        done = _counted(done, in_public(settle, voice, send))
    for send in voice.ledger.outbox.to_look_for(BATCH, prefix):
        done = _counted(done, in_public(look_for, voice, send))
    return done


def _welcome(voice: Voice, send: Send, aside: Aside) -> Outlook:
    """Hours may have passed since the claim, and the document may have gone on."""
    if send.document_id is None:
        return Outlook(View.OPEN)
    document = voice.ledger.queries.document(send.document_id)
    if voice.now() - send.claimed_at > LATE or not aside.worth(document, send.key):
        return Outlook(View.CLOSED, "it is not worth saying any more")
    match aside.fits(document, look_at_threads(voice.account, aside.looks_at(document))):
        case Fit.NOW:
            return Outlook(View.OPEN)
        case Fit.LATER:
            return Outlook(View.UNCLEAR, "its mention cannot be seen just now")
        case Fit.NEVER:
            return Outlook(View.CLOSED, "it would not be welcome")


def _said(voice: Voice, documents: Sequence[Document], aside: Aside, done: Spoken) -> Spoken:
    planned = {document.id: plan for document in documents if (plan := aside.plan(document)) is not None}
    wanted = {document.id: aside.looks_at(document) for document in documents if document.id in planned}
    seen = look_at_threads(voice.account, list(dict.fromkeys(chain(*wanted.values()))), voice.stopping)

    def say(voice: Voice, document: Document) -> str:
        plan = planned.get(document.id)
        if plan is not None:
            return _say(voice, document, plan, aside, {uri: seen[uri] for uri in wanted[document.id]})
        aside.clear(document)
        return SILENT

    for document in documents:
        done = _counted(done, in_public(say, voice, document))
    return done


def _say(voice: Voice, document: Document, plan: Planned, aside: Aside, sights: Mapping[AtUri, ThreadSight]) -> str:
    match aside.fits(document, sights):
        case Fit.NEVER:
            aside.clear(document)
            return SILENT
        case Fit.LATER:
            aside.postpone(document, LOOK_AGAIN)
            return Ending.WAITING
    if no_room_until(voice, PUT_POINTS, Priority.EXTRA) is not None:
        return Ending.WAITING
    try:
        send = begun(voice, PUT_POINTS, plan.claim)
    except NoAnswerLeft as spent:
        return _left_for_tomorrow(voice, document, aside, spent.until)
    except LostRace:
        aside.clear(document)
        return SILENT
    aside.clear(document)
    return first_try(voice, send)


def _left_for_tomorrow(voice: Voice, document: Document, aside: Aside, tomorrow: datetime) -> str:
    """The link to an app is worth as much then, a word about a command or a failed build is not."""
    if document.reason is not Reason.SAME_ASK:
        aside.clear(document)
        return SILENT
    aside.postpone(document, tomorrow - voice.now())
    return Ending.WAITING


def _counted(done: Spoken, field: str | None) -> Spoken:
    return replace(done, **{field: getattr(done, field) + 1}) if field is not None else done
