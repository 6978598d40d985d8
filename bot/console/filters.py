"""Which documents a page of the console shows: the filters as they stand in its address, so that it can be kept."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import urlencode

from bot.api.problems import Refused
from bot.ledger.selection import Place, Selection
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status

# How many places a page remembers that its reader came by; further back it is the first page again.
MOST_PLACES = 12
_LENGTH = re.compile(r"(\d{1,4})\s*([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_MICROSECOND = timedelta(microseconds=1)
Word = TypeVar("Word", Status, Reason)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Filters:
    """What somebody typed; `since` and `until` may be so long ago, and stay that in the address."""

    statuses: tuple[Status, ...] = ()
    reasons: tuple[Reason, ...] = ()
    author: str = ""
    since: str = ""
    until: str = ""
    lane: str = ""
    text: str = ""

    def selection(self, now: datetime) -> Selection:
        """What it means at this moment; a page that says so where a time makes no sense."""
        return Selection(
            statuses=self.statuses,
            author=self.author.removeprefix("@") or None,
            since=_moment(self.since, now),
            until=_moment(self.until, now),
            text=self.text or None,
            reasons=self.reasons,
            lane=self.lane or None,
        )

    @property
    def narrows(self) -> bool:
        """Whether anything is left out."""
        return self != Filters()

    @property
    def fields(self) -> list[tuple[str, str]]:
        """As the fields of a form or of an address; what is empty is left out."""
        told = [("author", self.author), ("since", self.since), ("until", self.until), ("lane", self.lane)]
        several = [("status", each.value) for each in self.statuses] + [("reason", each.value) for each in self.reasons]
        return [*several, *((name, value) for name, value in (*told, ("text", self.text)) if value)]


@dataclass(frozen=True)
class Trail:
    """Where in the list a page begins, after the places that its reader came by; empty for the first page."""

    places: tuple[str, ...] = ()

    @property
    def place(self) -> Place | None:
        """After which document the page begins; None for the first page, a page that says so for what is no place."""
        return _place(self.places[-1]) if self.places else None

    @property
    def back(self) -> "Trail":
        """The page before."""
        return Trail(self.places[:-1])

    def on(self, place: Place) -> "Trail":
        """The page that begins after a place."""
        micros = (place.created_at - _EPOCH) // _MICROSECOND
        return Trail((*self.places, f"{micros}.{place.id}")[-MOST_PLACES:])


def address(filters: Filters, trail: Trail | None = None) -> str:
    """Where the page is that shows these documents from there on."""
    fields = [*filters.fields, *(("after", place) for place in (trail or Trail()).places)]
    return f"/console/documents?{urlencode(fields)}" if fields else "/console/documents"


def filters_of(sent: Mapping[str, Sequence[str]]) -> Filters:
    """The filters that an address or a form brings; a page that says so for a status or reason that is none."""

    def text(name: str) -> str:
        return (sent.get(name) or [""])[0].replace("\x00", "").strip()

    statuses = tuple(_one_of(Status, value) for value in sent.get("status", ()) if value)
    reasons = tuple(_one_of(Reason, value) for value in sent.get("reason", ()) if value)
    return Filters(statuses, reasons, text("author"), text("since"), text("until"), text("lane"), text("text"))


def trail_of(sent: Mapping[str, Sequence[str]]) -> Trail:
    """The trail that an address brings."""
    return Trail(tuple(sent.get("after", ()))[-MOST_PLACES:])


def _one_of(words: type[Word], value: str) -> Word:
    try:
        return words(value)
    except ValueError:
        raise _senseless(words.__name__.lower()) from None


def _moment(told: str, now: datetime) -> datetime | None:
    """`90m`, `6h` or `2d` ago, or a date or a time as ISO 8601 has it, in UTC unless it says otherwise."""
    if not told:
        return None
    length = _LENGTH.fullmatch(told.lower())
    if length is not None:
        return now - timedelta(**{_UNITS[length[2]]: int(length[1])})
    try:
        at = datetime.fromisoformat(told)
        return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise _senseless("time: write 90m, 6h or 2d, or 2027-01-31, or 2027-01-31T12:00Z") from None


def _place(told: str) -> Place:
    micros, _, document_id = told.partition(".")
    try:
        return Place(_EPOCH + int(micros) * _MICROSECOND, DocId(document_id))
    except (ValueError, OverflowError):
        raise _senseless("place in the list") from None


def _senseless(what: str) -> Refused:
    return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", f"this address makes no sense: no such {what}")
