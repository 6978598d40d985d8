"""The publisher `hosted` from the settings."""

from builder.client import BotClient
from builder.publishers.hosted import HostedPublisher
from builder.settings import BuildSettings


def make(settings: BuildSettings, client: BotClient) -> HostedPublisher:
    """It publishes to the client's bot."""
    return HostedPublisher(client)
