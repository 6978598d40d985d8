import pytest

from tests.bot.api.lanes import APPS_URL, Lane, refusal
from tests.bot.stage import PAGE, Stage, zipped
from tests.documents import newest

BUNDLE = zipped(PAGE)
ELSEWHERE = "https://pages.example/lane/app-1/1/index.html"


@pytest.fixture
def claimed(lane: Lane, stage: Stage) -> Lane:
    """A lane that holds a claim and has uploaded its bundle."""
    stage.ask()
    lane.claim()
    lane.upload(BUNDLE)
    return lane


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/app-1",
        f"{APPS_URL}.evil.example/app-1",
        f"{APPS_URL}/../app-1",
        f"{APPS_URL}/%2e%2e/app-1",
        f"{APPS_URL}\\app-1",
        "javascript:alert(1)",
        "",
    ],
)
def test_an_address_outside_the_prefix_is_refused(claimed: Lane, address: str) -> None:
    """A device may only send people where it may publish."""
    assert (403, "not_allowed") == refusal(claimed.done(BUNDLE, address=address))


def test_an_address_of_another_app_is_refused(claimed: Lane) -> None:
    """Within the apps, only the address that came with the claim."""
    assert (422, "invalid") == refusal(claimed.done(BUNDLE, address=f"{APPS_URL}/app-2"))
    assert (422, "invalid") == refusal(claimed.done(BUNDLE, address=f"{APPS_URL}/app-1?x"))


def test_a_bundle_that_was_not_uploaded_is_refused(claimed: Lane) -> None:
    """What was checked and what people get is the same thing."""
    assert (422, "invalid") == refusal(claimed.done(BUNDLE, sha256="0" * 64))
    assert (422, "invalid") == refusal(claimed.done(BUNDLE, sha256=None))


def test_nothing_uploaded_is_nothing_done(lane: Lane, stage: Stage) -> None:
    """A report alone makes no app."""
    stage.ask()
    lane.claim()

    assert (422, "invalid") == refusal(lane.done(BUNDLE))


@pytest.fixture
def elsewhere(lane: Lane, stage: Stage) -> Lane:
    """A lane with a claim that publishes under a prefix of its own."""
    stage.ask()
    elsewhere = lane.other("pages-token", prefix="https://pages.example/lane")
    elsewhere.claim()
    return elsewhere


def test_an_app_that_lives_elsewhere_has_a_page_here(elsewhere: Lane, stage: Stage) -> None:
    """The reply links to our page; where the app is stands beside it. The same report again gets the same answer."""
    elsewhere.upload(BUNDLE)
    answers = [elsewhere.done(BUNDLE, address=ELSEWHERE) for _ in range(2)]
    [document] = newest(stage.ledger, 1)

    assert ["built"] * 2 == [answer.json()["status"] for answer in answers]
    assert f"{APPS_URL}/app-1" == getattr(document.result, "address", None)
    assert ELSEWHERE == getattr(stage.ledger.hosting.app("app-1"), "address", None)
    assert (409, "claim_lost") == refusal(elsewhere.done(BUNDLE, address=ELSEWHERE.replace("/lane/", "/lane/x/")))


def test_an_app_that_lives_elsewhere_is_uploaded_too(elsewhere: Lane) -> None:
    """Its text is judged here and its source is shown here, so the very bundle has to be here."""
    assert (422, "invalid") == refusal(elsewhere.done(BUNDLE, address=ELSEWHERE))

    elsewhere.upload(zipped({"index.html": b"another"}))

    assert (422, "invalid") == refusal(elsewhere.done(BUNDLE, address=ELSEWHERE))


@pytest.mark.parametrize(
    "address",
    [
        "https://pages.example/lane/app-2/1/index.html",
        "https://pages.example/lane/app-1/2/index.html",
        "https://pages.example/lane/app-1/1/other.html",
        "https://pages.example/lane/app-1/1/index.html?x",
        "https://pages.example/lane/app-1/1/index.html#x",
    ],
)
def test_an_address_elsewhere_names_slug_and_version(elsewhere: Lane, address: str) -> None:
    """A lane puts no app into the page of another, nor changes a version behind its page."""
    elsewhere.upload(BUNDLE)

    assert (422, "invalid") == refusal(elsewhere.done(BUNDLE, address=address))


def test_a_wide_prefix_does_not_open_the_apps_host(lane: Lane, stage: Stage) -> None:
    """An address on an app's own host is one of ours as well, however the device's prefix reads."""
    stage.ask()
    wide = lane.other("wide-token", prefix="http://")
    wide.claim()

    assert (422, "invalid") == refusal(wide.done(BUNDLE, address="http://app-1.localhost:8100/"))


def test_texts_of_a_lane_are_cleaned_and_cut(claimed: Lane, stage: Stage) -> None:
    """Neither a line break nor a hidden character of a title reaches a reply, and no cluster is cut in two."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    claimed.done(BUNDLE, title="Timer\n\u202eevil", description=family * 60)

    [document] = newest(stage.ledger, 1)
    assert document.result is not None
    assert "Timer evil" == document.result.title
    assert family * 60 == document.result.description


def test_a_title_of_nothing_is_refused(claimed: Lane) -> None:
    """What is left after the cleaning counts."""
    assert (422, "invalid") == refusal(claimed.done(BUNDLE, title="\u200b \u202e"))
