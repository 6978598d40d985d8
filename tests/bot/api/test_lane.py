from datetime import timedelta

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.ledger.conditions import PURSE
from guardrails.access import Role
from guardrails.documents import AtUri, Context, Slug, StrongRef
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.bot.api.lanes import APPS_URL, CLAIM_ID, House, Lane, refusal
from tests.bot.stage import BOT, OPERATOR, PAGE, Stage, sha256, zipped

BUNDLE = zipped(PAGE)
PNG, JPEG = b"\x89PNG\r\n\x1a\n and so on", b"\xff\xd8\xff and so on"


def test_a_lane_builds_what_was_asked(lane: Lane, stage: Stage) -> None:
    """Claim, heartbeat, upload, report: the document is built and its app is live."""
    asked = stage.ask("a pomodoro timer, 25/5")

    claim = lane.claim()
    assert (201, "a pomodoro timer, 25/5", ["en"]) == (claim.status_code, claim.json()["ask"], claim.json()["langs"])
    assert (f"{APPS_URL}/app-1", "app-1", 1, 1) == tuple(
        claim.json()[key] for key in ("address", "slug", "version", "attempt")
    )
    assert (120, 30) == (claim.json()["lease_seconds"], claim.json()["heartbeat_seconds"])
    assert 200 == lane.heartbeat(step="check").status_code
    uploaded = lane.upload(BUNDLE)
    assert (200, sha256(BUNDLE), f"{APPS_URL}/app-1") == (
        uploaded.status_code,
        uploaded.json()["sha256"],
        uploaded.json()["address"],
    )
    assert "built" == lane.done(BUNDLE).json()["status"]
    assert Status.BUILT is stage.ledger.queries.document(asked.id).status
    assert 1 == getattr(stage.ledger.hosting.app("app-1"), "live_version", None)


def test_a_claim_carries_what_the_ask_points_at(lane: Lane, stage: Stage) -> None:
    """Apart from the ask, and with whose words they are; who that is on the network is none of the lane's business."""
    post = StrongRef(uri=AtUri("at://did:plc:bob/app.bsky.feed.post/3kbob"), cid="bafybob")
    said = {"author_handle": "bob.test", "quoted": True, "text": "a dice app!", "alts": ("dice",), "card": "Dice"}
    stage.ask("build this", context=(Context.model_validate(said | {"post": post, "author_did": "did:plc:bob"}),))

    claim = lane.claim().json()

    told = {"author": "bob.test", "quoted": True, "text": "a dice app!", "alts": ["dice"], "card": "Dice"}
    assert ("build this", [told]) == (claim["ask"], claim["context"])
    assert "did:plc:bob" not in str(claim)


def test_a_long_ask_is_cut_as_the_rules_say(lane: Lane, stage: Stage, house: House) -> None:
    """The whole of it stays in the ledger."""
    house.goes_by(ask={"max_graphemes": 20})
    asked = stage.ask("a timer " * 10)

    assert "a timer a timer a t…" == lane.claim().json()["ask"]
    assert "a timer " * 10 == stage.ledger.queries.document(asked.id).mention.ask


def test_a_claim_says_what_the_build_may_cost(lane: Lane, stage: Stage, house: House) -> None:
    """By the rules as they are then."""
    house.goes_by(money={"build_usd": 0.25})
    stage.ask()

    assert 250_000 == lane.claim().json()["cost_micros"]


def test_an_empty_purse_offers_nothing_and_operators_see_it(lane: Lane, stage: Stage, house: House) -> None:
    """What a build has cost is counted in the stead of its estimate; a fuller purse, and lanes go on."""
    purse = {"estimate_usd": 0.1, "build_usd": 0.5, "author_day_usd": 0.5, "day_usd": 0.5}
    house.goes_by(money=purse)
    stage.ask()
    stage.ask("a list")
    lane.claim()
    lane.report("refused", reason="too hard", cost_micros=450_000)

    assert 204 == lane.claim("claim-of-the-first-lane-0002").status_code
    assert not stage.ledger.conditions.stands(PURSE)

    stage.ask("a wheel", author_did="did:plc:bob")
    assert 204 == lane.claim("claim-of-the-first-lane-0002").status_code
    assert stage.ledger.conditions.stands(PURSE)

    house.goes_by(money=purse | {"day_usd": 5})
    assert "a wheel" == lane.claim("claim-of-the-first-lane-0002").json()["ask"]
    assert not stage.ledger.conditions.stands(PURSE)


def test_nothing_to_do_has_no_content(lane: Lane) -> None:
    """A lane that finds nothing comes again later."""
    answer = lane.claim()

    assert (204, b"") == (answer.status_code, answer.content)


def test_paused_builds_are_offered_to_nobody(lane: Lane, stage: Stage) -> None:
    """But a claim that was made before the pause still gets its answer again, and may be finished."""
    stage.ask("a timer")
    stage.ask("a list")
    first = lane.claim().json()
    stage.ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "maintenance")

    assert 204 == lane.claim("claim-of-the-first-lane-0002").status_code
    assert (201, first["document_id"]) == (lane.claim().status_code, lane.claim().json()["document_id"])


