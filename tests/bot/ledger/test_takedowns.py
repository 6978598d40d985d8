"""What operators take away: from wherever it stands, over the version that they saw, and nothing opens it again."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.errors import NotAllowed
from guardrails.facts import Facts
from guardrails.rules import Rules
from guardrails.transitions import Reason, Status, is_terminal
from tests.bot.ledger.steps import (
    STARTS,
    build_failed,
    built,
    frozen,
    now_of,
    received,
    ref_of,
    refuse,
    replied,
    send_refused,
    sending,
    skipped,
)
from tests.facts import seats_of
from tests.mentions import BOB, BOT, LANE, OPERATOR, OUR_DID, VIEWER


def taken_down(ledger: Ledger, document: Document, **more: Any) -> Document:
    return ledger.takedowns.take_down(OPERATOR, now_of(ledger, document), "a complaint", **more)


def facts(ledger: Ledger, document: Document) -> Facts:
    return ledger.gather([document], OUR_DID, Rules())[document.id]


@pytest.mark.parametrize("status", STARTS)
def test_from_wherever_it_stands_it_is_taken_down(ledger: Ledger, status: Status) -> None:
    """What is open ends with the reason, what is over stays what it is; the app is gone, and no claim stands."""
    document = STARTS[status](ledger)
    gone = taken_down(ledger, document)
    app = ledger.hosting.app(str(gone.slug))

    over = is_terminal(document.kind, status)
    assert (status if over else Status.SKIPPED) is gone.status
    assert (Reason.TAKEN_DOWN, None) == (gone.reason if not over else Reason.TAKEN_DOWN, gone.claim_id)
    assert None not in (gone.taken_down_at, gone.withdrawn_at)
    assert app is None or Reason.TAKEN_DOWN.value == app.gone_reason
    assert (gone.reply_uri is not None) == bool(ledger.sightings.to_take_back(9))
    with pytest.raises(LostRace):
        taken_down(ledger, gone) if over else ledger.takedowns.take_down(OPERATOR, document)


@pytest.mark.parametrize("keep_reply", [False, True])
def test_nothing_opens_it_again(ledger: Ledger, keep_reply: bool) -> None:
    """Neither a person nor the bot, whether our reply is kept or not; no row of the history is made of it."""
    failed = taken_down(ledger, build_failed(ledger), keep_reply=keep_reply)
    errored = taken_down(ledger, send_refused(ledger, "3kerror"), keep_reply=keep_reply)
    passed = taken_down(ledger, skipped(ledger, "3kskipped"), keep_reply=keep_reply)
    before = ledger.feed.last()
    documents = ledger.documents
    openings: list[Callable[[], Document]] = [
        lambda: documents.retry(OPERATOR, failed),
        lambda: documents.ask_again(BOT, failed, seats_of(failed.mention)),
        lambda: documents.retry(OPERATOR, errored),
        lambda: documents.send_again(OPERATOR, errored),
        lambda: documents.judge_again(OPERATOR, passed),
    ]
    for opens in openings:
        with pytest.raises(LostRace):
            opens()

    assert before == ledger.feed.last()
    app = ledger.hosting.app(str(errored.slug))
    assert app is not None
    assert Reason.TAKEN_DOWN.value == app.gone_reason


@pytest.mark.parametrize("take", ["withdrawn", "deleted"])
def test_neither_is_what_was_taken_back_opened_again(ledger: Ledger, take: str) -> None:
    """Be it by its author or by an operator, who has only deleted it."""
    errored = send_refused(ledger)
    if take == "withdrawn":
        ledger.sightings.withdrawn(errored)
    else:
        ledger.takedowns.delete(OPERATOR, errored)
    errored = now_of(ledger, errored)

    with pytest.raises(LostRace):
        ledger.documents.send_again(OPERATOR, errored)
    with pytest.raises(LostRace):
        ledger.documents.retry(OPERATOR, errored)


def test_a_kept_reply_is_not_taken_back(ledger: Ledger) -> None:
    """Until its author takes the post back, or an operator deletes it."""
    document = taken_down(ledger, replied(ledger), keep_reply=True)
    kept = ledger.sightings.to_take_back(9)
    ledger.takedowns.delete(OPERATOR, document)

    assert ([], [document.id]) == (kept, [each.id for each in ledger.sightings.to_take_back(9)])


def test_a_reply_under_way_is_settled_first(ledger: Ledger) -> None:
    """The key stays; once it is answered, the reply is due to be taken back."""
    send = sending(ledger)
    document = taken_down(ledger, ledger.queries.document(str(send.document_id)))
    ledger.sends.answered(BOT, send, ref_of(send))
    now = now_of(ledger, document)

    assert (Status.BUILT, True) == (document.status, document.sending)
    assert (Status.REPLIED, False) == (now.status, now.sending)
    assert [document.id] == [each.id for each in ledger.sightings.to_take_back(9)]


@pytest.mark.parametrize("status", [Status.RECEIVED, Status.BUILDING, Status.BUILT])
def test_what_is_open_is_not_deleted(ledger: Ledger, status: Status) -> None:
    """It is skipped, or taken down."""
    with pytest.raises(LostRace):
        ledger.takedowns.delete(OPERATOR, STARTS[status](ledger))


def test_a_newer_state_is_not_written_over(ledger: Ledger) -> None:
    """A reply was claimed since somebody looked: it is looked at once more."""
    seen = built(ledger)
    ledger.sends.claim_reply(BOT, seen, frozen())

    for write in (ledger.takedowns.take_down, ledger.takedowns.delete):
        with pytest.raises(LostRace):
            write(OPERATOR, seen)
    assert [] == ledger.audit.rows(None, 9)


def test_nobody_but_an_operator_takes_anything_down(ledger: Ledger) -> None:
    """Neither a lane, nor a viewer, nor the bot by itself."""
    document = replied(ledger)
    for caller in (LANE, VIEWER, BOT):
        for write in (ledger.takedowns.take_down, ledger.takedowns.delete):
            with pytest.raises(NotAllowed):
                write(caller, document)


def test_the_same_ask_is_known_again(ledger: Ledger) -> None:
    """Whoever makes it; its author's own asks are given along with it, and those of nobody else."""
    gone = taken_down(ledger, replied(ledger))
    bobs = facts(ledger, received(ledger, "3kbob", author=BOB, ask="Make me a tip  splitter!"))
    alices = facts(ledger, received(ledger, "3kalice", ask="make me a tip splitter please"))
    others = facts(ledger, received(ledger, "3kother", author=BOB, ask="make me a pomodoro timer"))

    assert (gone.id, ()) == (bobs.taken_down, bobs.lost)
    assert (None, [(gone.id, "make me a tip splitter")]) == (alices.taken_down, [(e.id, e.ask) for e in alices.lost])
    assert (None, ()) == (others.taken_down, others.lost)


