"""Tells operators what is wrong, once, and once that it is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.ledger.alerts import CALM, STANDS, Message, Telling, Wrong
from bot.ledger.conditions import ALERTS
from bot.ledger.ledger import Ledger
from bot.outgoing import Failed

# So many messages at most in one round: what went wrong all at once is told little by little.
BATCH = 5
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)
log = structlog.get_logger()


@dataclass(frozen=True)
class Alerted:
    """How much is wrong, and how many messages went out; `failed` says why the next one did not."""

    wrong: int
    told: int = 0
    failed: str | None = None


def alert_once(
    ledger: Ledger, wrongs: Sequence[Wrong], tell: Callable[[Message], Failed | None] | None, lease: timedelta
) -> Alerted:
    """Note what is wrong, and send the messages that are due; without `tell` it is noted only.

    `lease`: for so long a message is this bot's alone; longer than sending one may take. A channel that does not take
    a message is a condition, and is tried again ever later.
    """
    ledger.alerts.note(wrongs)
    if tell is None:
        if ledger.conditions.stands(ALERTS):
            ledger.conditions.clear(ALERTS)
        return Alerted(len(wrongs))
    told = 0
    while told < BATCH and (message := ledger.alerts.take(lease)) is not None:
        failed = tell(message)
        if failed is not None:
            _failed(ledger, message, failed)
            return Alerted(len(wrongs), told, failed.detail)
        ledger.alerts.sent(message)
        told += 1
        log.info("operators_told", alert=message.alert.name, telling=message.telling.value)
        if ledger.conditions.clear(ALERTS):
            log.info("alerts_work")
    return Alerted(len(wrongs), told)


@dataclass(frozen=True)
class _Spell:
    """From when until when the ledger has been away at least, and what was told of it."""

    since: datetime
    seen_at: datetime
    tried: bool = False
    told: bool = False
    failures: int = 0
    next_try_at: datetime | None = None


class LedgerAway:
    """That the ledger does not answer. It cannot be noted there, so each process tells of it by itself, as of the rest:
    once, and once that it is over.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._spell: _Spell | None = None

    def look(self, tell: Callable[[Telling, datetime], Failed | None], *, away: bool) -> None:
        """Heed that it is away, or not, and tell what is due, with the moment at which it began."""
        now = self._now()
        if away:
            self._spell = replace(self._spell, seen_at=now) if self._spell is not None else _Spell(now, now)
        if self._spell is not None:
            self._spell = _went_on(self._spell, now, tell, away=away)


def _went_on(
    spell: _Spell, now: datetime, tell: Callable[[Telling, datetime], Failed | None], *, away: bool
) -> _Spell | None:
    """What a spell is once what is due has been told; None once it is over and nobody waits to hear of it."""
    over = not away and now - spell.seen_at >= CALM
    if over and not spell.tried:
        return None
    begun = away and not spell.told and now - spell.since >= STANDS
    if not (over or begun) or (spell.next_try_at is not None and now < spell.next_try_at):
        return spell
    failed = tell(Telling.CLEARED if over else Telling.RAISED, spell.since)
    if failed is not None:
        waits = now + _wait(spell.failures, failed)
        return replace(spell, tried=True, failures=spell.failures + 1, next_try_at=waits)
    return None if over else replace(spell, tried=True, told=True, failures=0, next_try_at=None)


def _wait(failures: int, failed: Failed) -> timedelta:
    wait = min(FIRST_WAIT * (1 << min(failures, 10)), LONGEST_WAIT)
    return max(wait, failed.after or wait)


def _failed(ledger: Ledger, message: Message, failed: Failed) -> None:
    ledger.alerts.failed(message, failed.detail, _wait(message.alert.failures, failed))
    if ledger.conditions.set(ALERTS, f"the alert channel takes no message: {failed.detail}"):
        log.error("alert_failed", alert=message.alert.name, failure=failed.detail)
