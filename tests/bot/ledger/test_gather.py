"""What the ledger knows of asks: gathered for a whole batch, by as many queries as for one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert, select

from bot.clock import Clock
from bot.ledger.gather import EARLIER
from bot.ledger.ledger import Ledger
from bot.ledger.tables import documents
from bot.ledger.views import Document
from guardrails.documents import AtUri, Did, DocId, StrongRef
from guardrails.facts import Conversation, Facts, Standing
from guardrails.rules import AskRules, MoneyRules, Rules
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    STARTS,
    accept,
    build_failed,
    building,
    built,
    claim_id_of,
    done,
    frozen,
    now_of,
    pending,
    received,
    ref_of,
    refuse,
    replied,
    skipped,
    travel,
)
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR, OUR_DID, mention, post

CAROL = Did("did:plc:carol")
ROOT = StrongRef(uri=AtUri(f"at://{CAROL}/app.bsky.feed.post/3kroot"), cid="cid")
STANDING = [
    Status.RECEIVED,
    Status.AWAITING_APPROVAL,
    Status.PENDING_BUILD,
    Status.BUILDING,
    Status.BUILT,
    Status.REPLIED,
]


@pytest.fixture(autouse=True)
def noon(ledger: Ledger, ledger_clock: Clock) -> datetime:
    """A minute past noon in the ledger's day, so that no window ends by chance."""
    now = ledger.db.time()
    begun = now.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
    ledger_clock.shift += begun + timedelta(minutes=1) - now
    return begun


def gathered(ledger: Ledger, document: Document, rules: Rules | None = None) -> Facts:
    return ledger.gather([document], OUR_DID, rules or Rules())[document.id]


def reply_to(uri: str, text: str = "bigger please") -> dict[str, Any]:
    """A record that replies to a post."""
    ref = {"uri": uri, "cid": "cid"}
    return post(text, reply={"parent": ref, "root": ref})


def test_of_an_ask_out_of_the_blue_nothing_is_known(ledger: Ledger, noon: datetime) -> None:
    """But who asks what, what it may cost, and when hour and day are over."""
    document = received(ledger)
    facts = gathered(ledger, document, Rules(money=MoneyRules(estimate_usd=0.07)))

    assert (document.mention, OUR_DID, 70_000) == (facts.mention, facts.our_did, facts.price_micros)
    assert (False, frozenset(), (), Conversation(), ()) == (
        facts.answered,
        facts.standing,
        facts.involved_standing,
        facts.conversation,
        facts.earlier,
    )
    assert facts.first_time
    assert facts.used is not None
    assert (noon + timedelta(hours=1), noon + timedelta(hours=12)) == (facts.used.hour_ends, facts.used.day_ends)
    assert (None, None) == (facts.look, facts.moderated)


def test_an_answer_is_known_by_its_send_or_by_its_id(ledger: Ledger) -> None:
    """Also one that was found in the repository."""
    document = received(ledger)
    answered = now_of(ledger, replied(ledger, "3kanswered"))
    ledger.sends.adopt(BOT, document.id, frozen("3kfound"), f"at://{OUR_DID}/app.bsky.feed.post/3kfound")
    batch = [received(ledger, "3kother"), document, answered]

    assert [False, True, True] == [facts.answered for facts in ledger.gather(batch, OUR_DID, Rules()).values()]


def test_standing_is_that_of_the_author_and_of_whom_it_is_about(ledger: Ledger) -> None:
    """Root, parent and quoted post; only what holds now."""
    ledger.people.allow(OPERATOR, ALICE, "a friend")
    ledger.people.forget(OPERATOR, CAROL)
    ledger.people.deny(OPERATOR, BOB, "spam", ledger.db.time() + timedelta(hours=1))
    quote = {"embed": {"record": {"uri": f"at://{BOB}/app.bsky.feed.post/3k", "cid": "cid"}}}
    facts = gathered(ledger, received(ledger, root=ROOT, record=post("@wright.test this", **quote)))

    assert {Standing.ALLOWED} == facts.standing
    assert ((CAROL, Standing.FORGOTTEN), (BOB, Standing.DENIED)) == facts.involved_standing


