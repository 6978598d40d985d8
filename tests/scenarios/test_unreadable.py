"""A document whose words cannot be read stops nobody else, whatever job meets it."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.bluesky.errors import CallFailed
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.scenarios.stages import ASK, built, replied
from tests.scenarios.world import World

LIST = "app.bsky.notification.listNotifications"


def spoil(world: World, post: StrongRef, **columns: str) -> None:
    with world.ledger.db.write() as connection:
        for name, value in columns.items():
            spoiling = text(f"UPDATE documents SET {name} = :value WHERE source_uri = :uri")
            connection.execute(spoiling, {"value": value, "uri": post.uri})


@pytest.mark.parametrize(
    "odd", [{"cid": "bafy\ud800"}, {"cid": "bafy\0"}, {"did": "did:plc:al\ud800"}, {"did": "did:plc:\0"}]
)
def test_what_no_database_holds_is_parked_and_the_rest_of_its_page_read(world: World, odd: dict[str, str]) -> None:
    """The page stays in the list: what could not be stored would keep all others from being read for good."""
    for handle in ("alice.test", "bob.test", "carol.test"):
        world.says(handle, ASK)
    first, spoilt, last = world.network.notifications(world.network.account("wright.test").did)
    author = spoilt["author"] | {"did": odd.get("did", spoilt["author"]["did"])}
    page = {"notifications": [first, spoilt | {"cid": odd.get("cid", spoilt["cid"]), "author": author}, last]}
    world.fails("status", LIST, status=200, body=json.dumps(page), times=2)
    read, again = world.bot.ingest(), world.bot.ingest()

    assert [(2, 1), (0, 0)] == [(read.new, read.parked), (again.new, again.parked)]


def test_a_built_one_does_not_keep_others_from_their_answers(world: World) -> None:
    """The oldest of two is broken."""
    broken = built(world)
    other = world.says("bob.test", ASK)
    world.bot.ingest()
    world.lane_builds()
    spoil(world, broken, body="{}")
    done = world.bot.reply()

    assert (1, 1) == (done.broken, done.answered)
    assert Status.REPLIED is world.status(other)


@pytest.mark.parametrize("verdicts", ["[1]", "[{}]"])
def test_a_received_one_does_not_keep_others_from_their_answers(world: World, verdicts: str) -> None:
    """Neither its words nor its verdicts can be read when the next process catches up."""
    post = built(world)
    broken = world.says("bob.test", ASK)
    world.fails("status", "app.bsky.feed.getPosts", status=502)
    world.bot.ingest()
    spoil(world, broken, body="{}", verdicts=verdicts)
    world.clock.shift += timedelta(minutes=2)
    world.restart()
    world.bot.reply()

    assert (Status.REPLIED, Status.RECEIVED) == (world.status(post), world.status(broken))


def test_a_watched_one_is_looked_at_in_its_turn(world: World) -> None:
    """It was edited, and what it said before cannot be read."""
    post = replied(world)
    broken = world.says("bob.test", ASK)
    world.bot.ingest()
    world.network.edit(broken.uri, text=f"{ASK}, please")
    spoil(world, broken, body="{}")
    world.clock.shift += timedelta(minutes=11)
    first = world.bot.watch()
    second = world.bot.watch()

    assert (1, 1, 0) == (first.broken, first.present, second.broken)
    assert Status.REPLIED is world.status(post)
    assert world.document(broken).looked_at is not None


def test_write_points_go_back_when_a_reply_cannot_be_made(world: World) -> None:
    """What was taken for it is there for the next."""
    post = built(world)
    spoil(world, post, result='{"title": 7}')
    before = _points(world)
    done = world.bot.reply()

    assert (1, before) == (done.broken, _points(world))


def test_nothing_is_heard_meanwhile_all_the_same(world: World) -> None:
    """Catching up fails, and a broken claim is only one of several."""
    posts = [built(world)]
    posts.append(world.says("bob.test", ASK))
    world.bot.ingest()
    world.lane_builds()
    world.fails("drop_request", times=2)
    world.bot.reply()
    spoil(world, posts[0], body="{}")
    world.restart()
    world.fails("status", LIST, status=502, times=9)
    world.clock.shift += timedelta(minutes=11)
    with pytest.raises(CallFailed):
        world.bot.reply()

    assert Status.REPLIED is world.status(posts[1])


def _points(world: World) -> list[int]:
    with world.ledger.db.read() as connection:
        rows = connection.execute(text("SELECT n FROM usage WHERE scope IN ('points', 'replies') ORDER BY scope"))
        return [n for n in rows.scalars() if n]
