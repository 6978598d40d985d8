"""What is left of a person who wants to be forgotten: ids and statuses, and no word of theirs."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    delete,
    exists,
    func,
    literal,
    not_,
    or_,
    select,
    text,
    true,
    type_coerce,
    union,
    update,
)

from bot.ledger.conditions import elsewhere_of, set_condition
from bot.ledger.engine import Database
from bot.ledger.known import claim_deletion
from bot.ledger.moves import REPLY_PREFIX, read_document
from bot.ledger.purging import note_words_gone
from bot.ledger.send_rows import ANSWERED, CLAIMED, PUT
from bot.ledger.sightings import take_down
from bot.ledger.tables import (
    ENDED,
    HAS_CONTEXT,
    app_files,
    app_screens,
    apps,
    attempts,
    documents,
    moves,
    parked,
    past,
    people,
    sends,
)
from bot.ledger.views import Document
from guardrails.around import people_around
from guardrails.documents import POST_COLLECTION, AtUri, Did, DocId, Kind, Mention, is_did
from guardrails.facts import Standing
from guardrails.slugs import burnt
from guardrails.transitions import Reason, Status, is_terminal

_BLANK = {"author_handle": "", "text": "", "ask": "", "langs": [], "context": [], "record": {}}
_LEFT = (
    "at {address} stands an app of somebody who is forgotten; have its lane run "
    "`skywright-builder unpublish {slug} --reason WHY`, then say `skywright unpublished {slug}`"
)
_SETTLED_AFTER = timedelta(days=1)
# Whoever has looked before somebody was forgotten has written what they saw by then.
_WRITTEN_BY = timedelta(hours=1)
_OPEN = [status.value for status in Status if not is_terminal(Kind.MENTION, status)]


def blank_document(db: Database, connection: Connection, document: Document) -> None:
    """Take every word out of a document and of what was made for it; what has to be taken back is marked as such.

    The text of a send that is not settled stays, since only its bytes tell what became of it. History keeps what
    happened and why, without a detail.
    """
    connection.execute(
        update(documents)
        .where(documents.c.id == document.id)
        .values(
            body=document.body | _BLANK,
            author_handle="",
            detail="",
            verdicts=[verdict | {"detail": ""} for verdict in document.verdicts_json],
            facts=None,
            result=document.result_json and document.result_json | {"title": "", "description": "", "address": ""},
            slug=burnt(document.slug) if document.slug is not None else None,
            joined_to=None,
            like_due=False,
            note_due=False,
            withdrawn_at=document.withdrawn_at or db.now(),
            wordless=True,
            version=document.version + 1,
        )
    )
    of_it = attempts.c.document_id == document.id
    connection.execute(update(attempts).where(of_it).values(detail="", log_tail="", checks=None))
    connection.execute(update(moves).where(moves.c.document_id == document.id).values(detail=""))
    note_words_gone(db, connection)
    _remove_app(db, connection, document)
    _blank_sends(db, connection, sends.c.document_id == document.id)


def forget_past(db: Database, did: Did) -> None:
    """Take the words out of what is left of a person's removed histories; their replies go as other known ones do.

    Of these only the slug of an app has any, and the lines that stood under their posts go as well.
    """
    ids = select(past.c.id).where(past.c.author_did == did)
    with db.write() as connection:
        left = apps.c.document_id.in_(ids)
        gone = {"gone_at": func.coalesce(apps.c.gone_at, db.now()), "gone_reason": Reason.FORGOTTEN.value}
        connection.execute(update(apps).where(left).values(gone))
        _burn(db, connection, left)
        # As an expression: else every post that was ever made is read, instead of what belongs to no document.
        in_posts = sends.c.collection.concat("") == POST_COLLECTION
        said = and_(sends.c.op == PUT, sends.c.state == ANSWERED, in_posts)
        about = or_(*(sends.c.key.startswith(f"note:{each}:", autoescape=True) for each in (did, f"mention:{did}")))
        lines = select(sends.c.uri).where(sends.c.document_id.is_(None), said, about)
        for uri in connection.execute(lines).scalars().all():
            claim_deletion(db, connection, AtUri(uri))


def none_forgotten(mention: Mention) -> ColumnElement[bool]:
    """That nobody whose post a mention is about, or whose words it has, wants to be forgotten."""
    whose = {mention.author_did, *_whose(mention)}
    return not_(exists().where(people.c.did.in_(whose), people.c.standing == Standing.FORGOTTEN.value))


def open_about(db: Database, did: Did) -> list[DocId]:
    """Documents of others, not ended yet, that may be about a post of a person; `is_about` tells."""
    c = documents.c
    naming = type_coerce(c.body, Text).contains(f"at://{did}/", autoescape=True)
    # By name, as the index of the statuses knows them.
    query = select(c.id).where(c.status.in_(_OPEN), c.author_did != did, naming)
    with db.read() as connection:
        return [DocId(found) for found in connection.execute(query.order_by(c.id)).scalars()]


def is_about(document: Document, did: Did) -> bool:
    """Whether it is about a post of somebody, or has words of theirs."""
    try:
        return did in _whose(document.mention)
    except ValidationError:
        return False


def lately_forgotten(db: Database) -> dict[Did, datetime]:
    """Who wanted to be forgotten within the last day, and when: of theirs, something may have been under way then."""
    late = and_(people.c.standing == Standing.FORGOTTEN.value, people.c.at > db.now(-_SETTLED_AFTER))
    with db.read() as connection:
        rows = connection.execute(select(people.c.did, people.c.at).where(late)).all()
    return {Did(row.did): row.at for row in rows}


def blank_in_others(db: Database, did: Did, since: datetime | None = None) -> None:
    """Take the words of a person, and what the network showed of them, out of what others have asked.

    For what was shown all is read from end to end; with `since`, when they were forgotten, only what was written about
    then, and nothing once that was looked through long enough.
    """
    c = documents.c
    naming = type_coerce(c.body, Text).contains(f'"author_did":"{did}"', autoescape=True)
    # The kind is what the index of those with a context is found by.
    words = and_(c.kind == Kind.MENTION.value, text(HAS_CONTEXT), naming)
    shown = type_coerce(c.facts, Text).contains(f'"did":"{did}"', autoescape=True)
    wanted = [words, *(and_(shown, which) for which in _written_about(db, since))]
    with db.read() as connection:
        query = union(*(select(c.id).where(c.author_did != did, each) for each in wanted))
        found = connection.execute(query).scalars().all()
    for document_id in found:
        with db.write() as connection:
            document = read_document(connection, document_id, lock=True)
            if document is not None:
                _blank_in(connection, document, did)


def blank_parked(connection: Connection) -> None:
    """Take out what could not be read of posts of the forgotten; that it was seen stays known."""
    naming = type_coerce(parked.c.raw, Text).contains(literal('"').concat(people.c.did).concat('"'))
    query = select(parked, people.c.did).join(people, and_(people.c.standing == Standing.FORGOTTEN.value, naming))
    for row in connection.execute(query).all():
        if author_in(row.raw) == row.did:
            connection.execute(update(parked).where(parked.c.digest == row.digest).values(raw={}))


def author_in(raw: Any) -> Did | None:
    """The DID that an unreadable item names as its author, None where it names none."""
    match raw:
        case {"author": {"did": str(did)}} if is_did(did):
            return Did(did)
    return None


def is_forgotten(connection: Connection, did: Did) -> bool:
    """Whether somebody wants to be forgotten."""
    said = select(people.c.did).where(people.c.did == did, people.c.standing == Standing.FORGOTTEN.value)
    return connection.execute(said).first() is not None


def still_to_blank(db: Database) -> list[DocId]:
    """What has ended of the forgotten and has nothing to be said any more, also what was stored after the forgetting.

    Whoever is remembered is none of them, so that what they say from then on is left alone.
    """
    c = documents.c
    # As an exclusion: else all that has ever ended is read, instead of what is theirs.
    ended = and_(c.status.not_in(_OPEN), c.note_due.is_(False), c.author_handle != "")
    with db.read() as connection:
        forgotten = select(people.c.did).where(people.c.standing == Standing.FORGOTTEN.value)
        dids = connection.execute(forgotten).scalars().all()
        query = select(c.id).where(c.author_did.in_(dids), ended).order_by(c.id)
        return [DocId(found) for found in connection.execute(query).scalars()]


def blank_settled_sends(db: Database) -> None:
    """Take out what was said to the forgotten, once its sends are settled."""
    theirs = select(documents.c.id).join(people, _forgotten(documents.c.author_did))
    settled = and_(sends.c.document_id.in_(theirs), sends.c.state != CLAIMED, sends.c.record != {})
    with db.read() as connection:
        there = connection.execute(select(sends.c.id).where(settled).limit(1)).first() is not None
    if there:
        with db.write() as connection:
            _blank_sends(db, connection, settled)


def _whose(mention: Mention) -> set[Did]:
    return {*people_around(mention), *(each.author_did for each in mention.context)}


def _written_about(db: Database, since: datetime | None) -> list[ColumnElement[bool]]:
    """All documents; or those that were judged by who had looked before a moment, by an index each, while there may be.

    This is asked every few seconds: what has ended later than that was seen while it was open.
    """
    at = documents.c.updated_at
    if since is None:
        return [true()]
    if db.time() > since + 2 * _WRITTEN_BY:
        return []
    return [documents.c.status.in_(_OPEN), and_(text(ENDED), at.between(since - _WRITTEN_BY, since + _WRITTEN_BY))]


def _blank_in(connection: Connection, document: Document, did: Did) -> None:
    context = [each for each in document.body["context"] if each["author_did"] != did]
    values = {
        "body": document.body | {"context": context},
        "facts": document.facts_json and _without(document.facts_json, did),
        "version": document.version + 1,
    }
    connection.execute(update(documents).where(documents.c.id == document.id).values(**values))


def _without(facts: dict[str, Any], did: Did) -> dict[str, Any]:
    """What was known of an ask, but for what the network showed of this person."""
    match facts.get("look"):
        case {"involved": list(involved), **look}:
            return facts | {"look": look | {"involved": [each for each in involved if each["did"] != did]}}
    return facts


def _forgotten(author: ColumnElement[str]) -> ColumnElement[bool]:
    return and_(people.c.did == author, people.c.standing == Standing.FORGOTTEN.value)


def _remove_app(db: Database, connection: Connection, document: Document) -> None:
    take_down(db, connection, document, Reason.FORGOTTEN)
    of_it = apps.c.document_id == document.id
    for table in (app_files, app_screens):
        connection.execute(delete(table).where(table.c.slug.in_(select(apps.c.slug).where(of_it))))
    _burn(db, connection, of_it)


def _burn(db: Database, connection: Connection, which: ColumnElement[bool]) -> None:
    """Take the words out of the slugs of apps; of one that stands elsewhere operators are told slug and address."""
    for slug, address in connection.execute(select(apps.c.slug, apps.c.address).where(which)).all():
        if address is not None:
            set_condition(db, connection, elsewhere_of(slug), _LEFT.format(address=address, slug=slug))
        connection.execute(update(apps).where(apps.c.slug == slug).values(slug=burnt(slug), address=None))


def _blank_sends(db: Database, connection: Connection, which: ColumnElement[bool]) -> None:
    """Blank what is settled; the lines that stood under their posts before they were forgotten are taken back."""
    for row in connection.execute(_lines(which)).all():
        claim_deletion(db, connection, AtUri(row.uri))
    connection.execute(update(sends).where(which, sends.c.state != CLAIMED).values(record={}))


def _lines(which: ColumnElement[bool]) -> Select[Any]:
    """Where lines of ours are: not the replies, which go with their documents, nor what confirms the forgetting."""
    said = and_(sends.c.op == PUT, sends.c.state == ANSWERED, sends.c.collection == POST_COLLECTION)
    line = and_(said, not_(sends.c.key.startswith(REPLY_PREFIX, autoescape=True)), sends.c.claimed_at <= people.c.at)
    theirs = select(sends.c.uri).join(documents, documents.c.id == sends.c.document_id)
    return theirs.join(people, _forgotten(documents.c.author_did)).where(which, line)