def test_a_reply_to_our_answer_is_known_as_such(ledger: Ledger) -> None:
    """Whose conversation it is, too: others speak there as well."""
    answered = replied(ledger)
    record = reply_to(str(answered.reply_uri))
    own = gathered(ledger, received(ledger, "3kown", record=record))
    others = gathered(ledger, received(ledger, "3kbob", author=BOB, record=record))
    elsewhere = gathered(ledger, received(ledger, "3kelse", record=reply_to(answered.source_uri)))

    assert Conversation(answered=answered.id, by_asker=True) == own.conversation
    assert Conversation(answered=answered.id, by_asker=False) == others.conversation
    assert Conversation() == elsewhere.conversation


def test_a_line_of_ours_is_an_answer_too(ledger: Ledger) -> None:
    """Under it its asker may say `retry`; a like is none, nor is what is still on its way."""
    failed = build_failed(ledger)
    note = ledger.sends.claim_aside(BOT, f"note:{failed.id}", failed, frozen("3knote"))
    uri = ref_of(note).uri
    before = gathered(ledger, received(ledger, "3kearly", record=reply_to(uri)))
    ledger.sends.answered(BOT, note, ref_of(note))
    after = gathered(ledger, received(ledger, "3klate", record=reply_to(uri)))

    assert (None, failed.id) == (before.conversation.answered, after.conversation.answered)
    assert after.conversation.by_asker


def test_an_answer_that_is_only_known_by_its_id_is_an_answer(ledger: Ledger) -> None:
    """The ledger was lost; the id tells who asked."""
    uri = f"at://{OUR_DID}/app.bsky.feed.post/3kold"
    ledger.sends.adopt(BOT, DocId(f"mention:{ALICE}:3klost"), frozen("3kold"), uri)
    own = gathered(ledger, received(ledger, "3kown", record=reply_to(uri)))
    others = gathered(ledger, received(ledger, "3kbob", author=BOB, record=reply_to(uri)))

    assert Conversation(answered=DocId(f"mention:{ALICE}:3klost"), by_asker=True) == own.conversation
    assert not others.conversation.by_asker


def test_exchanges_are_counted_since_somebody_new_came_in(ledger: Ledger) -> None:
    """Of what was taken on, whatever became of it; a newcomer begins anew."""

    def asked_by(author: Did) -> int:
        document = received(ledger, f"3k{ledger.feed.last()}", author=author, root=ROOT)
        facts = gathered(ledger, document)
        accept(ledger, document, conversation=facts.conversation)
        return facts.conversation.exchanges

    before_bob = [asked_by(ALICE) for _ in range(3)]
    skipped_one = refuse(ledger, received(ledger, "3kskipped", root=ROOT), Reason.THANKS)
    after_bob = [asked_by(author) for author in (BOB, ALICE, BOB, ALICE)]

    assert [0, 1, 2] == before_bob
    assert [0, 1, 2, 3] == after_bob
    assert 4 == gathered(ledger, now_of(ledger, skipped_one)).conversation.exchanges
    assert 0 == gathered(ledger, received(ledger, "3kcarol", author=CAROL, root=ROOT)).conversation.exchanges
    assert 0 == gathered(ledger, received(ledger, "3kelsewhere")).conversation.exchanges


def test_what_was_built_and_taken_back_was_an_exchange(ledger: Ledger) -> None:
    """A bot that deletes what it said does not begin anew; an ask is none beside itself."""
    one = building(ledger, root=ROOT).document
    ledger.documents.withdraw(BOT, one, Reason.DELETED)
    two = received(ledger, "3ktwo", root=ROOT)

    assert 1 == gathered(ledger, two).conversation.exchanges
    accept(ledger, two, conversation=Conversation(exchanges=1))
    assert 1 == gathered(ledger, now_of(ledger, two)).conversation.exchanges


