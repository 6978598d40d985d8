"""How many frames of the live stream one core looks through, against decoding each of them.

What passes is read, deletions included. The floor decodes with orjson, the peer reads each post with the SDK's models.
By the processor's time: what else the machine does has no say.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import orjson
from atproto import models

from bot.bluesky.jetstream import may_delete, read_frame, wanted
from guardrails.documents import Did
from tests.bench.frames import frames_of
from tests.bench.table import Line, compared, interleaved

OUR_DID = Did("did:plc:z72i7hdynmk6r22z27h6tvur")
ROUNDS, QUICK_ROUNDS = 7, 3
PASSES = 4
# The models take ten times as long as all else.
OF_THE_MODELS = 1000
AIM = 5.0


def lines(quick: bool) -> Iterator[Line]:
    """Against orjson, and against the SDK's models."""
    frames = frames_of(OUR_DID)
    needle = OUR_DID.encode()
    assert 1 == sum(wanted(frame, needle) for frame in frames)
    rounds = QUICK_ROUNDS if quick else ROUNDS
    ours = partial(rate, partial(look, needle=needle), frames)
    name, unit = "stream: frames looked through, against", "frames/s"
    found = interleaved(rounds, ours, partial(rate, orjson.loads, frames))
    yield compared(f"{name} orjson", "-", unit, found, at_least=AIM)
    found = interleaved(rounds, ours, partial(rate, by_models, frames[:OF_THE_MODELS], 1))
    yield compared(f"{name} the SDK's models", "-", unit, found)


def look(frame: bytes, needle: bytes) -> None:
    """What the bot does with a frame before it asks anybody."""
    if wanted(frame, needle) or may_delete(frame):
        read_frame(frame)


def by_models(frame: bytes) -> None:
    """A frame whose post is read into the SDK's model of one."""
    record = orjson.loads(frame).get("commit", {}).get("record")
    if record is not None:
        models.get_or_create(record, models.AppBskyFeedPost.Record)


def rate(read: Callable[[bytes], object], frames: Sequence[bytes], passes: int = PASSES) -> float:
    """Frames per second of processor."""
    gc.collect()
    began = time.process_time()
    for _ in range(passes):
        for frame in frames:
            read(frame)
    return passes * len(frames) / (time.process_time() - began)
