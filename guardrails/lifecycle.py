"""Prints guardrails/LIFECYCLE.md, the picture of the table of moves; `make lifecycle` keeps it."""

import sys
from collections.abc import Iterable

from guardrails.documents import Kind
from guardrails.transitions import TABLES, Actor, Move, Status, is_terminal, statuses

_OWNER = {
    Status.RECEIVED: Actor.BOT,
    Status.AWAITING_APPROVAL: Actor.OPERATOR,
    Status.PENDING_BUILD: Actor.BUILDER,
    Status.BUILDING: Actor.BUILDER,
    Status.BUILT: Actor.BOT,
}


def lifecycle(kind: Kind) -> str:
    """The Markdown of one kind's life: a Mermaid picture, who owns what, and the table of moves."""
    lines = [
        f"# The life of a {kind.value}",
        "",
        "Printed from `guardrails/transitions.py` by `make lifecycle`; a test fails when it is stale.",
        "",
        "```mermaid",
        "stateDiagram-v2",
        *_picture(kind),
        "```",
        "",
        "| status | owned by |",
        "|---|---|",
        *(f"| {status.value} | {_owner(kind, status)} |" for status in statuses(kind)),
        "",
        "| from | to | move | who | when | reasons | checked inside the write |",
        "|---|---|---|---|---|---|---|",
        *(_row(move) for move in TABLES[kind]),
        "",
    ]
    return "\n".join(lines)


def _picture(kind: Kind) -> Iterable[str]:
    for status in statuses(kind):
        yield f"    {_node(status)} : {status.value}"
    grouped: dict[tuple[Status | None, Status], list[Move]] = {}
    for move in TABLES[kind]:
        grouped.setdefault((move.source, move.target), []).append(move)
    for (source, target), moves in grouped.items():
        label = ", ".join(dict.fromkeys(f"{m.name} ({m.actor.value})" for m in moves))
        yield f"    {_node(source) if source else '[*]'} --> {_node(target)} : {label}"
    yield from (f"    {_node(status)} --> [*]" for status in statuses(kind) if is_terminal(kind, status))


def _node(status: Status) -> str:
    return status.value.replace("-", "_")


def _owner(kind: Kind, status: Status) -> str:
    return "nobody: terminal" if is_terminal(kind, status) else _OWNER[status].value


def _row(move: Move) -> str:
    cells = (
        move.source.value if move.source else "(none)",
        move.target.value,
        f"`{move.name}`",
        move.actor.value,
        move.when,
        ", ".join(sorted(reason.value for reason in move.reasons)),
        "; ".join(sorted(guard.value for guard in move.guards)),
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(lifecycle(kind) for kind in Kind))
