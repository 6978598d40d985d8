"""`skywright parked`: what came in and could not be read."""

from bot.terminal.lines import moment
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, on_terminal, print_json, to_json

COLUMNS = ("when", "from", "problem", "as it came")


def parked_command(limit: int, *, as_json: bool) -> None:
    """Print the parked items, the newest first, each as it came; nothing is left of those of who is forgotten."""
    with opened_operations() as operations:
        items = operations.parked(limit)
    if as_json:
        for item in items:
            print_json(item)
        return
    screen = Screen()
    if not items and on_terminal():
        screen.print("everything could be read")
        return
    screen.rows(COLUMNS, [(moment(each.at), each.source, each.problem, to_json(each.raw)) for each in items])