def test_every_call_repeated_gets_its_answer_again(lane: Lane, stage: Stage) -> None:
    """A lost answer costs nothing, not even that of the report that ended the claim."""
    stage.ask()

    assert lane.claim().json() == lane.claim().json()
    assert lane.upload(BUNDLE).json() == lane.upload(BUNDLE).json()
    assert lane.done(BUNDLE).json() == lane.done(BUNDLE).json()


def test_a_heartbeat_renews_the_lease_and_tells_the_step(lane: Lane, stage: Stage) -> None:
    """So nobody else takes the document over, and people see what is being done."""
    asked = stage.ask()
    lane.claim()
    stage.clock.shift = timedelta(minutes=1)

    lane.heartbeat(step="generate")

    document = stage.ledger.queries.document(asked.id)
    assert "generate" == document.step
    assert document.lease_until is not None
    assert document.lease_until - stage.clock() > timedelta(seconds=115)


def test_a_screenshot_is_kept_under_the_claim(lane: Lane, stage: Stage) -> None:
    """The last one counts; it is no file of the app."""
    stage.ask()
    lane.claim()
    lane.upload(BUNDLE)
    answers = [lane.show(picture) for picture in (JPEG, PNG, PNG)]

    assert [(200, sha256(picture)) for picture in (JPEG, PNG, PNG)] == [
        (answer.status_code, answer.json()["sha256"]) for answer in answers
    ]
    assert PNG == stage.ledger.sightings.screen(Slug("app-1"), 1)
    assert ["index.html"] == [file.path for file in stage.ledger.hosting.files("app-1", 1)]
    assert "built" == lane.done(BUNDLE).json()["status"]


def test_each_attempt_has_a_screenshot_of_its_own(lane: Lane, stage: Stage) -> None:
    """What a broken attempt showed is not what the next one looks like."""
    stage.ask()
    lane.claim()
    lane.show(PNG)
    lane.report("broken")
    stage.clock.shift = timedelta(minutes=5)
    lane.claim("claim-of-the-first-lane-0002")

    screens = [stage.ledger.sightings.screen(Slug("app-1"), version) for version in (1, 2)]
    assert [PNG, None] == screens


def test_a_withdrawn_document_voids_the_claim(lane: Lane, stage: Stage) -> None:
    """Every later call says so, and nothing goes live."""
    asked = stage.ask()
    lane.claim()
    lane.upload(BUNDLE)
    standing = stage.ledger.queries.document(asked.id)
    stage.ledger.documents.withdraw(BOT, standing, Reason.DELETED)

    answers = [
        lane.claim(),
        lane.heartbeat(),
        lane.upload(BUNDLE),
        lane.show(PNG),
        lane.done(BUNDLE),
        lane.report("broken"),
    ]

    assert [(409, "claim_lost")] * 6 == [refusal(answer) for answer in answers]
    assert getattr(stage.ledger.hosting.app("app-1"), "live_version", 0) is None


def test_a_lane_that_was_taken_over_has_lost_its_claim(lane: Lane, stage: Stage) -> None:
    """The end of a lease permits the takeover; after it the first lane's report does not count."""
    stage.ask()
    lane.claim()
    stage.clock.shift = timedelta(minutes=3)
    second = lane.other("second-token", prefix=APPS_URL)
    second.claim("claim-of-the-second-lane-001")

    with capture_logs(processors=[merge_contextvars]) as logs:
        assert (409, "claim_lost") == refusal(lane.report("broken", detail="words"))
    assert 200 == second.heartbeat("claim-of-the-second-lane-001").status_code
    known = {"device": f"device-{lane.token}", "claim": CLAIM_ID, "outcome": "broken"}
    assert [{"event": "late_report", "log_level": "info", **known}] == logs


def test_another_lanes_claim_is_out_of_reach(lane: Lane, stage: Stage) -> None:
    """Knowing the claim's id is not enough."""
    stage.ask()
    lane.claim()
    other = lane.other("other-token", prefix=APPS_URL)

    answers = [
        other.claim(),
        other.heartbeat(),
        other.upload(BUNDLE),
        other.show(PNG),
        other.done(BUNDLE),
        other.report("released"),
    ]

    assert [(403, "not_allowed")] * 6 == [refusal(answer) for answer in answers]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_lanes_claim(lane: Lane, stage: Stage, role: Role) -> None:
    """A token of another role is good for other things."""
    stage.ask()

    assert (403, "not_allowed") == refusal(lane.other("another-token", role=role).claim())


@pytest.mark.parametrize(
    ("outcome", "status"),
    [("refused", "build-failed"), ("broken", "building"), ("retry_later", "building"), ("released", "building")],
)
def test_an_attempt_that_came_to_nothing_is_told(lane: Lane, stage: Stage, outcome: str, status: str) -> None:
    """The ledger makes a status of it."""
    stage.ask()
    lane.claim()

    assert status == lane.report(outcome, reason="no generator fits").json()["status"]


def test_claims_of_unknown_ids_are_lost(lane: Lane) -> None:
    """An id that was never claimed, and one that no lane could have minted."""
    assert (409, "claim_lost") == refusal(lane.heartbeat("never-claimed-by-anybody-0001"))
    assert (404, "no_such_claim") == refusal(lane.heartbeat("short"))
    assert (404, "no_such_claim") == refusal(lane.heartbeat("%00" + CLAIM_ID))
