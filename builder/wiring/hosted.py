"""The publisher `hosted` from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from builder.client import BotClient
from builder.publishers.hosted import HostedPublisher
from builder.settings import BuildSettings


@contextmanager
def opened(settings: BuildSettings, client: BotClient) -> Iterator[HostedPublisher]:
    """It publishes to the client's bot."""
    yield HostedPublisher(client)
