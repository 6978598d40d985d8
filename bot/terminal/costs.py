"""`skywright costs`: what builds have cost, by day, author, model or lane."""

from collections.abc import Sequence

import typer

from bot.operations.books import Cost
from bot.terminal.moments import moment_back
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, on_terminal, print_json

COLUMNS = ("builds", "apps", "tokens in", "tokens out", "USD")
MICROS = 1_000_000


def costs_command(since: str, by: str, *, as_json: bool) -> None:
    """Print a row for each day, author, model or lane that built since then; what it comes to stands beside."""
    with opened_operations() as operations:
        costs = operations.costs(moment_back(since, operations.me().at), by)
    if as_json:
        for cost in costs:
            print_json(cost)
        return
    screen = Screen()
    if not costs and on_terminal():
        screen.print("nothing was built")
        return
    screen.rows((by, *COLUMNS), [_row(cost) for cost in costs])
    typer.echo(_sum(costs), err=True)


def _row(cost: Cost) -> tuple[str, ...]:
    counts = (cost.builds, cost.apps, cost.tokens_in, cost.tokens_out)
    return (cost.name, *map(str, counts), _dollars(cost.cost_micros))


def _sum(costs: Sequence[Cost]) -> str:
    spent, apps = sum(cost.cost_micros for cost in costs), sum(cost.apps for cost in costs)
    each = f", {_dollars(spent // apps)} an app" if apps else ""
    return f"in all {_dollars(spent)} USD{each}"


def _dollars(micros: int) -> str:
    return f"{micros / MICROS:.4f}"
