"""One reply under every fault of the network."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.sandbox.network import SandboxNetwork
from guardrails.documents import POST_COLLECTION, StrongRef, split_at_uri
from guardrails.transitions import Reason, Status
from tests.scenarios.world import World


@pytest.fixture
def built(world: World) -> StrongRef:
    """Alice's mention, built and not yet answered."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    world.lane_builds()
    return post


@pytest.mark.parametrize(
    "kind", ["drop_request", "drop_answer", "close_mid_body", "broken_json", "error_after_commit", "rate_limit"]
)
@pytest.mark.parametrize("times", [1, 3])
def test_a_fault_ends_in_one_reply(world: World, built: StrongRef, kind: str, times: int) -> None:
    """Whatever becomes of the request or its answer, and however often, there is one reply and the ledger knows it."""
    world.fails(kind, times=times)
    world.until_settled()

    (send,) = world.ledger.queries.sends(world.document(built).id)

    assert Status.REPLIED == world.status(built)
    assert 1 == len(world.replies())
    assert "answered" == send.state


@pytest.mark.parametrize("body", ["<html><h1>502 Bad Gateway</h1></html>", {"error": "InternalServerError"}])
def test_a_gateways_error_ends_in_one_reply(world: World, built: StrongRef, body: object) -> None:
    """A 502, in HTML or not, is an unknown outcome and no failure."""
    world.fails("status", status=502, body=body, html=isinstance(body, str))
    world.until_settled()

    assert (Status.REPLIED, 1) == (world.status(built), len(world.replies()))


def test_a_slow_answer_ends_in_one_reply(world: World, built: StrongRef) -> None:
    """The record is stored and the answer comes after the deadline."""
    world.settings = world.settings.model_copy(update={"call_deadline_seconds": 1})
    world.restart()
    world.fails("delay", seconds=2)
    world.until_settled()

    assert (Status.REPLIED, 1) == (world.status(built), len(world.replies()))


def test_a_read_back_that_fails_too_waits(world: World, built: StrongRef) -> None:
    """While the outcome cannot be told, the claim stays, is shown, and nothing is sent again."""
    world.fails("drop_answer")
    world.fails("drop_request", "com.atproto.repo.getRecord", times=2)
    world.bot.reply()
    world.clock.shift += timedelta(minutes=11)
    world.bot.reply()

    assert 1 == len(world.ledger.queries.unsettled_sends())

    world.until_settled()
    assert (Status.REPLIED, 1) == (world.status(built), len(world.replies()))


def test_a_refused_reply_is_an_error_with_its_reason(world: World, built: StrongRef) -> None:
    """A 400 about the record itself ends it: the document says why, and nothing is tried again."""
    world.fails("status", status=400, body={"error": "InvalidRequest", "message": "no such thing"}, times=2)
    world.bot.reply()
    world.bot.reply()

    document = world.document(built)

    assert (Status.ERROR, Reason.SEND_REFUSED) == (document.status, document.reason)
    assert "no such thing" in document.detail
    assert [] == world.replies()


def test_something_else_under_our_key_is_left_to_a_person(world: World, built: StrongRef) -> None:
    """Another record stands under the claimed key: nothing is overwritten, nothing is sent under another."""
    world.fails("drop_request")
    world.bot.reply()
    (send,) = world.ledger.queries.sends(world.document(built).id)
    put_foreign(world.network, send.rkey)
    world.until_settled()

    (send,) = world.ledger.queries.sends(world.document(built).id)

    assert send.conflict is not None
    assert Status.BUILT == world.status(built)
    assert ["not ours"] == [reply["text"] for reply in world.replies()]


def test_a_reply_taken_down_meanwhile_is_not_sent_again(world: World, built: StrongRef) -> None:
    """A taken-down record reads as absent, and the put under its key says that it is there."""
    world.fails("drop_answer")
    world.bot.reply()
    did = world.network.account("wright.test").did
    (record,) = world.network.repo(did, POST_COLLECTION)
    world.network.takedown(record["uri"])
    world.until_settled()

    (send,) = world.ledger.queries.sends(world.document(built).id)

    assert ("answered", record["uri"]) == (send.state, send.uri)
    assert Status.REPLIED == world.status(built)


def test_a_process_that_dies_after_the_send_finds_its_reply(world: World, built: StrongRef) -> None:
    """The put was answered to nobody: the next process settles it by what is in the repository."""
    world.fails("drop_answer")
    world.bot.reply()
    world.restart()
    world.bot.reply()

    assert (Status.REPLIED, 1) == (world.status(built), len(world.replies()))


def test_a_process_that_dies_before_the_send_sends_later(world: World, built: StrongRef) -> None:
    """The claim stands and nothing was stored: the same bytes go out once under the same key."""
    world.fails("drop_request")
    world.bot.reply()
    (claimed,) = world.ledger.queries.sends(world.document(built).id)
    world.restart()
    world.until_settled()

    (record,) = world.network.repo(world.network.account("wright.test").did, POST_COLLECTION)

    assert (claimed.rkey, claimed.cid) == (split_at_uri(record["uri"]).rkey, record["cid"])
    assert Status.REPLIED == world.status(built)


def test_one_bad_document_does_not_stop_the_others(world: World, built: StrongRef) -> None:
    """A refused reply and a good one in the same round."""
    other = world.says("bob.test", "@wright.test make me a decision wheel")
    world.bot.ingest()
    world.lane_builds()
    world.fails("status", status=400, body={"error": "InvalidRequest", "message": "no such thing"}, times=2)
    world.bot.reply()

    assert (Status.ERROR, Status.REPLIED) == (world.status(built), world.status(other))


def test_a_send_that_breaks_does_not_take_the_others_place(world: World, built: StrongRef) -> None:
    """A record that nothing can send any more is looked at again later; what comes after it goes out meanwhile."""
    world.fails("drop_request")
    world.bot.reply()
    broken = world.ledger.queries.sends(world.document(built).id)[-1]
    spoil(world, broken.id)
    world.clock.shift += timedelta(minutes=11)
    first, second = world.bot.reply(), world.bot.reply()

    assert (1, 0) == (first.broken, second.broken)
    assert ["reply:" + world.document(built).id] == [send.key for send in world.ledger.queries.unsettled_sends()]


def spoil(world: World, send_id: int) -> None:
    """A record of which nobody knows how it came to be: its date is none."""
    with world.ledger.db.write() as connection:
        connection.execute(
            text("UPDATE sends SET record = :bad WHERE id = :id"), {"bad": '{"createdAt": "soon"}', "id": send_id}
        )


def put_foreign(network: SandboxNetwork, rkey: str) -> None:
    """A record that is not ours under one of our keys."""
    record = {"$type": POST_COLLECTION, "text": "not ours", "createdAt": "2026-03-02T12:00:00Z"}
    network.put_record(network.account("wright.test").did, POST_COLLECTION, rkey, record)
