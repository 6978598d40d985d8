"""What the schedule deals."""

import pytest

from tests.soak.faults import CallKind, Fault, Schedule, kind_of

ALWAYS = dict.fromkeys(CallKind, 1.0)


def dealt(schedule: Schedule, calls: int, kind: CallKind = CallKind.WRITE) -> list[Fault | None]:
    return [schedule.deal(kind, number) for number in range(calls)]


def test_a_seed_deals_the_same_again() -> None:
    """And another seed something else."""
    first, again, other = (dealt(Schedule(seed, in_a_row=4), 50) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_seven_faults_are_all_the_kinds_there_are() -> None:
    """So that a short run meets each of them."""
    schedule = Schedule(1, in_a_row=4, shares=ALWAYS)

    assert set(Fault) == set(dealt(schedule, 7))
    assert [] == schedule.missing(CallKind.WRITE)
    assert list(Fault) == schedule.missing(CallKind.READ)


def test_rate_limits_are_dealt_where_they_are_wanted() -> None:
    """One that a read meets is that of all calls."""
    schedule = Schedule(1, in_a_row=4, shares=ALWAYS, limits=[CallKind.WRITE])
    dealt(schedule, 20, CallKind.READ)
    dealt(schedule, 20, CallKind.WRITE)

    assert [Fault.RATE_LIMIT] == schedule.missing(CallKind.READ)
    assert [] == schedule.missing(CallKind.WRITE)


def test_a_row_of_faults_ends() -> None:
    """A call with the same key gets through after so many, and the next row begins."""
    schedule = Schedule(1, in_a_row=2, shares=ALWAYS)
    spoiled = [schedule.deal(CallKind.WRITE, "3k") is not None for _ in range(5)]

    assert [True, True, False, True, True] == spoiled
    assert (4, 5) == (schedule.faults, schedule.calls[CallKind.WRITE])


@pytest.mark.parametrize(
    ("nsid", "kind"),
    [
        ("com.atproto.repo.putRecord", CallKind.WRITE),
        ("com.atproto.server.createSession", CallKind.LOGIN),
        ("com.atproto.repo.getRecord", CallKind.READ),
        ("app.bsky.feed.getPosts", CallKind.LOOK),
        ("app.bsky.notification.updateSeen", CallKind.READ),
    ],
)
def test_what_a_call_is_for(nsid: str, kind: CallKind) -> None:
    """Writes are spoiled most, logins least."""
    assert kind is kind_of(nsid)
