"""How much: author, thread, day, money; and the breaker of loops."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from operator import itemgetter

from guardrails.documents import AtUri, Did
from guardrails.facts import Facts, Used
from guardrails.rules import Rules, WhenFull, micros
from guardrails.said import PASS, Said, skip, unknown, wait
from guardrails.transitions import Reason

_STARTS = "starts:"


class Cap(StrEnum):
    """Which cap; the name is what an asker's note and the operators' figures go by."""

    AUTHOR_HOUR = "author_hour"
    AUTHOR_DAY = "author_day"
    AUTHOR_STARTS = "author_starts"
    THREAD_DAY = "thread_day"
    ALL_DAY = "all_day"
    AUTHOR_MONEY = "author_money"


@dataclass(frozen=True)
class Place:
    """A place that an ask takes when it is accepted: whose usage, in the hour or in the day, and how many there are.

    Without a limit it is counted, and never refused.
    """

    cap: Cap
    scope: str
    hourly: bool
    limit: int | None = None


def counted(author: Did, thread: AtUri) -> tuple[Place, ...]:
    """The places that an ask takes, without a limit: what a person decides is counted only."""
    return (
        Place(Cap.AUTHOR_HOUR, author_scope(author), True),
        Place(Cap.AUTHOR_DAY, author_scope(author), False),
        Place(Cap.AUTHOR_STARTS, f"{_STARTS}{author}", False),
        Place(Cap.THREAD_DAY, f"thread:{thread}", False),
        Place(Cap.ALL_DAY, "asks", False),
    )


def places(author: Did, thread: AtUri, rules: Rules) -> tuple[Place, ...]:
    """The places that an ask takes, and how many there are of each."""
    caps = rules.caps
    limits = {
        Cap.AUTHOR_HOUR: caps.author_per_hour,
        Cap.AUTHOR_DAY: caps.author_per_day,
        Cap.AUTHOR_STARTS: caps.starts_per_day,
        Cap.THREAD_DAY: caps.thread_per_day,
        Cap.ALL_DAY: caps.all_per_day,
    }
    return tuple(replace(place, limit=limits[place.cap]) for place in counted(author, thread))


def is_spent_at_claim(scope: str) -> bool:
    """Whether a place of this scope is not given back once the build has begun, whatever becomes of the ask."""
    return scope.startswith(_STARTS)


def author_scope(author: Did) -> str:
    """Under which name an author's asks, and their money, are counted."""
    return f"author:{author}"


def does_it_go_round(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Two who answer each other for ever are left alone: so many exchanges in one thread without a new person."""
    if facts.conversation.exchanges >= rules.loops.exchanges:
        return skip(Reason.LOOP, f"{facts.conversation.exchanges} exchanges in this thread without a new person")
    return PASS


def how_much(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Within every cap, before this ask; whoever is judged at the same moment is kept apart by the ledger.

    Of several that are full it waits for the one that is so for longest: its author is told once a day.
    """
    if facts.used is None:
        return unknown("what is used of the caps was not read yet")
    full = max(_full(facts, facts.used, rules), key=itemgetter(1), default=None)
    return capped(*full, rules) if full is not None else PASS


def capped(cap: Cap, until: datetime, rules: Rules) -> Said:
    """The answer for a cap that is full until then."""
    if rules.caps.when_full is WhenFull.SKIP:
        return replace(skip(Reason.CAPPED, cap.value), until=until)
    return wait(Reason.CAPPED, cap.value, until)


def _full(facts: Facts, used: Used, rules: Rules) -> Iterator[tuple[Cap, datetime]]:
    taken = {
        Cap.AUTHOR_HOUR: used.author_hour,
        Cap.AUTHOR_DAY: used.author_day,
        Cap.AUTHOR_STARTS: used.author_starts,
        Cap.THREAD_DAY: used.thread_day,
        Cap.ALL_DAY: used.all_day,
    }
    for place in places(facts.mention.author_did, facts.thread, rules):
        if place.limit is not None and taken[place.cap] >= place.limit:
            yield place.cap, used.hour_ends if place.hourly else used.day_ends
    if used.author_day_micros + facts.price_micros > micros(rules.money.author_day_usd):
        yield Cap.AUTHOR_MONEY, used.day_ends
