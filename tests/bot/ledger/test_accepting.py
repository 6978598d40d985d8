"""Asks that are taken on together: all of them or none, each guarded as if it were alone."""

from dataclasses import replace
from datetime import timedelta

from bot.ledger.accepting import Passed
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.caps import Place, places
from guardrails.documents import AtUri, Did
from guardrails.facts import Used
from guardrails.rules import CapRules, Rules
from guardrails.transitions import Status
from tests.bot.ledger.steps import now_of, received, stopped
from tests.facts import facts_of, seats_of
from tests.mentions import BOT, judgement


def passed(ledger: Ledger, document: Document, seats: tuple[Place, ...] | None = None) -> Passed:
    now = ledger.db.time()
    used = Used(hour_ends=now + timedelta(minutes=30), day_ends=now + timedelta(hours=20))
    mention = document.mention
    return Passed(document, judgement(), facts_of(mention, used=used), seats or seats_of(mention))


def three(ledger: Ledger) -> list[Document]:
    return [received(ledger, f"3k{name}", author=Did(f"did:plc:{name}")) for name in ("ann", "ben", "cat")]


def test_all_are_taken_on_with_their_places_and_their_history(ledger: Ledger) -> None:
    """As if each had been accepted by itself."""
    asked = three(ledger)

    together = ledger.documents.accept_all(BOT, [passed(ledger, each) for each in asked])

    now = [now_of(ledger, each) for each in asked]
    assert together
    assert [Status.PENDING_BUILD] * 3 == [each.status for each in now]
    assert [2] * 3 == [each.version for each in now]
    assert all(each.places and each.like_due and each.build_by for each in now)
    assert ["receive"] * 3 + ["accept"] * 3 == [move.name for move in ledger.feed.after(0, 9)]


def test_one_that_was_moved_meanwhile_leaves_all_as_they_were(ledger: Ledger) -> None:
    """Which one it is, each says by itself."""
    asked = [*three(ledger), stopped(ledger, "3kdot")]
    stale = [passed(ledger, each) for each in asked[:3]] + [
        passed(ledger, replace(asked[3], status=Status.RECEIVED, version=1))
    ]

    together = ledger.documents.accept_all(BOT, stale)

    assert not together
    assert [Status.RECEIVED] * 3 == [now_of(ledger, each).status for each in asked[:3]]
    assert 0 == len([move for move in ledger.feed.after(0, 99) if move.name == "accept"])


def test_places_are_counted_for_all_of_them(ledger: Ledger) -> None:
    """Two places are not enough for three, and then none is taken."""
    rules = Rules(caps=CapRules(all_per_day=2, author_per_day=1, author_per_hour=1, thread_per_day=2))
    asked = three(ledger)
    wanted = [passed(ledger, each, places(each.author_did, each.thread, rules)) for each in asked]

    assert not ledger.documents.accept_all(BOT, wanted)
    assert ledger.documents.accept_all(BOT, wanted[:2])
    assert not ledger.documents.accept_all(BOT, wanted[2:])


def test_an_author_who_wants_to_be_forgotten_is_not_taken_on(ledger: Ledger) -> None:
    """As when each goes by itself."""
    asked = three(ledger)
    wanted = [passed(ledger, each) for each in asked]
    ledger.people.forget(BOT, Did("did:plc:ben"))

    assert not ledger.documents.accept_all(BOT, wanted)


def test_once_its_hour_is_over_nothing_is_taken_on(ledger: Ledger) -> None:
    """Its places would be those of another hour."""
    [first, second, _] = [passed(ledger, each) for each in three(ledger)]
    past = first.facts.model_copy(update={"used": Used(hour_ends=ledger.db.time(), day_ends=ledger.db.time())})

    assert not ledger.documents.accept_all(BOT, [Passed(first.document, first.judgement, past, first.places), second])


def test_a_reply_minds_what_else_is_in_its_thread(ledger: Ledger) -> None:
    """So it goes by itself; as does what is about somebody else's post."""
    asked = three(ledger)[0]

    assert passed(ledger, asked).stands_alone
    assert not passed(ledger, replace(asked, thread=AtUri("at://did:plc:x/app.bsky.feed.post/3kroot"))).stands_alone
