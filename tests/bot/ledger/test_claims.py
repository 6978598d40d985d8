"""The lane's side: one live claim, fenced by its id; every call repeated gets the answer of the first."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import pytest

from bot.clock import Clock
from bot.errors import ClaimLost
from bot.ledger.claims import LanePolicy
from bot.ledger.ledger import Ledger, LedgerPolicy
from guardrails.access import Action
from guardrails.documents import ClaimId
from guardrails.errors import NotAllowed
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, CheckReport
from tests.bot.ledger.steps import (
    building,
    claim,
    claim_id_of,
    done,
    ended,
    new_claim_id,
    now_of,
    pending,
    received,
    travel,
)
from tests.ledger_fixtures import OpenLedger
from tests.mentions import BOT, LANE, OPERATOR, OTHER_LANE, VIEWER

BUNDLE = {"index.html": b"<h1>1</h1>", "app.js": b"1"}


def test_a_claim_gives_the_lane_what_it_needs(ledger: Ledger) -> None:
    """The oldest document, an unguessable slug, a version, a lease, an attempt that is written down."""
    document = pending(ledger)
    claimed = claim(ledger)
    now, after = ledger.db.time(), claimed.document
    (attempt,) = ledger.queries.attempts(document.id)

    assert (Status.BUILDING, 1, 1, LANE.device) == (after.status, after.attempt, claimed.version, after.claim_device)
    assert claimed.slug.startswith("make-me-a-tip-splitter-")
    assert after.lease_until is not None
    assert timedelta(seconds=100) < after.lease_until - now <= timedelta(seconds=120)
    assert (after.claim_id, "template", None) == (attempt.claim_id, attempt.generator, attempt.outcome)


def test_there_may_be_nothing_to_do(ledger: Ledger) -> None:
    """Nothing pending, or nothing that is not under a live lease."""
    assert ledger.claims.claim_next(LANE, new_claim_id(), "template") is None
    received(ledger, "3kreceived")
    building(ledger)

    assert ledger.claims.claim_next(LANE, new_claim_id(), "template") is None


def test_the_oldest_is_taken_first(ledger: Ledger) -> None:
    """In the order in which they came."""
    ids = [pending(ledger, rkey).id for rkey in ("3kc", "3ka", "3kb")]

    assert ids == [claim(ledger).document.id for _ in ids]


@pytest.mark.parametrize("caller", [BOT, OPERATOR, VIEWER])
def test_only_a_lane_claims(ledger: Ledger, caller: object) -> None:
    """Whatever else the token is good for."""
    pending(ledger)

    with pytest.raises(NotAllowed):
        ledger.claims.claim_next(caller, new_claim_id(), "template")  # type: ignore[arg-type]


def test_the_same_claim_again_is_the_same_answer(ledger: Ledger) -> None:
    """A lost answer costs no second document and no second attempt."""
    pending(ledger, "3kother")
    first = building(ledger)

    assert first == claim(ledger, LANE, claim_id_of(first))
    assert 1 == now_of(ledger, first.document).attempt
    with pytest.raises(NotAllowed):
        claim(ledger, OTHER_LANE, claim_id_of(first))


def test_a_claim_that_is_over_is_not_given_again(ledger: Ledger) -> None:
    """Its id was used; another would be another attempt."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RELEASED))

    with pytest.raises(ClaimLost):
        claim(ledger, LANE, claim_id_of(first))


def test_a_heartbeat_renews_the_lease(ledger: Ledger, ledger_clock: Clock) -> None:
    """And carries the step; it is no move."""
    first = building(ledger)
    seq = ledger.feed.last()
    travel(ledger_clock, seconds=100)
    until = ledger.claims.heartbeat(LANE, claim_id_of(first), "checking")
    now = now_of(ledger, first.document)

    assert (until, "checking", first.document.version) == (now.lease_until, now.step, now.version)
    assert until - ledger.db.time() > timedelta(seconds=100)
    assert seq == ledger.feed.last()


