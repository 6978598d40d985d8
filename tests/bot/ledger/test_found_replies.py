"""What the look at our own posts finds: a reply in the repository outweighs whatever the ledger believes."""

from datetime import timedelta
from typing import Any

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from guardrails.documents import DocId, RecordKey
from guardrails.tid import tid_at
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    building,
    built,
    claim_id_of,
    done,
    frozen,
    now_of,
    pending,
    received,
    ref_of,
    send_refused,
    sending,
    skipped,
)
from tests.mentions import BOT, LANE, OPERATOR

ID = DocId("mention:did:plc:alice:3kfirst")


ELSEWHERE = "at://did:plc:wright/app.bsky.feed.post/3kelsewhere"


def test_what_is_in_the_repository_outweighs_a_refusal(ledger: Ledger) -> None:
    """Another try of the same key came through: it is answered, and sending it again sends nothing."""
    first = sending(ledger)
    ledger.sends.refused(BOT, ledger.sends.begin_try(first), "InvalidRequest")
    settled = ledger.sends.answered(BOT, first, ref_of(first))
    again = ledger.documents.send_again(OPERATOR, now_of(ledger, ID))

    assert ("answered", "the document was error") == (settled.state, settled.note)
    with pytest.raises(LostRace):
        ledger.sends.claim_reply(BOT, again, frozen("3kagain"))
    assert Status.REPLIED is ledger.sends.finish_adopted(BOT, now_of(ledger, ID)).status


def test_it_outweighs_a_new_claim_as_well(ledger: Ledger) -> None:
    """An operator had it sent again already, but the new record has not gone out."""
    first = sending(ledger)
    ledger.sends.refused(BOT, ledger.sends.begin_try(first), "InvalidRequest")
    again = ledger.documents.send_again(OPERATOR, now_of(ledger, ID))
    ledger.sends.claim_reply(BOT, again, frozen("3kagain"))
    ledger.sends.answered(BOT, first, ref_of(first))

    assert ["refused", "answered"] == [send.state for send in ledger.queries.sends(ID)]
    assert (Status.REPLIED, ref_of(first).uri) == ((now := now_of(ledger, ID)).status, now.reply_uri)


def test_a_reply_to_an_unknown_post_is_remembered(ledger: Ledger) -> None:
    """The ledger was lost; once remembered it is no news."""
    assert ledger.sends.adopt(BOT, ID, frozen(), ELSEWHERE)
    assert not ledger.sends.adopt(BOT, ID, frozen(), ELSEWHERE)
    assert ledger.sends.is_answered(ID)
    assert not ledger.sends.is_answered(DocId("mention:did:plc:alice:3kother"))


def test_a_reply_found_settles_the_claim_of_its_mention(ledger: Ledger) -> None:
    """After a crash between the send and the answer, also when it stands under another record key."""
    for rkey, where in (("3ka", "3kar"), ("3kb", "3kelsewhere")):
        send = sending(ledger, rkey)
        uri = f"at://did:plc:wright/app.bsky.feed.post/{where}"

        assert ledger.sends.adopt(BOT, DocId(str(send.document_id)), frozen(where, "cid-1"), uri)
        assert not ledger.sends.adopt(BOT, DocId(str(send.document_id)), frozen(where, "cid-1"), uri)
        now = now_of(ledger, DocId(str(send.document_id)))
        assert (Status.REPLIED, Reason.ADOPTED, uri) == (now.status, now.reason, now.reply_uri)
        assert ["answered"] == [found.state for found in ledger.queries.sends(now.id)]


@pytest.mark.parametrize("make", [received, pending, lambda ledger: building(ledger).document])
def test_a_reply_found_before_the_build_keeps_it_from_being_said_twice(ledger: Ledger, make: Any) -> None:
    """The old ledger knows of the mention, but not that it was answered."""
    document = make(ledger)

    assert ledger.sends.adopt(BOT, document.id, frozen("3kfound"), ELSEWHERE)
    (send,) = ledger.queries.sends(document.id)
    assert ("answered", f"the document was {document.status.value}") == (send.state, send.note)
    assert document == now_of(ledger, document)
    assert ledger.sends.is_answered(document.id)