def test_what_was_taken_down_is_joined_by_nobody(ledger: Ledger) -> None:
    """Though it stays replied, and its reply was kept."""
    gone = taken_down(ledger, replied(ledger), keep_reply=True)
    again = received(ledger, "3kagain")

    assert () == facts(ledger, again).earlier
    with pytest.raises(LostRace):
        refuse(ledger, again, Reason.SAME_ASK, gone.id)


@pytest.mark.parametrize("keep_reply", [False, True])
def test_whoever_joined_goes_with_it(ledger: Ledger, keep_reply: bool) -> None:
    """It is not judged afresh, now or when its author takes the first back."""
    first = replied(ledger)
    joined = refuse(ledger, received(ledger, "3kagain"), Reason.SAME_ASK, first.id)
    gone = taken_down(ledger, first, keep_reply=keep_reply)
    ledger.sightings.withdrawn(now_of(ledger, gone))

    assert [] == ledger.documents.withdrawn_with_joined(9)
    assert [] == ledger.documents.reopen_joined_to(BOT, now_of(ledger, gone))
    with pytest.raises(LostRace):
        ledger.documents.judge_again(OPERATOR, now_of(ledger, joined))


def test_all_of_an_author_but_what_was_just_skipped(ledger: Ledger) -> None:
    """So many as there may be something to take from."""
    answered = replied(ledger)
    skipped(ledger, "3kskipped")
    waiting = received(ledger, "3kopen")
    received(ledger, "3kbob", author=BOB)

    assert [answered.id, waiting.id] == [each.id for each in ledger.takedowns.of_author(answered.author_did)]


def test_replies_without_a_document_go_with_the_rest(ledger: Ledger) -> None:
    """Of which an earlier ledger knew: their deletion is due."""
    known = replied(ledger)
    uri = "at://did:plc:wright/app.bsky.feed.post/3kold"
    lost = known.id.replace("3kfirst", "3klost")
    assert ledger.sends.adopt(BOT, type(known.id)(lost), frozen("3kold"), uri)

    assert [lost] == ledger.takedowns.take_back_known(OPERATOR, known.author_did)
    assert [] == ledger.takedowns.take_back_known(OPERATOR, known.author_did)
    assert "claimed" == ledger.queries.send(f"delete:{uri}").state


def test_an_ask_that_says_nothing_holds_nobody(ledger: Ledger) -> None:
    """Its digest would be everybody's."""
    taken_down(ledger, received(ledger, ask="…"))

    assert None is facts(ledger, received(ledger, "3kbob", author=BOB, ask="!")).taken_down
