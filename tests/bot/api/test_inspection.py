"""What a lane built is judged at its report, by the bot's own rules and the moderation service."""

from typing import Any

import pytest

from bot.api.inspection import MOST_TEXT
from bot.ledger.views import Document
from guardrails.documents import Slug
from guardrails.facts import Label, Look, Moderated, Profile
from guardrails.outlook import Outlook, View
from guardrails.transitions import Reason, Status
from tests.bot.api.lanes import APPS_URL, CLAIM_ID, House, Lane, refusal
from tests.bot.stage import PAGE, Stage, zipped
from tests.documents import newest
from tests.mentions import ALICE, OUR_DID
from tests.scenarios.pictures import screenshot

BUNDLE, PICTURE = zipped(PAGE), screenshot()
SERVICE = {"url": "http://127.0.0.1:1", "hold": ["violence"]}


def with_bundle(lane: Lane, bundle: bytes = BUNDLE) -> Lane:
    """The lane with a claim to the oldest ask, and its bundle uploaded."""
    lane.claim()
    assert 200 == lane.upload(bundle).status_code
    return lane


def only(stage: Stage) -> Document:
    (document,) = newest(stage.ledger, 2)
    return document


def labelled(*labels: tuple[str, str]) -> dict[str, Any]:
    """Facts of a look that showed these labels on the author."""
    author = Profile(did=ALICE, labels=tuple(Label(src=src, val=val) for src, val in labels))  # type: ignore[arg-type]
    return {"look": Look(outlook=Outlook(View.OPEN), author=author)}


def screen(stage: Stage) -> bytes | None:
    return stage.ledger.sightings.screen(Slug("app-1"), 1)


@pytest.mark.parametrize(
    ("told", "page"),
    [
        ({"title": "PayPal login"}, "<p>a timer"),
        ({"description": "Type your PayPal password to go on"}, "<p>a timer"),
        ({}, "<h1>PayPal</h1><p>Sign in<input placeholder='Your password'>"),
        ({}, "<script>document.body.append('Sign in to your PayPal account')</script>"),
        ({}, "<h1><span>Pay</span><span>Pal</span></h1><h2>Log in</h2>"),
        ({}, "<p>Lo<b>g</b>in to Pay<i>Pal</i> with your pass<b>word</b></p>"),
        ({}, "<h1>PayPal<i>log</i><b>in</b></h1>"),
        ({}, "<style>h1::before{content:'PayPal log in'}</style><h1></h1>"),
        ({}, "<button onclick=\"document.body.innerHTML='PayPal log in'\">x</button>"),
        ({}, "<script>document.title='PayPal'; f('login');</script>"),
    ],
)
def test_an_app_that_the_rules_refuse_is_not_shown(lane: Lane, stage: Stage, told: dict[str, str], page: str) -> None:
    """By its title, its description, its page or what its script says; why is for operators, and it is final."""
    stage.ask()
    bundle = zipped({"index.html": page.encode()})
    with_bundle(lane, bundle)

    assert "build-failed" == lane.done(bundle, **told).json()["status"]
    assert "build-failed" == lane.done(bundle, **told).json()["status"]

    document = only(stage)
    assert (Status.BUILD_FAILED, Reason.REFUSED_BY_RULES, None) == (document.status, document.reason, document.result)
    assert "paypal" in document.detail
    assert None is getattr(stage.ledger.hosting.app("app-1"), "live_version", 0)


def test_an_operators_words_count_as_they_are_at_the_report(lane: Lane, stage: Stage, house: House) -> None:
    """They may have been added while the lane built."""
    stage.ask()
    with_bundle(lane)
    house.goes_by(fit={"words": ["tick"]})

    assert "build-failed" == lane.done(BUNDLE).json()["status"]


def test_a_report_that_came_twice_has_one_answer(lane: Lane, stage: Stage, house: House) -> None:
    """Whatever the rules have become since the first."""
    stage.ask()
    with_bundle(lane)
    assert "built" == lane.done(BUNDLE).json()["status"]
    house.goes_by(fit={"words": ["tick"]})

    assert "built" == lane.done(BUNDLE).json()["status"]


def test_what_is_reported_as_broken_is_not_judged(lane: Lane, stage: Stage, house: House) -> None:
    """There is nothing that anybody would see."""
    house.goes_by(moderation=SERVICE)
    stage.ask()
    lane.claim()

    assert "building" == lane.report("broken", detail="a porn quiz").json()["status"]
    assert [] == house.asked


def test_the_service_is_asked_about_everything_that_is_read(lane: Lane, stage: Stage, house: House) -> None:
    """In one question; about no picture, where it takes none."""
    house.goes_by(moderation=SERVICE)
    stage.ask()
    with_bundle(lane).show(PICTURE)

    assert "built" == lane.done(BUNDLE, description="25/5").json()["status"]
    assert [("Pomodoro\n25/5\nTimer\ntick", None)] == house.asked


