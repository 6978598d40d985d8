"""Lists of documents, newest first, page by page, and how many there are: as quick on the last page as on the first."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, exists, false, func, select, tuple_, union_all

from bot.ledger.engine import Database
from bot.ledger.search import Between, Part, newest_found, number_found, parts_of
from bot.ledger.selection import Place, Selection
from bot.ledger.tables import attempts, documents
from bot.ledger.views import Document, document_of
from guardrails.documents import DocId, Kind
from guardrails.transitions import Status, is_terminal, ways_to_stand

MOST = 500
"""So many documents are on a page at most."""

COUNTED_TO = 10_000
"""How far is counted; one more says that there are more."""

# The documents of a lane that has tried so few builds are named one by one.
_FEW = 2_000
_OPEN = tuple(status for status in Status if not is_terminal(Kind.MENTION, status))
_Conditions = list[ColumnElement[bool]]


class Pages:
    """Reads of many documents; nothing here writes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def page(self, selection: Selection, limit: int, after: Place | None = None) -> tuple[list[Document], Place | None]:
        """Documents, newest first, those after a place, `MOST` at most; and where the next page begins, None for none.

        What comes in while somebody turns pages stands before their place: they see nothing twice, and miss nothing.
        What is searched for comes in the order of its coming, which of what was made at one moment may be another.
        """
        limit = max(1, min(limit, MOST))
        with self._db.read() as connection:
            ids = self._ids(connection, selection, limit + 1, after)
            there = _by_id(connection, ids[:limit])
        found = [there[each] for each in ids[:limit]]
        return found, Place(found[-1].created_at, found[-1].id) if len(ids) > limit else None

    def by_id(self, ids: Collection[DocId]) -> dict[str, Document]:
        """Those of these documents that there are, by their ids."""
        with self._db.read() as connection:
            return _by_id(connection, ids)

    def count(self, selection: Selection) -> int:
        """How many documents fit: so many exactly up to `COUNTED_TO`, and one more than that for any more."""
        most, n = COUNTED_TO + 1, 0
        with self._db.read() as connection:
            if _searches(selection):
                return number_found(self._db, connection, *self._sought(connection, selection, None), most)
            for conditions in self._lists(connection, selection):
                few = select(documents.c.id).where(*conditions).limit(most - n).subquery()
                n += connection.execute(select(func.count()).select_from(few)).scalar_one()
                if n >= most:
                    break
        return n

    def counts(self) -> dict[Status, int]:
        """How many documents stand in each status, each counted as `count` does."""
        return {status: self.count(Selection(statuses=(status,))) for status in Status}

    def oldest(self) -> dict[Status, datetime]:
        """When the oldest document was made of each open status in which there is one."""
        c, oldest = documents.c, {}
        with self._db.read() as connection:
            for status in _OPEN:
                first = connection.execute(select(func.min(c.created_at)).where(c.status == status.value)).scalar_one()
                if first is not None:
                    oldest[status] = first
        return oldest

    def _ids(self, connection: Connection, selection: Selection, limit: int, after: Place | None) -> list[str]:
        if _searches(selection):
            return self._searched(connection, selection, limit, after)
        c = documents.c
        keys = select(c.created_at, c.id).order_by(c.created_at.desc(), c.id.desc()).limit(limit)
        if after is not None:
            keys = keys.where(tuple_(c.created_at, c.id) < tuple_(after.created_at, after.id))
        # Put together by the database: in which order two ids stand is a matter of its collation.
        lists = [keys.where(*each).subquery() for each in self._lists(connection, selection)]
        together = union_all(*(select(each) for each in lists)).subquery() if lists else keys.where(false()).subquery()
        newest = select(together.c.id).order_by(together.c.created_at.desc(), together.c.id.desc()).limit(limit)
        return list(connection.execute(newest).scalars())

    def _searched(self, connection: Connection, selection: Selection, limit: int, after: Place | None) -> list[str]:
        return newest_found(self._db, connection, *self._sought(connection, selection, after), limit)

    def _sought(
        self, connection: Connection, selection: Selection, after: Place | None
    ) -> tuple[tuple[Part, ...], _Conditions, Between]:
        """What is searched for, what has to fit, and where the search begins and ends."""
        fits = [*_fits(replace(selection, since=None, until=None)), *self._of_lane(connection, selection.lane)]
        if selection.author is not None:
            fits.append(_is_by(selection.author, aside=True))
        return parts_of(selection.text or ""), fits, Between(selection.since, selection.until, after)

    def _lists(self, connection: Connection, selection: Selection) -> Iterator[_Conditions]:
        """The lists that together are the one that is wanted; each is held by an index, in its order.

        So a page reads no more rows of each than it has itself, however many there are.
        """
        c, of_lane = documents.c, self._of_lane(connection, selection.lane)
        if selection.author is not None:
            yield [_is_by(selection.author), *_fits(selection), *of_lane]
            return
        rest = [*_fits(replace(selection, statuses=(), reasons=())), *of_lane]
        statuses, reasons = dict.fromkeys(selection.statuses), dict.fromkeys(selection.reasons)
        if reasons:
            for status, reason in ways_to_stand(Kind.MENTION):
                if reason in reasons and (not statuses or status in statuses):
                    yield [c.status == status.value, c.reason == reason.value, *rest]
        elif statuses:
            yield from ([c.status == status.value, *rest] for status in statuses)
        else:
            yield rest

    def _of_lane(self, connection: Connection, lane: str | None) -> _Conditions:
        """What a lane has tried to build: by name where that is little, else document by document, as it is read.

        The newest that it can have tried is older than its last try: where it was long ago, nothing newer is read.
        """
        if lane is None:
            return []
        its_own = attempts.c.device == lane
        last, some = func.max(attempts.c.started_at), select(attempts.c.document_id).where(its_own)
        ids = connection.execute(some.limit(_FEW)).scalars().all()
        if len(ids) < _FEW:
            return [documents.c.id.in_(ids)]
        tried = exists().where(attempts.c.document_id == documents.c.id, _aside(attempts.c.device) == lane)
        return [documents.c.created_at <= select(last).where(its_own).scalar_subquery(), tried]


def _by_id(connection: Connection, ids: Collection[str]) -> dict[str, Document]:
    rows = connection.execute(select(documents).where(documents.c.id.in_(ids)))
    return {row.id: document_of(row) for row in rows}


def _searches(selection: Selection) -> bool:
    return bool(selection.text and selection.text.strip())


def _fits(selection: Selection) -> _Conditions:
    """What is left to look at in each row; the author and the lane are asked for apart."""
    c = documents.c
    conditions: _Conditions = []
    if selection.statuses:
        conditions.append(_aside(c.status).in_([status.value for status in selection.statuses]))
    if selection.reasons:
        conditions.append(_aside(c.reason).in_([reason.value for reason in selection.reasons]))
    if selection.since is not None:
        conditions.append(c.created_at >= selection.since)
    if selection.until is not None:
        conditions.append(c.created_at < selection.until)
    if selection.kind is not None:
        conditions.append(_aside(c.kind) == selection.kind.value)
    return conditions


def _is_by(author: str, *, aside: bool = False) -> ColumnElement[bool]:
    named = author.strip().removeprefix("@")
    column = documents.c.author_did if named.startswith("did:") else documents.c.author_handle
    return (_aside(column) if aside else column) == (named if named.startswith("did:") else named.lower())


def _aside(column: ColumnElement[str]) -> ColumnElement[str]:
    """A column that is looked at in each row: as an expression, so that no index of its own is taken for the list."""
    return column.concat("")
