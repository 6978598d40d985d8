"""The send key: won once, tried until it is known, settled once, and never forgotten."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.sends import reply_key
from guardrails.documents import DocId
from guardrails.errors import IllegalMove, NotAllowed
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    STARTS,
    built,
    frozen,
    now_of,
    ref_of,
    replied,
    sending,
    travel,
)
from tests.mentions import BOT, LANE, OPERATOR

WAIT = timedelta(minutes=5)
ID = DocId("mention:did:plc:alice:3kfirst")
ELSEWHERE = "at://did:plc:wright/app.bsky.feed.post/3kelsewhere"


def test_a_claimed_key_holds_the_record_that_will_be_sent(ledger: Ledger) -> None:
    """From here on a crash leaves an unknown outcome, never a silent one."""
    document = built(ledger)
    record = {"text": "a\x00\ud800", "nested": [{"deep": None}]}
    send = ledger.sends.claim_reply(BOT, document, frozen("3kr", "cid-1", **record))

    assert ("claimed", f"reply:{document.id}", "3kr", 1) == (send.state, send.key, send.rkey, send.tries)
    assert record.items() <= send.record.items()
    assert send.unknown_since is not None
    assert [send] == ledger.queries.sends(document.id) == ledger.queries.unsettled_sends()
    assert [send] == ledger.queries.unsettled_sends(1)
    assert [] == ledger.queries.unsettled_sends(0)
    assert (True, document.version + 1) == ((now := now_of(ledger, document)).sending, now.version)


def test_of_two_senders_one_wins(ledger: Ledger) -> None:
    """By the same reading, and by a fresh one."""
    document = built(ledger)
    ledger.sends.claim_reply(BOT, document, frozen("3ka"))
    for reading in (document, now_of(ledger, document), replace(document, version=document.version + 1)):
        with pytest.raises(LostRace):
            ledger.sends.claim_reply(BOT, reading, frozen("3kb"))

    assert 1 == len(ledger.queries.sends(document.id))


def test_a_record_key_is_used_once(ledger: Ledger) -> None:
    """The second document is left as it was, and can be answered under another."""
    sending(ledger)
    document = built(ledger, "3ksecond")

    with pytest.raises(LostRace):
        ledger.sends.claim_reply(BOT, document, frozen("3kfirstr"))
    assert document == now_of(ledger, document)
    assert "3kother" == ledger.sends.claim_reply(BOT, document, frozen("3kother")).rkey


@pytest.mark.parametrize("status", [status for status in STARTS if status is not Status.BUILT])
def test_only_what_is_built_is_answered(ledger: Ledger, status: Status) -> None:
    """From any other status there is no such move."""
    with pytest.raises(IllegalMove):
        ledger.sends.claim_reply(BOT, STARTS[status](ledger), frozen("3kx"))


def test_only_the_bot_speaks(ledger: Ledger) -> None:
    """Every call that claims or settles asks for its role."""
    document = built(ledger)
    send = ledger.sends.claim_reply(BOT, document, frozen())
    for caller in (LANE, OPERATOR):
        with pytest.raises(NotAllowed):
            ledger.sends.claim_reply(caller, document, frozen())
        with pytest.raises(NotAllowed):
            ledger.sends.answered(caller, send, ref_of(send))
        with pytest.raises(NotAllowed):
            ledger.sends.refused(caller, send, "no")
        with pytest.raises(NotAllowed):
            ledger.sends.adopt(caller, ID, frozen(), ELSEWHERE)
        with pytest.raises(NotAllowed):
            ledger.sends.finish_adopted(caller, document)


def test_a_claim_is_due_only_after_its_try_has_had_its_time(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nobody tries at the same time."""
    send = sending(ledger)
    assert [] == ledger.outbox.due(9, "reply:")
    travel(ledger_clock, seconds=66)

    assert [send] == ledger.outbox.due(9, "reply:")


def test_a_second_try_is_counted_and_takes_the_send(ledger: Ledger, ledger_clock: Clock) -> None:
    """Whoever held the earlier one can write nothing of it any more."""
    old = sending(ledger)
    travel(ledger_clock, seconds=66)
    new = ledger.sends.begin_try(old)

    assert (2, old.unknown_since, []) == (new.tries, new.unknown_since, ledger.outbox.due(9, "reply:"))
    writes: list[Callable[[], object]] = [
        lambda: ledger.sends.begin_try(old),
        lambda: ledger.sends.unknown(old, "late", WAIT),
        lambda: ledger.sends.not_sent(old, "late", WAIT, still_unknown=False),
        lambda: ledger.sends.in_conflict(old, "late"),
        lambda: ledger.sends.freeze_anew(old, {}, "cid-2"),
    ]
    for late in writes:
        with pytest.raises(LostRace):
            late()
    assert [new] == ledger.queries.sends(ID)


def test_what_was_surely_not_sent_waits(ledger: Ledger, ledger_clock: Clock) -> None:
    """It is not unknown, and due again after the wait."""
    send = ledger.sends.not_sent(sending(ledger), "no connection", WAIT, still_unknown=False)

    assert (None, "no connection", "claimed") == (send.unknown_since, send.problem, send.state)
    assert [] == ledger.queries.unsettled_sends() == ledger.outbox.due(9, "reply:")
    travel(ledger_clock, minutes=6)
    assert [send] == ledger.outbox.due(9, "reply:")