def test_what_the_service_flags_is_not_shown(lane: Lane, stage: Stage, house: House) -> None:
    """The category is for operators."""
    house.goes_by(moderation=SERVICE)
    house.says = Moderated(categories=("hate", "violence"))
    stage.ask()

    assert "build-failed" == with_bundle(lane).done(BUNDLE).json()["status"]
    assert (Reason.REFUSED_BY_RULES, "the moderation service flags hate, violence") == (
        only(stage).reason,
        only(stage).detail,
    )


def test_what_the_service_leaves_to_a_person_is_built_and_held(lane: Lane, stage: Stage, house: House) -> None:
    """The reply waits for an operator; with nobody to decide it is refused."""
    house.says = Moderated(categories=("violence",))
    house.goes_by(moderation=SERVICE)
    stage.ask()
    assert "built" == with_bundle(lane).done(BUNDLE).json()["status"]
    assert "the moderation service flags violence" == only(stage).reply_held
    assert [] == stage.ledger.queries.ready_to_answer(5)

    house.goes_by(moderation=SERVICE, approval={"policy": "none"})
    stage.ask("another timer")
    lane.claim("claim-of-the-first-lane-0002")
    lane.upload(BUNDLE, "claim-of-the-first-lane-0002")
    answer = lane.done(BUNDLE, "claim-of-the-first-lane-0002", address=f"{APPS_URL}/app-2")
    assert "build-failed" == answer.json()["status"]


def test_a_service_that_does_not_answer_decides_nothing(lane: Lane, stage: Stage, house: House) -> None:
    """The lane is told to come again; nothing is published meanwhile, and nothing is lost."""
    house.goes_by(moderation=SERVICE)
    house.says = None
    stage.ask()
    with_bundle(lane)

    away = lane.done(BUNDLE)
    assert ((503, "unavailable"), "15") == (refusal(away), away.headers["Retry-After"])
    assert (Status.BUILDING, CLAIM_ID) == (only(stage).status, only(stage).claim_id)

    house.says = Moderated()
    assert "built" == lane.done(BUNDLE).json()["status"]


def test_more_text_than_can_be_judged_is_for_a_person(lane: Lane, stage: Stage) -> None:
    """It is neither let through nor refused; a refused word at its beginning still counts."""
    stage.ask()
    bundle = zipped({"index.html": PAGE["index.html"], "words.txt": b"word " * (MOST_TEXT // 5)})

    assert "built" == with_bundle(lane, bundle).done(bundle).json()["status"]
    assert "too many to be judged" in (only(stage).reply_held or "")


def test_a_picture_is_shown_to_the_service_that_takes_them(lane: Lane, stage: Stage, house: House) -> None:
    """As the JPEG that would go out; then even a new author's app is pictured."""
    house.goes_by(moderation=SERVICE | {"images": True})
    stage.ask(known={"first_time": True})
    with_bundle(lane).show(PICTURE)
    lane.done(BUNDLE)

    ((_, image),) = house.asked
    assert image is not None
    assert image.startswith(b"\xff\xd8\xff")
    assert PICTURE == screen(stage)


def test_a_picture_that_nobody_looked_at_does_not_go_out(lane: Lane, stage: Stage, house: House) -> None:
    """Another one that was sent while the service looked is let go of."""
    house.goes_by(moderation=SERVICE | {"images": True})
    house.meanwhile = lambda: lane.show(screenshot((800, 600)))
    stage.ask()
    with_bundle(lane).show(PICTURE)

    assert "built" == lane.done(BUNDLE).json()["status"]
    assert screen(stage) is None


@pytest.mark.parametrize(
    ("known", "is_kept"),
    [
        ({}, True),
        ({"first_time": True}, False),
        (labelled((OUR_DID, "rude")), False),
        (labelled((ALICE, "bot"), (ALICE, "!no-unauthenticated")), True),
        ({"look": Look(outlook=Outlook(View.OPEN), post_labels=(Label(src=OUR_DID, val="porn"),))}, False),
    ],
)
def test_without_such_a_service_few_apps_are_pictured(
    lane: Lane, stage: Stage, known: dict[str, Any], is_kept: bool
) -> None:
    """Not a new author's, nor where a label stands; the lane's call is answered alike."""
    stage.ask(known=known)
    lane.claim()

    assert 200 == lane.show(PICTURE).status_code
    assert (PICTURE if is_kept else None) == screen(stage)


def test_a_labelled_ask_is_never_pictured(lane: Lane, stage: Stage, house: House) -> None:
    """Not even where the service takes pictures."""
    house.goes_by(moderation=SERVICE | {"images": True})
    stage.ask(known=labelled((OUR_DID, "rude")))
    lane.claim()
    lane.show(PICTURE)

    assert screen(stage) is None
