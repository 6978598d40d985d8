"""Which end is told in which line, and under which key."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.jobs.notes import HELP_EVERY, is_late, note_for
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.texts import Note
from guardrails.transitions import TOLD, Reason
from tests.bot.ledger.steps import pending

NOW = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)


@pytest.fixture
def document(ledger: Ledger) -> Document:
    return pending(ledger)


@pytest.mark.parametrize("reason", Reason)
def test_an_end_that_may_be_told_has_a_line_and_no_other_has(document: Document, reason: Reason) -> None:
    """The table of moves and the notes name the same reasons."""
    assert (reason in TOLD) is (note_for(replace(document, reason=reason), NOW) is not None)


@pytest.mark.parametrize("reason", [Reason.DECLINED, Reason.APPROVAL_EXPIRED, Reason.REFUSED_BY_RULES])
def test_a_refusal_is_keyed_by_author_and_utc_day(document: Document, reason: Reason) -> None:
    """Whatever was asked."""
    told = note_for(replace(document, reason=reason), NOW)

    assert told is not None
    assert (f"note:{document.author_did}:2026-03-02", Note.DECLINED) == (told.key, told.note)


def test_a_failed_build_is_keyed_by_its_document(document: Document) -> None:
    """With the lane's reason."""
    told = note_for(replace(document, reason=Reason.BUILD_REFUSED, detail="too big"), NOW)

    assert told is not None
    assert (f"note:{document.id}", Note.NOT_BUILT, "too big") == (told.key, told.note, told.reason)


def test_help_names_its_window_and_the_one_before(document: Document) -> None:
    """So that two of them can be held apart where one window ends and the next begins."""
    asked = replace(document, reason=Reason.NOTHING_TO_BUILD)
    first, second = note_for(asked, NOW), note_for(asked, NOW + HELP_EVERY)

    assert first is not None
    assert second is not None
    assert (first.key, Note.HELP) == (second.before, second.note)
    assert first.key != second.key


@pytest.mark.parametrize(("hours", "late"), [(23, False), (25, True)])
def test_lateness_counts_from_when_it_could_have_been_told(document: Document, hours: int, late: bool) -> None:
    """Not from when a bot that was away moved the document on."""
    due = NOW - timedelta(hours=hours)
    ended = replace(document, updated_at=NOW, build_by=due, approve_by=due)
    ended = replace(ended, body={**document.body, "indexed_at": due.isoformat()})
    away = [Reason.NO_LANE, Reason.LANE_LOST, Reason.APPROVAL_EXPIRED, Reason.NOTHING_TO_BUILD, Reason.REFUSED_BY_RULES]

    assert {late} == {is_late(replace(ended, reason=reason), NOW) for reason in away}
    assert not is_late(replace(ended, reason=Reason.DECLINED), NOW)
    assert late is is_late(replace(ended, reason=Reason.DECLINED, updated_at=due), NOW)
