"""How many frames of the live stream one core looks through, against decoding each of them.

What passes is read, deletions included. The floor decodes with orjson, the peer reads each post with the SDK's models.
By the processor's time: what else the machine does has no say. A frame is looked at when it has just come, and so is
near the processor; out of a list of thousands most of what is measured would be the way from memory, and its traffic.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import orjson
from atproto import models

from bot.bluesky.jetstream import MOST_WAITING, is_worth_a_look, read_frame
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
    assert looked_through(frames) == 1
    rounds = QUICK_ROUNDS if quick else ROUNDS
    ours, name, unit = partial(rate, looked_through, frames), "stream: frames looked through, against", "frames/s"
    found = interleaved(rounds, ours, partial(rate, decoded, frames))
    yield compared(f"{name} orjson", "-", unit, found, at_least=AIM)
    found = interleaved(rounds, ours, partial(rate, by_models, frames[:OF_THE_MODELS]))
    yield compared(f"{name} the SDK's models", "-", unit, found)


def looked_through(frames: Sequence[bytes]) -> int:
    """What the bot does with a frame before it asks anybody; how many were worth it."""
    needle, keys, found = OUR_DID.encode(), FOLLOWED, 0
    for frame in frames:
        if is_worth_a_look(frame, needle, keys):
            read_frame(frame)
            found += 1
    return found


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


def rate(read: Callable[[Sequence[bytes]], object], frames: Sequence[bytes]) -> float:
    """Frames per second of processor, as many at a time as wait at most."""
    gc.collect()
    spent = 0
    for at in [*range(0, len(frames), MOST_WAITING)] * PASSES:
        come = [just_come(frame) for frame in frames[at : at + MOST_WAITING]]
        began = time.process_time_ns()
        read(come)
        spent += time.process_time_ns() - began
    return PASSES * len(frames) / (spent / 1e9)


def just_come(frame: bytes) -> bytes:
    """The same as it is when the socket has just given it: written a moment ago."""
    return bytes(memoryview(frame))
