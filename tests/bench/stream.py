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

from bot.bluesky.jetstream import is_worth_a_look, read_frame
from guardrails.documents import Did
from tests.bench.frames import frames_of
from tests.bench.table import Line, compared, interleaved

OUR_DID = Did("did:plc:z72i7hdynmk6r22z27h6tvur")
ROUNDS, QUICK_ROUNDS = 7, 3
PASSES = 4
# The models take ten times as long as all else.
OF_THE_MODELS = 1000
AIM = 5.0
# The keys of the posts whose deletion is heeded.
FOLLOWED = frozenset(f"3k{number:011}".encode() for number in range(2000))


def lines(quick: bool) -> Iterator[Line]:
    """Against orjson, and against the SDK's models."""
    frames = frames_of(OUR_DID)
    rounds = QUICK_ROUNDS if quick else ROUNDS
    ours, name, unit = partial(rate, looked_through, frames), "stream: frames looked through, against", "frames/s"
    found = interleaved(rounds, ours, partial(rate, decoded, frames))
    yield compared(f"{name} orjson", "-", unit, found, at_least=AIM)
    found = interleaved(rounds, ours, partial(rate, by_models, frames[:OF_THE_MODELS]))
    yield compared(f"{name} the SDK's models", "-", unit, found)


def looked_through(frames: Sequence[bytes]) -> None:
    """What the bot does with a frame before it asks anybody."""
    needle, keys, found = OUR_DID.encode(), FOLLOWED, 0
    for frame in frames:
        if is_worth_a_look(frame, needle, keys):
            read_frame(frame)
            found += 1
    assert found == 1


def decoded(frames: Sequence[bytes]) -> None:
    """Each frame as JSON."""
    for frame in frames:
        orjson.loads(frame)


def by_models(frames: Sequence[bytes]) -> None:
    """Each frame whose post is read into the SDK's model of one."""
    for frame in frames:
        record = orjson.loads(frame).get("commit", {}).get("record")
        if record is not None:
            models.get_or_create(record, models.AppBskyFeedPost.Record)


def rate(read: Callable[[Sequence[bytes]], None], frames: Sequence[bytes]) -> float:
    """Frames per second of processor."""
    gc.collect()
    began = time.process_time()
    for _ in range(PASSES):
        read(frames)
    return PASSES * len(frames) / (time.process_time() - began)
