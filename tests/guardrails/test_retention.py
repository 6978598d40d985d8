"""What may be removed of an ask that is over: by its status, its age and what holds it back."""

from datetime import timedelta

import pytest

from guardrails.documents import Kind
from guardrails.retention import HELD_BACK, LEAST_HISTORY, Hold, Keep, Part, may_go
from guardrails.transitions import Status, is_terminal

KEEP = Keep(logs=timedelta(days=1), posts=timedelta(days=10), history=timedelta(days=30), skipped=timedelta(days=8))
LONG = timedelta(days=9999)


def goes(status: Status, age: timedelta, *holds: Hold, keep: Keep = KEEP) -> set[Part]:
    return set(may_go(Kind.MENTION, status, age, frozenset(holds), keep))


@pytest.mark.parametrize("status", Status)
def test_nothing_goes_of_what_is_open(status: Status) -> None:
    """However old it is; of what has ended all goes in the end."""
    everything = set(Part) if is_terminal(Kind.MENTION, status) else set()

    assert everything == goes(status, LONG)
    assert set() == goes(status, LONG, keep=Keep())


def test_parts_go_one_after_another() -> None:
    """On the day, and not before."""
    ages = {1: {Part.LOGS}, 10: {Part.LOGS, Part.POSTS}, 30: set(Part)}

    for days, parts in ages.items():
        assert parts == goes(Status.REPLIED, timedelta(days=days))
        assert parts > goes(Status.REPLIED, timedelta(days=days) - timedelta.resolution)


def test_what_was_skipped_may_go_sooner() -> None:
    """As any other where nothing is said of it."""
    week = timedelta(days=8)
    alike = Keep(history=timedelta(days=30))

    assert Part.HISTORY in goes(Status.SKIPPED, week)
    assert Part.HISTORY not in goes(Status.BUILD_FAILED, week)
    assert set() == goes(Status.SKIPPED, week, keep=alike)
    assert {Part.HISTORY} == goes(Status.SKIPPED, timedelta(days=30), keep=alike)
    assert set() == goes(Status.REPLIED, LONG, keep=Keep(skipped=week))


@pytest.mark.parametrize("hold", Hold)
def test_each_hold_keeps_the_history(hold: Hold) -> None:
    """And the parts that its row names; logs are held back by nothing."""
    kept = {part for part in Part if hold in HELD_BACK[part]}

    assert set(Part) - kept == goes(Status.REPLIED, LONG, hold)
    assert Part.HISTORY in kept
    assert Part.LOGS not in kept


def test_a_history_is_kept_as_long_as_answers_are_looked_at() -> None:
    """Whatever somebody sets."""
    keep = Keep(history=timedelta(hours=1))

    assert set() == goes(Status.REPLIED, LEAST_HISTORY - timedelta.resolution, keep=keep)
    assert {Part.HISTORY} == goes(Status.REPLIED, LEAST_HISTORY, keep=keep)


def test_the_shortest_time_is_known() -> None:
    """Nothing younger need be looked at."""
    assert timedelta(days=1) == KEEP.shortest
    assert Keep().shortest is None
