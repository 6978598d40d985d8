"""Tells operators what is wrong, once, and once that it is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.ledger.alerts import Message, Wrong
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


def _failed(ledger: Ledger, message: Message, failed: Failed) -> None:
    wait = min(FIRST_WAIT * 2 ** min(message.alert.failures, 10), LONGEST_WAIT)
    ledger.alerts.failed(message, failed.detail, max(wait, failed.after or wait))
    if ledger.conditions.set(ALERTS, f"the alert channel takes no message: {failed.detail}"):
        log.error("alert_failed", alert=message.alert.name, failure=failed.detail)