def test_the_end_of_a_lease_only_permits_a_takeover(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nobody came: a heartbeat or a report under the standing claim still counts."""
    first = building(ledger)
    travel(ledger_clock, hours=2)

    assert ledger.claims.heartbeat(LANE, claim_id_of(first), "generating") > ledger.db.time()
    travel(ledger_clock, hours=2)
    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(first), done())


CALLS: dict[str, Callable[[Ledger, ClaimId], object]] = {
    "heartbeat": lambda ledger, claim_id: ledger.claims.heartbeat(LANE, claim_id, "generating"),
    "standing": lambda ledger, claim_id: ledger.claims.standing(LANE, Action.UPLOAD, claim_id),
    "upload": lambda ledger, claim_id: ledger.hosting.store(LANE, claim_id, "b" * 64, BUNDLE),
    "report": lambda ledger, claim_id: ledger.claims.report(LANE, claim_id, done()),
    "claim": lambda ledger, claim_id: ledger.claims.claim_next(LANE, claim_id, "template"),
}


def test_a_claim_that_was_taken_over_is_lost_to_every_call(ledger: Ledger, ledger_clock: Clock) -> None:
    """Also when the same lane took over itself: the claim id is the fence."""
    old = building(ledger)
    travel(ledger_clock, minutes=3)
    new = claim(ledger)
    for call in CALLS.values():
        with pytest.raises(ClaimLost):
            call(ledger, claim_id_of(old))
    now = now_of(ledger, new.document)

    assert new.document == now
    assert (2, old.slug, Reason.LEASE_OVER, 1) == (new.version, new.slug, now.reason, now.failures)
    assert ["lost", None] == [a.outcome for a in ledger.queries.attempts(now.id)]
    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(new), done())


@pytest.mark.parametrize("name", [name for name in CALLS if name != "claim"])
def test_a_claim_is_its_own_devices(ledger: Ledger, name: str) -> None:
    """Another lane cannot end it, and an id that was never made is no claim."""
    first = building(ledger)
    elsewhere: dict[str, Callable[[], object]] = {
        "heartbeat": lambda: ledger.claims.heartbeat(OTHER_LANE, claim_id_of(first), "generating"),
        "standing": lambda: ledger.claims.standing(OTHER_LANE, Action.UPLOAD, claim_id_of(first)),
        "upload": lambda: ledger.hosting.store(OTHER_LANE, claim_id_of(first), "b" * 64, BUNDLE),
        "report": lambda: ledger.claims.report(OTHER_LANE, claim_id_of(first), done()),
    }
    with pytest.raises(NotAllowed):
        elsewhere[name]()
    with pytest.raises(ClaimLost):
        CALLS[name](ledger, new_claim_id())


def test_a_report_again_is_the_same_answer_and_another_is_lost(ledger: Ledger) -> None:
    """Only a report of the same words is a repeat."""
    first = building(ledger)
    report = done(tokens_in=7, cost_micros=1500)

    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(first), report)
    seq = ledger.feed.last()
    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(first), report)
    with pytest.raises(ClaimLost):
        ledger.claims.report(LANE, claim_id_of(first), done(tokens_in=8))
    with pytest.raises((ClaimLost, NotAllowed)):
        ledger.claims.report(OTHER_LANE, claim_id_of(first), report)
    assert seq == ledger.feed.last()


def test_a_repeat_after_a_takeover_is_answered_too(ledger: Ledger) -> None:
    """What the lane is told is how its own attempt ended, whatever has happened since."""
    first = building(ledger)
    report = ended(BuildOutcome.RELEASED)
    ledger.claims.report(LANE, claim_id_of(first), report)
    claim(ledger, OTHER_LANE)

    assert Status.BUILDING is ledger.claims.report(LANE, claim_id_of(first), report)


def test_a_finished_build_is_stored_with_its_attempt(ledger: Ledger) -> None:
    """What the reply is written from, what it cost, what the checks found."""
    first = building(ledger)
    checks = (CheckReport(check="files", passed=False, findings=("too large",)),)
    ledger.claims.report(LANE, claim_id_of(first), done(checks=checks, model="m", tokens_out=2**40, log_tail="end"))
    document = now_of(ledger, first.document)
    (attempt,) = ledger.queries.attempts(document.id)
    app = ledger.hosting.app(first.slug)

    assert document.result is not None
    assert ("Tip splitter", "a" * 64) == (document.result.title, document.result.sha256)
    assert ("done", "m", 2**40, "end") == (attempt.outcome, attempt.model, attempt.tokens_out, attempt.log_tail)
    assert [check.model_dump(mode="json") for check in checks] == attempt.checks
    assert app is not None
    assert (1, document.id) == (app.live_version, app.document_id)


def test_a_refusal_fails_the_build_at_once(ledger: Ledger) -> None:
    """With the reason that its asker is told."""
    first = building(ledger)
    status = ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.REFUSED, reason="no template fits"))
    now = now_of(ledger, first.document)

    assert (Status.BUILD_FAILED, Status.BUILD_FAILED) == (status, now.status)
    assert (Reason.BUILD_REFUSED, "no template fits", 0) == (now.reason, now.detail, now.failures)


def test_what_is_released_can_be_claimed_at_once(ledger: Ledger) -> None:
    """By anybody; it spends no budget."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RELEASED, detail="stopping"))
    second = claim(ledger, OTHER_LANE)

    assert (first.slug, 2, 0) == (second.slug, second.version, second.document.failures)
    assert Reason.CLAIMED is second.document.reason


def test_what_is_to_be_retried_later_waits_as_long(ledger: Ledger, ledger_clock: Clock) -> None:
    """As the lane said; it spends no budget either."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RETRY_LATER, after_seconds=600))

    travel(ledger_clock, seconds=590)
    assert ledger.claims.claim_next(LANE, new_claim_id(), "template") is None
    travel(ledger_clock, seconds=20)
    assert (2, 0) == ((second := claim(ledger)).version, second.document.failures)


def test_a_broken_build_waits_longer_each_time_and_fails_at_the_third(ledger: Ledger, ledger_clock: Clock) -> None:
    """Three failures are the budget; the wait doubles."""
    building(ledger)
    waits = []
    for _ in range(2):
        now = ledger.queries.newest(1)[0]
        ledger.claims.report(LANE, ClaimId(str(now.claim_id)), ended(BuildOutcome.BROKEN, detail="crash"))
        until = now_of(ledger, now).not_before
        assert until is not None
        waits.append(round((until - ledger.db.time()).total_seconds(), -1))
        assert ledger.claims.claim_next(LANE, new_claim_id(), "template") is None
        travel(ledger_clock, minutes=5)
        claim(ledger)
    last = ledger.queries.newest(1)[0]
    status = ledger.claims.report(LANE, ClaimId(str(last.claim_id)), ended(BuildOutcome.BROKEN, detail="crash"))

    assert [30, 60] == waits
    assert (Status.BUILD_FAILED, 3) == (status, now_of(ledger, last).failures)
    assert Reason.OUT_OF_TRIES is now_of(ledger, last).reason


def test_lanes_that_vanish_spend_the_budget(ledger: Ledger, ledger_clock: Clock) -> None:
    """After the third lapsed lease the next lane finds nothing to claim, and the build has failed."""
    lost = pending(ledger)
    for _ in range(3):
        claim(ledger)
        travel(ledger_clock, minutes=3)
    waiting = pending(ledger, "3kwaiting")

    assert waiting.id == claim(ledger).document.id
    now = now_of(ledger, lost)
    assert (Status.BUILD_FAILED, Reason.OUT_OF_TRIES, 3, 3) == (now.status, now.reason, now.failures, now.attempt)
    assert ["lost", "lost", "lost"] == [a.outcome for a in ledger.queries.attempts(now.id)]


def test_nothing_is_claimed_past_its_build_by(ledger: Ledger, ledger_clock: Clock) -> None:
    """Although nobody has expired it yet."""
    pending(ledger)
    travel(ledger_clock, hours=25)

    assert ledger.claims.claim_next(LANE, new_claim_id(), "template") is None


def test_the_cap_of_a_day_is_a_cap(open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """Tomorrow there is room again; a repeat takes no second place."""
    ledger = open_test_ledger(LedgerPolicy(lane=LanePolicy(builds_per_day=2)))
    ledger_clock.shift = datetime.combine(ledger.db.time(), time(12), UTC) - ledger.db.time()
    for rkey in ("3ka", "3kb", "3kc"):
        pending(ledger, rkey)
    claim(ledger)
    second = claim(ledger)

    assert ledger.claims.claim_next(LANE, new_claim_id(), "template") is None
    assert second == claim(ledger, LANE, claim_id_of(second))
    travel(ledger_clock, hours=13)
    claim(ledger)


def test_a_full_day_leaves_a_lapsed_claim_standing(open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """Nobody took it over, so its attempt is not lost and its report still counts."""
    ledger = open_test_ledger(LedgerPolicy(lane=LanePolicy(builds_per_day=1)))
    first = building(ledger)
    travel(ledger_clock, minutes=3)

    assert ledger.claims.claim_next(OTHER_LANE, new_claim_id(), "template") is None
    assert [None] == [attempt.ended_at for attempt in ledger.queries.attempts(first.document.id)]
    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(first), done())


def test_an_upload_again_is_the_same_bundle(ledger: Ledger) -> None:
    """And another one under the same claim takes its place; it is seen once it is reported done."""
    first = building(ledger)
    claim_id = claim_id_of(first)
    assert ledger.hosting.uploaded_sha256(claim_id) is None
    ledger.hosting.store(LANE, claim_id, "a" * 64, BUNDLE)
    ledger.hosting.store(LANE, claim_id, "a" * 64, BUNDLE)
    ledger.hosting.store(LANE, claim_id, "b" * 64, {"index.html": b"<h1>2</h1>"})
    file = ledger.hosting.file(first.slug, 1, "index.html")
    app = ledger.hosting.app(first.slug)

    assert "b" * 64 == ledger.hosting.uploaded_sha256(claim_id)
    assert file is not None
    assert (b"<h1>2</h1>", None) == (file.content, ledger.hosting.file(first.slug, 1, "app.js"))
    assert app is not None
    assert (None, "") == (app.live_version, app.title)


def test_a_version_that_is_live_is_never_replaced(ledger: Ledger, ledger_clock: Clock) -> None:
    """A second build has a version of its own."""
    first = building(ledger)
    ledger.hosting.store(LANE, claim_id_of(first), "a" * 64, BUNDLE)
    ledger.claims.report(LANE, claim_id_of(first), done())

    with pytest.raises(ClaimLost):
        ledger.hosting.store(LANE, claim_id_of(first), "b" * 64, {"index.html": b"other"})
    file = ledger.hosting.file(first.slug, 1, "index.html")
    assert file is not None
    assert BUNDLE["index.html"] == file.content


def test_no_slug_no_app(ledger: Ledger) -> None:
    """A guess finds nothing."""
    assert ledger.hosting.app("app-222222222222") is None
    assert ledger.hosting.file("app-222222222222", 1, "index.html") is None


def test_money_and_places_are_counted(ledger: Ledger) -> None:
    """One place for each claim, the cost of each report once."""
    for rkey in ("3ka", "3kb"):
        report = done(cost_micros=2**40)
        claimed = building(ledger, rkey)
        ledger.claims.report(LANE, claim_id_of(claimed), report)
        ledger.claims.report(LANE, claim_id_of(claimed), report)
    with ledger.db.read() as connection:
        ((n, cost),) = connection.exec_driver_sql("SELECT n, cost_micros FROM usage WHERE scope = 'builds'").all()

    assert (2, 2**41) == (n, cost)
