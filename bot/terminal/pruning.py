"""`skywright prune`: removes now what the settings keep for a time only, or says what that would be."""

# ruff: noqa: PLC0415

from typing import TYPE_CHECKING, Annotated

import typer

from bot.terminal.options import Json, Yes

if TYPE_CHECKING:
    from bot.jobs.prune import Pruned

_ONES = {"logs": "log", "posts": "post", "histories": "history", "apps": "app"}


def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would go.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove now what SKYWRIGHT_KEEP_… keeps for a time only; a running bot does it by itself."""
    from bot.jobs.prune import Walk, may_go_now, prune_once
    from bot.settings import LedgerSettings, load_settings
    from bot.terminal.asking import check_can_ask, confirm
    from bot.terminal.opening import opened_ledger
    from bot.terminal.screen import Screen, print_json

    if not dry_run:
        check_can_ask(yes=yes)
    settings = load_settings(LedgerSettings)
    with opened_ledger(settings) as ledger:
        pruned = may_go_now(ledger, settings.keep)
        if not dry_run:
            if pruned.anything:
                confirm(f"{in_words(pruned)} would go for good.", yes=yes)
            pruned = prune_once(ledger, settings.keep, Walk())
    if as_json:
        print_json(pruned)
    else:
        Screen().print(f"{'would remove' if dry_run else 'removed'} {in_words(pruned)}")
        if pruned.broken:
            Screen().print(f"{pruned.broken:,} could not be removed; the log says which, and why")


def in_words(pruned: "Pruned") -> str:
    """How much of what, in the order in which it goes."""
    counted = {name: getattr(pruned, name) for name in _ONES}
    return ", ".join(f"{n:,} {_ONES[name] if n == 1 else name}" for name, n in counted.items() if n) or "nothing"
