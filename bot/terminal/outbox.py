"""`skywright sends`: what the bot is not done saying."""

from datetime import datetime

from bot.ledger.views import Send
from bot.operations.sends import gist, state_of, waits_for_a_try, why_of
from bot.terminal.moments import ago
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, on_terminal, print_json
from guardrails.text import clip

COLUMNS = ("key", "document", "state", "age", "tries", "next try", "why", "frozen")
WHY, FROZEN = 120, 80


def sends_command(limit: int, *, everything: bool, as_json: bool) -> None:
    """Print the unsettled sends, oldest first; with `everything` also the newest documents' others, newest first."""
    with opened_operations() as operations:
        found, now = operations.sends(everything=everything, limit=limit), operations.me().at
    if as_json:
        for send in found:
            print_json(send)
        return
    screen = Screen()
    if not found and on_terminal():
        screen.print("nothing to show" if everything else "nothing is unsettled")
        return
    screen.rows(COLUMNS, [_row(send, now, short=on_terminal()) for send in found])


def _row(send: Send, now: datetime, *, short: bool) -> tuple[str, ...]:
    why = why_of(send)
    since = send.settled_at or send.unknown_since or send.claimed_at
    due = send.next_try_at
    return (
        send.key,
        send.document_id or "",
        state_of(send),
        ago(since, now),
        str(send.tries),
        _when(due, now) if waits_for_a_try(send) else "",
        clip(why, WHY, 4 * WHY) if short else why,
        clip(gist(send), FROZEN, 4 * FROZEN) if short else gist(send),
    )


def _when(due: datetime | None, now: datetime) -> str:
    return f"in {ago(now, due)}" if due is not None and due > now else "now"
