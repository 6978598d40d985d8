"""The doctor's look at the channel by which operators are told of what is wrong."""

from datetime import datetime

from bot.ledger.conditions import ALERTS, Condition
from bot.notices import Channel
from bot.terminal.moments import ago
from guardrails.findings import Finding, fail, ok, warn

TRY = "`skywright alerts test` tries it"


def alerts_finding(channel: Channel | None, standing: list[Condition], now: datetime) -> Finding:
    """Whether there is a channel, and whether it takes what is sent to it."""
    if channel is None:
        mend = f"set SKYWRIGHT_ALERT_URL to a webhook; {TRY}"
        return warn("alerts", "nobody is told when something goes wrong", mend)
    failed = next((condition for condition in standing if condition.name == ALERTS), None)
    if failed is not None:
        told = f"for {ago(failed.since, now)}: {failed.detail}"
        return fail("alerts", told, f"mend SKYWRIGHT_ALERT_URL, or what it leads to; {TRY}")
    return ok("alerts", f"to a webhook, in the shape of {channel.shape.value}")
