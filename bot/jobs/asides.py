"""What is said beside the replies: which documents get a like or a note, under which key, and when it is welcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from bot.bluesky.cid import cid_of
from bot.bluesky.likes import LIKE_COLLECTION, like_record
from bot.bluesky.sight import Seen, ThreadSight
from bot.errors import NoSuchDocument
from bot.jobs.answers import to_tell
from bot.jobs.commands import first_of
from bot.jobs.freezing import freeze_post
from bot.jobs.notes import HELP_EVERY, LATE, Told
from bot.jobs.outlook import outlook
from bot.jobs.sending import Voice
from bot.ledger.known import told_key
from bot.ledger.send_rows import ANSWERED, CLAIMED
from bot.ledger.sends import Frozen
from bot.ledger.views import Document, Send
from bot.texts import language_of
from guardrails.documents import AtUri
from guardrails.outlook import View
from guardrails.tid import parse_tid
from guardrails.transitions import Reason, Status, is_terminal

LIKE_PREFIX = "like:"
# How long a note waits when the mention could not be looked at, or was not there.
LOOK_AGAIN = timedelta(minutes=5)


@dataclass(frozen=True)
class Tact:
    """What may be said beside the replies, and to how many commands an author gets an answer in a day.

    `pages` is the address below which asks have public pages; empty where they have none.
    """

    likes: bool = True
    notes: bool = True
    answers_per_day: int = 3
    pages: str = ""


class Fit(StrEnum):
    """What a look at a mention says about something to be said under it."""

    NOW = "now"
    LATER = "later"
    NEVER = "never"


@dataclass(frozen=True)
class Planned:
    """Something to say, and how it is claimed once it is sure that it will be said: LostRace when it may not be."""

    claim: Callable[[], Send]


@dataclass(frozen=True)
class Aside:
    """One sort of thing to say. `worth`: whether what was claimed under a key is still worth saying of a document;
    `plan`: what is to be said, if it was not said yet; `looks_at`: the posts whose looks `fits` goes by. `clear` puts
    the document's hint away, `postpone` puts it off.
    """

    worth: Callable[[Document, str], bool]
    plan: Callable[[Document], Planned | None]
    looks_at: Callable[[Document], Sequence[AtUri]]
    fits: Callable[[Document, Mapping[AtUri, ThreadSight]], Fit]
    clear: Callable[[Document], object]
    postpone: Callable[[Document, timedelta], object]


def likes(voice: Voice, tact: Tact) -> Aside:
    """A like on the mention of what was taken on, once: `like:<doc>`."""

    def worth(document: Document, _key: str) -> bool:
        late = voice.now() - document.updated_at > LATE
        return tact.likes and _may_speak(document) and document.status is not Status.SKIPPED and not late

    def plan(document: Document) -> Planned | None:
        key = f"{LIKE_PREFIX}{document.id}"
        if not worth(document, key) or _stands(voice, key):
            return None
        claim_aside = voice.ledger.sends.claim_aside
        return Planned(lambda: claim_aside(voice.caller, key, document, _freeze_like(voice, document)))

    # Nothing is put off: a look that tells nothing is taken again in the next round.
    return Aside(worth, plan, _itself, _like_fits, voice.ledger.sightings.liked, lambda *_: None)


def notes(voice: Voice, tact: Tact) -> Aside:
    """A line for an end or a wait that may be told, or in answer to a command; the keys are in `notes.py`."""

    def due(document: Document) -> Told | None:
        """What people ask for they get, whether or not they are told of ends."""
        wanted = tact.notes or document.reason is Reason.COMMAND
        return to_tell(voice.ledger, document, voice.now(), tact.pages) if wanted and _may_speak(document) else None

    def worth(document: Document, key: str) -> bool:
        told = due(document)
        return told is not None and told.is_told_by(key)

    def plan(document: Document) -> Planned | None:
        told = due(document)
        if told is None or _stands(voice, told.key):
            return None
        if told.before is not None and _stands(voice, told.before, within=HELP_EVERY):
            return None
        # A reply of ours that this ledger has lost, and found in the repository, was the answer, or words were.
        if voice.ledger.sends.is_answered(document.id) or _stands(voice, told_key(document.id)):
            return None
        return Planned(lambda: _claim_note(voice, document, told, tact))

    def looks_at(document: Document) -> Sequence[AtUri]:
        """The link under an ask that joined another is worth something as long as that one is there."""
        return list(dict.fromkeys(each.mention.post.uri for each in (document, first_of(voice.ledger, document))))

    def postpone(document: Document, wait: timedelta) -> None:
        # When a document that waits goes on is not for a note to say: it comes up in the next round.
        if is_terminal(document.kind, document.status):
            voice.ledger.sightings.answer_later(document, wait)

    return Aside(worth, plan, looks_at, _note_fits, voice.ledger.sightings.told, postpone)


def _may_speak(document: Document) -> bool:
    """Nothing is said where the ask was taken back or down, or where an operator asked: that one sees it all."""
    return not document.is_taken_back and not document.mention.by_operator


def _freeze_like(voice: Voice, document: Document) -> Frozen:
    rkey = voice.tids.mint()
    record = like_record(document.mention.post, parse_tid(rkey).at)
    return Frozen(LIKE_COLLECTION, rkey, record, cid_of(record))


def _claim_note(voice: Voice, document: Document, told: Told, tact: Tact) -> Send:
    speech = told.line.speech(language_of(document.mention.langs))
    frozen, sends = freeze_post(speech, document.mention, voice.tids), voice.ledger.sends
    if told.is_answer:
        return sends.claim_answer(voice.caller, told.key, document, frozen, tact.answers_per_day)
    return sends.claim_aside(voice.caller, told.key, document, frozen)


def _stands(voice: Voice, key: str, within: timedelta | None = None) -> bool:
    """Whether a key is claimed or answered, since so long at most where it matters."""
    try:
        send = voice.ledger.queries.send(key)
    except NoSuchDocument:
        return False
    lately = within is None or send.claimed_at > voice.now() - within
    return send.state in (CLAIMED, ANSWERED) and lately


def _itself(document: Document) -> Sequence[AtUri]:
    return [document.mention.post.uri]


def _like_fits(document: Document, sights: Mapping[AtUri, ThreadSight]) -> Fit:
    """A mention that is not there, or not open to us, is not liked: its like would be seen by nobody."""
    match outlook(sights[document.mention.post.uri]).view:
        case View.OPEN:
            return Fit.NOW
        case View.UNCLEAR:
            return Fit.LATER
    return Fit.NEVER


def _note_fits(document: Document, sights: Mapping[AtUri, ThreadSight]) -> Fit:
    """A line is no answer to a bot: two of them would go on and on. What is absent may come back.

    Of what is absent and waits to be judged, it is told when that is done again.
    """
    sight = sights[document.mention.post.uri]
    match outlook(sight).view:
        case View.OPEN if sight.post.by_bot:
            return Fit.NEVER
        case View.OPEN:
            # Where the ask that it joined is gone, the watch finds out whether its author took it back.
            return Fit.NOW if all(each.post.kind is Seen.VISIBLE for each in sights.values()) else Fit.LATER
        case View.CLOSED:
            return Fit.NEVER
        case View.UNCLEAR:
            return Fit.LATER
    return Fit.LATER if is_terminal(document.kind, document.status) else Fit.NEVER
