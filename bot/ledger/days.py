"""Counts by the day, which stay when the rows that they count are removed; written in the same transaction.

A count is named by what it counts: `came`, or `skipped:thanks`; of builds by what and whose, `builds:lane:lane_7`.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, case, or_, select

from bot.ledger.engine import Database
from bot.ledger.happened import WHAT, What
from bot.ledger.tables import attempts, days, moves
from bot.ledger.tally import present
from guardrails.wire import BuildOutcome

FIRST_TRY = "first_try"
MODEL, LANE = "model", "lane"
SUMS = ("builds", "apps", "tokens_in", "tokens_out", "cost_micros")
_REMOVED = "removed:"
_Key = tuple[str, str]


@dataclass(frozen=True)
class DayCount:
    """How often something has happened on a day, in UTC, of which nothing else is known any more."""

    day: date
    what: str
    n: int


def count_days(db: Database, connection: Connection, ids: Collection[str]) -> None:
    """Add what the moves and attempts of these documents were to the counts of their days."""
    counts: Counter[_Key] = Counter()
    for at, what, reason, first_try in connection.execute(_moves_of(ids)):
        name = f"{what}:{reason}" if what == What.SKIPPED else what
        counts[_day(at), name] += 1
        if what == What.BUILT and first_try:
            counts[_day(at), FIRST_TRY] += 1
    for row in connection.execute(select(attempts).where(attempts.c.document_id.in_(ids))):
        if row.ended_at is not None:
            _count_build(counts, row)
    _add(db, connection, counts)


def count_removed(db: Database, connection: Connection, removed: Mapping[Any, int]) -> None:
    """Note how much of what was removed today."""
    today = _day(present(db, connection))
    _add(db, connection, Counter({(today, f"{_REMOVED}{what}"): n for what, n in removed.items() if n}))


def removed_since(connection: Connection, first: date) -> Counter[str]:
    """How much of what was removed from a day on."""
    removed: Counter[str] = Counter()
    for each in day_counts(connection, first, None, _REMOVED):
        removed[each.what.removeprefix(_REMOVED)] += each.n
    return removed


def days_within(since: datetime, until: datetime | None, *, by_hour: bool) -> tuple[date, date | None]:
    """The first and the last day, in UTC, whose counts belong to what is told of a stretch of time.

    By the day the first one counts whole, as it is shown; by the hour a day stands at its first one, if that is shown.
    """
    begun = since.astimezone(UTC)
    first = begun.date() + timedelta(days=by_hour and begun.time() >= time(1))
    return first, (until - timedelta.resolution).astimezone(UTC).date() if until is not None else None


def day_counts(connection: Connection, first: date, last: date | None, *prefixes: str) -> list[DayCount]:
    """The counts from a day on, up to and with another one; those whose names begin so, all where nothing is named."""
    within = [days.c.day >= first.isoformat(), *([days.c.day <= last.isoformat()] if last is not None else [])]
    named = [or_(*(days.c.what.startswith(prefix, autoescape=True) for prefix in prefixes))] if prefixes else []
    query = select(days).where(*within, *named).order_by(days.c.day, days.c.what)
    return [DayCount(date.fromisoformat(row.day), row.what, row.n) for row in connection.execute(query)]


def name_of_sum(what: str, by: str, whose: str) -> str:
    """How the sum over a day's builds of a model or a lane is named."""
    return f"{what}:{by}:{whose}"


def _add(db: Database, connection: Connection, counts: Counter[_Key]) -> None:
    # In one order, so that nobody who counts waits for another in a circle.
    for (day, what), n in sorted(counts.items()):
        added = db.insert(days).values(day=day, what=what, n=n)
        more = {"n": days.c.n + added.excluded.n}
        connection.execute(added.on_conflict_do_update(index_elements=["day", "what"], set_=more))


def _moves_of(ids: Collection[str]) -> Select[Any]:
    c, a = moves.c, attempts.c
    what = case(*((told, each.value) for each, told in WHAT.items()))
    return (
        select(c.at, what, c.reason, and_(a.attempt == 1, a.repairs == 0))
        .outerjoin(attempts, and_(a.claim_id == c.claim_id, WHAT[What.BUILT]))
        .where(c.document_id.in_(ids), or_(*WHAT.values()))
    )


def _count_build(counts: Counter[_Key], row: Row[Any]) -> None:
    day = _day(row.ended_at)
    apps = int(row.outcome == BuildOutcome.DONE.value)
    sums = dict(zip(SUMS, (1, apps, row.tokens_in, row.tokens_out, row.cost_micros), strict=True))
    for by, whose in ((MODEL, row.generator if row.model is None else row.model), (LANE, row.device)):
        for what, n in sums.items():
            if n:
                counts[day, name_of_sum(what, by, whose)] += n


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
