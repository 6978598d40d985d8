"""What comes in: each post is one document, however often and in whatever company it arrives."""

from datetime import timedelta
from functools import partial

import pytest

from bot.ledger.ledger import Ledger
from guardrails.documents import AtUri, DocId, StrongRef
from guardrails.errors import NotAllowed
from guardrails.transitions import Reason, Status
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import frozen, now_of, received
from tests.documents import newest
from tests.mentions import ALICE, BOB, BOT, LANE, NOON, OPERATOR, VIEWER, mention


def test_a_new_mention_is_a_received_document(ledger: Ledger) -> None:
    """With its body as it was read, and the first line of its history."""
    body = mention()
    (document,) = ledger.documents.receive(BOT, [body])

    assert ("mention:did:plc:alice:3kfirst", Status.RECEIVED, 1) == (document.id, document.status, document.version)
    assert body == document.mention == now_of(ledger, document).mention
    assert [(None, Status.RECEIVED, 1)] == [(m.from_status, m.to_status, m.version) for m in ledger.feed.after(0, 9)]


def test_the_same_mention_again_changes_nothing(ledger: Ledger) -> None:
    """Not in a second page, not twice in one page, and not when its words have changed."""
    first = received(ledger)

    assert [] == ledger.documents.receive(BOT, [mention(), mention(ask="something else")])
    assert first == now_of(ledger, first)
    assert 1 == len(ledger.feed.after(0, 9))


def test_a_post_twice_in_a_page_is_one_document(ledger: Ledger) -> None:
    """And what is new beside it comes in."""
    stored = ledger.documents.receive(BOT, [mention("3ka"), mention("3kb"), mention("3ka")])

    assert ["mention:did:plc:alice:3ka", "mention:did:plc:alice:3kb"] == sorted(d.id for d in stored)


def test_two_authors_may_choose_the_same_record_key(ledger: Ledger) -> None:
    """The author's DID is part of the id."""
    assert 2 == len(ledger.documents.receive(BOT, [mention(author=ALICE), mention(author=BOB)]))


def test_the_oldest_of_a_page_comes_first(ledger: Ledger) -> None:
    """Pages are newest first, and who asked first is served first."""
    page = [mention(f"3k{n:03}", indexed_at=NOON - timedelta(minutes=n)) for n in range(200)]
    ledger.documents.receive(BOT, page)

    waiting = ledger.queries.waiting(Status.RECEIVED, 200)

    assert [f"3k{n:03}" for n in reversed(range(200))] == [document.id.split(":")[-1] for document in waiting]
    assert 200 == len({document.created_at for document in waiting})


def test_a_known_id_makes_no_document(ledger: Ledger) -> None:
    """The repository holds a reply to it, although this ledger has no document of it."""
    ledger.sends.adopt(BOT, DocId("mention:did:plc:alice:3kfirst"), frozen(), "at://did:plc:wright/x/y")

    assert [] == ledger.documents.receive(BOT, [mention()])


def test_an_operator_may_bring_in_a_post(ledger: Ledger) -> None:
    """With a reason of its own in the history."""
    (document,) = ledger.documents.receive(OPERATOR, [mention(by_operator=True)], Reason.ASKED_BY_OPERATOR)

    assert (Reason.ASKED_BY_OPERATOR, "olga") == (document.reason, ledger.feed.after(0, 9)[0].device)


@pytest.mark.parametrize("caller", [LANE, VIEWER])
def test_nobody_else_may(ledger: Ledger, caller: object) -> None:
    """A lane and a viewer bring in nothing."""
    with pytest.raises(NotAllowed):
        ledger.documents.receive(caller, [mention()])  # type: ignore[arg-type]

    assert 0 == ledger.feed.last()


def test_a_page_with_a_bad_uri_is_refused_whole(ledger: Ledger) -> None:
    """Nothing of it is half stored; whoever reads the page parks such an item before."""
    bad = mention(post=StrongRef(uri=AtUri("at://alice.test/app.bsky.feed.post/3k"), cid="c"))

    with pytest.raises(ValueError, match="not an at-uri"):
        ledger.documents.receive(BOT, [mention(), bad])
    assert 0 == ledger.feed.last()


def test_odd_text_is_kept_as_it_came(ledger: Ledger) -> None:
    """NUL and lone surrogates, in the text and anywhere in the record, on both databases."""
    odd = "a\x00b\ud800c\u202ed"
    body = mention(text=odd, ask=odd, author_handle=odd, record={"text": odd, odd[:2]: [{"deep": odd}]})
    (document,) = ledger.documents.receive(BOT, [body])

    assert body == now_of(ledger, document).mention
    assert "a\ufffdb?c\u202ed" == now_of(ledger, document).author_handle


@pytest.mark.slow
def test_eight_readers_of_the_same_pages_store_each_post_once(ledger: Ledger) -> None:
    """Whatever the order in which each of them has the items."""
    page = [mention(f"3k{n}") for n in range(20)]
    readers = [partial(ledger.documents.receive, BOT, page if n % 2 else page[::-1]) for n in range(8)]
    stored = [len(documents) for documents in at_once(readers)]

    assert 20 == sum(stored)
    assert 20 == ledger.feed.last() == len(newest(ledger, 99))
