"""Why no app came of an ask, as strangers may read it."""

from itertools import chain

from bot.pages.why_not import NOT_TAKEN_ON, why_not
from guardrails.documents import Kind
from guardrails.transitions import Actor, Reason, Status, is_terminal, moves_from


def endings() -> dict[Reason, str]:
    """Each reason for which an ask may end, and what is told of it."""
    every = chain.from_iterable(moves_from(Kind.MENTION, status, actor) for status in Status for actor in Actor)
    reasons = [reason for move in every if is_terminal(Kind.MENTION, move.target) for reason in move.reasons]
    return {reason: why_not(reason) for reason in reasons}


def test_no_end_reveals_what_is_nobodys_business() -> None:
    """Of people, labels, lists, rules and threads there is one sentence, and no other gives them away."""
    told = endings()
    quiet = {
        Reason.DENIED,
        Reason.BLOCKED,
        Reason.BOT,
        Reason.LABELLED,
        Reason.NOT_ON_LIST,
        Reason.BELOW_FLOOR,
        Reason.REFUSED_BY_RULES,
        Reason.NOBODY_DECIDES,
        Reason.DECLINED,
        Reason.LOOP,
        Reason.CANNOT_REPLY,
    }

    assert quiet <= told.keys()
    assert {NOT_TAKEN_ON} == {told[reason] for reason in quiet}
    giveaways = ("denied", "block", "label", "list", "rule", "spam", "cap", "refus", "declin", "moderat")
    assert not [words for words in told.values() if any(part in words.lower() for part in giveaways)]
