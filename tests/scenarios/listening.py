"""A bot's ear on a live stream, quick enough for tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from bot.jobs.sitting import Pace
from bot.jobs.stream import Stream
from bot.ledger.views import Document
from bot.sandbox.stream import SandboxStream
from guardrails.documents import StrongRef
from tests.mentions import BOT
from tests.mentions import post as record_of
from tests.network.here import Here
from tests.scenarios.stages import ASK
from tests.scenarios.world import World
from tests.streams import frame
from tests.waiting import until

POSTS = "app.bsky.feed.getPosts"
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
QUICK = Pace(tick=0.02, save=0.02, refresh=0.02, first_wait=0.02)


@contextmanager
def listening(world: World | Here, url: str, **more: Any) -> Iterator[Stream]:
    """The stream is listened to inside the block; on the sandbox's own, from before the block on."""
    kinds: dict[str, Any] = {
        "resting": lambda: False,
        "silence_seconds": 60.0,
        "random": Random(1),
        "pace": QUICK,
        "heard": lambda: None,
    }
    stream = Stream(
        url,
        world.ledger,
        world.bot.presence.account,
        BOT,
        world.clock() - timedelta(hours=1),
        **kinds | more,
    )
    stream.start()
    try:
        yield stream
    finally:
        stream.stop()


@contextmanager
def tuned_in(world: World, live: SandboxStream, **more: Any) -> Iterator[Stream]:
    """The sandbox's stream is listened to, and tells of all that happens in the block."""
    with listening(world, live.url, **more) as stream:
        until(lambda: live.listeners)
        yield stream


def is_found(world: World, post: StrongRef) -> Callable[[], bool]:
    """Tells whether the post is a document."""
    return lambda: any(post.uri == each.source_uri for each in world.ledger.queries.each_since(LONG_AGO, 100))


def counted(stream: Stream, what: str) -> int:
    """How often something became of a frame."""
    return stream.state().counts.get(what, 0)


def documents(world: World) -> list[Document]:
    """All that was heard."""
    return list(world.ledger.queries.each_since(LONG_AGO, 300))


def forged(world: World, who: str, rkey: str = "3kforged22222", **more: Any) -> str:
    """A frame that says that somebody has asked us for something."""
    record = record_of(ASK, facets=[])
    ours = world.network.account("wright.test").did
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": ours}
    record["facets"] = [{"index": {"byteStart": 0, "byteEnd": 12}, "features": [feature]}]
    return frame(world.network.account(who).did, rkey, record, **more)
