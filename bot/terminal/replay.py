"""`skywright replay`: what other rules would have decided of what was asked, on what was known then."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import typer
from pydantic import ValidationError

from bot.jobs.commands import OBEY
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.rules import load_rules
from bot.terminal.lines import short_id
from bot.terminal.moments import duration
from bot.terminal.opening import opened_ledger
from bot.terminal.screen import Screen, print_json
from guardrails.caps import how_much, places
from guardrails.facts import Facts
from guardrails.judgement import Verdict
from guardrails.rules import Approval, Rules
from guardrails.said import Outcome
from guardrails.text import visible
from guardrails.transitions import Reason
from guardrails.verdicts import CHECKS, judge

PAGE = 500
EVERY = "(every check)"
COUNTS = ("check", "decision", "before", "after")
CHANGES = ("check before", "decision before", "check after", "decision after", "asks", "for example")
_DECIDES_AT_ONCE = (Outcome.SKIP, Outcome.WAIT, Outcome.UNKNOWN)


class Decision(NamedTuple):
    """What was decided, and by which check."""

    check: str
    outcome: str
    reason: str

    def __str__(self) -> str:
        return f"{self.outcome} ({self.reason})" if self.reason else self.outcome


@dataclass
class Replayed:
    """What came of it: how often which check decided what, before and after, and which documents changed how."""

    rules: str
    asks: int = 0
    not_known: int = 0
    before: Counter[Decision] = field(default_factory=Counter)
    after: Counter[Decision] = field(default_factory=Counter)
    changes: dict[tuple[Decision, Decision], list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def changed(self) -> int:
        """How many asks are decided in another way, or by another check."""
        return sum(map(len, self.changes.values()))


def replay_command(file: Path, since: str, examples: int, *, as_json: bool) -> None:
    """Judge every ask anew by the rules of a file, each by itself, and print what changes; nothing is written."""
    rules = load_rules(file)
    with opened_ledger() as ledger:
        replayed = replay(ledger, rules, ledger.db.time() - duration(since))
    if as_json:
        print_json(_object(replayed, examples))
    else:
        _print(replayed, since, examples)


def replay(ledger: Ledger, rules: Rules, since: datetime) -> Replayed:
    """Judge what was asked since then by these rules; an ask of which the facts were not kept is only counted."""
    replayed = Replayed(rules.version)
    for document in ledger.queries.each_since(since, PAGE):
        if not document.verdicts_json:
            continue
        replayed.asks += 1
        after = _judged_by(rules, document)
        if after is None:
            replayed.not_known += 1
            continue
        before = _decided_then(rules, document)
        replayed.before[before] += 1
        replayed.after[after] += 1
        if before != after:
            replayed.changes[before, after].append(document.id)
    return replayed


def _judged_by(rules: Rules, document: Document) -> Decision | None:
    """By what was known at its last judgement, and at that time; None when that was not kept."""
    try:
        facts = document.facts
    except ValidationError:
        return None
    if facts is None or document.is_blank:
        return None
    then = _checked(document)[-1]
    judgement = judge(_with_what_was_taken(facts, then, rules), rules, then.at)
    return _decision(judgement.verdicts, nobody_decides=judgement.reason is Reason.NOBODY_DECIDES)


def _decided_then(rules: Rules, document: Document) -> Decision:
    verdicts = _checked(document)
    if verdicts[-1].reason is Reason.UNKNOWN_TOO_LONG:
        # What the check said, before it had lasted too long.
        return Decision(verdicts[-1].check, Outcome.UNKNOWN.value, "")
    nobody_decides = document.reason is Reason.NOBODY_DECIDES
    if verdicts[-1].rules == rules.version:
        # Somebody may have decided all the same, later on.
        nobody_decides = rules.approval.policy is Approval.NONE
    return _decision(verdicts, nobody_decides=nobody_decides)


def _checked(document: Document) -> Sequence[Verdict]:
    """What the checks said; that a command was obeyed stands behind it, and decides nothing."""
    return [verdict for verdict in document.verdicts if verdict.check != OBEY]


def _with_what_was_taken(facts: Facts, then: Verdict, rules: Rules) -> Facts:
    """With the last place of a cap taken, where somebody else took it after the facts were gathered."""
    if then.check != how_much.__name__ or then.reason is not Reason.CAPPED or facts.used is None:
        return facts
    limits = {place.cap.value: place.limit or 0 for place in places(facts.mention.author_did, facts.thread, rules)}
    if then.detail not in limits:
        return facts
    known = int(getattr(facts.used, then.detail))
    full = limits[then.detail] if then.rules == rules.version else known + 1
    return facts.model_copy(update={"used": facts.used.model_copy(update={then.detail: max(known, full)})})


def _decision(verdicts: Sequence[Verdict], *, nobody_decides: bool) -> Decision:
    """As `judge` comes to it: the last verdict decides unless it passes, then the first hold."""
    holds = (verdict for verdict in verdicts if verdict.outcome is Outcome.HOLD)
    deciding = verdicts[-1] if verdicts[-1].outcome in _DECIDES_AT_ONCE else next(holds, None)
    if deciding is None:
        return Decision(EVERY, Outcome.PASS.value, "")
    if deciding.outcome is Outcome.HOLD and nobody_decides:
        return Decision(deciding.check, Outcome.SKIP.value, Reason.NOBODY_DECIDES.value)
    return Decision(deciding.check, deciding.outcome.value, deciding.reason.value if deciding.reason else "")


def _print(replayed: Replayed, since: str, examples: int) -> None:
    screen = Screen()
    screen.rows(COUNTS, _counts(replayed))
    if replayed.changes:
        screen.print()
        screen.rows(CHANGES, _changes(replayed, examples))
    many = f"{replayed.changed} of {replayed.asks} asks of the last {since}"
    told = f"by the rules {replayed.rules}, {many} are decided in another way"
    if replayed.not_known:
        told += f"; {replayed.not_known} were left out, since what was known of them is not kept"
    typer.echo(visible(told), err=True)


def _counts(replayed: Replayed) -> Iterator[tuple[str, ...]]:
    for decision in sorted(replayed.before.keys() | replayed.after.keys(), key=_order):
        yield (decision.check, str(decision), str(replayed.before[decision]), str(replayed.after[decision]))


def _changes(replayed: Replayed, examples: int) -> Iterator[tuple[str, ...]]:
    for (before, after), documents in sorted(replayed.changes.items(), key=lambda change: -len(change[1])):
        named = " ".join(short_id(document) for document in documents[:examples])
        yield (before.check, str(before), after.check, str(after), str(len(documents)), named)


def _order(decision: Decision) -> tuple[int, Decision]:
    """In the order of the checks; what passed them all comes last."""
    known = [check.__name__ for check in CHECKS]
    return (known.index(decision.check) if decision.check in known else len(known), decision)


def _object(replayed: Replayed, examples: int) -> dict[str, object]:
    return {
        "rules": replayed.rules,
        "asks": replayed.asks,
        "not_known": replayed.not_known,
        "changed": replayed.changed,
        "decisions": [
            decision._asdict() | {"before": replayed.before[decision], "after": replayed.after[decision]}
            for decision in sorted(replayed.before.keys() | replayed.after.keys(), key=_order)
        ],
        "changes": [
            {
                "before": before._asdict(),
                "after": after._asdict(),
                "asks": len(documents),
                "examples": documents[:examples],
            }
            for (before, after), documents in sorted(replayed.changes.items(), key=lambda change: -len(change[1]))
        ],
    }
