"""`skywright alerts`: what operators are told of, and whether the channel takes a message."""

import typer

from bot.ledger.alerts import Alert, Telling
from bot.terminal.moments import ago
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json

COLUMNS = ("name", "for", "told", "detail", "problem")


def alerts_command(*, as_json: bool) -> None:
    """Print what is wrong, or whose end is still to be told, the oldest first; and what was told of it."""
    with opened_operations() as operations:
        alerts = operations.alerts()
        if as_json:
            for alert in alerts:
                print_json(alert)
            return
        now = operations.me().at
    rows = [(each.name, ago(each.since, now), _told(each), each.detail, each.problem or "") for each in alerts]
    Screen().rows(COLUMNS, rows)


def alerts_test_command() -> None:
    """Try the channel; NotDone says why it took no message."""
    with opened_operations() as operations:
        operations.try_alerts()
    typer.echo("The channel took the message.")


def _told(alert: Alert) -> str:
    if alert.cleared_at is not None:
        return "over, not told yet"
    return "told" if alert.told is Telling.RAISED else "not yet"
