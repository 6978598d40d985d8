"""What the ledger knows of many asks at once, for their judgement: so many queries for a batch, however large it is."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError
from sqlalchemy import Connection, Subquery, func, select, union

from bot.ledger.among import among
from bot.ledger.conversations import Asked, answers_at, exchanges, taken_on, was_taken_on
from bot.ledger.engine import Database
from bot.ledger.money import usual_price
from bot.ledger.people import standing_of
from bot.ledger.purse import purse_of
from bot.ledger.send_rows import ANSWERED
from bot.ledger.sends import reply_key
from bot.ledger.tables import documents, held_asks, known_ids, past, sends, usage
from bot.ledger.tally import day_of, hour_of, present
from bot.ledger.views import Document
from guardrails.around import parent_of, people_around
from guardrails.caps import Cap, Place, author_scope, counted
from guardrails.dedupe import STANDS, ask_digest
from guardrails.documents import AtUri, Did, DocId, Mention
from guardrails.facts import Conversation, Earlier, Facts, Standing, Used
from guardrails.pointing import pointed_at
from guardrails.rules import Rules
from guardrails.transitions import Reason, Status

EARLIER = 50
"""So many earlier asks of its author an ask is compared with; more than stand in the time of a usual cap."""

Key = tuple[datetime, DocId]


@dataclass(frozen=True)
class _Known:
    """What was read for a whole batch."""

    now: datetime
    answered: frozenset[DocId]
    standing: Mapping[Did, frozenset[Standing]]
    answers: Mapping[AtUri, Asked]
    threads: Mapping[AtUri, Sequence[Asked]]
    earlier: Mapping[Did, Sequence[Earlier]]
    taken_down: Mapping[DocId, DocId]
    lost: Mapping[Did, Sequence[Earlier]]
    served: frozenset[Did]
    used: Mapping[tuple[str, str], tuple[int, int]]
    usual_micros: int


def gather(db: Database, batch: Collection[Document], our_did: Did, rules: Rules) -> dict[DocId, Facts]:
    """The facts that the ledger holds of each document; one whose body cannot be read is left out."""
    readable = [document for document in batch if _mention_of(document) is not None]
    if not readable:
        return {}
    with db.read() as connection:
        known = _read(db, connection, readable, rules)
    return {document.id: _facts(document, our_did, rules, known) for document in readable}


def _mention_of(document: Document) -> Mention | None:
    try:
        return document.mention
    except ValidationError:
        return None


def _read(db: Database, connection: Connection, batch: Sequence[Document], rules: Rules) -> _Known:
    now = present(db, connection)
    authors = {document.author_did for document in batch}
    around = {did for document in batch for did in people_around(document.mention)}
    parents = {uri for document in batch if (uri := parent_of(document.mention.record)) is not None}
    return _Known(
        now,
        _answered(connection, [document.id for document in batch]),
        standing_of(db, connection, authors | around),
        answers_at(connection, parents),
        taken_on(connection, {document.thread for document in batch}),
        _earlier(connection, batch, now - timedelta(hours=rules.ask.same_hours)),
        _taken_down(connection, batch),
        _lost(connection, authors),
        _served(connection, authors),
        _used(connection, batch, now),
        usual_price(connection),
    )


def _facts(document: Document, our_did: Did, rules: Rules, known: _Known) -> Facts:
    around = people_around(document.mention)
    return Facts(
        mention=document.mention,
        our_did=our_did,
        answered=document.id in known.answered,
        standing=known.standing[document.author_did],
        involved_standing=tuple((did, standing) for did in around for standing in sorted(known.standing[did])),
        conversation=_conversation(document, known),
        earlier=_before(document, known.earlier.get(document.author_did, ())),
        taken_down=known.taken_down.get(document.id),
        lost=tuple(known.lost.get(document.author_did, ())),
        first_time=document.author_did not in known.served,
        used=_used_of(document, known),
        price_micros=purse_of(rules).price_micros(known.usual_micros),
    )


def _answered(connection: Connection, ids: Sequence[DocId]) -> frozenset[DocId]:
    """Which of the documents have a reply of ours, as far as this ledger knows."""
    keys = {reply_key(document_id): document_id for document_id in ids}
    said = select(sends.c.key).where(among(connection, sends.c.key, keys), sends.c.state == ANSWERED)
    elsewhere = select(known_ids.c.id).where(among(connection, known_ids.c.id, ids))
    found = {keys[key] for key in connection.execute(said).scalars()}
    return frozenset(found | {DocId(each) for each in connection.execute(elsewhere).scalars()})


def _conversation(document: Document, known: _Known) -> Conversation:
    parent = parent_of(document.mention.record)
    answer = known.answers.get(parent) if parent is not None else None
    return Conversation(
        answered=answer.id if answer is not None else None,
        by_asker=answer is not None and answer.author_did == document.author_did,
        exchanges=exchanges(known.threads[document.thread], document),
    )


def _earlier(connection: Connection, batch: Sequence[Document], since: datetime) -> dict[Did, list[Earlier]]:
    """The newest asks that stand and were not taken back, of each author up to the last of the batch, oldest first."""
    c = documents.c
    most = max(Counter(document.author_did for document in batch).values(), default=0)
    until = max((document.created_at for document in batch), default=since)
    newest_first = func.row_number().over(partition_by=c.author_did, order_by=(c.created_at.desc(), c.id.desc()))
    standing = (
        select(c.id, c.author_did, c.body, c.status, c.reason, c.created_at, newest_first.label("nth"))
        .where(
            among(connection, c.author_did, {document.author_did for document in batch}),
            c.status.in_([status.value for status in STANDS]),
            c.withdrawn_at.is_(None),
            c.taken_down_at.is_(None),
            c.wordless.is_(False),
            c.created_at >= since,
            c.created_at <= until,
        )
        .subquery()
    )
    return _by_author(connection, standing, EARLIER + most)


def _taken_down(connection: Connection, batch: Sequence[Document]) -> dict[DocId, DocId]:
    """Of which documents the ask is made again that led to an app which was taken down, and that one's document."""
    digests = {document.id: _digest(document) for document in batch}
    wanted = {digest for digest in digests.values() if digest is not None}
    query = select(held_asks.c.ask_sha256, held_asks.c.document_id).where(
        among(connection, held_asks.c.ask_sha256, wanted)
    )
    found: dict[str | None, DocId] = {row.ask_sha256: row.document_id for row in connection.execute(query)}
    return {each: found[digest] for each, digest in digests.items() if digest in found}


