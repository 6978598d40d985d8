"""A failed build that its author asks for again: judged anew by all that a fresh ask is judged by."""

from datetime import datetime

from bot.errors import CapFull
from bot.jobs.breaker import heed_loop
from bot.jobs.facts import Bench, asked_anew, gathered
from bot.jobs.looking import look_around
from bot.jobs.moderating import Questions
from bot.ledger.views import Document
from guardrails.caps import places
from guardrails.facts import Facts
from guardrails.judgement import Judgement
from guardrails.patience import settled
from guardrails.said import PASS, Outcome, Said, skip
from guardrails.transitions import Reason
from guardrails.verdicts import without_place


class Retries:
    """The retries of one round; `made` counts the builds that were asked for again."""

    def __init__(self, bench: Bench, questions: Questions) -> None:
        self._bench = bench
        self._questions = questions
        self.made = 0

    def ask_again(self, asked: Document, unknown_since: datetime | None) -> Said:
        """What came of it: PASS when it is built again, a wait or unknown when that cannot be told yet, else a skip.

        `unknown_since`: since when it could not be told. LostRace when the ask has just moved.
        """
        bench = self._bench
        if bench.ledger.queries.times_asked_again(asked.id) >= bench.rules.commands.retries:
            return _not_again("as often as the rules allow")
        found = gathered(bench, [asked])
        if asked.id not in found:
            return _not_again("its words are gone")
        case = look_around(bench, {asked.id: asked_anew(found[asked.id])})[asked.id]
        known = case.facts.model_copy(update={"unknown_since": unknown_since})
        facts, judgement = self._questions.judged(known, case.before)
        judgement = settled(judgement, facts, bench.rules, bench.now())
        if judgement.reason is Reason.LOOP:
            heed_loop(bench, facts.thread)
        return self._came_of(asked, judgement, facts)

    def _came_of(self, asked: Document, judgement: Judgement, facts: Facts) -> Said:
        bench = self._bench
        if judgement.outcome is Outcome.PASS:
            wanted = places(asked.author_did, facts.thread, bench.rules)
            try:
                bench.ledger.documents.ask_again(bench.caller, asked, wanted, judgement, facts)
            except CapFull as full:
                late = without_place(judgement, full.cap, full.until, bench.rules, bench.now())
                return self._came_of(asked, late, facts)
            self.made += 1
            return PASS
        last = judgement.verdicts[-1]
        if judgement.outcome is Outcome.HOLD:
            return _not_again("a person would have to decide")
        return Said(judgement.outcome, judgement.reason, last.detail, last.until)


def _not_again(detail: str) -> Said:
    return skip(Reason.NOBODY_DECIDES, detail)
