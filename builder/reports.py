"""From the end of an attempt to its report: every outcome has one, and every text fits."""

from collections.abc import Callable
from typing import Any, assert_never

from builder.build import Attempt, Work
from builder.errors import ClaimLost, LaneUnfit, NotWelcome, WorkStopped
from builder.logs import BuildLog
from builder.outcomes import Broken, Done, Refused, RetryLater, Unfit
from guardrails.text import clean, clip
from guardrails.wire import BuildOutcome, Report

_MOST = 2**53 - 1


def how_it_ended(run: Callable[[], Attempt], log: BuildLog) -> Attempt | None:
    """Do the work; None when it was stopped before its end. A defect of one tool ends one attempt, not the lane.

    ClaimLost and NotWelcome go through: they are about the claim, and not about the work.
    """
    try:
        return run()
    except WorkStopped:
        return None
    except LaneUnfit as problem:
        return Attempt(Unfit(str(problem)))
    except (ClaimLost, NotWelcome):
        raise
    except Exception as problem:
        log.fail("defect", problem)
        return Attempt(Broken(f"a defect in the lane: {type(problem).__name__}: {problem}"))


def report_of(attempt: Attempt | None, work: Work, log: BuildLog) -> Report:
    """The report of work that ended so, or of work that was stopped before it ended (None); every field fits."""
    used = work.used
    return Report(
        **_outcome_of(attempt),
        checks=attempt.checks if attempt is not None else (),
        repairs=work.repairs,
        generator=work.generator,
        seconds=log.seconds,
        log_tail=log.tail(),
        model=used.model,
        prompt_version=used.prompt_version,
        # Each round told a number that fits; their sum may not.
        tokens_in=min(used.tokens_in, _MOST),
        tokens_out=min(used.tokens_out, _MOST),
        cost_micros=min(used.cost_micros, _MOST),
    )


def _outcome_of(attempt: Attempt | None) -> dict[str, Any]:
    if attempt is None:
        return {"outcome": BuildOutcome.RELEASED, "detail": "the lane is shutting down"}
    outcome = attempt.outcome
    match outcome:
        case Done(published):
            app = attempt.app
            return {
                "outcome": BuildOutcome.DONE,
                "title": report_text(app.title if app else "", "title"),
                "description": report_text(app.description if app else "", "description"),
                "address": published.address,
                "sha256": published.sha256,
            }
        case Refused(reason, detail):
            reason, detail = report_text(reason, "reason"), report_text(detail, "detail")
            return {"outcome": BuildOutcome.REFUSED, "reason": reason, "detail": detail}
        case RetryLater(after_seconds, detail):
            after_seconds = min(max(after_seconds, 0.0), 86_400.0)
            detail = report_text(detail, "detail")
            return {"outcome": BuildOutcome.RETRY_LATER, "after_seconds": after_seconds, "detail": detail}
        case Broken(detail):
            return {"outcome": BuildOutcome.BROKEN, "detail": report_text(detail, "detail")}
        case Unfit(detail):
            return {"outcome": BuildOutcome.RELEASED, "detail": report_text(detail, "detail")}
        case _:
            assert_never(outcome)


def report_text(text: str, field: str) -> str:
    """The text as that field of a report may hold it: cleaned, on one line, cut to the limit."""
    limit = next(rule.max_length for rule in Report.model_fields[field].metadata if hasattr(rule, "max_length"))
    return clip(clean(text), limit, 4 * limit)[:limit]
