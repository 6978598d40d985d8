"""What is taken of caps and of money, in the transaction of the move that takes it.

Whoever changes several rows of usage changes them in one order, after the documents, so that nobody waits for each
other: what an ask takes first, then the money of a build.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Integer, Row, bindparam, case, select, update

from bot.errors import CapFull
from bot.ledger.engine import Database
from bot.ledger.prepared import add_all
from bot.ledger.tables import usage

# Whoever only looks at the ledger need not wait for the rules.
if TYPE_CHECKING:
    from guardrails.caps import Place

Held = dict[str, str]
"""A place as a document keeps it: its scope and its window."""


class Span(NamedTuple):
    """An hour or a day by the ledger's UTC clock, under the name that usage knows it by, and its end."""

    name: str
    ends: datetime


@dataclass(frozen=True)
class Seat:
    """A place in the present hour or day."""

    place: "Place"
    span: Span

    @property
    def held(self) -> Held:
        """The place as its document keeps it."""
        return {"scope": self.place.scope, "window": self.span.name}


@dataclass(frozen=True)
class Change:
    """Places and money to be added to a row of usage, or given back when less than none; and the most it may hold."""

    scope: str
    window: str
    n: int = 0
    cost_micros: int = 0
    most: int | None = None
    most_micros: int | None = None


def hour_of(now: datetime) -> Span:
    """The hour that a moment lies in."""
    begun = now.replace(minute=0, second=0, microsecond=0)
    return Span(f"{begun:%Y-%m-%dT%H}", begun + timedelta(hours=1))


def day_of(now: datetime) -> Span:
    """The day that a moment lies in."""
    begun = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Span(str(begun.date()), begun + timedelta(days=1))


def present(db: Database, connection: Connection) -> datetime:
    """The ledger's time within a transaction."""
    return db.moment() or connection.execute(select(db.now())).scalar_one()


def seats_at(now: datetime, places: "Sequence[Place]") -> tuple[Seat, ...]:
    """The places as they are at a moment."""
    hour, day = hour_of(now), day_of(now)
    return tuple(Seat(place, hour if place.hourly else day) for place in places)


def take_seats(db: Database, connection: Connection, held: Iterable[Held], seats: Sequence[Seat]) -> None:
    """Take every seat in the stead of those that the document holds; CapFull when there is none left of one.

    Of several it names the one of which there is none for longest.
    """
    taken = {(seat.place.scope, seat.span.name): seat for seat in seats}
    changes = [Change(scope, window, 1, most=seat.place.limit) for (scope, window), seat in taken.items()]
    full = change(db, connection, [*_given_back(held), *changes])
    if full:
        seat = max((taken[each.scope, each.window] for each in full), key=lambda seat: seat.span.ends)
        raise CapFull(seat.place.cap, seat.span.ends)


def give_back(db: Database, connection: Connection, held: Iterable[Held]) -> None:
    """Give back what a document holds."""
    change(db, connection, _given_back(held))


def change(db: Database, connection: Connection, changes: Iterable[Change]) -> list[Change]:
    """Make every change; those that do not fit are given back, and the caller has to undo the others."""
    for takes, lot in groupby(_merged(changes), key=_takes):
        if not takes:
            _add(connection, [given for given in lot if given.n or given.cost_micros])
            continue
        wanted = list(lot)
        full = _taken(db, connection, wanted)
        if full:
            _add(connection, [replace(each, n=-each.n, cost_micros=-each.cost_micros) for each in full])
            return full
    return []


def _takes(wanted: Change) -> bool:
    """Whether there has to be room for it; nobody takes of the one and gives back of the other."""
    return wanted.n > 0 or wanted.cost_micros > 0 or wanted.most_micros is not None


def _taken(db: Database, connection: Connection, wanted: Sequence[Change]) -> list[Change]:
    """Add in one statement, row after row, to rows that may not be there yet; those that are too full now."""
    rows = [
        {"scope": each.scope, "window": each.window, "n": each.n, "cost_micros": each.cost_micros} for each in wanted
    ]
    held = {(row.scope, row.window): row for row in add_all(db, connection, usage, rows, (), _taking)}
    return [each for each in wanted if _is_too_full(each, held[each.scope, each.window])]


def _is_too_full(each: Change, row: Row[Any]) -> bool:
    if each.most is not None and each.n > 0 and row.n > each.most:
        return True
    return each.most_micros is not None and row.cost_micros > each.most_micros


def _taking(adding: Any) -> Any:
    more = {name: usage.c[name] + adding.excluded[name] for name in ("n", "cost_micros")}
    both = adding.on_conflict_do_update(index_elements=[usage.c.scope, usage.c.window], set_=more)
    return both.returning(usage.c.scope, usage.c.window, usage.c.n, usage.c.cost_micros)


def _add(connection: Connection, given: Sequence[Change]) -> None:
    """Give back what was taken."""
    if given:
        connection.execute(_GIVING, [_given(each) for each in given])


def _given(each: Change) -> dict[str, object]:
    return {"at_scope": each.scope, "at_window": each.window, "more": each.n, "more_micros": each.cost_micros}


def _merged(changes: Iterable[Change]) -> list[Change]:
    """One change for each row, in the order of their names."""
    merged: dict[tuple[str, str], Change] = {}
    for each in changes:
        before = merged.get((each.scope, each.window))
        merged[each.scope, each.window] = (
            replace(each, n=before.n + each.n, cost_micros=before.cost_micros + each.cost_micros) if before else each
        )
    return [merged[name] for name in sorted(merged)]


def _never_below(column: ColumnElement[int], more: ColumnElement[int]) -> ColumnElement[int]:
    """Never below none: what is given back may have been counted before its row was pruned."""
    return case((column + more < 0, 0), else_=column + more)


_GIVING = (
    update(usage)
    .where(usage.c.scope == bindparam("at_scope"), usage.c.window == bindparam("at_window"))
    .values(
        n=_never_below(usage.c.n, bindparam("more", type_=Integer)),
        cost_micros=_never_below(usage.c.cost_micros, bindparam("more_micros", type_=BigInteger)),
    )
)


def _given_back(held: Iterable[Held]) -> list[Change]:
    return [Change(each["scope"], each["window"], -1) for each in held]
