"""What a lane uploads, and what of it goes live."""

import pytest

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from guardrails.slugs import RANDOM_CHARACTERS
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome, Report
from tests.bot.ledger.steps import claim, claim_id_of, now_of, pending
from tests.mentions import ALICE, BOB, LANE


def done(sha256: str) -> Report:
    return Report(outcome=BuildOutcome.DONE, title="A timer", sha256=sha256, generator="template")


def test_a_bundle_that_was_swapped_before_the_report_does_not_go_live(ledger: Ledger) -> None:
    """Whoever uploads another bundle under the claim, after its report was checked, publishes nothing."""
    pending(ledger)
    claimed = claim(ledger)
    ledger.hosting.store(LANE, claim_id_of(claimed), "b" * 64, {"index.html": b"<p>swapped</p>"})

    with pytest.raises(LostRace):
        ledger.claims.report(LANE, claim_id_of(claimed), done("a" * 64))

    app = ledger.hosting.app(claimed.slug)
    assert app is not None
    assert (Status.BUILDING, None) == (now_of(ledger, claimed.document).status, app.live_version)


def test_two_asks_that_read_alike_are_two_apps(ledger: Ledger) -> None:
    """Of two people at the same second: both are live, each with what its lane has made."""
    for author, ask in ((ALICE, "Déjà vu!"), (BOB, "deja-vu")):
        pending(ledger, author=author, ask=ask)
    claims = [claim(ledger) for _ in range(2)]
    for n, claimed in enumerate(claims):
        ledger.hosting.store(LANE, claim_id_of(claimed), "a" * 64, {"index.html": b"%d" % n})
        ledger.claims.report(LANE, claim_id_of(claimed), done("a" * 64))
    files = [ledger.hosting.file(claimed.slug, claimed.version, "index.html") for claimed in claims]

    assert ["deja-vu", "deja-vu"] == [claimed.slug[: -1 - RANDOM_CHARACTERS] for claimed in claims]
    assert 2 == len({claimed.slug for claimed in claims})
    assert [b"0", b"1"] == [file.content for file in files if file is not None]
    assert [1, 1] == [app.live_version for each in claims if (app := ledger.hosting.app(each.slug)) is not None]


def test_the_bundle_that_was_reported_goes_live(ledger: Ledger) -> None:
    """The same bundle, uploaded and reported."""
    pending(ledger)
    claimed = claim(ledger)
    ledger.hosting.store(LANE, claim_id_of(claimed), "a" * 64, {"index.html": b"<p>timer</p>", "x.css": b""})
    ledger.claims.report(LANE, claim_id_of(claimed), done("a" * 64))

    app = ledger.hosting.app(claimed.slug)
    assert app is not None
    assert (Status.BUILT, claimed.version) == (now_of(ledger, claimed.document).status, app.live_version)
    assert ["index.html", "x.css"] == [file.path for file in ledger.hosting.files(claimed.slug, claimed.version)]
