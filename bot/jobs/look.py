"""The look at our own posts at every start, before the first send: what is in the repository is answered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot.bluesky.records import Found, list_own
from bot.bluesky.session import Account
from bot.ledger.known import Trace
from bot.ledger.ledger import Ledger
from bot.ledger.sends import Frozen
from guardrails.access import Caller
from guardrails.documents import POST_COLLECTION, Did, DocId, Kind, doc_id_of, split_at_uri
from guardrails.tid import parse_tid

MARGIN = timedelta(days=1)
log = structlog.get_logger()


@dataclass(frozen=True)
class LookProof:
    """The repository was looked at by this process; `reply_once` takes no send without it."""

    looked_at: int
    adopted: int


def look_once(ledger: Ledger, account: Account, caller: Caller, answers_from: datetime, apps_url: str) -> LookProof:
    """List our posts, newest first, back to a day before the last answered key, and settle what they answer.

    On a ledger that has answered nothing it goes back to the oldest mention that would still be answered, from
    `answers_from` on or held already, and a day more. A reply is known by its link, which is under `apps_url`; what
    else stands under somebody's post is never followed or deleted. Raises CallFailed: then nothing may be sent.
    """
    listed = _listed(account, _reach(ledger, answers_from) - MARGIN)
    # Oldest first: one that is cut short leaves a last answered key from which the next still reaches the rest.
    adopted = sum(_adopt(ledger, caller, found, account.did, apps_url) for found in reversed(listed))
    log.info("looked_at_own_posts", posts=len(listed), adopted=adopted)
    return LookProof(len(listed), adopted)


def _reach(ledger: Ledger, answers_from: datetime) -> datetime:
    last = ledger.sends.last_answered_key()
    if last is not None:
        return parse_tid(last).at
    held = ledger.queries.oldest_to_answer()
    return min(answers_from, held) if held is not None else answers_from


def _listed(account: Account, bound: datetime) -> list[Found]:
    listed: list[Found] = []
    cursor: str | None = None
    while True:
        page = list_own(account, POST_COLLECTION, cursor)
        for found in page.records:
            if _older(found, bound):
                return listed
            listed.append(found)
        if page.cursor is None or page.cursor == cursor:
            return listed
        cursor = page.cursor


def _older(found: Found, bound: datetime) -> bool:
    try:
        return parse_tid(split_at_uri(found.uri).rkey).at < bound
    except (ValueError, OverflowError):
        return False


def trace_of(record: Mapping[str, Any], apps_url: str) -> Trace:
    """What a post of ours is, by its links: a reply of the bot's, something that may have been one, or only words."""
    links = set(_links(record))
    if any(_is_under(apps_url, link) for link in links):
        return Trace.REPLY
    return Trace.LINK if links else Trace.WORDS


def _adopt(ledger: Ledger, caller: Caller, found: Found, our_did: Did, apps_url: str) -> bool:
    answered = _answers(found, our_did)
    if answered is None:
        return False
    frozen = Frozen(POST_COLLECTION, split_at_uri(found.uri).rkey, found.record, found.cid)
    trace = trace_of(found.record, apps_url)
    news = ledger.sends.adopt(caller, answered, frozen, found.uri, trace)
    if news:
        log.info("post_adopted", document=answered, uri=found.uri, trace=trace.value)
    return news


def _answers(found: Found, our_did: Did) -> DocId | None:
    """Under a post of our own stands a thread of ours, and no answer."""
    match found.record.get("reply"):
        case {"parent": {"uri": str(uri)}}:
            try:
                return doc_id_of(Kind.MENTION, uri) if split_at_uri(uri).did != our_did else None
            except ValueError:
                return None
    return None


def _links(record: Mapping[str, Any]) -> Iterator[str]:
    match record.get("embed"):
        case {"external": {"uri": str(uri)}}:
            yield uri
    facets = record.get("facets")
    for facet in facets if isinstance(facets, list) else []:
        features = facet.get("features") if isinstance(facet, dict) else None
        for feature in features if isinstance(features, list) else []:
            match feature:
                case {"$type": "app.bsky.richtext.facet#link", "uri": str(uri)}:
                    yield uri


def _is_under(apps_url: str, link: str) -> bool:
    return link.startswith(f"{apps_url.rstrip('/')}/")
