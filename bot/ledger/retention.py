"""Removes what need not be kept any more: logs, posts, whole histories, and apps whose time is over.

A batch is one short transaction. It looks once more at what it has locked, so nothing goes that has moved meanwhile.

Of the sends of a removed history every row stays, with its key, state, record key and CIDs: a key that was answered is
taken for ever, and what of ours is found in the repository is known again. Only the record, which nobody sends again
once its send is settled, is blanked, and the row names its document no more. What is not settled keeps the whole
history. On SQLite the index of the search holds what was removed until it is merged the next time.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    TextClause,
    and_,
    case,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    tuple_,
    update,
)

from bot.ledger.days import count_days, count_removed, removed_since
from bot.ledger.engine import Database
from bot.ledger.known import DELETE_PREFIX
from bot.ledger.marks import advance, mark
from bot.ledger.send_rows import ABANDONED, ANSWERED, CLAIMED
from bot.ledger.tables import (
    ENDED,
    KEPT_FOR_A_TIME,
    LINKS,
    app_files,
    app_screens,
    apps,
    attempts,
    documents,
    held_asks,
    moves,
    past,
    sends,
    usage,
)
from bot.ledger.tally import present
from guardrails.documents import DocId, Kind
from guardrails.retention import Hold, Keep, Part, may_go
from guardrails.transitions import Status, is_terminal

KEPT_UNTIL = "kept_until"
"""Why an app is gone whose time was over; no move has this reason, since what was answered stays answered."""

_RUN = "retention"
_USAGE_KEPT = timedelta(days=35)
_OPEN = [status.value for status in Status if not is_terminal(Kind.MENTION, status)]
_WORDS = {"text": "", "ask": "", "langs": [], "context": [], "record": {}}


class Place(NamedTuple):
    """Where a walk through what has ended goes on, the oldest end first."""

    ended_at: datetime
    id: DocId


@dataclass(frozen=True)
class Over:
    """An ask that has ended, and the parts of it that may go and are still there."""

    id: DocId
    ended_at: datetime
    parts: frozenset[Part]

    @property
    def place(self) -> Place:
        """Where it stands among what has ended."""
        return Place(self.ended_at, self.id)


class Retention:
    """Looks at what has ended batch by batch, and removes of it what may go."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def over(self, keep: Keep, after: Place | None, limit: int) -> list[Over]:
        """The asks after a place that ended long enough ago for anything of theirs to go, the oldest end first."""
        if keep.shortest is None:
            return []
        c = documents.c
        old = and_(text(ENDED), c.updated_at <= self._db.now(-keep.shortest))
        if after is not None:
            old = and_(old, tuple_(c.updated_at, c.id) > tuple_(after.ended_at, after.id))
        oldest = select(c.id).where(old).order_by(c.updated_at, c.id).limit(limit)
        with self._db.read() as connection:
            # Named first: PostgreSQL would else read all sends for what it takes to be many documents.
            ids = connection.execute(oldest).scalars().all()
            query = select(*_LOOKED_AT).where(c.id.in_(ids)).order_by(c.updated_at, c.id)
            now = present(self._db, connection)
            return [_over(row, now, keep) for row in connection.execute(query)]

    def remove(self, keep: Keep, ids: Collection[DocId]) -> Counter[Part]:
        """Remove what may go of these asks, in one transaction; how many of them lost which part."""
        c = documents.c
        # Whoever writes one of them now, or claims a send of it, has a reason to: the next walk looks at it again.
        free = select(c.id).where(c.id.in_(ids)).order_by(c.id).with_for_update(skip_locked=True)
        with self._db.write() as connection:
            locked = connection.execute(free).scalars().all()
            now = present(self._db, connection)
            # After the locks, so that nothing can have come in between.
            query = select(*_LOOKED_AT).where(c.id.in_(locked), text(ENDED))
            found = [_over(row, now, keep) for row in connection.execute(query)]
            gone = [each for each in found if Part.HISTORY in each.parts]
            left = [each for each in found if Part.HISTORY not in each.parts]
            _remove_histories(self._db, connection, _with(gone, Part.HISTORY))
            _blank_posts(connection, _with(left, Part.POSTS))
            _blank_logs(connection, _with(left, Part.LOGS))
            done = {part: len(_with(gone if part is Part.HISTORY else left, part)) for part in Part}
            count_removed(self._db, connection, done)
            return Counter(done)

    def end_apps(self, limit: int) -> int:
        """Take down so many apps whose time is over, with their files; how many that were.

        Not before the ask has ended: a reply that is about to go out leads somewhere.
        """
        c = apps.c
        query = select(c.slug).where(self._time_is_over()).order_by(c.kept_until).limit(limit)
        with self._db.write() as connection:
            slugs = connection.execute(query.with_for_update(skip_locked=True)).scalars().all()
            ended = {"gone_at": self._db.now(), "gone_reason": KEPT_UNTIL}
            connection.execute(update(apps).where(c.slug.in_(slugs)).values(ended))
            _remove_files(connection, slugs)
            count_removed(self._db, connection, {"apps": len(slugs)})
            return len(slugs)

    def apps_to_end(self) -> int:
        """How many apps there are whose time is over."""
        with self._db.read() as connection:
            query = select(func.count()).select_from(apps).where(self._time_is_over())
            return connection.execute(query).scalar_one()

    def let_go_of_usage(self, limit: int) -> int:
        """Let go of so many counts of what was used in hours and days that are over; how many that were.

        A build that began in one of them may still settle what it has cost: that is counted then as it is now.
        """
        c = usage.c
        with self._db.write() as connection:
            until = f"{present(self._db, connection) - _USAGE_KEPT:%Y-%m-%d}"
            some = connection.execute(select(c.scope, c.window).where(c.window < until).limit(limit)).all()
            connection.execute(delete(usage).where(tuple_(c.scope, c.window).in_([tuple(row) for row in some])))
            return len(some)

    def walked(self) -> None:
        """All that has ended was looked at once more, from the first to the last."""
        with self._db.write() as connection:
            advance(self._db, connection, _RUN, present(self._db, connection))

    def last_walk(self) -> datetime | None:
        """When all that has ended was last looked at; None for never."""
        with self._db.read() as connection:
            return mark(connection, _RUN)

    def lately_removed(self, days: int) -> Counter[str]:
        """How much of what was removed in the last days, this one included."""
        with self._db.read() as connection:
            first = (present(self._db, connection) - timedelta(days=days - 1)).date()
            return removed_since(connection, first)

    def _time_is_over(self) -> ColumnElement[bool]:
        c = apps.c
        waiting = exists().where(documents.c.id == c.document_id, documents.c.status.in_(_OPEN))
        return and_(text(KEPT_FOR_A_TIME), c.kept_until <= self._db.now(), ~waiting)


