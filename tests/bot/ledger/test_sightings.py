"""Which posts are to be looked at and when, and that what was seen moves nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import STARTS, built, frozen, now_of, received, ref_of, replied, sending, travel
from tests.documents import newest
from tests.mentions import BOT, OPERATOR

OPEN = [Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT]


def due(ledger: Ledger, limit: int = 9) -> list[Document]:
    """Open ones every minute, replied ones every ten for a week, absent ones after thirty seconds."""
    minute = timedelta(minutes=1)
    return ledger.sightings.to_look_at(limit, minute, 10 * minute, minute / 2, 7)


@pytest.mark.parametrize("status", Status)
def test_what_is_open_or_replied_to_is_looked_at(ledger: Ledger, status: Status) -> None:
    """What ended otherwise is not."""
    document = STARTS[status](ledger)

    assert ([document.id] if status in (*OPEN, Status.REPLIED) else []) == [each.id for each in due(ledger)]


def test_an_open_ask_is_looked_at_every_minute(ledger: Ledger, ledger_clock: Clock) -> None:
    """Whatever else is noted of it meanwhile."""
    document = ledger.sightings.present(built(ledger), "cid-3kfirst")
    travel(ledger_clock, seconds=59)
    before = due(ledger)
    travel(ledger_clock, seconds=2)
    ledger.sightings.answer_later(document, timedelta(minutes=5))

    assert ([], [document.id]) == (before, [each.id for each in due(ledger)])


def test_a_reply_is_followed_less_often_and_for_a_week(ledger: Ledger, ledger_clock: Clock) -> None:
    """After that its mention may go where it likes."""
    document = ledger.sightings.present(replied(ledger), "cid-3kfirst")
    travel(ledger_clock, minutes=9)
    early = due(ledger)
    travel(ledger_clock, minutes=2)
    in_time = due(ledger)
    travel(ledger_clock, days=7)

    assert ([], [document.id], []) == (early, [each.id for each in in_time], due(ledger))


@pytest.mark.parametrize("status", Status)
def test_the_deletion_of_what_is_looked_at_is_heeded(ledger: Ledger, status: Status) -> None:
    """Whenever its time is; of too many the latest."""
    document = STARTS[status](ledger)
    ledger.sightings.present(document, "cid-3kfirst")

    followed = {document.source_uri} if status in (*OPEN, Status.REPLIED) else set()
    assert followed == ledger.sightings.followed(7, 9)
    assert frozenset() == ledger.sightings.followed(7, 0)


def test_what_was_told_of_is_looked_at_now(ledger: Ledger, ledger_clock: Clock) -> None:
    """But for what was absent at the last look: the second has its time."""
    document = ledger.sightings.present(built(ledger), "cid-3kfirst")
    before = due(ledger)
    ledger.sightings.look_now([document.source_uri, "at://did:plc:alice/app.bsky.feed.post/3kunknown"])
    told = due(ledger)
    ledger.sightings.absent(document)
    ledger.sightings.look_now([document.source_uri])
    ledger.sightings.look_now([])
    absent = due(ledger)
    travel(ledger_clock, seconds=31)

    assert ([], [document.id], [], [document.id]) == (
        before,
        [each.id for each in told],
        absent,
        [each.id for each in due(ledger)],
    )


@pytest.mark.parametrize("start", [built, replied])
def test_what_was_absent_is_looked_at_sooner(ledger: Ledger, ledger_clock: Clock, start: object) -> None:
    """So that a second look can tell; since when it is absent is kept, until it is seen again."""
    assert callable(start)
    absent = ledger.sightings.absent(start(ledger))
    travel(ledger_clock, seconds=31)
    again = ledger.sightings.absent(due(ledger)[0])

    assert absent.absent_since is not None
    assert absent.absent_since == again.absent_since == ledger.sightings.unclear(again).absent_since
    assert ledger.sightings.present(again, "cid-3kfirst").absent_since is None


def test_the_longest_unseen_comes_first(ledger: Ledger, ledger_clock: Clock) -> None:
    """What was never seen before all."""
    old, new = (received(ledger, rkey) for rkey in ("3kold", "3knew"))
    ledger.sightings.present(new, "cid-3knew")
    travel(ledger_clock, seconds=5)
    ledger.sightings.unclear(old)
    travel(ledger_clock, seconds=70)
    never = received(ledger, "3knever")

    assert [never.id, new.id, old.id] == [each.id for each in due(ledger)]
    assert [never.id] == [each.id for each in due(ledger, 1)]


def test_a_withdrawn_document_waits_for_its_send(ledger: Ledger, ledger_clock: Clock) -> None:
    """It is not looked at while the key is claimed; answered, its reply is to be taken back until it is gone."""
    send = sending(ledger)
    document = ledger.sightings.withdrawn(now_of(ledger, newest(ledger, 1)[0]))
    under_way = due(ledger), ledger.sightings.to_take_back(9)
    ledger.sends.answered(BOT, send, ref_of(send))
    travel(ledger_clock, hours=1)

    assert ([], []) == under_way
    assert [] == due(ledger)
    assert [document.id] == [each.id for each in ledger.sightings.to_take_back(9)]
    ledger.sightings.reply_deleted(now_of(ledger, document))
    assert [] == ledger.sightings.to_take_back(9)


def test_a_withdrawn_document_is_opened_again_by_nobody(ledger: Ledger) -> None:
    """Its send was refused; a second one must not go out under a post that is gone."""
    send = sending(ledger)
    document = ledger.sightings.withdrawn(now_of(ledger, newest(ledger, 1)[0]))
    ledger.sends.refused(BOT, send, "no")

    assert [] == due(ledger)
    with pytest.raises(LostRace):
        ledger.documents.send_again(OPERATOR, now_of(ledger, document))


def test_a_note_on_a_document_that_has_moved_is_dropped(ledger: Ledger) -> None:
    """The newer one is given back; notes move nothing."""
    before = received(ledger)
    moved = ledger.documents.withdraw(BOT, before, Reason.CANCELLED)
    after = ledger.sightings.absent(before)

    assert moved == after
    assert replace(moved, note_due=False) == now_of(ledger, before)


def test_an_edit_is_noted_until_that_version_is_what_was_read(ledger: Ledger) -> None:
    """The ledger's version stays the one that was read."""
    document = received(ledger)
    edited = ledger.sightings.present(document, "another")
    back = ledger.sightings.present(edited, document.source_cid)

    assert ("another", document.source_cid, None) == (edited.edited_cid, edited.source_cid, back.edited_cid)
    assert document.version == back.version


def test_a_reply_found_before_its_build_can_be_taken_back(ledger: Ledger) -> None:
    """Of which the ledger knows nothing but where it is."""
    document = built(ledger)
    ledger.sends.adopt(BOT, document.id, frozen("3kfound"), "at://did:plc:wright/app.bsky.feed.post/3kfound")
    ledger.sightings.withdrawn(now_of(ledger, document))

    assert [document.id] == [each.id for each in ledger.sightings.to_take_back(9)]
