"""How a bot is, made up: for what only reads it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.ledger.conditions import Condition
from bot.ledger.lanes import AtWork, Visits, Waiting
from bot.operations.present import Budget, Counted, Overview, Pile, SwitchedOn
from guardrails.documents import DeviceId, DocId
from guardrails.switches import Switch
from guardrails.transitions import Status

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
QUIET = Overview(
    at=AT,
    last_move=7,
    counts={status: Counted(0) for status in Status},
    oldest={},
    piles=(),
    conditions=(),
    lanes=(),
    at_work=(),
    waiting=None,
    visits=Visits(None, None),
    budgets=(),
    switches=(),
)


def before(**ago: float) -> datetime:
    return AT - timedelta(**ago)


def busy(**more: Any) -> Overview:
    """A bot with something of everything."""
    work = AtWork(DeviceId("lane-1"), DocId("mention:x:y"), 1, "template", "checking", before(minutes=2), AT)
    return replace(
        QUIET,
        counts={**QUIET.counts, Status.BUILT: Counted(10_000, more=True), Status.REPLIED: Counted(9)},
        oldest={Status.BUILT: before(seconds=90)},
        piles=(Pile("unknown_sends", 3, before(hours=1), "sends of unknown outcome", "skywright sends"),),
        conditions=(Condition("account", "labelled spam", before(minutes=5), AT),),
        at_work=(work,),
        waiting=Waiting(2, before(minutes=4)),
        visits=Visits(before(minutes=3), timedelta(seconds=30)),
        budgets=(Budget("points_hour", 40, 4500, AT),),
        switches=(SwitchedOn(Switch.PAUSE_BUILDS, "cli:me", "tired", before(days=1)),),
        **more,
    )