def _any_send(*conditions: ColumnElement[bool] | TextClause) -> ColumnElement[bool]:
    return exists().where(sends.c.document_id == documents.c.id, *conditions)


def _open_app(c: Any) -> ColumnElement[bool]:
    return exists().where(apps.c.document_id == c.id, apps.c.live_version.is_not(None), apps.c.gone_at.is_(None))


def _is_held_back() -> dict[Hold, ColumnElement[bool]]:
    """Each reason to keep a document that has ended, as SQL."""
    c, s, other, deletion = documents.c, sends.c, documents.alias().c, sends.alias().c
    unsettled = or_(s.state == CLAIMED, s.next_try_at.is_not(None), s.conflict.is_not(None))
    given_up = exists().where(s.key == literal(DELETE_PREFIX).concat(c.reply_uri), s.state == ABANDONED)
    deleted = exists().where(deletion.key == literal(DELETE_PREFIX).concat(s.uri))
    may_still_go = exists().where(other.id == c.joined_to, or_(other.withdrawn_at.is_not(None), _open_app(other)))
    return {
        Hold.UNSETTLED: or_(c.sending, _any_send(unsettled)),
        Hold.UNSAID: or_(c.like_due, c.note_due),
        Hold.TO_TAKE_BACK: and_(
            c.withdrawn_at.is_not(None), c.reply_uri.is_not(None), c.reply_deleted_at.is_(None), ~given_up
        ),
        Hold.OPEN_APP: and_(c.withdrawn_at.is_(None), c.status != Status.SKIPPED.value, _open_app(c)),
        Hold.TAKEN_DOWN: or_(c.taken_down_at.is_not(None), exists().where(held_asks.c.document_id == c.id)),
        Hold.JOINED: exists().where(other.joined_to == c.id),
        Hold.LINKED: and_(may_still_go, _any_send(text(LINKS), s.state == ANSWERED, ~deleted)),
    }


