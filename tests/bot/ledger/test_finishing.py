"""A finished app as the bot has inspected it: refused, built and held, or built; and what it was made of."""

import pytest

from bot.ledger.claims import Claimed
from bot.ledger.finishing import Inspected
from bot.ledger.ledger import Ledger
from guardrails.documents import Did
from guardrails.said import PASS, Said, hold, skip, unknown
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import STARTS, building, claim_id_of, done, now_of, received
from tests.mentions import ALICE, BOB, LANE

LOOKED_AT, ANOTHER = b"\x89PNG one", b"\x89PNG two"


def finished(ledger: Ledger, claimed: Claimed, said: Said, picture: bytes | None = None) -> Status:
    return ledger.claims.report(LANE, claim_id_of(claimed), done(), Inspected(said, picture))


def test_an_app_that_is_refused_is_never_shown(ledger: Ledger) -> None:
    """The build has failed for good, with the reason; the same report again gets the same answer, whatever is said."""
    claimed = building(ledger)
    refused = skip(Reason.REFUSED_BY_RULES, "word: x")

    assert Status.BUILD_FAILED is finished(ledger, claimed, refused)
    assert Status.BUILD_FAILED is finished(ledger, claimed, PASS)

    now, app = now_of(ledger, claimed.document), ledger.hosting.app(claimed.slug)
    (attempt,) = ledger.queries.attempts(now.id)
    assert (Reason.REFUSED_BY_RULES, "word: x", None, []) == (now.reason, now.detail, now.result, now.places)
    assert "done" == attempt.outcome
    assert app is not None
    assert app.live_version is None


@pytest.mark.parametrize("said", [hold(Reason.SUSPECT, "odd"), unknown("odd")])
def test_an_app_that_is_doubtful_is_built_and_its_reply_held(ledger: Ledger, said: Said) -> None:
    """Until a person lets it out."""
    claimed = building(ledger)

    assert Status.BUILT is finished(ledger, claimed, said)

    assert "odd" == now_of(ledger, claimed.document).reply_held
    assert [] == ledger.queries.ready_to_answer(5)


@pytest.mark.parametrize(("picture", "kept"), [(LOOKED_AT, LOOKED_AT), (ANOTHER, None), (None, None)])
def test_no_picture_stays_but_the_one_that_was_looked_at(
    ledger: Ledger, picture: bytes | None, kept: bytes | None
) -> None:
    """A lane may have sent another meanwhile."""
    claimed = building(ledger)
    ledger.hosting.store_screen(LANE, claim_id_of(claimed), LOOKED_AT)

    finished(ledger, claimed, PASS, picture)

    assert kept == ledger.sightings.screen(claimed.slug, claimed.version)


def test_what_was_uploaded_under_a_claim(ledger: Ledger) -> None:
    """The files of that claim with the digest of their archive, and of no other."""
    one, two = building(ledger), building(ledger, "3ktwo")
    ledger.hosting.store(LANE, claim_id_of(one), "a" * 64, {"index.html": b"1", "b.js": b"2"})
    ledger.hosting.store(LANE, claim_id_of(two), "b" * 64, {"index.html": b"3"})

    uploaded = ledger.hosting.uploaded(claim_id_of(one))

    assert ("a" * 64, {"b.js": b"2", "index.html": b"1"}) == (uploaded.sha256, uploaded.files)
    nothing = ledger.hosting.uploaded(claim_id_of(building(ledger, "3kthree")))
    assert (None, {}) == (nothing.sha256, nothing.files)


@pytest.mark.parametrize("page", [1, 2, 3, 500])
def test_everything_since_a_moment_is_read_in_pages(ledger: Ledger, page: int) -> None:
    """Each document once, oldest first, whatever its status and however many came in one moment."""
    documents = [start(ledger, f"3k{status.value}") for status, start in STARTS.items()]

    found = [document.id for document in ledger.queries.each_since(documents[0].created_at, page)]

    assert [document.id for document in documents] == found
    assert [] == list(ledger.queries.each_since(ledger.db.time(), page))


def test_who_has_asked_under_a_handle(ledger: Ledger) -> None:
    """Handles go from hand to hand: whoever asked last comes first."""
    for rkey, author in (("3ka", ALICE), ("3kb", BOB), ("3kc", ALICE)):
        received(ledger, rkey, author=author, author_handle="a.test")
    received(ledger, "3kd", author=Did("did:plc:carol"), author_handle="b.test")

    assert [ALICE, BOB] == ledger.queries.dids_of("a.test")
    assert [] == ledger.queries.dids_of("c.test")
