"""Why no app came of an ask, as anybody may read it: gently, and never what a rule, a label or a list said."""

from collections.abc import Mapping
from types import MappingProxyType

from guardrails.transitions import Reason

_ASK_AGAIN = "It can be asked for again."
NOT_TAKEN_ON = "The bot has not taken this on."
"""Where the reason is about a person, about what is fit, or about a thread, it is nobody else's business."""

_WHY_NOT: Mapping[Reason, str] = MappingProxyType(
    {
        Reason.NOTHING_TO_BUILD: "The bot found nothing in it that it could build.",
        Reason.CAPPED: f"There was no room for it at that time. {_ASK_AGAIN}",
        Reason.APPROVAL_EXPIRED: "Nobody has looked at it in time.",
        Reason.STOPPED: "The people who run this bot have stopped it.",
        Reason.NO_LANE: f"Nobody was free to build it in time. {_ASK_AGAIN}",
        Reason.LANE_LOST: f"The build got lost half way. {_ASK_AGAIN}",
        Reason.BUILD_REFUSED: "It turned out to be nothing that the bot can build.",
        Reason.OUT_OF_TRIES: "It was tried several times, and it never worked well enough to show.",
        Reason.SEND_REFUSED: "It was built, and the answer could not be given.",
    }
)


def why_not(reason: Reason) -> str:
    """A sentence for people."""
    return _WHY_NOT.get(reason, NOT_TAKEN_ON)
