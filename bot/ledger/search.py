"""Full-text search: what people type, and the documents that it finds; triggers of the database keep what is searched.

A query is words, all of which have to be there, in any order and each anywhere in the ask, the author's handle or DID,
the reason, or what is noted beside the document. Of the last word its beginning is enough. Words between double quotes
are a phrase: they stand next to each other, as they are. Case means nothing; accents do. Signs only part words, so that
`alice.test` is found as the phrase "alice test"; but symbols and pictures, as an emoji is, are words of their own.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Select,
    Text,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
)

from bot.ledger.engine import Database
from bot.ledger.selection import Place
from bot.ledger.tables import documents, searched

LONGEST = 500
"""So many signs of a query count; nobody types more."""

_FIRST_STRETCH, _LONGEST_STRETCH = 2_000, 100_000
# As the triggers set them apart in what is searched; on PostgreSQL a function does it to both.
_SYMBOL = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
# FTS5 takes the hidden column of the table's own name for the query.
_words = table("searched_words", column("rowid"), column("searched_words"))


class Part(NamedTuple):
    """A word or a phrase of a query; with `begins` its last word is the beginning of one."""

    text: str
    begins: bool = False


def parts_of(query: str) -> tuple[Part, ...]:
    """What is searched for; empty when there is no letter, digit or symbol in it, which finds nothing."""
    plain = "".join(sign if _can_be_searched(sign) else " " for sign in query[:LONGEST])
    parts: list[Part] = []
    last_is_a_word = False
    for number, piece in enumerate(plain.split('"')):
        phrases = [piece] if number % 2 else piece.split()
        parts += [Part(phrase) for phrase in phrases if any(map(_counts, phrase))]
        last_is_a_word = not number % 2 and bool(phrases)
    if parts and last_is_a_word:
        parts[-1] = parts[-1]._replace(begins=True)
    return tuple(parts)


@dataclass(frozen=True)
class Between:
    """Of what came since a moment and before another, and before a document where one is named."""

    since: datetime | None = None
    until: datetime | None = None
    after: Place | None = None


def newest_found(
    db: Database,
    connection: Connection,
    parts: tuple[Part, ...],
    fits: Sequence[ColumnElement[bool]],
    between: Between,
    limit: int,
) -> list[str]:
    """The ids of so many documents that a query finds and that fit, whatever came last first."""
    if not parts:
        return []
    first, below = _keys(connection, between)
    query = select(searched.c.document_id)
    if fits:
        query = query.join(documents, documents.c.id == searched.c.document_id).where(*fits)
    on = _on_sqlite if db.is_sqlite else _on_postgresql
    return on(connection, query, parts, limit, first, below)


def number_found(
    db: Database,
    connection: Connection,
    parts: tuple[Part, ...],
    fits: Sequence[ColumnElement[bool]],
    between: Between,
    most: int,
) -> int:
    """How many documents a query finds that fit, counted so far at most."""
    if fits or not parts or not db.is_sqlite:
        return len(newest_found(db, connection, parts, fits, between, most))
    # Its index alone is read: what is looked at in each document would be read from all over the file.
    found = select(_words.c.rowid).where(*_matching(parts, *_keys(connection, between))).limit(most).subquery()
    return connection.execute(select(func.count()).select_from(found)).scalar_one()


def _keys(connection: Connection, between: Between) -> tuple[int, int | None]:
    """From which key on, and below which one all lies that is wanted; None for no end."""
    ends = [_came_before(connection, between.until), _key_of(connection, between.after)]
    below = min((end for end in ends if end is not None), default=None)
    return _came_before(connection, between.since) or 0, below


def _on_sqlite(
    connection: Connection, query: Select[Any], parts: tuple[Part, ...], limit: int, first: int, below: int | None
) -> list[str]:
    """FTS5 walks its own row ids backwards, which are the keys: however many there are, a page reads a page."""
    key = _words.c.rowid
    query = query.join(_words, key == searched.c.key).where(*_matching(parts, first, below))
    return list(connection.execute(query.order_by(key.desc()).limit(limit)).scalars())


def _matching(parts: tuple[Part, ...], first: int, below: int | None) -> Iterator[ColumnElement[bool]]:
    yield _words.c.searched_words.op("MATCH")(" ".join(map(_of_fts5, parts)))
    yield _words.c.rowid >= first
    if below is not None:
        yield _words.c.rowid < below


def _on_postgresql(
    connection: Connection, query: Select[Any], parts: tuple[Part, ...], limit: int, first: int, below: int | None
) -> list[str]:
    """PostgreSQL's index knows no order: of a common word it would read every place there is, to sort them.

    So what came last is looked through, and then as much more as it seems to take. Where that is too much, the word is
    rare enough to be looked up in the index.
    """
    key = searched.c.key
    wanted = func.search_query(literal([part.text for part in parts], ARRAY(Text)), parts[-1].begins)
    by_index = literal_column("searched.words").op("@@")(select(wanted).scalar_subquery())
    # As an expression, so that what is looked through is not looked up.
    by_row = literal_column("coalesce(searched.words, '')").op("@@")(select(wanted).scalar_subquery())
    if below is None:
        below = (connection.execute(select(func.max(key))).scalar_one() or 0) + 1
    ids: list[str] = []
    length, seen = _FIRST_STRETCH, 0
    while below > first and len(ids) < limit and length <= _LONGEST_STRETCH:
        start = max(below - length, first)
        stretch = query.where(by_row, key >= start, key < below).order_by(key.desc())
        ids += connection.execute(stretch.limit(limit - len(ids))).scalars()
        seen, below = seen + length, start
        length = 2 * seen * (limit - len(ids)) // max(len(ids), 1)
    if below > first and len(ids) < limit:
        place = key + 0
        rest = query.where(by_index, place >= first, place < below).order_by(place.desc())
        ids += connection.execute(rest.limit(limit - len(ids))).scalars()
    return ids


def _came_before(connection: Connection, moment: datetime | None) -> int | None:
    """Below which key all lies that was made before a moment; None for no moment."""
    if moment is None:
        return None
    c = documents.c
    last = select(func.max(c.created_at)).where(c.created_at < moment).scalar_subquery()
    key = select(func.max(searched.c.key)).join(documents, c.id == searched.c.document_id).where(c.created_at == last)
    return (connection.execute(key).scalar_one() or 0) + 1


def _key_of(connection: Connection, place: Place | None) -> int | None:
    """The key of the document at a place, or below which all lies that was made before it; None for no place."""
    if place is None:
        return None
    key = connection.execute(select(searched.c.key).where(searched.c.document_id == place.id)).scalar_one_or_none()
    return key if key is not None else _came_before(connection, place.created_at)


def _of_fts5(part: Part) -> str:
    apart = _SYMBOL.sub(r" \g<0> ", part.text).strip()
    return f'"{apart}"*' if part.begins else f'"{apart}"'


def _can_be_searched(sign: str) -> bool:
    """Whether both databases can be asked for it: neither NUL nor half of a surrogate pair."""
    return sign != "\0" and unicodedata.category(sign) != "Cs"


def _counts(sign: str) -> bool:
    """Whether a sign is part of a word, and not what stands between words."""
    category = unicodedata.category(sign)
    return category[0] in "LN" or category == "So"
