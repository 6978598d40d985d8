"""The five outcomes of a check, and the pipeline that turns checks into one judgement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import AwareDatetime

from guardrails.documents import Did, Mention, Shape
from guardrails.outlook import Outlook, View
from guardrails.request import Command, NotARequest, read_post
from guardrails.transitions import Reason

RULES_VERSION = "2"


class Outcome(StrEnum):
    """What a check says. Only pass, skip and hold decide; wait and unknown leave the document in received."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    SKIP = "skip"
    HOLD = "hold"
    WAIT = "wait"
    UNKNOWN = "unknown"


class Verdict(Shape):
    """What one check said of one document, kept so that an old decision can be replayed."""

    check: str
    rules: str
    outcome: Outcome
    reason: Reason | None = None
    detail: str = ""
    until: AwareDatetime | None = None
    at: AwareDatetime


@dataclass(frozen=True)
class Said:
    """The answer of one check, before it is dated."""

    outcome: Outcome
    reason: Reason | None = None
    detail: str = ""
    until: datetime | None = None


PASS = Said(Outcome.PASS)


@dataclass(frozen=True)
class Facts:
    """What the checks may know of a mention; gathered by the bot, since checks ask nobody.

    `outlook` is None as long as the mention was not looked at.
    """

    mention: Mention
    our_did: Did
    answered: bool
    outlook: Outlook | None = None


@dataclass(frozen=True)
class Judgement:
    """What the pipeline decided, and every verdict on the way."""

    outcome: Outcome
    reason: Reason | None
    verdicts: tuple[Verdict, ...]


Check = Callable[[Facts], Said]


def is_it_ours(facts: Facts) -> Said:
    """A mention facet with our DID, and not our own post; an operator's word stands for the facet."""
    if facts.mention.author_did == facts.our_did:
        return Said(Outcome.SKIP, Reason.NOT_OURS, "our own post")
    if facts.mention.by_operator:
        return PASS
    if isinstance(read_post(facts.mention.record, facts.our_did), NotARequest):
        return Said(Outcome.SKIP, Reason.NOT_OURS, "no mention facet with our DID")
    return PASS


def is_it_new(facts: Facts) -> Said:
    """Not answered already, as far as ledger and repository know, and not from before the first start."""
    if facts.answered:
        return Said(Outcome.SKIP, Reason.ALREADY_ANSWERED, "a reply of ours to this post exists")
    if facts.mention.stale:
        return Said(Outcome.SKIP, Reason.BEFORE_FIRST_START, "posted before the bot's first start")
    return PASS


def is_there_anything_to_build(facts: Facts) -> Said:
    """A letter or a digit is left of the ask, and it is not a command."""
    read = read_post(facts.mention.record, facts.our_did)
    if isinstance(read, Command):
        return Said(Outcome.SKIP, Reason.COMMAND, read.word.value)
    if not any(character.isalnum() for character in facts.mention.ask):
        return Said(Outcome.SKIP, Reason.NOTHING_TO_BUILD, "nothing is left of the text without the mention")
    return PASS


def can_we_answer(facts: Facts) -> Said:
    """A reply would be seen; an absence alone decides nothing, since it also means a delay or a takedown."""
    if facts.outlook is None:
        return Said(Outcome.UNKNOWN, detail="not looked at yet")
    match facts.outlook.view:
        case View.OPEN:
            return PASS
        case View.CLOSED:
            return Said(Outcome.SKIP, Reason.CANNOT_REPLY, facts.outlook.reason)
        case View.GONE | View.AWAY | View.UNCLEAR:
            return Said(Outcome.UNKNOWN, detail=facts.outlook.reason, until=facts.outlook.until)


# What needs no look at the network comes first: most of what is refused is refused there.
BEFORE_THE_LOOK: tuple[Check, ...] = (is_it_ours, is_it_new, is_there_anything_to_build)
CHECKS: tuple[Check, ...] = (*BEFORE_THE_LOOK, can_we_answer)


def judge(facts: Facts, now: datetime, checks: Sequence[Check] = CHECKS) -> Judgement:
    """Run the checks in order: the first skip, wait or unknown ends it, and a hold stands unless a later one does."""
    verdicts: list[Verdict] = []
    held: Said | None = None
    for check in checks:
        said = check(facts)
        verdicts.append(_dated(check, said, now))
        if said.outcome in (Outcome.SKIP, Outcome.WAIT, Outcome.UNKNOWN):
            return Judgement(said.outcome, said.reason, tuple(verdicts))
        if said.outcome is Outcome.HOLD and held is None:
            held = said
    if held is not None:
        return Judgement(Outcome.HOLD, held.reason, tuple(verdicts))
    return Judgement(Outcome.PASS, Reason.PASSED, tuple(verdicts))


def _dated(check: Check, said: Said, now: datetime) -> Verdict:
    return Verdict(
        check=getattr(check, "__name__", "check"),
        rules=RULES_VERSION,
        outcome=said.outcome,
        reason=said.reason,
        detail=said.detail,
        until=said.until,
        at=now,
    )
