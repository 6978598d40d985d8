"""Watches the posts of open and lately answered asks: taken back, edited; and whether our replies are seen."""

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.bluesky.patience import Patience
from bot.bluesky.sight import BATCH, Seen, Sight, look_at, out_of_place, which_are_visible
from bot.errors import LostRace
from bot.jobs.rereading import reread
from bot.jobs.sending import Voice, guarded
from bot.jobs.take_back import take_back_once, withdraw
from bot.ledger.known import KnownReply
from bot.ledger.views import Document
from guardrails.documents import AtUri
from guardrails.transitions import Reason, Status

LOOKS = 200
# How often, and for how long, the mention of a reply is looked at.
FOLLOWED_EVERY = timedelta(minutes=10)
FOLLOWED_DAYS = 7
# Two looks that find a post gone are this far apart: one may have met a delay.
APART = timedelta(minutes=1)
# When a reply is looked for; after that it is left at not seen.
SEEN_AFTER = timedelta(seconds=30)
SEEN_BY = timedelta(hours=6)
log = structlog.get_logger()


@dataclass(frozen=True)
class Watched:
    """What a round saw of mentions and of our replies, and what came of it."""

    present: int = 0
    edited: int = 0
    reopened: int = 0
    absent: int = 0
    unclear: int = 0
    withdrawn: int = 0
    deleted: int = 0
    waiting: int = 0
    unknown: int = 0
    conflicts: int = 0
    seen: int = 0
    lost: int = 0
    broken: int = 0


def watch_once(voice: Voice, every: timedelta) -> Watched:
    """Look at the mentions whose time has come, `every` so often while open; take back what was withdrawn.

    Nothing is decided by one look, by a block or by an author who is away, and no look ever makes a second reply.
    """
    counts = Counter(_look_at_mentions(voice, every))
    counts.update(_look_at_known(voice))
    counts.update(take_back_once(voice))
    counts["seen"] = _look_for_replies(voice)
    return Watched(**counts)


def _look_at_mentions(voice: Voice, every: timedelta) -> list[str]:
    documents = voice.ledger.sightings.to_look_at(LOOKS, every, FOLLOWED_EVERY, APART, FOLLOWED_DAYS)
    uris = [AtUri(document.source_uri) for document in documents]
    sights = look_at(voice.account, uris, voice.stopping) if uris else {}

    def note(voice: Voice, document: Document) -> str:
        try:
            return _note(voice, document, sights[AtUri(document.source_uri)])
        except LostRace:
            raise
        except Exception:
            # What cannot be read is looked at again in its turn, not before all others.
            voice.ledger.sightings.unclear(document)
            raise

    fields = [guarded(note, voice, document) for document in documents]
    return [field for field in fields if field is not None]


def _look_at_known(voice: Voice) -> list[str]:
    """The mentions of replies of which this ledger has no document: only whether they are still there."""
    found = voice.ledger.known.to_look_at(LOOKS, FOLLOWED_EVERY, APART, FOLLOWED_DAYS)
    sights = look_at(voice.account, [known.post for known in found], voice.stopping) if found else {}

    def note(voice: Voice, known: KnownReply) -> str:
        return _note_known(voice, known, sights[known.post])

    fields = [guarded(note, voice, known) for known in found]
    return [field for field in fields if field is not None]


def _note_known(voice: Voice, known: KnownReply, sight: Sight) -> str:
    if sight.kind is Seen.VISIBLE:
        voice.ledger.known.present(known)
        return "present"
    if sight.kind is not Seen.GONE:
        voice.ledger.known.unclear(known)
        return "unclear"
    if known.absent_since is None:
        voice.ledger.known.absent(known)
        return "absent"
    voice.ledger.known.take_back(voice.caller, known)
    log.info("withdrawn", document=known.id, status="known", reason=Reason.DELETED.value)
    return "withdrawn"


def _note(voice: Voice, document: Document, sight: Sight) -> str:
    match sight.kind:
        case Seen.VISIBLE:
            return _present(voice, document, sight)
        case Seen.GONE:
            return _absent(voice, document)
        case Seen.BLOCKED_BY_AUTHOR | Seen.BLOCKED_BY_US | Seen.AUTHOR_AWAY | Seen.UNCLEAR:
            voice.ledger.sightings.unclear(document)
            return "unclear"


def _present(voice: Voice, document: Document, sight: Sight) -> str:
    """An edit counts until a lane has it: what is received is read again by its judge, what is claimed is built."""
    if document.status in (Status.AWAITING_APPROVAL, Status.PENDING_BUILD):
        edited = reread(document.mention, sight, voice.account.did)
        if edited is not None:
            voice.ledger.documents.reopen_edited(voice.caller, document, edited)
            log.info("edited_before_claim", document=document.id, cid=edited.post.cid)
            return "reopened"
    after = voice.ledger.sightings.present(document, sight.cid or document.source_cid)
    return "edited" if after.edited_cid is not None else "present"


def _absent(voice: Voice, document: Document) -> str:
    """The second time it was taken back: what was absent comes up again only when it is time for the second look."""
    if document.absent_since is None:
        voice.ledger.sightings.absent(document)
        return "absent"
    withdraw(voice, document, Reason.DELETED)
    return "withdrawn"


def _look_for_replies(voice: Voice) -> int:
    """Whether others are shown our replies, and whether they find them in the thread: soft notes, nothing follows."""
    unseen = voice.ledger.sightings.unseen_replies(BATCH, SEEN_AFTER, SEEN_BY)
    visible = which_are_visible(voice.account, [AtUri(str(each.reply_uri)) for each in unseen]) if unseen else None
    patience, seen = Patience(voice.stopping), 0
    for document in unseen:
        if not visible or document.reply_uri not in visible:
            continue
        why = out_of_place(voice.account, AtUri(document.source_uri), AtUri(str(document.reply_uri)), patience)
        if why is None:
            # It is looked for in the next round.
            continue
        if why:
            log.warning("reply_hidden", document=document.id, why=why)
        voice.ledger.sightings.reply_seen(document, f"our reply is out, but not in its thread: {why}" if why else "")
        seen += 1
    return seen