@pytest.mark.parametrize("make", [received, pending, lambda ledger: building(ledger).document])
def test_a_reply_found_before_the_build_is_taken_back_with_its_ask(ledger: Ledger, make: Any) -> None:
    """However it ended, and though it was never replied."""
    document = make(ledger)
    ledger.sends.adopt(BOT, document.id, frozen("3kfound"), ELSEWHERE)
    withdrawn = ledger.documents.withdraw(BOT, document, Reason.CANCELLED)

    assert (Status.SKIPPED, ELSEWHERE) == (withdrawn.status, withdrawn.reply_uri)
    assert [withdrawn] == ledger.sightings.to_take_back(9)


def test_a_reply_found_after_the_end_is_followed(ledger: Ledger) -> None:
    """A write like any other: whoever holds an older reading has lost."""
    document = skipped(ledger)
    ledger.sends.adopt(BOT, document.id, frozen("3kfound"), ELSEWHERE)
    now = now_of(ledger, document)

    assert (ELSEWHERE, document.version + 1) == (now.reply_uri, now.version)
    assert [now] == ledger.sightings.to_look_at(9, timedelta(), timedelta(), timedelta(), 7)


def test_what_is_built_after_its_reply_was_found_is_replied(ledger: Ledger) -> None:
    """Without a second send."""
    claimed = building(ledger)
    ledger.sends.adopt(BOT, claimed.document.id, frozen("3kfound"), ELSEWHERE)
    ledger.claims.report(LANE, claim_id_of(claimed), done())
    document = now_of(ledger, claimed.document)

    with pytest.raises(LostRace):
        ledger.sends.claim_reply(BOT, document, frozen("3knew"))
    document = now_of(ledger, claimed.document)
    after = ledger.sends.finish_adopted(BOT, document)
    assert (Status.REPLIED, ELSEWHERE, False) == (after.status, after.reply_uri, after.sending)
    with pytest.raises(LostRace):
        ledger.sends.finish_adopted(BOT, document)


def test_nothing_is_finished_that_was_not_found(ledger: Ledger) -> None:
    """A claim alone is no answer."""
    document = built(ledger)
    with pytest.raises(LostRace):
        ledger.sends.finish_adopted(BOT, document)
    ledger.sends.claim_reply(BOT, document, frozen())
    with pytest.raises(LostRace):
        ledger.sends.finish_adopted(BOT, now_of(ledger, document))


def test_a_reply_that_was_refused_may_still_be_found(ledger: Ledger) -> None:
    """Under the very record key of the refusal; the start must not fail on it."""
    document = send_refused(ledger)

    assert ledger.sends.adopt(BOT, document.id, frozen("3kfirstr"), ELSEWHERE)
    assert ["answered"] == [send.state for send in ledger.queries.sends(document.id)]
    assert ledger.sends.is_answered(document.id)


def test_a_reply_under_another_documents_record_key_is_remembered(ledger: Ledger) -> None:
    """Somebody has edited our post: the mention that it answers now is answered, and nothing breaks."""
    send, other = sending(ledger), built(ledger, "3kother")

    assert ledger.sends.adopt(BOT, other.id, frozen(send.rkey), ELSEWHERE)
    assert not ledger.sends.adopt(BOT, other.id, frozen(send.rkey), ELSEWHERE)
    assert ledger.sends.is_answered(other.id)
    assert [send] == ledger.queries.sends(ID)
    assert Status.REPLIED is ledger.sends.finish_adopted(BOT, other).status


def test_the_look_at_the_start_ends_at_the_newest_key_that_was_answered(ledger: Ledger, ledger_clock: Clock) -> None:
    """Only a key that names a moment which has been: others are not ours, and would end it too early."""
    assert ledger.sends.last_answered_key() is None
    now = ledger.db.time()
    keys = [tid_at(now - timedelta(hours=hours)) for hours in (3, 1, 2)]
    odd = [tid_at(now + timedelta(days=400)), RecordKey("zzz-by-hand"), RecordKey("3kby_hand")]
    for number, key in enumerate(keys + odd):
        ledger.sends.adopt(BOT, received(ledger, f"3k{number}").id, frozen(key), f"{ELSEWHERE}{number}")

    assert keys[1] == ledger.sends.last_answered_key()