def test_an_earlier_ask_says_what_it_points_at(ledger: Ledger) -> None:
    """Two that say "build this" of two posts are two asks."""
    earlier = received(ledger, ask="build this", record=reply_to(ROOT.uri, "build this"))
    facts = gathered(ledger, received(ledger, "3klater"))

    assert [(earlier.id, (ROOT.uri,))] == [(each.id, each.about) for each in facts.earlier]


@pytest.mark.parametrize("status", Status)
def test_earlier_asks_are_those_that_stand(ledger: Ledger, status: Status) -> None:
    """Of the same author; what ended otherwise leaves the asker free to ask anew."""
    earlier = STARTS[status](ledger)
    received(ledger, "3kbob", author=BOB)
    facts = gathered(ledger, received(ledger, "3klater"))
    expected = [(earlier.id, earlier.mention.ask, status, earlier.reason, earlier.created_at)]

    assert (expected if status in STANDING else []) == [
        (each.id, each.ask, each.status, each.reason, each.at) for each in facts.earlier
    ]


def test_an_answered_ask_that_was_taken_back_is_none(ledger: Ledger) -> None:
    """It is replied, and yet its answer goes: whoever asks again wants a new one."""
    ledger.sightings.withdrawn(replied(ledger))

    assert () == gathered(ledger, received(ledger, "3klater")).earlier


def test_what_was_taken_back_is_no_earlier_ask(ledger: Ledger) -> None:
    """Although its reply still stands for a moment: nothing can join it any more."""
    ledger.sightings.withdrawn(replied(ledger))

    assert () == gathered(ledger, received(ledger, "3klater")).earlier


def test_earlier_is_earlier(ledger: Ledger, ledger_clock: Clock) -> None:
    """Of two in one batch only the second has an earlier one, and what is older than the rules look back is none."""
    old = received(ledger, "3kold")
    travel(ledger_clock, hours=3)
    two = [received(ledger, rkey) for rkey in ("3kone", "3ktwo")]
    rules = Rules(ask=AskRules(same_hours=2))
    near = ledger.gather(reversed([old, *two]), OUR_DID, rules)  # type: ignore[arg-type]
    far = ledger.gather(two, OUR_DID, Rules())

    assert [[], [], [two[0].id]] == [[each.id for each in near[d.id].earlier] for d in (old, *two)]
    assert [[old.id], [old.id, two[0].id]] == [[each.id for each in far[d.id].earlier] for d in two]


def test_an_ask_is_compared_with_the_newest_before_it(ledger: Ledger) -> None:
    """Also in the midst of a flood, by one author, of more than are kept."""
    flood = ledger.documents.receive(BOT, [mention(f"3k{n:03}") for n in range(EARLIER + 20)])
    facts = ledger.gather(flood, OUR_DID, Rules())

    for number in (0, 1, EARLIER, EARLIER + 19):
        expected = [document.id for document in flood[max(0, number - EARLIER) : number]]
        assert expected == [each.id for each in facts[flood[number].id].earlier]


def test_a_first_ask_is_the_first_that_was_taken_on(ledger: Ledger) -> None:
    """Not the first mention: who was only ever refused has asked for nothing yet."""
    skipped(ledger)
    before = gathered(ledger, received(ledger, "3kone"))
    build_failed(ledger, "3kfailed")
    after = gathered(ledger, received(ledger, "3ktwo"))

    assert (True, False) == (before.first_time, after.first_time)
    assert gathered(ledger, received(ledger, "3kbob", author=BOB)).first_time


def test_what_is_used_is_that_of_author_thread_and_all(ledger: Ledger, ledger_clock: Clock) -> None:
    """Places in the hour and in the day, and what the author's builds have cost."""
    ledger.claims.report(LANE, claim_id_of(building(ledger, root=ROOT)), done(cost_micros=123))
    pending(ledger, "3kbob", author=BOB)
    travel(ledger_clock, hours=1)
    pending(ledger, "3ksecond")
    used = gathered(ledger, received(ledger, "3kthird", root=ROOT)).used
    bobs = gathered(ledger, received(ledger, "3kfourth", author=BOB)).used

    assert used is not None
    assert bobs is not None
    assert (1, 2, 1, 3, 123) == (
        used.author_hour,
        used.author_day,
        used.thread_day,
        used.all_day,
        used.author_day_micros,
    )
    assert (0, 1, 0, 3, 0) == (
        bobs.author_hour,
        bobs.author_day,
        bobs.thread_day,
        bobs.all_day,
        bobs.author_day_micros,
    )


