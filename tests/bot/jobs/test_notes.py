"""Which end is told in which line, and under which key."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.jobs.notes import HELP_EVERY, Full, Line, Told, is_late, note_for
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.transitions import TOLD, Reason, Status
from tests.bot.ledger.steps import pending

NOW = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
# What is told of these is told by how another document stands.
BY_OTHERS = {Reason.COMMAND, Reason.SAME_ASK, Reason.REVISION}
# A skip over a cap names it and when it begins anew, in its last verdict.
CAPPED = {
    "check": "how_much",
    "rules": "1",
    "outcome": "skip",
    "reason": "capped",
    "detail": "author_hour",
    "until": "2026-03-03T00:00:00Z",
    "at": NOW.isoformat(),
}
FULL = Full(Cap.AUTHOR_HOUR, datetime(2026, 3, 3, tzinfo=UTC), goes_on=False)


@pytest.fixture
def document(ledger: Ledger) -> Document:
    return pending(ledger)


@pytest.mark.parametrize("reason", Reason)
def test_an_end_that_may_be_told_has_a_line_and_no_other_has(document: Document, reason: Reason) -> None:
    """The table of moves and the notes name the same reasons."""
    skipped = replace(document, reason=reason, status=Status.SKIPPED, verdicts_json=[CAPPED])

    assert (reason in TOLD - BY_OTHERS) is (note_for(skipped, NOW) is not None)


@pytest.mark.parametrize(
    "reason",
    [
        Reason.DECLINED,
        Reason.APPROVAL_EXPIRED,
        Reason.REFUSED_BY_RULES,
        Reason.LABELLED,
        Reason.BELOW_FLOOR,
        Reason.NOBODY_DECIDES,
    ],
)
def test_a_refusal_is_keyed_by_author_and_utc_day(document: Document, reason: Reason) -> None:
    """Whatever was asked, and whatever was wrong with it: why is for operators."""
    told = note_for(replace(document, reason=reason, detail="labelled spam"), NOW)

    assert Told(f"note:{document.author_did}:2026-03-02", Line(Note.DECLINED)) == told


def test_a_failed_build_is_keyed_by_its_document(document: Document) -> None:
    """With the lane's reason, and among the lines of its author's day."""
    told = note_for(replace(document, reason=Reason.BUILD_REFUSED, detail="too big"), NOW)

    assert Told(f"note:{document.id}", Line(Note.NOT_BUILT, "too big"), is_answer=True) == told


def test_a_full_cap_is_keyed_by_author_and_utc_day(document: Document) -> None:
    """Beside the refusals of that day; a document that waits says the same, and that it goes on by itself."""
    skipped = replace(document, reason=Reason.CAPPED, status=Status.SKIPPED, verdicts_json=[CAPPED])
    waits = replace(document, status=Status.RECEIVED, verdicts_json=[CAPPED | {"outcome": "wait"}])
    key = f"note:{document.author_did}:2026-03-02:capped"

    assert Told(key, FULL) == note_for(skipped, NOW)
    assert Told(key, replace(FULL, goes_on=True)) == note_for(waits, NOW)


@pytest.mark.parametrize(
    ("status", "verdicts"),
    [
        (Status.RECEIVED, []),
        (Status.RECEIVED, [CAPPED | {"outcome": "unknown", "reason": None}]),
        (Status.RECEIVED, [CAPPED | {"outcome": "wait"}, CAPPED | {"outcome": "unknown", "reason": None}]),
        (Status.PENDING_BUILD, [CAPPED | {"outcome": "wait"}]),
    ],
)
def test_what_does_not_wait_for_a_cap_tells_of_none(
    document: Document, status: Status, verdicts: list[dict[str, object]]
) -> None:
    """Only the last verdict counts, and only until it is decided otherwise."""
    assert note_for(replace(document, status=status, verdicts_json=verdicts), NOW) is None


def test_what_waits_is_not_told_under_what_has_ended(document: Document) -> None:
    """A line that was claimed while an ask waited is worth nothing once it has failed, and the other way round."""
    failed = Told(f"note:{document.id}", Line(Note.NOT_WORKING))
    full = Told(f"note:{document.author_did}:2026-03-02:capped", FULL)

    assert [True, False] == [failed.is_told_by(told.key) for told in (failed, full)]
    assert [False, True] == [full.is_told_by(told.key) for told in (failed, full)]


def test_help_names_its_window_and_the_one_before(document: Document) -> None:
    """So that two of them can be held apart where one window ends and the next begins."""
    asked = replace(document, reason=Reason.NOTHING_TO_BUILD)
    first, second = note_for(asked, NOW), note_for(asked, NOW + HELP_EVERY)

    assert first is not None
    assert second is not None
    assert (first.key, Line(Note.HELP)) == (second.before, second.line)
    assert first.key != second.key


@pytest.mark.parametrize(("hours", "late"), [(23, False), (25, True)])
def test_lateness_counts_from_when_it_could_have_been_told(document: Document, hours: int, late: bool) -> None:
    """Not from when a bot that was away moved the document on."""
    due = NOW - timedelta(hours=hours)
    ended = replace(document, updated_at=NOW, build_by=due, approve_by=due)
    ended = replace(ended, body={**document.body, "indexed_at": due.isoformat()})
    judged = [Reason.NOTHING_TO_BUILD, Reason.REFUSED_BY_RULES, Reason.LABELLED, Reason.REVISION, Reason.COMMAND]
    away = [Reason.NO_LANE, Reason.LANE_LOST, Reason.APPROVAL_EXPIRED, *judged]

    assert {late} == {is_late(replace(ended, reason=reason), NOW) for reason in away}
    assert not is_late(replace(ended, reason=Reason.DECLINED), NOW)
    assert late is is_late(replace(ended, reason=Reason.DECLINED, updated_at=due), NOW)
