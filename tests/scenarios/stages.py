"""Alice's ask at each stage of its life, and a bot that watches it."""

from datetime import timedelta
from typing import Any

from bot.ledger.claims import Claimed
from guardrails.access import Caller, Role
from guardrails.documents import ClaimId, DeviceId, StrongRef
from guardrails.judgement import Judgement
from guardrails.said import Outcome
from guardrails.transitions import Reason
from tests.facts import PURSE, facts_of
from tests.scenarios.world import LANE, World

ASK = "@wright.test make me a pomodoro timer"
POSTS = "app.bsky.feed.getPosts"
BOT = Caller(Role.BOT, DeviceId("bot"))
CLAIM = ClaimId("claim-of-a-lane-at-work-000")


AN_APP = "http://localhost:8100/a-pomodoro-timer-4f7k2m"


def linked(text: str, link: str) -> dict[str, Any]:
    """A facet that makes a whole text a link."""
    feature = {"$type": "app.bsky.richtext.facet#link", "uri": link}
    return {"index": {"byteStart": 0, "byteEnd": len(text.encode())}, "features": [feature]}


def we_say(world: World, text: str, under: StrongRef | None = None, link: str | None = None) -> StrongRef:
    """A post in the bot's repository of which its ledger knows nothing."""
    facets = [linked(text, link)] if link is not None else []
    return world.network.post(world.network.account("wright.test").did, text, reply=under, facets=facets)


def watch(world: World, rounds: int = 1) -> None:
    """Look so often, each time a little more than a minute later."""
    for _ in range(rounds):
        world.clock.shift += timedelta(seconds=61)
        world.bot.watch()


def received(world: World) -> StrongRef:
    """An ask that could not be looked at yet."""
    post = world.says("alice.test", ASK)
    world.fails("status", POSTS, status=502)
    world.bot.ingest()
    return post


def held(world: World) -> StrongRef:
    post = received(world)
    judgement = Judgement(Outcome.HOLD, Reason.POLICY, ())
    document = world.document(post)
    world.ledger.documents.hold(BOT, document, judgement, facts_of(document.mention))
    return post


def pending(world: World) -> StrongRef:
    post = world.says("alice.test", ASK)
    world.bot.ingest()
    return post


def claim(world: World) -> Claimed | None:
    return world.ledger.claims.claim_next(LANE, CLAIM, "template", PURSE)


def building(world: World) -> StrongRef:
    post = pending(world)
    assert claim(world) is not None
    return post


def built(world: World) -> StrongRef:
    post = pending(world)
    world.lane_builds()
    return post


def replied(world: World) -> StrongRef:
    post = built(world)
    world.bot.reply()
    return post