def test_an_earlier_unknown_stays_unknown(ledger: Ledger) -> None:
    """A later try that surely did not happen says nothing about the first."""
    first = sending(ledger)
    send = ledger.sends.not_sent(ledger.sends.begin_try(first), "no connection", WAIT, still_unknown=True)

    assert first.unknown_since == send.unknown_since


def test_what_is_unknown_is_shown_and_looked_at_again(ledger: Ledger, ledger_clock: Clock) -> None:
    """After the wait, still claimed."""
    first = sending(ledger)
    send = ledger.sends.unknown(first, "timed out", WAIT)

    assert ("claimed", first.unknown_since, "timed out") == (send.state, send.unknown_since, send.problem)
    assert [send] == ledger.queries.unsettled_sends()
    travel(ledger_clock, minutes=6)
    assert [send] == ledger.outbox.due(9, "reply:")


def test_a_conflict_is_kept_for_a_person(ledger: Ledger, ledger_clock: Clock) -> None:
    """It is tried no more, not even by who read it before."""
    before = sending(ledger)
    send = ledger.sends.in_conflict(before, "another record is there")
    travel(ledger_clock, days=30)

    assert [] == ledger.outbox.due(9, "reply:")
    assert [send] == ledger.queries.unsettled_sends()
    with pytest.raises(LostRace):
        ledger.sends.begin_try(before)
    with pytest.raises(LostRace):
        ledger.sends.begin_try(send)


def test_a_record_frozen_anew_keeps_its_key_and_all_its_cids(ledger: Ledger) -> None:
    """Any of them read back is ours."""
    first = sending(ledger)
    second = ledger.sends.freeze_anew(first, {"text": "2"}, "cid-2")
    third = ledger.sends.freeze_anew(second, {"text": "3"}, "cid-3")

    assert (first.rkey, {"text": "3"}, "cid-3") == (third.rkey, third.record, third.cid)
    assert (["cid-1", "cid-2", "cid-3"], None) == (third.cids, third.unknown_since)


def test_two_who_freeze_anew_cannot_lose_a_version(ledger: Ledger) -> None:
    """Nor is a version sent that the ledger does not hold any more."""
    old = sending(ledger)
    mine = ledger.sends.freeze_anew(old, {"text": "mine"}, "cid-mine")

    with pytest.raises(LostRace):
        ledger.sends.freeze_anew(old, {"text": "theirs"}, "cid-theirs")
    with pytest.raises(LostRace):
        ledger.sends.begin_try(old)
    assert {"text": "mine"} == ledger.sends.begin_try(mine).record


def test_an_answer_settles_key_and_document_at_once(ledger: Ledger) -> None:
    """With the address of the reply, and the move in the history."""
    send = sending(ledger)
    settled = ledger.sends.answered(BOT, send, ref_of(send))
    document = now_of(ledger, ID)

    assert ("answered", ref_of(send).uri, None) == (settled.state, settled.uri, settled.note)
    assert (Status.REPLIED, ref_of(send).uri, False) == (document.status, document.reply_uri, document.sending)
    assert "answer" == ledger.feed.after(0, 99)[-1].name
    assert ledger.sends.is_answered(ID)
    assert [] == ledger.queries.unsettled_sends()


def test_an_answer_counts_whoever_sent_it(ledger: Ledger) -> None:
    """Also that of a try that somebody else has taken over meanwhile; told twice, it counts once."""
    first = sending(ledger)
    second = ledger.sends.begin_try(first)
    settled = ledger.sends.answered(BOT, first, ref_of(first))
    seq = ledger.feed.last()

    assert settled == ledger.sends.answered(BOT, second, ref_of(second))
    assert settled == ledger.sends.refused(BOT, second, "no")
    assert (Status.REPLIED, seq) == (now_of(ledger, ID).status, ledger.feed.last())


def test_a_refusal_frees_the_key_and_fails_the_document(ledger: Ledger) -> None:
    """With the reason; nothing is sent by itself any more."""
    send = sending(ledger)
    settled = ledger.sends.refused(BOT, send, "InvalidRequest: no")
    document = now_of(ledger, ID)

    assert ("refused", "InvalidRequest: no", None) == (settled.state, settled.problem, settled.uri)
    assert (Status.ERROR, Reason.SEND_REFUSED, "InvalidRequest: no", False) == (
        document.status,
        document.reason,
        document.detail,
        document.sending,
    )
    assert not ledger.sends.is_answered(ID)
    assert [] == ledger.outbox.due(9, "reply:")


def test_the_refusal_of_an_old_try_settles_nothing(ledger: Ledger) -> None:
    """Another has begun, and may come through."""
    old = sending(ledger)
    new = ledger.sends.begin_try(old)

    with pytest.raises(LostRace):
        ledger.sends.refused(BOT, old, "InvalidRequest")
    assert [new] == ledger.queries.sends(ID)
    assert Status.BUILT is now_of(ledger, ID).status


def test_the_key_of_a_reply_names_its_document() -> None:
    """Text, unique while live."""
    assert "reply:mention:did:plc:alice:3kfirst" == reply_key(ID)


def test_an_answered_document_stays_answered(ledger: Ledger) -> None:
    """Its row is never deleted, its key never free again."""
    document = replied(ledger)

    assert [("answered", 1)] == [(send.state, send.tries) for send in ledger.queries.sends(document.id)]
    assert ledger.sends.is_answered(document.id)
