"""Several asks that all guardrails passed, taken on in one transaction: each guarded as if it were alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, bindparam, exists, not_

from bot.errors import LostRace
from bot.ledger.columns import UtcDateTime
from bot.ledger.engine import Database
from bot.ledger.moves import PRESENT, Step, apply_all
from bot.ledger.tables import documents, people
from bot.ledger.tally import Change, Seat, change, seats_at
from bot.ledger.views import Document
from guardrails.around import people_around
from guardrails.caps import Place
from guardrails.facts import Facts, Standing
from guardrails.judgement import Judgement


@dataclass(frozen=True)
class Passed:
    """An ask that all guardrails passed, by what was known of it, and the places that it is to have."""

    document: Document
    judgement: Judgement
    facts: Facts
    places: Sequence[Place]

    @property
    def stands_alone(self) -> bool:
        """Whether it begins its thread, is about nobody but its author, and holds no place: it minds no other ask."""
        document = self.document
        others = {*people_around(document.mention), *(each.author_did for each in document.mention.context)}
        alone = document.thread == document.source_uri and others <= {document.author_did}
        return alone and not document.places and not document.is_blank and self.facts.used is not None


class _NotTogether(Exception):
    """One of them does not go; what was written is undone."""


def accept_all(db: Database, steps: Sequence[tuple[Passed, Step]]) -> bool:
    """Take on all of them, or none: False when one has lost a race, or finds no place."""
    moved, seats = [], []
    for passed, step in steps:
        hour_ends = passed.facts.used.hour_ends if passed.facts.used is not None else None
        taken = seats_at(_judged_at(hour_ends), passed.places)
        sets = {**(step.sets or {}), "places": [seat.held for seat in taken]}
        moved.append((passed.document, replace(step, sets=sets), {"hour_ends": hour_ends}))
        seats += _once_each(taken)
    try:
        with db.write() as connection:
            if not apply_all(db, connection, moved, _together(db)):
                raise _NotTogether
            wanted = [Change(seat.place.scope, seat.span.name, 1, most=seat.place.limit) for seat in seats]
            if change(db, connection, wanted):
                raise _NotTogether
    except _NotTogether:
        return False
    return True


def _judged_at(hour_ends: datetime | None) -> datetime:
    """In the hour that the facts are of."""
    if hour_ends is None:
        raise LostRace("it is not known in which hour it was judged")
    return hour_ends - timedelta.resolution


def _once_each(seats: Sequence[Seat]) -> list[Seat]:
    """An ask takes a row of usage once, whatever places share it."""
    return list({(seat.place.scope, seat.span.name): seat for seat in seats}.values())


def _together(db: Database) -> ColumnElement[bool]:
    """Its author wants nothing forgotten, and the hour that it was judged in is not over; for each row."""
    forgotten = exists().where(people.c.did == documents.c.author_did, people.c.standing == Standing.FORGOTTEN.value)
    present = PRESENT if db.is_sqlite else db.now()
    return and_(not_(forgotten), present < bindparam("hour_ends", type_=UtcDateTime()))
