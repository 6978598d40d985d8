"""What a stream tells and nobody can find: it makes no document, takes no room, hides nothing and steers nothing."""

import json
import socket
import threading
from dataclasses import replace

import pytest
from websockets.sync.server import ServerConnection

from bot.bluesky.cid import cid_of
from bot.jobs.rumours import MOST
from bot.ledger.conditions import STREAM
from guardrails.transitions import Status
from tests.scenarios.listening import POSTS, QUICK, counted, documents, forged, is_found, listening
from tests.scenarios.stages import ASK, replied, watch
from tests.scenarios.world import World
from tests.streams import frame, played, tells
from tests.waiting import until


def test_a_forged_frame_makes_no_document(world: World) -> None:
    """No such record; another version of one; a record that somebody else has written."""
    real = world.says("alice.test", ASK)
    rkey, bob = real.uri.rpartition("/")[2], world.network.account("bob.test").did
    frames = [
        forged(world, "alice.test"),
        forged(world, "alice.test", rkey, cid=cid_of({"text": "another"})),
        forged(world, "bob.test", rkey, cid=real.cid),
        frame(bob, "3kx", None),
        "garbage",
    ]
    with played(tells(*frames)) as stream, listening(world, stream.url) as ear:
        until(lambda: counted(ear, "unreadable"))
        until(lambda: len(world.network.calls_to(POSTS)) > 3)

    assert [] == documents(world)
    assert [] == world.ledger.desk.parked(10)


def test_more_mentions_at_once_than_may_be_open_are_all_heard(world: World) -> None:
    """As after an hour without a bot: they are asked about as they come, and no connection begins before them again."""
    posts = [world.says("alice.test", f"{ASK} for {number}") for number in range(MOST + 20)]
    frames = [forged(world, "alice.test", post.uri.rpartition("/")[2], cid=post.cid) for post in posts]
    with played(tells(*frames)) as stream, listening(world, stream.url, pace=replace(QUICK, tick=2)):
        until(lambda: len(documents(world)) == len(posts))
        asked = len(stream.asked)

    assert (1, {post.uri for post in posts}) == (asked, {each.source_uri for each in documents(world)})


def test_a_flood_of_what_nobody_can_find_hides_nothing_behind_it(world: World) -> None:
    """Forged, or posted and deleted at once: operators see it, the memory that it takes has a limit, no row is kept."""
    real = world.says("bob.test", ASK)
    flood = [forged(world, "alice.test", f"3kforged2{number:04d}") for number in range(MOST + 20)]
    behind = forged(world, "bob.test", real.uri.rpartition("/")[2], cid=real.cid)
    with played(tells(*flood, behind)) as stream, listening(world, stream.url, pace=replace(QUICK, tick=2)):
        until(is_found(world, real))
        asked = len(stream.asked)

    assert (1, [real.uri], []) == (
        asked,
        [each.source_uri for each in documents(world)],
        world.ledger.desk.parked(10),
    )


def test_while_nothing_finds_what_a_stream_tells_operators_see_it(world: World) -> None:
    """Until it tells no more of it."""
    flood = [forged(world, "alice.test", f"3kforged2{number:04d}") for number in range(MOST + 20)]
    hello = frame(world.network.account("bob.test").did, "3kx", {"text": "hi"})
    go_on = threading.Event()

    def plays(connection: ServerConnection) -> None:
        for each in flood:
            connection.send(each)
        go_on.wait(30)
        tells(hello)(connection)

    with played(plays) as stream, listening(world, stream.url):
        until(lambda: world.ledger.conditions.stands(STREAM))
        [condition] = world.ledger.conditions.standing()
        go_on.set()
        until(lambda: not world.ledger.conditions.stands(STREAM))

    assert "more posts than can be found" in condition.detail


def test_while_the_appview_is_away_no_more_is_taken_than_may_be_open(world: World) -> None:
    """Nothing is given up of which nobody was asked: the place in the stream stays before it."""
    world.fails("status", POSTS, times=1000, status=502)
    flood = [forged(world, "alice.test", f"3kforged2{number:04d}") for number in range(MOST + 20)]
    with played(tells(*flood)) as stream, listening(world, stream.url) as ear:
        until(lambda: len(stream.asked) > 1)
        until(lambda: world.ledger.conditions.stands(STREAM))

    assert 0 == counted(ear, "unproven")


def test_a_forged_deletion_withdraws_nothing(world: World) -> None:
    """The post is looked at, and is there."""
    post = replied(world)
    rkey, alice = post.uri.rpartition("/")[2], world.network.account("alice.test").did
    with played(tells(frame(alice, rkey, None))) as stream, listening(world, stream.url) as ear:
        until(lambda: counted(ear, "deletions"))
    watch(world, 3)

    assert Status.REPLIED is world.status(post)
    assert 1 == len(world.replies())


def test_no_address_in_a_frame_is_called(world: World) -> None:
    """Neither a host that a DID names nor a link or a picture of the record: who can send a frame steers no call."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        did = f"did:web:{host.replace(':', '%3A')}"
        card = {
            "$type": "app.bsky.embed.external",
            "external": {"uri": f"http://{host}/", "title": "", "description": ""},
        }
        frames = [
            frame(did, "3kweb22222222", json.loads(forged(world, "alice.test"))["commit"]["record"]),
            forged(world, "alice.test").replace('"record":{', f'"record":{{"embed":{json.dumps(card)},'),
            "garbage",
        ]
        with played(tells(*frames)) as stream, listening(world, stream.url) as ear:
            until(lambda: counted(ear, "unreadable"))
            until(lambda: len(world.network.calls_to(POSTS)) > 3)
        listener.setblocking(False)

        with pytest.raises(BlockingIOError):
            listener.accept()
    assert [] == documents(world)
