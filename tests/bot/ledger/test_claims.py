"""The lane's side: one live claim, fenced by its id; every call repeated gets the answer of the first."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import ClaimLost
from bot.ledger.ledger import Ledger
from guardrails.access import Action
from guardrails.documents import ClaimId
from guardrails.errors import NotAllowed
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    building,
    claim,
    claim_id_of,
    claim_next,
    done,
    ended,
    new_claim_id,
    now_of,
    pending,
    received,
    travel,
)
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
    assert claim_next(ledger) is None
    received(ledger, "3kreceived")
    building(ledger)

    assert claim_next(ledger) is None


def test_the_oldest_is_taken_first(ledger: Ledger) -> None:
    """In the order in which they came."""
    ids = [pending(ledger, rkey).id for rkey in ("3kc", "3ka", "3kb")]

    assert ids == [claim(ledger).document.id for _ in ids]


@pytest.mark.parametrize("caller", [BOT, OPERATOR, VIEWER])
def test_only_a_lane_claims(ledger: Ledger, caller: object) -> None:
    """Whatever else the token is good for."""
    pending(ledger)

    with pytest.raises(NotAllowed):
        claim_next(ledger, caller)  # type: ignore[arg-type]


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
    "claim": lambda ledger, claim_id: claim_next(ledger, LANE, claim_id),
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


def test_nothing_is_claimed_past_its_build_by(ledger: Ledger, ledger_clock: Clock) -> None:
    """Although nobody has expired it yet."""
    pending(ledger)
    travel(ledger_clock, hours=25)

    assert claim_next(ledger) is None


def test_an_upload_again_is_the_same_bundle(ledger: Ledger) -> None:
    """And another one under the same claim takes its place; it is seen once it is reported done."""
    first = building(ledger)
    claim_id = claim_id_of(first)
    assert ledger.hosting.uploaded(claim_id).sha256 is None
    ledger.hosting.store(LANE, claim_id, "a" * 64, BUNDLE)
    ledger.hosting.store(LANE, claim_id, "a" * 64, BUNDLE)
    ledger.hosting.store(LANE, claim_id, "b" * 64, {"index.html": b"<h1>2</h1>"})
    file = ledger.hosting.file(first.slug, 1, "index.html")
    app = ledger.hosting.app(first.slug)

    assert "b" * 64 == ledger.hosting.uploaded(claim_id).sha256
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
