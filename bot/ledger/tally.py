"""What is taken of caps and of money, in the transaction of the move that takes it.

Whoever changes several rows of usage changes them in one order, after the documents, so that nobody waits for each
other: what an ask takes first, then the money of a build.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import ColumnElement, Connection, case, select, update

from bot.errors import CapFull
from bot.ledger.engine import Database
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
    return connection.execute(select(db.now())).scalar_one()


def seats_at(now: datetime, places: "Sequence[Place]") -> tuple[Seat, ...]:
    """The places as they are at a moment."""
    hour, day = hour_of(now), day_of(now)
    return tuple(Seat(place, hour if place.hourly else day) for place in places)


def take_seats(db: Database, connection: Connection, held: Iterable[Held], seats: Sequence[Seat]) -> None:
    """Take every seat in the stead of those that the document holds; CapFull when there is none left of one."""
    taken = {(seat.place.scope, seat.span.name): seat for seat in seats}
    changes = [Change(scope, window, 1, most=seat.place.limit) for (scope, window), seat in taken.items()]
    full = change(db, connection, [*_given_back(held), *changes])
    if full is not None:
        seat = taken[full.scope, full.window]
        raise CapFull(seat.place.cap, seat.span.ends)


def give_back(db: Database, connection: Connection, held: Iterable[Held]) -> None:
    """Give back what a document holds."""
    change(db, connection, _given_back(held))


def change(db: Database, connection: Connection, changes: Iterable[Change]) -> Change | None:
    """Make every change; the first that does not fit is given back, and the caller has to undo those before it."""
    for wanted in _merged(changes):
        takes = wanted.n > 0 or wanted.cost_micros > 0 or wanted.most_micros is not None
        if takes:
            row = {"scope": wanted.scope, "window": wanted.window, "n": 0, "cost_micros": 0}
            connection.execute(db.insert(usage).values(row).on_conflict_do_nothing())
        changed = connection.execute(
            update(usage)
            .where(usage.c.scope == wanted.scope, usage.c.window == wanted.window, *_room(wanted))
            .values(n=_added(usage.c.n, wanted.n), cost_micros=_added(usage.c.cost_micros, wanted.cost_micros))
        )
        if takes and not changed.rowcount:
            return wanted
    return None


def _merged(changes: Iterable[Change]) -> list[Change]:
    """One change for each row, in the order of their names."""
    merged: dict[tuple[str, str], Change] = {}
    for each in changes:
        before = merged.get((each.scope, each.window), Change(each.scope, each.window))
        merged[each.scope, each.window] = replace(
            each, n=before.n + each.n, cost_micros=before.cost_micros + each.cost_micros
        )
    return [merged[name] for name in sorted(merged)]


def _room(wanted: Change) -> list[ColumnElement[bool]]:
    """What has to hold of the row, so that no more than fits is taken; what only gives back always fits."""
    room = []
    if wanted.most is not None and wanted.n > 0:
        room.append(usage.c.n <= wanted.most - wanted.n)
    if wanted.most_micros is not None:
        room.append(usage.c.cost_micros <= wanted.most_micros - wanted.cost_micros)
    return room


def _added(column: ColumnElement[int], more: int) -> ColumnElement[int]:
    """Never below none: what is given back may have been counted before its row was pruned."""
    return column + more if more >= 0 else case((column + more < 0, 0), else_=column + more)


def _given_back(held: Iterable[Held]) -> list[Change]:
    return [Change(each["scope"], each["window"], -1) for each in held]
