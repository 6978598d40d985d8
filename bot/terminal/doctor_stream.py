"""The doctor's look at the live stream, and at what each of the two sources of mentions has found."""

from collections.abc import Iterator

from bot.addresses import shown
from bot.bluesky.jetstream import StreamFailed, connected, read_frame
from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.sources import BOTH, Source, microseconds
from bot.terminal.reaching import CONNECT_SECONDS, LOOK_SECONDS
from guardrails.findings import Finding, ok, warn

# A stream that is alive has told of something in this time.
BACK_US = 60_000_000
MEND = "mend SKYWRIGHT_STREAM_URL, or take it out; the notifications are read all the same"


def stream_findings(url: str | None, clock: Clock) -> Iterator[Finding]:
    """Whether the stream tells of events, where one is set."""
    if url is None:
        return
    try:
        with connected(url, microseconds(clock()) - BACK_US, CONNECT_SECONDS) as connection:
            frame = connection.next(LOOK_SECONDS)
        if frame is None:
            yield warn("stream", f"{shown(url)} has told of nothing in {LOOK_SECONDS:.0f} s", MEND)
            return
        read_frame(frame)
    except StreamFailed as failed:
        yield warn("stream", f"{shown(url)}: {failed}", MEND)
    except ValueError:
        yield warn("stream", f"{shown(url)} sends what no Jetstream sends", MEND)
    else:
        yield ok("stream", f"{shown(url)} tells of events")


def sources_findings(url: str | None, ledger: Ledger) -> Iterator[Finding]:
    """By which source the mentions of the last day were found, where there are two."""
    if url is None:
        return
    found = ledger.sources.compared()
    alone = f"{found[Source.NOTIFICATIONS]} by the notifications alone, {found[Source.STREAM]} by the stream alone"
    yield ok("sources", f"of the last day's mentions {found[BOTH]} were found by both, {alone}")