def test_what_an_ask_holds_itself_is_not_used_by_others(ledger: Ledger) -> None:
    """One that was edited, or built before and judged again."""
    again = ledger.documents.judge_again(OPERATOR, ledger.documents.stop(OPERATOR, built(ledger)))
    facts = gathered(ledger, again)

    assert facts.used is not None
    assert (4, 0, 0, 0, 0) == (
        len(again.places),
        facts.used.author_hour,
        facts.used.author_day,
        facts.used.thread_day,
        facts.used.all_day,
    )


def test_one_that_cannot_be_read_does_not_stop_the_rest(ledger: Ledger) -> None:
    """It is left out."""
    good, bad = received(ledger, "3kgood"), received(ledger, "3kbad")
    broken = replace(bad, body={"text": 7, "record": {}})

    assert [good.id] == list(ledger.gather([broken, good], OUR_DID, Rules()))
    assert {} == ledger.gather([], OUR_DID, Rules())


@contextmanager
def statements(ledger: Ledger) -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    event.listen(ledger.db.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(ledger.db.engine, "before_cursor_execute", note)


def a_crowd(ledger: Ledger, size: int) -> list[Document]:
    """So many documents of half as many authors, each a reply in a thread of somebody else's; stored in one go."""
    with ledger.db.write() as connection:
        like = dict(connection.execute(select(documents).limit(1)).one()._mapping)
        connection.execute(insert(documents), [like | one_of_many(n, size, like["body"]) for n in range(size)])
    return ledger.queries.waiting(Status.RECEIVED, size + 1)


def one_of_many(number: int, size: int, body: dict[str, Any]) -> dict[str, Any]:
    author, rkey = f"did:plc:author{number % (size // 2)}", f"3kc{number:05}"
    post = {"uri": f"at://{author}/app.bsky.feed.post/{rkey}", "cid": "cid"}
    parent = f"at://did:plc:host{number}/app.bsky.feed.post/3kparent"
    said = {"post": post, "author_did": author, "ask": f"app number {number}", "root": post | {"uri": parent}}
    return {
        "id": f"mention:{author}:{rkey}",
        "author_did": author,
        "source_uri": post["uri"],
        "thread": parent,
        "page": None,
        "body": body | said | {"record": reply_to(parent)},
    }


@pytest.mark.slow
def test_ten_thousand_asks_take_as_many_queries_as_ten(ledger: Ledger) -> None:
    """Each question is asked once for all of them."""
    received(ledger)
    crowd = a_crowd(ledger, 10_000)
    ledger.people.deny(OPERATOR, Did("did:plc:author7"), "spam")
    with statements(ledger) as few:
        ledger.gather(crowd[:10], OUR_DID, Rules())
    with statements(ledger) as many:
        facts = ledger.gather(crowd, OUR_DID, Rules())

    assert 10_000 <= len(facts)
    assert len(few) == len(many) <= 16
    assert 2 == len([each for each in facts.values() if each.standing == {Standing.DENIED}])
    assert 1 == len(facts[DocId("mention:did:plc:author8:3kc05008")].earlier)


def test_of_a_long_thread_only_the_last_is_looked_at(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that each more costs no more; whoever was in it before that counts as new."""
    monkeypatch.setattr("bot.ledger.conversations.LOOK_BACK", 3)
    pending(ledger, "3kcarol", author=CAROL, root=ROOT)
    for number in range(3):
        accept(ledger, received(ledger, f"3kalice{number}", root=ROOT), conversation=Conversation(exchanges=number))

    assert 3 == gathered(ledger, received(ledger, "3kalice", root=ROOT)).conversation.exchanges
    assert 0 == gathered(ledger, received(ledger, "3kcarol2", author=CAROL, root=ROOT)).conversation.exchanges
