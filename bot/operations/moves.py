"""A move as JSON, the same wherever moves are told to programs, and back."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from bot.ledger.views import Moved

_NAMES = {"document_id": "document", "name": "move", "from_status": "from", "to_status": "to", "claim_id": "claim"}


def move_json(move: Moved) -> dict[str, object]:
    """A move as JSON."""
    return {
        "seq": move.seq,
        "at": move.at.isoformat(),
        "document": move.document_id,
        "kind": move.kind.value,
        "move": move.name,
        "from": move.from_status.value if move.from_status else None,
        "to": move.to_status.value,
        "version": move.version,
        "actor": move.actor.value,
        "device": move.device,
        "reason": move.reason.value,
        "detail": move.detail,
        "claim": move.claim_id,
    }


def move_of_json(told: Mapping[str, Any]) -> Moved:
    """The move that was told as JSON; ValueError when it cannot be read."""
    ours = {field: told.get(_NAMES.get(field, field)) for field in Moved.__dataclass_fields__}
    return _reader().validate_python(ours)


@cache
def _reader() -> TypeAdapter[Moved]:
    """Made when a move is first read: most who tell of moves read none."""
    return TypeAdapter(Moved)