def _lost(connection: Connection, authors: Collection[Did]) -> dict[Did, list[Earlier]]:
    """The newest asks of each author whose apps were taken down, oldest first; not those whose words are gone."""
    c = documents.c
    newest_first = func.row_number().over(partition_by=c.author_did, order_by=(c.created_at.desc(), c.id.desc()))
    lost = (
        select(c.id, c.author_did, c.body, c.status, c.reason, c.created_at, newest_first.label("nth"))
        .where(among(connection, c.author_did, authors), c.taken_down_at.is_not(None), c.author_handle != "")
        .subquery()
    )
    return _by_author(connection, lost, EARLIER)


def _by_author(connection: Connection, asks: Subquery, most: int) -> dict[Did, list[Earlier]]:
    """So many of each author's asks, oldest first."""
    query = select(asks).where(asks.c.nth <= most).order_by(asks.c.created_at, asks.c.id)
    found: dict[Did, list[Earlier]] = {}
    for row in connection.execute(query):
        found.setdefault(row.author_did, []).append(
            Earlier(
                id=row.id,
                ask=row.body["ask"],
                status=Status(row.status),
                reason=Reason(row.reason),
                at=row.created_at,
                about=pointed_at(row.body["ask"], row.body["record"]),
            )
        )
    return found


def _digest(document: Document) -> str | None:
    mention = document.mention
    return ask_digest(mention.ask, pointed_at(mention.ask, mention.record))


def _before(document: Document, earlier: Sequence[Earlier]) -> tuple[Earlier, ...]:
    end = bisect_left(earlier, (document.created_at, document.id), key=_key)
    return tuple(earlier[max(0, end - EARLIER) : end])


def _key(each: Earlier) -> Key:
    return each.at, each.id


def _served(connection: Connection, authors: Collection[Did]) -> frozenset[Did]:
    """Who of them was ever taken on."""
    query = select(documents.c.author_did).where(among(connection, documents.c.author_did, authors), was_taken_on())
    once = select(past.c.author_did).where(
        among(connection, past.c.author_did, authors), past.c.status != Status.SKIPPED.value
    )
    return frozenset(Did(each) for each in connection.execute(union(query, once)).scalars())


def _used(connection: Connection, batch: Sequence[Document], now: datetime) -> dict[tuple[str, str], tuple[int, int]]:
    """How many places are taken, and what was spent, by scope and window."""
    scopes = {place.scope for document in batch for place in _places(document)}
    present_ones = (hour_of(now).name, day_of(now).name)
    query = select(usage).where(among(connection, usage.c.scope, scopes), usage.c.window.in_(present_ones))
    return {(row.scope, row.window): (row.n, row.cost_micros) for row in connection.execute(query)}


def _used_of(document: Document, known: _Known) -> Used:
    """Before this ask: a place that it holds already, or has from the ask that it joined, is its own."""
    hour, day = hour_of(known.now), day_of(known.now)
    own = {(held["scope"], held["window"]) for held in document.places}
    taken: dict[Cap, int] = {}
    for place in _places(document):
        name = (place.scope, hour.name if place.hourly else day.name)
        taken[place.cap] = known.used.get(name, (0, 0))[0] - (name in own)
    return Used(
        author_hour=taken[Cap.AUTHOR_HOUR],
        author_day=taken[Cap.AUTHOR_DAY],
        author_starts=taken[Cap.AUTHOR_STARTS],
        thread_day=taken[Cap.THREAD_DAY],
        all_day=taken[Cap.ALL_DAY],
        author_day_micros=known.used.get((author_scope(document.author_did), day.name), (0, 0))[1],
        hour_ends=hour.ends,
        day_ends=day.ends,
    )


def _places(document: Document) -> tuple[Place, ...]:
    return counted(document.author_did, document.thread)
