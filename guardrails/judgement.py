"""What a judgement is, as it is kept; `verdicts.py` comes to one."""

from dataclasses import dataclass

from pydantic import AwareDatetime

from guardrails.documents import Shape
from guardrails.said import Outcome
from guardrails.transitions import Reason


class Verdict(Shape):
    """What one check said of one document, kept so that an old decision can be replayed; `rules` names the rule set."""

    check: str
    rules: str
    outcome: Outcome
    reason: Reason | None = None
    detail: str = ""
    until: AwareDatetime | None = None
    at: AwareDatetime


@dataclass(frozen=True)
class Judgement:
    """What the pipeline decided, and every verdict on the way."""

    outcome: Outcome
    reason: Reason | None
    verdicts: tuple[Verdict, ...]
