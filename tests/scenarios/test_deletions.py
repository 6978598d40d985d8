"""Deleting our own reply when the ledger knows little of it, or little is left to write with."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.jobs.sending import Voice
from bot.jobs.take_back import withdraw
from bot.jobs.watch import Watched
from bot.ledger.ledger import Ledger
from bot.ledger.policy import Caps, LedgerPolicy
from bot.ledger.views import Document
from bot.sandbox.server import SandboxServer
from guardrails.documents import POST_COLLECTION, DocId, RecordKey, StrongRef
from guardrails.tid import TidClock
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import built, claim, frozen, now_of, pending, ref_of, replied, sending
from tests.ledger_fixtures import OpenLedger
from tests.mentions import BOT, OPERATOR
from tests.scenarios.world import World, settings_for

KEY = RecordKey("3kfoundfound2")
DELETE = "com.atproto.repo.deleteRecord"


def found_reply(world: World) -> StrongRef:
    """A reply of ours that an earlier ledger knew."""
    did = world.network.account("wright.test").did
    record = {"$type": POST_COLLECTION, "text": "Here it is", "createdAt": "2026-03-02T12:00:00Z"}
    return world.network.put_record(did, POST_COLLECTION, KEY, record)


def taken_back(world: World, document: Document) -> Document:
    world.ledger.sightings.withdrawn(document)
    world.bot.watch()
    return now_of(world.ledger, document)


def test_a_reply_that_a_person_found_elsewhere_is_deleted_there(world: World) -> None:
    """Under another record key than that of its send."""
    ours = found_reply(world)
    send = sending(world.ledger)
    world.ledger.decisions.sent(OPERATOR, send, ours)
    document = now_of(world.ledger, DocId(str(send.document_id)))
    after = taken_back(world, document)
    delete = world.ledger.queries.send(f"delete:{ours.uri}")

    assert (KEY, {}, "answered") == (delete.rkey, delete.record, delete.state)
    assert (Status.REPLIED, ours.uri) == (document.status, document.reply_uri)
    assert ([], True) == (world.replies(), after.reply_deleted_at is not None)


def test_a_reply_under_another_account_is_left_to_a_person(world: World) -> None:
    """The bot has moved to another account: it cannot delete what it said as the old one."""
    taken_back(world, replied(world.ledger))
    world.clock.shift += timedelta(hours=1)
    world.bot.watch()
    (send,) = world.ledger.queries.unsettled_sends()

    assert ("delete", "it stands in the repository of another account") == (send.op, send.conflict)
    assert [] == world.network.calls_to(DELETE)


def test_a_refused_deletion_stays_and_is_shown(world: World) -> None:
    """Unless the reply is gone anyway."""
    ours = found_reply(world)
    document = built(world.ledger)
    world.ledger.sends.adopt(BOT, document.id, frozen(KEY, ours.cid), ours.uri)
    refusal = {"error": "InvalidRequest", "message": "no"}
    world.fails("status", DELETE, status=400, body=refusal, times=2)
    stays = taken_back(world, now_of(world.ledger, document))
    (send,) = world.ledger.queries.unsettled_sends()
    assert Watched() == world.bot.watch()

    assert (1, None) == (len(world.replies()), stays.reply_deleted_at)
    assert "delete" == send.op
    world.network.delete_record(ours.uri)
    world.clock.shift += timedelta(minutes=11)
    world.bot.watch()
    assert [] == world.ledger.queries.unsettled_sends()
    assert now_of(world.ledger, document).reply_deleted_at is not None


def test_a_deletion_waits_for_write_points(
    open_test_ledger: OpenLedger, ledger_clock: Clock, sandbox: SandboxServer
) -> None:
    """As every write does; in the next hour it goes."""
    ledger = open_test_ledger(LedgerPolicy(write_points=Caps(per_hour=2, per_day=100)))
    world = World(ledger, ledger_clock, sandbox, settings_for(sandbox))
    world.start()
    post = world.says("alice.test", "@wright.test make me a timer")
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()
    taken_back(world, world.document(post))
    kept = len(world.replies())
    world.clock.shift += timedelta(hours=1)
    world.bot.watch()
    world.bot.close()

    assert (1, []) == (kept, world.replies())
    assert 1 == len(world.network.calls_to(DELETE))


def test_what_a_person_says_is_deleted_is_deleted(world: World) -> None:
    """They have looked: nothing is asked of the network again."""
    ours = found_reply(world)
    document = built(world.ledger)
    world.ledger.sends.adopt(BOT, document.id, frozen(KEY, ours.cid), ours.uri)
    world.fails("drop_request", DELETE)
    taken_back(world, now_of(world.ledger, document))
    world.network.delete_record(ours.uri)
    (send,) = world.ledger.queries.unsettled_sends()
    world.ledger.decisions.sent(OPERATOR, send, ours)
    world.bot.watch()

    assert now_of(world.ledger, document).reply_deleted_at is not None
    assert 1 == len(world.network.calls_to(DELETE))


def test_deletions_that_wait_for_people_do_not_keep_others_waiting(world: World) -> None:
    """One is in conflict, and one was given up: neither takes a place in the next round."""
    taken_back(world, replied(world.ledger))  # said as another account
    taken_back(world, replied(world.ledger, "3kother"))
    (_, send) = world.ledger.queries.unsettled_sends()
    world.ledger.decisions.abandoned(OPERATOR, send)

    assert [] == world.ledger.sightings.to_take_back(9)


def test_what_a_person_has_given_up_is_not_deleted_again(world: World) -> None:
    """An abandoned deletion stays abandoned."""
    ours = found_reply(world)
    document = built(world.ledger)
    world.ledger.sends.adopt(BOT, document.id, frozen(KEY, ours.cid), ours.uri)
    world.fails("drop_request", DELETE)
    taken_back(world, now_of(world.ledger, document))
    (send,) = world.ledger.queries.unsettled_sends()
    world.ledger.decisions.abandoned(OPERATOR, send)
    world.clock.shift += timedelta(hours=1)
    world.bot.watch()

    assert 1 == len(world.replies())
    assert 1 == len(world.network.calls_to(DELETE))


def claimed_by_a_lane(ledger: Ledger) -> Document:
    read = pending(ledger)
    claim(ledger)
    return read


def held_for_a_person(ledger: Ledger) -> Document:
    read = built(ledger)
    ledger.decisions.hold_reply(BOT, read, "old")
    return read


def answered(ledger: Ledger) -> Document:
    send = sending(ledger)
    read = now_of(ledger, DocId(str(send.document_id)))
    ledger.sends.answered(BOT, send, ref_of(send))
    return read


@pytest.mark.parametrize("reading", [claimed_by_a_lane, held_for_a_person, answered])
def test_whoever_withdraws_what_has_just_moved_has_lost(world: World, reading: Callable[[Ledger], Document]) -> None:
    """Nothing is marked and no app goes: the next look decides over what is there then."""
    read = reading(world.ledger)
    now = now_of(world.ledger, read)
    account = world.bot.presence.account()
    voice = Voice(world.ledger, account, BOT, TidClock(world.clock, 1), world.clock, lambda: False)

    with pytest.raises(LostRace):
        withdraw(voice, read, Reason.DELETED)
    assert now == now_of(world.ledger, read)
