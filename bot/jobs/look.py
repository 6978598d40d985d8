"""The look at our own posts at every start, before the first send: what is in the repository is answered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import structlog

from bot.bluesky.errors import CallFailed
from bot.bluesky.records import Found, OwnPage, list_own
from bot.bluesky.session import Account
from bot.ledger.known import Trace
from bot.ledger.ledger import Ledger
from bot.ledger.sends import Frozen
from bot.ledger.views import Document
from guardrails.access import Caller
from guardrails.documents import POST_COLLECTION, Did, DocId, Kind, doc_id_of, split_at_uri
from guardrails.tid import parse_tid

MARGIN = timedelta(days=1)
# So many pages of a hundred posts are looked through at a time for somebody who asked before all that is known.
PAGES = 20
# Why something waits, in words for people.
UNREAD = "our own posts are not read down to its day yet"
_EVER = datetime.min.replace(tzinfo=UTC)
log = structlog.get_logger()


@dataclass(frozen=True)
class Finder:
    """Who notes what is found: in which ledger, as whom, and below which address a link shows a reply."""

    ledger: Ledger
    caller: Caller
    apps_url: str


class LookProof:
    """The repository was looked at by this process; nothing is said without it.

    Whatever answers what was asked since `known_from` is known by now; an older ask may have its answer further down.
    """

    def __init__(self, finder: Finder, known_from: datetime, ended_at: str | None) -> None:
        self.known_from = known_from
        self._finder = finder
        self._below = known_from
        self._cursor = ended_at
        self._bottom = False
        self._looking = Lock()

    def reaches(self, document: Document) -> bool:
        """Whether an answer to it would be known without another look."""
        return _asked_from(document) >= self.known_from

    def look_on(self, account: Account, document: Document, over: Callable[[], bool]) -> bool:
        """Look further down for an answer to an older ask; False while that is not done, and it is to wait.

        A few pages at a time, and none twice: the next look goes on where the last one ended.
        """
        asked_from = _asked_from(document)
        with self._looking:
            for _ in range(PAGES):
                if self._is_down_to(asked_from) or over() or not self._looked_on(account):
                    break
            return self._is_down_to(asked_from)

    def _is_down_to(self, at: datetime) -> bool:
        return self._bottom or at >= self._below

    def _looked_on(self, account: Account) -> bool:
        try:
            page = list_own(account, POST_COLLECTION, self._cursor)
        except CallFailed as failed:
            log.warning("own_posts_unread", failure=str(failed))
            return False
        below = [found for found in page.records if not _newer(found, self._below)]
        adopted = _adopted(self._finder, account, below)
        log.info("looked_further_down", posts=len(below), adopted=adopted)
        self._below = min((at for found in below if (at := _key_at(found.uri)) is not None), default=self._below)
        self._bottom, self._cursor = _is_last(page, self._cursor), page.cursor
        return True


def look_once(finder: Finder, account: Account, answers_from: datetime, first_start: datetime) -> LookProof:
    """List our posts, newest first, back to a day before the last answered key, and settle what they answer.

    On a ledger that has answered nothing it goes back to the oldest mention that would still be answered, from
    `answers_from` on or held already, and a day more. A reply is known by its link, which is under the apps address;
    what else stands under somebody's post is never followed or deleted. Raises CallFailed: then nothing may be sent.
    """
    bound = _reach(finder.ledger, answers_from) - MARGIN
    listed, ended_at = _listed(account, bound)
    adopted = _adopted(finder, account, listed)
    log.info("looked_at_own_posts", posts=len(listed), adopted=adopted)
    # Since its first start the ledger has them itself, or an earlier look has found them.
    return LookProof(finder, min(bound, first_start - MARGIN), ended_at)


def _reach(ledger: Ledger, answers_from: datetime) -> datetime:
    last = ledger.sends.last_answered_key()
    if last is not None:
        return parse_tid(last).at
    held = ledger.queries.oldest_to_answer()
    return min(answers_from, held) if held is not None else answers_from


def _listed(account: Account, bound: datetime) -> tuple[list[Found], str | None]:
    """Our posts since a moment, and by which cursor the page is had that they end in."""
    listed: list[Found] = []
    cursor: str | None = None
    while True:
        page = list_own(account, POST_COLLECTION, cursor)
        for found in page.records:
            if _older(found, bound):
                return listed, cursor
            listed.append(found)
        if _is_last(page, cursor):
            return listed, cursor
        cursor = page.cursor


def _is_last(page: OwnPage, cursor: str | None) -> bool:
    return page.cursor is None or page.cursor == cursor


def _older(found: Found, bound: datetime) -> bool:
    at = _key_at(found.uri)
    return at is not None and at < bound


def _newer(found: Found, bound: datetime) -> bool:
    at = _key_at(found.uri)
    return at is not None and at > bound


def _key_at(uri: str) -> datetime | None:
    """The moment that a record key names; None for one that names none."""
    try:
        return parse_tid(split_at_uri(uri).rkey).at
    except (ValueError, OverflowError):
        return None


def _asked_from(document: Document) -> datetime:
    """A moment before which it was not asked, so that an answer to it was not said before that either.

    Its author chooses key and date. What came by itself was seen by others, who say when; what an operator has named
    may be of any age, and then the earlier of the two counts.
    """
    mention, read_at = document.mention, document.created_at
    key_at, date = _past(_key_at(document.source_uri), read_at), _past(_date(mention.created_at), read_at)
    if mention.by_operator:
        return min((at for at in (key_at, date) if at is not None), default=_EVER)
    return max(mention.indexed_at, key_at or mention.indexed_at)


def _past(at: datetime | None, read_at: datetime) -> datetime | None:
    """None for a moment after that in which it was read: it says nothing."""
    return at if at is not None and at <= read_at else None


def _date(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def trace_of(record: Mapping[str, Any], apps_url: str) -> Trace:
    """What a post of ours is, by its links: a reply of the bot's, something that may have been one, or only words."""
    links = set(_links(record))
    if any(_is_under(apps_url, link) for link in links):
        return Trace.REPLY
    return Trace.LINK if links else Trace.WORDS


def _adopted(finder: Finder, account: Account, listed: Sequence[Found]) -> int:
    """How many were news."""
    # Oldest first: one that is cut short leaves a last answered key from which the next still reaches the rest.
    return sum(_adopt(finder, found, account.did) for found in reversed(listed))


def _adopt(finder: Finder, found: Found, our_did: Did) -> bool:
    answered = _answers(found, our_did)
    if answered is None:
        return False
    frozen = Frozen(POST_COLLECTION, split_at_uri(found.uri).rkey, found.record, found.cid)
    trace = trace_of(found.record, finder.apps_url)
    news = finder.ledger.sends.adopt(finder.caller, answered, frozen, found.uri, trace)
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
