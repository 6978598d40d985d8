"""What has happened in a stretch of time, for charts; and what builds have cost, by whatever they are grouped."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, case, func, or_, select

from bot.ledger.days import FIRST_TRY, LANE, MODEL, SUMS, DayCount, day_counts, days_within
from bot.ledger.engine import Database
from bot.ledger.happened import WHAT, What
from bot.ledger.tables import attempts, documents, moves
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome

MOST_EVENTS = 200_000
"""So much that has happened is looked at, the latest; a look takes a second or two."""

MOST_COSTS = 500

OF_THE_PAST = "(history removed)"
"""Whose builds those are of which only the sums of each day are left."""

By = Literal["day", "author", "model", "lane"]


@dataclass(frozen=True)
class Event:
    """One thing that happened, and how long it took, in seconds, where that is known.

    An ask is acknowledged when it is let through or held. Acknowledging and answering begin with the coming of an ask,
    or when it was last judged anew; building begins with the last acceptance. `first_try`: built by the first attempt,
    with nothing mended.
    """

    what: What
    at: datetime
    reason: Reason
    seconds: float | None = None
    first_try: bool = False


@dataclass(frozen=True)
class Spent:
    """What builds have cost that ended in a stretch of time, or are one group's; in millionths of a US dollar."""

    name: str
    builds: int
    apps: int
    tokens_in: int
    tokens_out: int
    cost_micros: int


class Charts:
    """Reads; nothing here writes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def events(self, after: int, upto: int) -> list[Event]:
        """What the moves after a sequence number, up to another, were to charts: the latest first, `MOST_EVENTS`."""
        c, a = moves.c, attempts.c
        within = and_(c.seq > after, c.seq <= upto, or_(*WHAT.values()))
        query = (
            select(case(*((told, what.value) for what, told in WHAT.items())), c.at, c.reason, _began())
            .add_columns(and_(a.attempt == 1, a.repairs == 0))
            .outerjoin(attempts, and_(a.claim_id == c.claim_id, WHAT[What.BUILT]))
            .where(within)
            .order_by(c.seq.desc())
            .limit(MOST_EVENTS)
        )
        with self._db.read() as connection:
            return [
                Event(What(what), at, Reason(reason), _seconds(began, at), bool(first_try))
                for what, at, reason, began, first_try in connection.execute(query)
            ]

    def removed(self, since: datetime, until: datetime, *, by_hour: bool) -> list[DayCount]:
        """What happened between two moments to asks whose history was removed since, in counts of whole days."""
        with self._db.read() as connection:
            return day_counts(connection, *days_within(since, until, by_hour=by_hour), *What, FIRST_TRY)

    def spent(self, since: datetime, until: datetime | None, by: By | Literal["hour"]) -> list[Spent]:
        """What the builds have cost that ended between two moments, `MOST_COSTS` groups: by time, or the dearest first.

        A day or an hour, in UTC, is named as ISO 8601 has it; an author by the handle, where there is one. Of asks
        whose history was removed, whole days count: by the hour each as its first one, by the author as nobody's.
        """
        a = attempts.c
        ended = and_(a.ended_at >= since, a.ended_at < until if until is not None else a.ended_at.is_not(None))
        group, name = self._group(by)
        cost = func.sum(a.cost_micros)
        apps = func.sum(case((a.outcome == BuildOutcome.DONE.value, 1), else_=0))
        query = select(name, func.count(), apps, func.sum(a.tokens_in), func.sum(a.tokens_out), cost)
        if by == "author":
            query = query.join(documents, documents.c.id == a.document_id)
        order = [group.desc()] if by in ("day", "hour") else [cost.desc(), group]
        query = query.where(ended).group_by(group).order_by(*order).limit(MOST_COSTS)
        first, last = days_within(since, until, by_hour=by == "hour")
        kept = LANE if by == "lane" else MODEL
        with self._db.read() as connection:
            found = [Spent(str(row[0]), *map(int, row[1:])) for row in connection.execute(query)]
            past = day_counts(connection, first, last, *(f"{what}:{kept}:" for what in SUMS))
        together = _together([*found, *_spent_on(past, by)])
        if by in ("day", "hour"):
            return sorted(together, key=lambda each: each.name)[-MOST_COSTS:]
        return sorted(together, key=lambda each: (-each.cost_micros, each.name))[:MOST_COSTS]

    def cost_of(self, ids: Collection[DocId]) -> dict[DocId, int]:
        """What the attempts of each of these documents have cost so far, in millionths of a US dollar."""
        a = attempts.c
        query = select(a.document_id, func.sum(a.cost_micros)).where(a.document_id.in_(ids)).group_by(a.document_id)
        with self._db.read() as connection:
            return {DocId(document_id): int(cost) for document_id, cost in connection.execute(query)}

    def _group(self, by: By | Literal["hour"]) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
        """By what the attempts are grouped, and how a group is called."""
        a, d = attempts.c, documents.c
        match by:
            case "day" | "hour":
                stamp = self._stamp(a.ended_at, 13 if by == "hour" else 10)
                return stamp, stamp
            case "author":
                return d.author_did, func.coalesce(func.nullif(func.max(d.author_handle), ""), d.author_did)
            case "model":
                model = func.coalesce(a.model, a.generator)
                return model, model
            case "lane":
                # As an expression: else the index of the lanes' own builds is read from end to end, for their order.
                device = a.device.concat("")
                return device, device

    def _stamp(self, at: ColumnElement[Any], signs: int) -> ColumnElement[str]:
        """The beginning of a moment in UTC as ISO 8601 has it."""
        if self._db.is_sqlite:
            return func.substr(func.strftime("%Y-%m-%dT%H", at), 1, signs)
        return func.left(func.to_char(func.timezone("UTC", at), 'YYYY-MM-DD"T"HH24'), signs)


_TIMED = (What.ACKNOWLEDGED, What.BUILT, What.REPLIED)


def _began() -> ColumnElement[datetime]:
    """When what is timed began: the last move of its document before, to where it starts."""
    before = moves.alias()
    start = case((WHAT[What.BUILT], Status.PENDING_BUILD.value), else_=Status.RECEIVED.value)
    same = and_(before.c.document_id == moves.c.document_id, before.c.seq < moves.c.seq, before.c.to_status == start)
    last = select(before.c.at).where(same).order_by(before.c.seq.desc()).limit(1).scalar_subquery()
    return case((or_(*(WHAT[what] for what in _TIMED)), last))


def _seconds(began: datetime | None, at: datetime) -> float | None:
    return max((at - began).total_seconds(), 0.0) if began is not None else None


def _spent_on(past: Iterable[DayCount], by: By | Literal["hour"]) -> list[Spent]:
    """What the builds have cost that only the sums of their days tell of."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(SUMS, 0))
    for each in past:
        what, _, whose = each.what.split(":", 2)
        day = each.day.isoformat()
        names = {"day": day, "hour": f"{day}T00", "author": OF_THE_PAST}
        sums[names.get(by, whose)][what] += each.n
    return [Spent(name, **of_it) for name, of_it in sums.items()]


def _together(spent: Iterable[Spent]) -> list[Spent]:
    """One for each name."""
    found: dict[str, Spent] = {}
    for each in spent:
        before = found.get(each.name, Spent(each.name, *[0] * len(SUMS)))
        sums = (getattr(before, what) + getattr(each, what) for what in SUMS)
        found[each.name] = Spent(each.name, *sums)
    return list(found.values())
