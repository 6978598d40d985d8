"""The table of moves is the design's table, row by row, and everything that asks it gets its answer."""

import pytest

from guardrails.documents import Kind
from guardrails.errors import IllegalMove
from guardrails.transitions import (
    FINAL_SKIPS,
    TABLES,
    Actor,
    Guard,
    Reason,
    Status,
    check_move,
    is_terminal,
    moves_from,
    sources_of,
    statuses,
)

MENTION = Kind.MENTION
DESIGN = {
    (None, "received", "bot"),
    ("received", "pending-build", "bot"),
    ("received", "awaiting-approval", "bot"),
    ("received", "skipped", "bot"),
    ("received", "pending-build", "operator"),
    ("received", "skipped", "operator"),
    ("awaiting-approval", "pending-build", "operator"),
    ("awaiting-approval", "skipped", "operator"),
    ("awaiting-approval", "skipped", "bot"),
    ("awaiting-approval", "received", "bot"),
    ("pending-build", "building", "builder"),
    ("building", "building", "builder"),
    ("building", "building", "operator"),
    ("building", "built", "builder"),
    ("building", "build-failed", "builder"),
    ("pending-build", "received", "bot"),
    ("pending-build", "skipped", "bot"),
    ("building", "error", "bot"),
    ("building", "skipped", "bot"),
    ("built", "skipped", "bot"),
    ("pending-build", "skipped", "operator"),
    ("building", "skipped", "operator"),
    ("built", "skipped", "operator"),
    ("built", "replied", "bot"),
    ("built", "error", "bot"),
    ("built", "replied", "operator"),
    ("built", "error", "operator"),
    ("skipped", "received", "operator"),
    ("skipped", "received", "bot"),
    ("build-failed", "pending-build", "bot"),
    ("build-failed", "pending-build", "operator"),
    ("error", "pending-build", "operator"),
    ("error", "built", "operator"),
}
OPEN = {Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT}


def test_the_table_is_the_designs_and_nothing_else() -> None:
    """Each row of the design is there, and no row beside them."""
    found = {(m.source.value if m.source else None, m.target.value, m.actor.value) for m in TABLES[MENTION]}

    assert DESIGN == found


def test_a_name_a_source_and_a_reason_mean_one_row() -> None:
    """No two rows could both be meant by one call."""
    keys = [(m.name, m.source, reason) for m in TABLES[MENTION] for reason in m.reasons]

    assert len(keys) == len(set(keys))


def test_every_row_says_why_and_when() -> None:
    """A row without a reason could never be written; one without words could not be read."""
    assert [] == [m.name for m in TABLES[MENTION] if not m.reasons or not m.when]


def test_every_reason_and_every_guard_is_used() -> None:
    """Words that no row uses are words that nobody can meet."""
    assert set(Reason) == {reason for m in TABLES[MENTION] for reason in m.reasons}
    assert set(Guard) == {guard for m in TABLES[MENTION] for guard in m.guards}


def test_the_table_cannot_be_changed_at_run_time() -> None:
    """It is shared by everything in the process."""
    with pytest.raises(TypeError):
        TABLES[MENTION] = ()  # type: ignore[index]


def test_every_status_can_be_reached() -> None:
    """All nine, in an order that does not change."""
    assert set(Status) == set(statuses(MENTION))
    assert len(statuses(MENTION)) == len(set(statuses(MENTION)))


@pytest.mark.parametrize("status", list(Status))
def test_four_statuses_are_terminal(status: Status) -> None:
    """The others are somebody's work."""
    assert (status not in OPEN) == is_terminal(MENTION, status)


@pytest.mark.parametrize("status", [status for status in Status if status not in OPEN])
def test_no_builder_takes_up_what_is_terminal(status: Status) -> None:
    """What is over is opened again by a person, or by the bot on its author's word."""
    assert {Actor.BUILDER} & {m.actor for m in moves_from(MENTION, status)} == set()


def test_replied_is_the_end() -> None:
    """Nothing takes an answer back."""
    assert () == moves_from(MENTION, Status.REPLIED)


def test_the_moves_of_one_actor_are_told_from_the_rest() -> None:
    """A console shows the operator's buttons only."""
    names = {m.name for m in moves_from(MENTION, Status.AWAITING_APPROVAL, Actor.OPERATOR)}

    assert {"approve", "stop"} == names
    assert {"approve", "stop", "expire_approval", "withdraw", "reopen_edited"} == {
        m.name for m in moves_from(MENTION, Status.AWAITING_APPROVAL)
    }


def test_a_document_begins_with_receive() -> None:
    """The only row without a source."""
    assert ["receive"] == [m.name for m in moves_from(MENTION, None)]


def test_a_move_that_the_table_has_is_found() -> None:
    """By its name, its source and its reason."""
    move = check_move(MENTION, "finish", Status.BUILDING, Reason.BUILT)

    assert (Status.BUILT, Actor.BUILDER, {Guard.CLAIM}) == (move.target, move.actor, set(move.guards))


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("finish", Status.PENDING_BUILD, Reason.BUILT),
        ("finish", Status.BUILDING, Reason.PASSED),
        ("receive", Status.RECEIVED, Reason.INGESTED),
        ("set_status", Status.RECEIVED, Reason.PASSED),
        ("answer", None, Reason.SENT),
    ],
)
def test_a_move_that_the_table_lacks_is_refused_in_words(name: str, source: Status | None, reason: Reason) -> None:
    """The message names the move, where from and why."""
    with pytest.raises(IllegalMove, match=f"cannot {name} from .* for {reason.value}"):
        check_move(MENTION, name, source, reason)


def test_the_sources_of_a_move_leave_out_nothing_and_none() -> None:
    """Where a stop may start."""
    assert OPEN == sources_of(MENTION, "stop")
    assert frozenset() == sources_of(MENTION, "receive")


def test_a_claim_is_needed_to_end_an_attempt() -> None:
    """Release, finish and fail are fenced; claiming checks that the document is free."""
    assert {"release", "finish", "fail"} == {m.name for m in TABLES[MENTION] if Guard.CLAIM in m.guards}
    assert {"claim", "give_up"} == {m.name for m in TABLES[MENTION] if Guard.CLAIMABLE in m.guards}


def test_a_built_document_is_taken_back_only_before_its_reply_is_claimed() -> None:
    """Skipping and the reply can never both win."""
    skipping = [m for m in moves_from(MENTION, Status.BUILT) if m.target is Status.SKIPPED]

    assert {"withdraw", "stop"} == {m.name for m in skipping}
    assert all(Guard.NO_LIVE_SEND in m.guards for m in skipping)


def test_whatever_its_author_or_the_law_ended_stays_ended() -> None:
    """Withdrawn, opted out, forgotten, taken down, and commands."""
    expected = {"deleted", "cancelled", "opted_out", "forgotten", "taken_down", "command"}

    assert expected == {reason.value for reason in FINAL_SKIPS}
    assert all(Guard.REASON_KEPT in m.guards for m in moves_from(MENTION, Status.SKIPPED))
