"""What stands beside the replies, as a story reads it: the bot's likes and notes, and the ends that they tell of."""

from datetime import timedelta

from bot.bluesky.likes import LIKE_COLLECTION
from bot.jobs.rescue import rescue_once
from bot.ledger.views import Document
from guardrails.documents import StrongRef
from guardrails.judgement import Judgement
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.documents import newest
from tests.facts import facts_of
from tests.mentions import BOT, OPERATOR
from tests.scenarios.world import World

ASK = "@wright.test make me a to-do list"


def asked(world: World, text: str = ASK, by: str = "alice.test") -> StrongRef:
    """A mention that was read and judged."""
    post = world.says(by, text)
    world.bot.ingest()
    return post


def not_judged(world: World, text: str = ASK, by: str = "alice.test") -> Document:
    """A mention that waits, since it could not be looked at."""
    world.fails("status", "app.bsky.feed.getPosts", status=502)
    document = world.document(asked(world, text, by))
    assert Status.RECEIVED is document.status
    return document


def held(world: World) -> Document:
    """A mention that a person has to decide on."""
    document, judgement = not_judged(world), Judgement(Outcome.HOLD, Reason.POLICY, ())
    return world.ledger.documents.hold(BOT, document, judgement, facts_of(document.mention))


def refused_by_rules(world: World, text: str = ASK, by: str = "alice.test") -> Document:
    """A mention that the rules refuse."""
    judgement = Judgement(Outcome.SKIP, Reason.REFUSED_BY_RULES, ())
    document = not_judged(world, text, by)
    return world.ledger.documents.refuse(BOT, document, judgement, facts_of(document.mention))


def build_refused(world: World, text: str = ASK, reason: str = "it needs a server") -> Document:
    """An ask that a lane says cannot be built."""
    post = asked(world, text)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason=reason, detail="for operators only")
    return world.document(post)


def out_of_tries(world: World) -> Document:
    """An ask that broke in every attempt."""
    post = asked(world)
    for _ in range(3):
        world.lane_builds(outcome=BuildOutcome.BROKEN, detail="it broke")
        world.clock.shift += timedelta(minutes=5)
    return world.document(post)


def no_lane(world: World) -> Document:
    """An ask for which no lane came in time."""
    return _rescued(world, asked(world))


def lane_lost(world: World) -> Document:
    """An ask whose lane never came back."""
    post = asked(world)
    world.lane_claims()
    return _rescued(world, post)


def declined(world: World) -> Document:
    """An ask to which a person said no."""
    return world.ledger.documents.stop(OPERATOR, held(world), Reason.DECLINED)


def approval_expired(world: World) -> Document:
    """An ask on which nobody decided in time."""
    document = held(world)
    world.clock.shift += timedelta(hours=73)
    rescue_once(world.ledger, BOT)
    return world.ledger.queries.document(document.id)


def nothing_to_build(world: World, by: str = "alice.test") -> Document:
    """A mention without an ask."""
    return world.document(asked(world, "@wright.test", by))


def likes(world: World) -> list[dict[str, str]]:
    """The posts that the bot's repository holds likes of."""
    did = world.network.account("wright.test").did
    return [entry["value"]["subject"] for entry in world.network.repo(did, LIKE_COLLECTION)]


def texts(world: World) -> list[str]:
    """What the bot's posts say."""
    return [record["text"] for record in world.replies()]


def speaks_until_settled(world: World) -> None:
    """Let the bot go on while time passes, until no like and no note is under way."""
    queries = world.ledger.queries
    for _ in range(12):
        world.bot.speak()
        sends = [send for document in newest(world.ledger, 100) for send in queries.sends(document.id)]
        if all(send.state != "claimed" for send in sends):
            return
        world.clock.shift += timedelta(minutes=11)


def _rescued(world: World, post: StrongRef) -> Document:
    world.clock.shift += timedelta(hours=25)
    rescue_once(world.ledger, BOT)
    return world.document(post)
