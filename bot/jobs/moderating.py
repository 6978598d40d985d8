"""The questions to the moderation service that a round of judgements has: as few as there are, and none in vain."""

from bot.jobs.facts import Bench, digest_of, moderated_text
from guardrails.facts import Facts, Moderated
from guardrails.moderation import does_the_service_object
from guardrails.said import Outcome
from guardrails.verdicts import Judgement, judge


class Questions:
    """One round: a service that does not answer is asked no more in it, and nobody is asked twice about one text."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._is_silent = False

    def judged(self, facts: Facts) -> tuple[Facts, Judgement]:
        """The judgement of these facts, with the service's word where nothing but that is missing."""
        digest = self._digest(moderated_text(facts.mention))
        if facts.moderated is not None and facts.moderated.of != digest:
            facts = facts.model_copy(update={"moderated": None})
        judgement = self._judged(facts)
        if not _waits_for_the_service(judgement):
            return facts, judgement
        said = self._said(moderated_text(facts.mention))
        if said is None:
            return facts, judgement
        facts = facts.model_copy(update={"moderated": said.model_copy(update={"of": digest})})
        return facts, self._judged(facts)

    def _judged(self, facts: Facts) -> Judgement:
        return judge(facts, self._bench.rules, self._bench.now())

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
