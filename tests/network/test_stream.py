"""A bot that listens to the real network's events, as a Jetstream tells them."""

from collections.abc import Iterator

import pytest

from bot.sandbox.stream import SandboxStream
from guardrails.transitions import Reason, Status
from tests.network.here import Here
from tests.network.jetstream import jetstream_of
from tests.scenarios.listening import LONG_AGO, counted, listening
from tests.waiting import until


@pytest.fixture
def live(here: Here) -> Iterator[SandboxStream]:
    with jetstream_of(here.network.endpoints.pds) as stream:
        yield stream


def test_a_mention_is_heard_without_its_notification(here: Here, live: SandboxStream) -> None:
    """The AppView shows it a moment after the stream has told of it; the notifications then tell of the same."""
    with listening(here, live.url, heard=here.bot.judge):
        until(lambda: live.listeners)
        post = here.network.post(here.alice.did, f"@{here.wright.handle} make me a timer", mentions=[here.wright.did])
        heard = until(lambda: list(here.ledger.queries.each_since(LONG_AGO, 10)))
    here.network.process()
    here.bot.ingest()

    assert [post.uri] == [each.source_uri for each in heard]
    assert 1 == len(list(here.ledger.queries.each_since(LONG_AGO, 10)))


def test_a_mention_that_is_deleted_is_looked_at_at_once(here: Here, live: SandboxStream) -> None:
    """And withdrawn by the second look."""
    post = here.asks()
    here.bot.ingest()
    here.bot.watch()
    with listening(here, live.url) as stream:
        until(lambda: live.listeners)
        here.network.delete(post.uri)
        until(lambda: counted(stream, "deletions"))
        until(lambda: here.document(post).looked_at is None)
    here.network.process()
    here.bot.watch()
    first = here.document(post).absent_since
    here.watches()

    assert first is not None
    assert (Status.SKIPPED, Reason.DELETED) == here.stands(post)
