"""What becomes of a document by what its lane and the inspection say of it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

from bot.ledger.engine import Database
from bot.ledger.finishing import Inspected, result_of
from bot.ledger.moves import NO_CLAIM, Step
from bot.ledger.views import Document
from guardrails.access import Caller
from guardrails.said import PASS, Outcome
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome, Report


@dataclass(frozen=True)
class Outcomes:
    """How long a build that failed waits, and a reply that is held for a person."""

    db: Database
    retry_after: timedelta
    approval_window: timedelta

    def step_for(self, caller: Caller, document: Document, report: Report, inspected: Inspected | None) -> Step:
        """The move that a report makes; the one place where an outcome becomes one."""
        said, page = (inspected.said, inspected.page) if inspected is not None else (PASS, None)
        failures = document.failures + 1
        match report.outcome:
            case BuildOutcome.DONE if said.outcome is Outcome.SKIP:
                return Step("fail", Reason.REFUSED_BY_RULES, caller, said.detail)
            case BuildOutcome.DONE:
                held = said.detail if said.outcome is not Outcome.PASS else None
                # It may have been put off meanwhile, its lease being over: the answer need not wait for that.
                decide_by = self.db.now(self.approval_window) if held is not None else None
                sets = {
                    "result": result_of(report, page),
                    "reply_held": held,
                    "approve_by": decide_by,
                    "not_before": None,
                }
                return Step("finish", Reason.BUILT, caller, sets=sets)
            case BuildOutcome.REFUSED:
                # A reason that passes is said to the asker; any other stays with the attempt, as the detail does.
                told = report.reason if said.outcome is Outcome.PASS else ""
                return Step("fail", Reason.BUILD_REFUSED, caller, told)
            case BuildOutcome.BROKEN if failures >= document.budget:
                return Step("fail", Reason.OUT_OF_TRIES, caller, report.detail, {"failures": failures})
            case BuildOutcome.BROKEN:
                wait = self.retry_after * 2**document.failures
                return self._give_back(caller, Reason.BROKEN, report.detail, wait, failures)
            case BuildOutcome.RETRY_LATER:
                wait = max(timedelta(seconds=report.after_seconds), self.retry_after)
                return self._give_back(caller, Reason.RETRY_LATER, report.detail, wait, document.failures)
            case BuildOutcome.RELEASED:
                return self._give_back(caller, Reason.RELEASED, report.detail, timedelta(), document.failures)
            case _ as never:
                assert_never(never)

    def _give_back(self, caller: Caller, reason: Reason, detail: str, wait: timedelta, failures: int) -> Step:
        sets = NO_CLAIM | {"not_before": self.db.now(wait), "failures": failures}
        return Step("release", reason, caller, detail, sets)
