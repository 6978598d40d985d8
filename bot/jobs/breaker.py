"""The breaker of loops: one alert when a conversation goes round, and no more builds when everything does."""

from datetime import timedelta

import structlog

from bot.jobs.facts import Bench
from bot.ledger.conditions import LOOP, Condition
from guardrails.documents import AtUri
from guardrails.switches import Switch

MINUTE = timedelta(minutes=1)
# After so long without a loop there is none any more.
CALM_AFTER = timedelta(hours=1)
log = structlog.get_logger()


def heed_loop(bench: Bench, thread: AtUri) -> None:
    """An ask was passed over because its thread goes round: operators hear of it once, however often that is."""
    standing = _standing(bench)
    _set(bench, standing.detail if standing else f"{thread} goes round: nothing is taken on there without a new person")


def heed_pace(bench: Bench, accepted: int) -> None:
    """Pause the builds when more was taken on in the last minute than the rules allow; calm down when all is over.

    What was asked before, while the bot was away or a cap was full, is a backlog and no rush.
    """
    most, minute = bench.rules.loops.per_minute, bench.now() - MINUTE
    if not accepted or not bench.ledger.queries.is_rush(most, minute, minute - MINUTE):
        _calm(bench)
        return
    told = f"more than {most} asks were taken on in a minute, so builds are paused: look why, then release them"
    _set(bench, told, is_news=bench.ledger.desk.throw(bench.caller, Switch.PAUSE_BUILDS, told))


def _set(bench: Bench, detail: str, *, is_news: bool = False) -> None:
    if bench.ledger.conditions.set(LOOP, detail) or is_news:
        log.error("loop", detail=detail)


def _calm(bench: Bench) -> None:
    standing = _standing(bench)
    if standing is None or bench.now() - standing.checked_at < CALM_AFTER:
        return
    if not bench.ledger.desk.is_on(Switch.PAUSE_BUILDS):
        bench.ledger.conditions.clear(LOOP)


def _standing(bench: Bench) -> Condition | None:
    return next((each for each in bench.ledger.conditions.standing() if each.name == LOOP), None)
