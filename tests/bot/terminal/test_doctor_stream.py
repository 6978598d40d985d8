"""The doctor's look at the live stream: it is never the only source, so nothing of it is a failure."""

from datetime import timedelta

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.sources import Found, Source, microseconds
from bot.terminal import doctor_stream
from bot.terminal.doctor_stream import sources_findings, stream_findings
from guardrails.findings import State
from tests.mentions import ALICE, BOT, mention
from tests.streams import closes, frame, played, tells

HELLO = frame(ALICE, "3kx", {"text": "hi"})


def looked_at(url: str | None) -> list[tuple[State, str]]:
    return [(finding.state, finding.told) for finding in stream_findings(url, Clock())]


def test_a_stream_that_tells_of_events_is_well() -> None:
    """From a minute ago on: one that is alive has some."""
    with played(tells(HELLO)) as stream:
        assert [(State.OK, f"{stream.url} tells of events")] == looked_at(stream.url)
    minute_ago = microseconds(Clock()() - timedelta(minutes=1))
    assert abs(minute_ago - int(stream.asked[0].rpartition("=")[2])) < 30_000_000


def test_without_a_stream_nothing_is_said() -> None:
    """It is off then."""
    assert [] == looked_at(None)


def test_a_stream_that_is_away_or_none_is_told_of() -> None:
    """With what mends it."""
    with played(tells("<html>")) as odd:
        assert [(State.WARN, f"{odd.url} sends what no Jetstream sends")] == looked_at(odd.url)
    with played(closes()) as closed:
        assert [(State.WARN, f"{closed.url}: the connection was closed (1000)")] == looked_at(closed.url)
    [away] = stream_findings(closed.url, Clock())
    assert (State.WARN, True, doctor_stream.MEND) == (away.state, "cannot be reached" in away.told, away.mend)


def test_what_is_secret_in_its_address_is_not_told() -> None:
    """Whether it answers or not: its user, its password and its query."""
    with played(tells(HELLO)) as stream:
        secret = f"{stream.url.replace('ws://', 'ws://canary:canary@')}?key=canary"
        assert [(State.OK, f"{stream.url} tells of events")] == looked_at(secret)
    [(state, told)] = looked_at(secret)

    assert (State.WARN, True, False) == (state, told.startswith(stream.url), "canary" in told)


def test_what_each_source_has_found_is_told(ledger: Ledger, ledger_clock: Clock) -> None:
    """Where there are two of them."""
    ledger.documents.receive(BOT, [mention()], by=Found(Source.STREAM))
    ledger_clock.shift += timedelta(minutes=11)
    told = "of the last day's mentions 0 were found by both, 0 by the notifications alone, 1 by the stream alone"

    assert [] == list(sources_findings(None, ledger))
    assert [told] == [finding.told for finding in sources_findings("ws://a", ledger)]
