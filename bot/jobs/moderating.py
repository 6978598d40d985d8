"""The questions to the moderation service that a round of judgements has: as few as there are, and none in vain."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

import structlog

from bot.jobs.facts import Bench, digest_of, moderated_text
from guardrails.facts import Facts, Moderated
from guardrails.judgement import Judgement, Verdict
from guardrails.moderation import TOO_SLOW, does_the_service_object, is_it_fit
from guardrails.said import Outcome, unknown
from guardrails.verdicts import CHECKS, dated, judge

# When expressions have taken too long over so many asks of a round, the rest of it waits for the next one.
MOST_SLOW = 10
_BEFORE_THE_PATTERNS = tuple(takewhile(lambda check: check is not is_it_fit, CHECKS))
log = structlog.get_logger()


class Questions:
    """One round: a service that does not answer is asked no more in it, and nobody is asked twice about one text.

    Nor are an operator's expressions tried on any more asks when they have taken too long over some.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._is_silent = False
        self._slow: Counter[str] = Counter()

    def judged(self, facts: Facts, before: Sequence[Verdict] = ()) -> tuple[Facts, Judgement]:
        """The judgement of these facts, with the service's word where nothing but that is missing.

        `before`: what the first checks have said of them already.
        """
        digest = self._digest(moderated_text(facts.mention))
        if facts.moderated is not None and facts.moderated.of != digest:
            facts = facts.model_copy(update={"moderated": None})
        judgement = self._judged(facts, before)
        if not _waits_for_the_service(judgement):
            return facts, judgement
        said = self._said(moderated_text(facts.mention))
        if said is None:
            return facts, judgement
        facts = facts.model_copy(update={"moderated": said.model_copy(update={"of": digest})})
        return facts, self._judged(facts, before)

    def _judged(self, facts: Facts, first: Sequence[Verdict]) -> Judgement:
        rules, now = self._bench.rules, self._bench.now()
        if first or self._slow.total() < MOST_SLOW:
            judgement = judge(facts, rules, now, before=first)
            self._heed_slow(judgement)
            return judgement
        before = judge(facts, rules, now, _BEFORE_THE_PATTERNS)
        if before.outcome not in (Outcome.PASS, Outcome.HOLD):
            return before
        (pattern, _), *_ = self._slow.most_common(1)
        late = dated(is_it_fit, unknown(f"{TOO_SLOW}{pattern}"), rules, now)
        return Judgement(Outcome.UNKNOWN, None, (*before.verdicts, late))

    def _heed_slow(self, judgement: Judgement) -> None:
        """Operators hear of an expression that takes too long, once in a round, and by its name."""
        last = judgement.verdicts[-1]
        if last.outcome is not Outcome.UNKNOWN or not last.detail.startswith(TOO_SLOW):
            return
        pattern = last.detail.removeprefix(TOO_SLOW)
        self._slow[pattern] += 1
        if self._slow[pattern] == 1:
            log.warning("pattern_too_slow", pattern=pattern, key="fit.patterns")

    def _digest(self, text: str) -> str:
        """Of what is asked about, of whom, and by which model: another service may say something else."""
        rules = self._bench.rules.moderation
        return digest_of("\n".join((rules.url, rules.model, text)))

    def _said(self, text: str) -> Moderated | None:
        if self._is_silent or self._bench.over():
            return None
        said = self._bench.moderator.moderate(self._bench.rules.moderation, text)
        self._is_silent = said is None
        return said


def _waits_for_the_service(judgement: Judgement) -> bool:
    last = judgement.verdicts[-1]
    return last.outcome is Outcome.UNKNOWN and last.check == does_the_service_object.__name__
