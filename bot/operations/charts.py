"""Figures for charts: what has happened, by the hour or the day, and how long it took."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from math import ceil

from bot.ledger.days import FIRST_TRY, DayCount
from bot.ledger.figures import MOST_EVENTS, Event
from bot.ledger.happened import What
from bot.ledger.ledger import Ledger
from bot.operations.stretches import Every, Figures, Skipped, Spread, Stretch
from guardrails.transitions import Reason

_LENGTH = {Every.HOUR: timedelta(hours=1), Every.DAY: timedelta(days=1)}
# As the ledger names them, in UTC.
_NAMED = {Every.HOUR: "%Y-%m-%dT%H", Every.DAY: "%Y-%m-%d"}
_LONGEST = {Every.HOUR: timedelta(days=14), Every.DAY: timedelta(days=90)}


def figures(ledger: Ledger, since: datetime, until: datetime, every: Every) -> Figures:
    """What happened between two moments; ValueError for more than 90 days, or more than 14 by the hour."""
    check_span(since, until, every)
    found = ledger.figures.events(ledger.feed.before(since), ledger.feed.before(until))
    past = ledger.figures.removed(since, until, by_hour=every is Every.HOUR)
    events: dict[datetime, list[Event]] = defaultdict(list)
    for event in found:
        events[_beginning(event.at, every)].append(event)
    counted: dict[datetime, Counter[str]] = defaultdict(Counter)
    for each in past:
        counted[_day(each)][each.what] += each.n
    spent = ledger.figures.spent(since, until, every.value)
    costs = Counter(
        {datetime.strptime(each.name, _NAMED[every]).replace(tzinfo=UTC): each.cost_micros for each in spent}
    )
    return Figures(
        since=since,
        until=until,
        every=every,
        stretches=tuple(_stretch(at, events[at], counted[at], costs[at]) for at in _beginnings(since, until, every)),
        in_all=_stretch(since, found, sum(counted.values(), Counter()), costs.total()),
        skips=_skips(found, past),
        more=len(found) == MOST_EVENTS,
        counted_until=max((_day(each) + _LENGTH[Every.DAY] for each in past), default=None),
    )


def check_span(since: datetime, until: datetime, every: Every) -> None:
    """Return when figures are told for so long a time; ValueError otherwise."""
    if not timedelta() < until - since <= _LONGEST[every]:
        raise ValueError(f"by the {every.value} at most {_LONGEST[every].days} days are told, and some time at least")


def _stretch(at: datetime, events: Sequence[Event], past: Counter[str], cost_micros: int) -> Stretch:
    """Of what was removed only counts are left: its times are in no spread."""
    n = past + Counter(event.what.value for event in events)
    first_try = past[FIRST_TRY] + sum(event.first_try for event in events)
    return Stretch(
        at=at,
        mentions=n[What.CAME],
        first_try=first_try,
        repaired=n[What.BUILT] - first_try,
        failed=n[What.FAILED],
        replies=n[What.REPLIED],
        to_acknowledge=_spread(events, What.ACKNOWLEDGED),
        to_build=_spread(events, What.BUILT),
        to_reply=_spread(events, What.REPLIED),
        cost_micros=cost_micros,
    )


def _spread(events: Iterable[Event], what: What) -> Spread:
    times = sorted(event.seconds for event in events if event.what is what and event.seconds is not None)
    if not times:
        return Spread()
    return Spread(len(times), *(round(times[ceil(share * len(times)) - 1], 3) for share in (0.5, 0.95)))


def _skips(events: Iterable[Event], past: Iterable[DayCount]) -> tuple[Skipped, ...]:
    reasons = Counter(event.reason for event in events if event.what is What.SKIPPED)
    for each in past:
        what, _, reason = each.what.partition(":")
        if what == What.SKIPPED:
            reasons[Reason(reason)] += each.n
    often = sorted(reasons.items(), key=lambda each: (-each[1], each[0].value))
    return tuple(Skipped(reason, n) for reason, n in often)


def _day(count: DayCount) -> datetime:
    return datetime.combine(count.day, time(), UTC)


def _beginning(at: datetime, every: Every) -> datetime:
    hour = at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return hour if every is Every.HOUR else hour.replace(hour=0)


def _beginnings(since: datetime, until: datetime, every: Every) -> Iterator[datetime]:
    at = _beginning(since, every)
    while at < until:
        yield at
        at += _LENGTH[every]
