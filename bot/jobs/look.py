"""The look at our own posts at every start, before the first send: what is in the repository is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.bluesky.records import Found, list_own
from bot.bluesky.session import Account
from bot.ledger.ledger import Ledger
from bot.ledger.sends import Frozen
from guardrails.access import Caller
from guardrails.documents import POST_COLLECTION, DocId, Kind, doc_id_of, split_at_uri
from guardrails.tid import parse_tid

MARGIN = timedelta(days=1)
log = structlog.get_logger()


@dataclass(frozen=True)
class LookProof:
    """The repository was looked at by this process; `reply_once` takes no send without it."""

    looked_at: int
    adopted: int


def look_once(
    ledger: Ledger, account: Account, caller: Caller, now: Callable[[], datetime], max_age: timedelta
) -> LookProof:
    """List our posts, newest first, back to a day before the last answered key, and settle what they answer.

    On a ledger that has answered nothing it goes back `max_age`, the greatest age of a mention that would still be
    answered, and the same day. Raises CallFailed: then nothing may be sent.
    """
    last = ledger.sends.last_answered_key()
    bound = (parse_tid(last).at if last is not None else now() - max_age) - MARGIN
    looked_at = adopted = 0
    cursor: str | None = None
    while True:
        page = list_own(account, POST_COLLECTION, cursor)
        for found in page.records:
            if _older(found, bound):
                return _proof(looked_at, adopted)
            looked_at += 1
            adopted += _adopt(ledger, caller, found)
        if page.cursor is None or page.cursor == cursor:
            return _proof(looked_at, adopted)
        cursor = page.cursor


def _proof(looked_at: int, adopted: int) -> LookProof:
    log.info("looked_at_own_posts", posts=looked_at, adopted=adopted)
    return LookProof(looked_at, adopted)


def _older(found: Found, bound: datetime) -> bool:
    try:
        return parse_tid(split_at_uri(found.uri).rkey).at < bound
    except (ValueError, OverflowError):
        return False


def _adopt(ledger: Ledger, caller: Caller, found: Found) -> bool:
    answered = _answers(found)
    if answered is None:
        return False
    frozen = Frozen(POST_COLLECTION, split_at_uri(found.uri).rkey, found.record, found.cid)
    news = ledger.sends.adopt(caller, answered, frozen, found.uri)
    if news:
        log.info("reply_adopted", doc=answered, uri=found.uri)
    return news


def _answers(found: Found) -> DocId | None:
    match found.record.get("reply"):
        case {"parent": {"uri": str(uri)}}:
            try:
                return doc_id_of(Kind.MENTION, uri)
            except ValueError:
                return None
    return None
