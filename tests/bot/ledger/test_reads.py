"""What people and jobs read: the tail by sequence, lists, and documents by whatever names them."""

from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import NoSuchDocument
from bot.ledger.feed import Filter
from bot.ledger.ledger import Ledger
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import STARTS, accept, build_failed, building, built, pending, received, skipped, travel
from tests.documents import newest
from tests.mentions import ALICE, BOB, BOT, OPERATOR, mention


def test_the_tail_is_read_in_order_and_taken_up_where_it_was_left(ledger: Ledger) -> None:
    """Whatever the size of the pieces, nothing is missed and nothing comes twice."""
    for status, make in STARTS.items():
        make(ledger, f"3k{status.value}")
    whole = ledger.feed.after(0, 999)
    seen: list[int] = []
    while page := ledger.feed.after(seen[-1] if seen else 0, 3):
        seen += [moved.seq for moved in page]

    assert sorted(set(seen)) == seen == [moved.seq for moved in whole]
    assert ledger.feed.last() == seen[-1]
    assert [] == ledger.feed.after(ledger.feed.last(), 9)


@pytest.mark.parametrize("limit", [1, 2, 3, 9])
def test_everybody_is_answered_once_before_anybody_twice(ledger: Ledger, limit: int) -> None:
    """However many are answered at a time: of each author the oldest, the oldest of them first."""
    first, second = built(ledger, "3k1"), built(ledger, "3k2")
    other = built(ledger, "3k3", author=BOB)

    assert [first, other, second][:limit] == ledger.queries.ready_to_answer(limit)


def test_what_the_bot_let_through_since_a_moment_is_counted(ledger: Ledger, ledger_clock: Clock) -> None:
    """By the guardrails, or once more for its author; whatever became of it, and not what a person let through."""
    pending(ledger, "3kold")
    travel(ledger_clock, minutes=2)
    moment = ledger.db.time()
    assert 0 == ledger.queries.let_through(moment, moment)
    ledger.documents.withdraw(BOT, pending(ledger, "3kone"), Reason.DELETED)
    pending(ledger, "3ktwo")
    ledger.documents.approve(OPERATOR, received(ledger, "3kthree"))
    failed = build_failed(ledger, "3kfour")
    ledger.documents.ask_again(BOT, failed, ())
    before = moment - timedelta(minutes=3)

    assert (4, 5) == (ledger.queries.let_through(moment, moment), ledger.queries.let_through(before, before))


def test_what_had_waited_for_long_is_no_rush(ledger: Ledger, ledger_clock: Clock) -> None:
    """It was asked before; only its judgement came late."""
    waiting = received(ledger, "3kwaiting")
    travel(ledger_clock, minutes=5)
    moment = ledger.db.time()
    accept(ledger, waiting)
    pending(ledger, "3knew")

    assert (1, 2) == (
        ledger.queries.let_through(moment, moment),
        ledger.queries.let_through(moment, waiting.created_at),
    )


def test_a_followers_place_holds_while_the_history_grows(ledger: Ledger) -> None:
    """Sequence numbers only rise."""
    assert 0 == ledger.feed.last()
    built(ledger)
    place = ledger.feed.last()
    skipped(ledger, "3kother")

    assert ["receive", "refuse"] == [moved.name for moved in ledger.feed.after(place, 9)]


def test_a_follower_may_want_some_of_it(ledger: Ledger) -> None:
    """Of a kind, to some statuses, of one document."""
    document = built(ledger)
    skipped(ledger, "3kother")
    after = ledger.feed.after

    assert ["built", "skipped"] == [
        moved.to_status for moved in after(0, 9, Filter(statuses=(Status.BUILT, Status.SKIPPED)))
    ]
    assert {document.id} == {moved.document_id for moved in after(0, 9, Filter(document_id=document.id))}
    assert 4 == len(after(0, 9, Filter(document_id=document.id)))
    assert [] == after(0, 9, Filter(kind="errand"))
    assert 6 == len(after(0, 9, Filter(kind="mention")))


def test_a_document_has_many_names(ledger: Ledger) -> None:
    """Its id, a beginning of it, its record key, its at-uri, its app's slug."""
    claimed = building(ledger, "3kone")
    received(ledger, "3ktwo")
    uri = f"at://{ALICE}/app.bsky.feed.post/3kone"

    for name in (claimed.document.id, "mention:did:plc:alice:3ko", "3kone", uri, claimed.slug):
        assert claimed.document.id == ledger.queries.find(name).id


def test_a_name_of_none_or_of_several_names_nothing(ledger: Ledger) -> None:
    """A wild card is a sign like any other, and small letters are not capitals."""
    received(ledger, "3kone")
    received(ledger, "3ktwo")
    for name in ("mention:did:plc:alice:3k", "", "m", "3k%", "_", "%", "3k", "nobody", "MENTION:did", "3KONE"):
        with pytest.raises(NoSuchDocument):
            ledger.queries.find(name)


def test_the_only_document_is_not_every_name(ledger: Ledger) -> None:
    """An operator who mistypes must not stop it."""
    received(ledger, "3kone")
    for name in ("", "MENTION:did:plc:alice:3kone", "3KONE", "mention:did:plc:alice:3k_ne", "kone"):
        with pytest.raises(NoSuchDocument):
            ledger.queries.find(name)


def test_a_whole_id_is_wanted_where_programs_ask(ledger: Ledger) -> None:
    """A beginning is no id."""
    document = received(ledger)

    assert document == ledger.queries.document(document.id)
    with pytest.raises(NoSuchDocument, match="no document mention:did"):
        ledger.queries.document("mention:did:plc:alice")


def test_a_list_is_newest_first_and_can_be_narrowed(ledger: Ledger, ledger_clock: Clock) -> None:
    """By status, by author, by time."""
    received(ledger, "3ka")
    travel(ledger_clock, hours=1)
    skipped(ledger, "3kb")
    ledger.documents.receive(BOT, [mention("3kc", author=BOB)])

    def keys(**wanted: object) -> list[str]:
        return [document.id.split(":")[-1] for document in newest(ledger, 9, **wanted)]  # type: ignore[arg-type]

    assert ["3kc", "3kb", "3ka"] == keys()
    assert ["3kb"] == keys(statuses=[Status.SKIPPED])
    assert ["3kc"] == keys(author=BOB) == keys(author="bob.test")
    assert ["3kc", "3kb"] == keys(since=ledger.db.time() - timedelta(minutes=30))
    assert ["3kc"] == [document.id.split(":")[-1] for document in newest(ledger, 1)]


def test_every_status_is_counted(ledger: Ledger) -> None:
    """Also the ones that nothing stands in."""
    received(ledger, "3ka")
    received(ledger, "3kb")

    assert dict.fromkeys(Status, 0) | {Status.RECEIVED: 2} == ledger.pages.counts()


def test_a_document_without_attempts_or_sends_has_none(ledger: Ledger) -> None:
    """Nor has one that does not exist."""
    for document_id in (received(ledger).id, DocId("mention:x:y")):
        assert ([], []) == (ledger.queries.attempts(document_id), ledger.queries.sends(document_id))
