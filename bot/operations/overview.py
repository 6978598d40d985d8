"""How the bot is now, put together from the ledger, and what each pile is called."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.jobs.lanes import claimable_work
from bot.ledger import piles
from bot.ledger.budgets import used_logins, used_points
from bot.ledger.leases import ROUNDS
from bot.ledger.ledger import Ledger
from bot.ledger.money import spent_today
from bot.ledger.pages import COUNTED_TO
from bot.ledger.policy import Caps
from bot.ledger.purse import purse_of
from bot.ledger.tally import day_of
from bot.ledger.views import Device
from bot.operations.present import Budget, Counted, Overview, Pile, Retained, Rounds, SwitchedOn
from guardrails.access import Role
from guardrails.rules import Rules


@dataclass(frozen=True)
class _Told:
    """What lies on a pile, in a few words, and the command that shows or settles it."""

    what: str
    command: str


_TOLD = {
    piles.UNKNOWN_SENDS: _Told("sends of unknown outcome", "skywright sends"),
    piles.CONFLICTS: _Told("sends in whose place stands something else", "skywright sends"),
    piles.HELD_ASKS: _Told("asks that wait for your word", "skywright list --status awaiting-approval"),
    piles.HELD_REPLIES: _Told("replies that wait for your word", "skywright list --status built"),
    piles.STUCK_BUILDS: _Told("builds whose lane is silent", "skywright list --status building"),
    piles.ERRORS: _Told("failures of this week to be tried again", "skywright list --since 7d --status error"),
    piles.NO_LANE: _Told("asks that no lane comes for", "skywright lanes"),
    piles.PARKED: _Told("items that could not be read", "skywright parked"),
}


def counted(n: int) -> Counted:
    """A count that the ledger made: exact up to where it stops, and then one more."""
    return Counted(min(n, COUNTED_TO), n > COUNTED_TO)


def overview(
    ledger: Ledger, rules: Rules, lane_wait: timedelta, lane_schedule: timedelta | None, login_caps: Caps | None
) -> Overview:
    """How the bot is now; a few dozen short reads, however large the ledger is."""
    now = ledger.db.time()
    return Overview(
        at=now,
        last_move=ledger.feed.last(),
        counts={status: counted(n) for status, n in ledger.pages.counts().items()},
        oldest=ledger.pages.oldest(),
        piles=tuple(_piles(ledger, rules, lane_wait)),
        conditions=tuple(ledger.conditions.standing()),
        lanes=tuple(each for each in ledger.desk.devices() if each.role is Role.LANE and _lives(each, now)),
        at_work=tuple(ledger.lanes.at_work()),
        waiting=ledger.lanes.waiting(),
        visits=ledger.lanes.visits(lane_schedule),
        budgets=tuple(_budgets(ledger, rules, login_caps)),
        switches=tuple(SwitchedOn(*row) for row in ledger.desk.switches_on()),
        retention=Retained(ledger.retention.last_walk(), went=dict(ledger.retention.lately_removed(Retained.days))),
    )


def rounds_of(ledger: Ledger, asked: str | None = None) -> Rounds | None:
    """Which bot does the rounds, as the one of that name tells it; None where a ledger has one bot."""
    if ledger.db.is_sqlite:
        return None
    lease = ledger.leases.standing(ROUNDS)
    return Rounds(lease.holder, lease.since, lease.holder == asked) if lease is not None else Rounds(None, None)


def _lives(device: Device, now: datetime) -> bool:
    return device.revoked_at is None and not device.is_over(now)


def _piles(ledger: Ledger, rules: Rules, lane_wait: timedelta) -> Iterator[Pile]:
    for heap in ledger.piles.all(claimable_work(ledger, purse_of(rules)), lane_wait):
        told = _TOLD[heap.name]
        yield Pile(heap.name, heap.n, heap.oldest, told.what, told.command, heap.more)


def _budgets(ledger: Ledger, rules: Rules, login_caps: Caps | None) -> Iterator[Budget]:
    for used, name in zip(used_points(ledger.db, ledger.write_points), ("points_hour", "points_day"), strict=True):
        yield Budget(name, used.n, used.window.cap, used.window.resets_at)
    if login_caps is not None:
        for used, name in zip(used_logins(ledger.db, login_caps), ("logins_hour", "logins_day"), strict=True):
            yield Budget(name, used.n, used.window.cap, used.window.resets_at)
    ends = day_of(ledger.db.time()).ends
    yield Budget("money_day", spent_today(ledger.db), purse_of(rules).day_micros, ends)
