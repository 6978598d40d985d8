"""A move as a line."""

from datetime import datetime

from rich.text import Text

from bot.ledger.views import Moved
from bot.terminal.screen import STYLES, safe
from guardrails.text import clip, visible
from guardrails.transitions import Reason

SHORT_ID = 24
DETAIL = 200
_REASON = max(map(len, Reason))


def move_line(move: Moved) -> Text:
    """Time, document, from → to, reason, who, detail: columns in one line, safe on a terminal."""
    source = move.from_status.value if move.from_status else "new"
    line = Text(no_wrap=True, overflow="ignore")
    line.append(moment(move.at), "dim").append("  ")
    line.append(f"{short_id(move.document_id):<13}").append("  ")
    line.append(f"{source:>17}", STYLES[move.from_status] if move.from_status else "dim")
    line.append(" → ").append(f"{move.to_status.value:<17}", STYLES[move.to_status])
    line.append(f"  {move.reason.value:<{_REASON}}  ").append(f"{_who(move):<10}", "dim")
    if move.detail:
        line.append("  ").append_text(safe(clip(move.detail, DETAIL, 4 * DETAIL)))
    line.rstrip()
    return line


def short_id(document_id: str) -> str:
    """The record key at the end of a document's id, which is unique enough to type; its author chose it."""
    key = visible(document_id.rpartition(":")[2])
    return key if len(key) <= SHORT_ID else key[: SHORT_ID - 1] + "…"


def moment(at: datetime) -> str:
    """A time in UTC, to the second, without the year."""
    return f"{at:%m-%d %H:%M:%S}"


def _who(move: Moved) -> str:
    device = visible(move.device)
    return move.actor.value if device == move.actor.value else f"{move.actor.value}/{device}"
