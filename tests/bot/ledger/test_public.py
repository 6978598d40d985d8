"""The pages that anybody may open: by their name, and by the link of a post."""

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from guardrails.documents import Did
from tests.bot.ledger.attack import broken_by
from tests.bot.ledger.steps import received, travel
from tests.mentions import ALICE, BOB


def test_each_ask_has_a_page_of_its_own(ledger: Ledger) -> None:
    """Its name tells nothing of the document, and leads to it."""
    first, second = received(ledger, "3kone"), received(ledger, "3ktwo")

    assert first.page != second.page
    for document in (first, second):
        assert document.page is not None
        assert (32, document) == (len(document.page), ledger.public.at(document.page))
    assert ledger.public.at("0" * 32) is None


def test_a_page_is_found_by_its_post(ledger: Ledger, ledger_clock: Clock) -> None:
    """By DID, or by the handle that its author asked under; of a handle that went on to another, either's."""
    hers = received(ledger, "3kone", author=ALICE)
    travel(ledger_clock, hours=1)
    his = received(ledger, "3ktwo", author=BOB, author_handle="alice.test")

    assert hers == ledger.public.asked_in(ALICE, "3kone")
    assert [hers, his] == [ledger.public.asked_in("alice.test", rkey) for rkey in ("3kone", "3ktwo")]
    for author, rkey in (
        (BOB, "3kone"),
        (Did("did:plc:carol"), "3kone"),
        ("alice.test", "one"),
        ("bob.test", "3ktwo"),
        ("alice.test", "%"),
        ("alice.tes_", "3kone"),
    ):
        assert ledger.public.asked_in(author, rkey) is None


def test_no_two_asks_share_a_page(ledger: Ledger) -> None:
    """Whoever writes it."""
    received(ledger, "3kone")
    received(ledger, "3ktwo")

    broken_by(ledger, "uq_documents_page|documents.page", "UPDATE documents SET page = 'x'")
