"""What operators can do to documents, as buttons and pages say it; where it is possible comes from the table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bot.operations.deeds import MOVED_BY
from bot.operations.doing import Deed
from guardrails.documents import Kind
from guardrails.transitions import TABLES, Actor


@dataclass(frozen=True)
class Said:
    """A deed in words: its button, and what it does. `grave` ones ask once more, and take a reason."""

    button: str
    does: str
    grave: bool = False


SAID: Mapping[Deed, Said] = MappingProxyType(
    {
        Deed.APPROVE: Said("Approve", "It is built."),
        Deed.RELEASE_REPLY: Said("Release the reply", "The reply that waits for a person is sent."),
        Deed.JUDGE_AGAIN: Said("Judge again", "It is read and judged anew, by the rules as they are now."),
        Deed.RETRY: Said("Retry", "It is built again, with a fresh budget of tries."),
        Deed.SEND_AGAIN: Said("Send again", "The reply is sent again; what is built stays."),
        Deed.SKIP: Said("Skip", "It is stopped, and nothing is answered.", grave=True),
        Deed.DELETE: Said("Delete the reply", "Our reply is deleted; the app stays.", grave=True),
        Deed.TAKE_DOWN: Said(
            "Take down",
            "The app is gone for good and our reply is deleted; who asks for the same again waits for a person.",
            grave=True,
        ),
    }
)
# What can be done to many at once.
TO_MANY = (Deed.RETRY, Deed.SKIP, Deed.APPROVE, Deed.DELETE, Deed.TAKE_DOWN)


@dataclass(frozen=True)
class Step:
    """A row of the table behind a deed: from where to where, and what the ledger checks as it writes."""

    source: str
    target: str
    guards: tuple[str, ...]


def steps_of(deed: Deed) -> list[Step]:
    """The rows of the table that a deed makes; none for what moves nothing."""
    return list(dict.fromkeys(_steps(deed)))


def _steps(deed: Deed) -> Iterator[Step]:
    for move in TABLES[Kind.MENTION]:
        if move.actor is Actor.OPERATOR and MOVED_BY.get(move.name) is deed and move.source is not None:
            guards = tuple(sorted(guard.value for guard in move.guards))
            yield Step(move.source.value, move.target.value, guards)
