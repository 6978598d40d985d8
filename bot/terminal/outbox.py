"""`skywright sends`: what the bot is not done saying."""

from datetime import datetime

from bot.ledger.send_rows import CLAIMED, DELETE, REFUSED
from bot.ledger.views import Send
from bot.terminal.moments import ago
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json, to_json
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
    if not found and screen.is_terminal:
        screen.print("nothing to show" if everything else "nothing is unsettled")
        return
    screen.rows(COLUMNS, [_row(send, now, short=screen.is_terminal) for send in found])


def state_of(send: Send) -> str:
    """How a send stands, in a word: of a claimed one, what it waits for; of a refused one, that it may be out."""
    if send.state == REFUSED and (send.conflict or send.next_try_at is not None):
        return "refused, in conflict" if send.conflict else "refused, may still land"
    if send.state != CLAIMED:
        return send.state
    return "conflict" if send.conflict else "unknown" if send.unknown_since else "waiting"


def gist(send: Send) -> str:
    """What is frozen, in its own words where it has some."""
    match send.record:
        case _ if send.op == DELETE:
            return f"deletion of {send.collection}/{send.rkey}"
        case {"text": str(text)}:
            return text
        case {"subject": {"uri": str(uri)}}:
            return f"like of {uri}"
    return to_json(send.record)


def _row(send: Send, now: datetime, *, short: bool) -> tuple[str, ...]:
    why = send.conflict or send.problem or send.decision or ""
    since = send.settled_at or send.unknown_since or send.claimed_at
    due = send.next_try_at
    return (
        send.key,
        send.document_id or "",
        state_of(send),
        ago(since, now),
        str(send.tries),
        _when(due, now) if send.state == CLAIMED and not send.conflict else "",
        clip(why, WHY, 4 * WHY) if short else why,
        clip(gist(send), FROZEN, 4 * FROZEN) if short else gist(send),
    )


def _when(due: datetime | None, now: datetime) -> str:
    return f"in {ago(now, due)}" if due is not None and due > now else "now"
