"""What a lane gives as the reason of a refusal is said in public: it is judged, and leads nowhere."""

import pytest

from bot.api.reasons import unlinked
from bot.ledger.views import Document
from guardrails.facts import Moderated
from guardrails.transitions import Reason, Status
from tests.bot.api.lanes import House, Lane
from tests.bot.stage import Stage

SERVICE = {"url": "http://127.0.0.1:1", "hold": ["violence"]}
ENDLESS = r"(?:a|aa|aaa|aab?)+c"


def refused(lane: Lane, stage: Stage, reason: str, detail: str = "") -> Document:
    """The document after the lane has refused it, and said so twice."""
    document = stage.ask()
    lane.claim()
    for _ in range(2):
        assert "build-failed" == lane.report("refused", reason=reason, detail=detail).json()["status"]
    return stage.ledger.queries.document(document.id)


def test_a_reason_that_is_fit_is_told(lane: Lane, stage: Stage, house: House) -> None:
    """In the lane's words; the service is asked about it, and about nothing else."""
    house.goes_by(moderation=SERVICE)

    document = refused(lane, stage, "it needs a server")

    assert (Status.BUILD_FAILED, Reason.BUILD_REFUSED, "it needs a server") == (
        document.status,
        document.reason,
        document.detail,
    )
    assert ("it needs a server", None) == house.asked[0]


@pytest.mark.parametrize("reason", ["a porn game is not for me", "first sign in at PayPal", "a" * 200])
def test_a_reason_that_is_not_fit_is_kept_for_operators(lane: Lane, stage: Stage, house: House, reason: str) -> None:
    """Or that could not be judged: the asker gets the neutral line, and the attempt keeps the words."""
    house.goes_by(fit={"patterns": [ENDLESS]})

    document = refused(lane, stage, reason, "step 3")

    assert (Reason.BUILD_REFUSED, "") == (document.reason, document.detail)
    (attempt,) = stage.ledger.queries.attempts(document.id)
    assert f"{reason}\nstep 3" == attempt.detail


@pytest.mark.parametrize("says", [None, Moderated(categories=("violence",)), Moderated(categories=("hate",))])
def test_a_reason_that_the_service_does_not_pass_is_not_told(
    lane: Lane, stage: Stage, house: House, says: Moderated | None
) -> None:
    """Not where it would be for a person either, nor while the service does not answer."""
    house.goes_by(moderation=SERVICE)
    house.says = says

    assert "" == refused(lane, stage, "it needs a server").detail


def test_a_refusal_without_a_reason_asks_nobody(lane: Lane, stage: Stage, house: House) -> None:
    """There is nothing to be said."""
    house.goes_by(moderation=SERVICE)

    assert "" == refused(lane, stage, "").detail
    assert [] == house.asked


def test_links_and_mentions_are_taken_out(lane: Lane, stage: Stage) -> None:
    """Before anything else is done with it."""
    assert "see … friend" == refused(lane, stage, "see https://evil.example/x, @friend").detail


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it needs a server", "it needs a server"),
        ("see https://evil.example/a?b now", "see … now"),
        ("see HTTP://EVIL.EXAMPLE now", "see … now"),
        ("see www.evil.example", "see …"),
        ("see evil.example/x now", "see … now"),
        ("see evil.example. Sorry", "see …. Sorry"),
        ("go to \u0440aypal.com", "go to …"),
        ("b\u00fccher.example too", "… too"),
        ("evil\uff0eexample", "…"),
        ("ask @bob.bsky.social", "ask …"),
        ("ask @bob and \uff20eve", "ask bob and eve"),
        ("at://did:plc:bob/app.bsky.feed.post/1", "…"),
        ("mail me@evil.example", "mail …"),
        ("index.html needs node.js 3.5", "index.html needs node.js 3.5"),
        ("two @ a time. Or 5.", "two @ a time. Or 5."),
        ("no.No", "…"),
    ],
)
def test_nothing_is_left_that_an_app_makes_a_link_of(text: str, shown: str) -> None:
    """Addresses, hosts and handles; numbers, files and sentences stay."""
    assert shown == unlinked(text)