_HELD_BACK = _is_held_back()
_LOGGED = exists().where(
    attempts.c.document_id == documents.c.id, or_(attempts.c.log_tail != "", attempts.c.checks.is_not(None))
)
_LOOKED_AT: tuple[ColumnElement[Any], ...] = (
    documents.c.id,
    documents.c.kind,
    documents.c.status,
    documents.c.updated_at,
    documents.c.wordless,
    _LOGGED.label("logged"),
    *(held.label(hold.name) for hold, held in _HELD_BACK.items()),
)


def _over(row: Row[Any], now: datetime, keep: Keep) -> Over:
    holds = frozenset(hold for hold in Hold if row._mapping[hold.name])
    parts = may_go(Kind(row.kind), Status(row.status), now - row.updated_at, holds, keep)
    there = {Part.LOGS: bool(row.logged), Part.POSTS: not row.wordless, Part.HISTORY: True}
    return Over(DocId(row.id), row.updated_at, frozenset(part for part in parts if there[part]))


def _with(found: Iterable[Over], part: Part) -> list[DocId]:
    return [each.id for each in found if part in each.parts]


def _blank_logs(connection: Connection, ids: Sequence[DocId]) -> None:
    if ids:
        of_them = attempts.c.document_id.in_(ids)
        connection.execute(update(attempts).where(of_them).values(log_tail="", checks=None))


def _blank_posts(connection: Connection, ids: Sequence[DocId]) -> None:
    """Take out what was written, and what was known; who asked, when, and what became of it stays."""
    c = documents.c
    for row in connection.execute(select(c.id, c.body, c.verdicts).where(c.id.in_(ids))).all():
        values = {
            "body": row.body | _WORDS,
            "verdicts": [verdict | {"detail": ""} for verdict in row.verdicts or []],
            "facts": None,
            "wordless": True,
            "version": c.version + 1,
        }
        connection.execute(update(documents).where(c.id == row.id).values(values))


def _remove_histories(db: Database, connection: Connection, ids: Sequence[DocId]) -> None:
    """Over documents that this transaction has locked; what counts them, and what stays of them, is written first."""
    if not ids:
        return
    c = documents.c
    gone = c.id.in_(ids)
    count_days(db, connection, ids)
    kept = (c.id, c.author_did, c.status, c.reason, _standing_reply(), c.created_at, c.updated_at, db.now())
    names = ("id", "author_did", "status", "reason", "reply_uri", "created_at", "ended_at", "removed_at")
    connection.execute(past.insert().from_select(names, select(*kept).where(gone)))
    _leave_slugs(db, connection, ids)
    for table in (attempts, moves):
        connection.execute(delete(table).where(table.c.document_id.in_(ids)))
    connection.execute(update(sends).where(sends.c.document_id.in_(ids)).values(record={}, document_id=None))
    connection.execute(delete(documents).where(gone))


def _standing_reply() -> ColumnElement[str | None]:
    """Where our reply is, while there is one that could still have to be taken back."""
    c = documents.c
    return case((c.reply_deleted_at.is_(None), c.reply_uri)).label("reply_uri")


def _leave_slugs(db: Database, connection: Connection, ids: Sequence[DocId]) -> None:
    """What is said at an app's address, its document did until now; the address is never given out again."""
    of_them = apps.c.document_id.in_(ids)
    slugs = connection.execute(select(apps.c.slug).where(of_them)).scalars().all()
    _remove_files(connection, slugs)
    its = select(documents.c.reason).where(documents.c.id == apps.c.document_id).scalar_subquery()
    ended = {"gone_at": db.now(), "gone_reason": its}
    silent = and_(of_them, apps.c.gone_at.is_(None), apps.c.live_version.is_not(None))
    connection.execute(update(apps).where(silent).values(ended))
    skipped = select(documents.c.id).where(documents.c.id.in_(ids), documents.c.status == Status.SKIPPED.value)
    unbuilt = and_(apps.c.document_id.in_(skipped), apps.c.gone_at.is_(None))
    connection.execute(update(apps).where(unbuilt).values(ended))


def _remove_files(connection: Connection, slugs: Sequence[str]) -> None:
    for table in (app_files, app_screens):
        connection.execute(delete(table).where(table.c.slug.in_(slugs)))
