"""The publisher `object-store` from the settings; importing this loads the store's client."""

from collections.abc import Iterator
from contextlib import contextmanager

from builder.client import BotClient
from builder.errors import BadSettings
from builder.ports import Publisher
from builder.publishers.object_store import ObjectStoreOptions, object_store_publisher
from builder.settings import PREFIX, BuildSettings
from builder.wiring.visiting import opened_visitor, public_url


@contextmanager
def opened(settings: BuildSettings, client: BotClient) -> Iterator[Publisher]:
    """The publisher; BadSettings when the bucket or its public address is missing or wrong."""
    options = ObjectStoreOptions(settings.publish_store, public_url(settings))
    with opened_visitor() as visitor:
        try:
            publisher = object_store_publisher(options, client, visitor)
        except BadSettings as problem:
            raise BadSettings(f"{PREFIX}PUBLISH_STORE: {problem}") from None
        yield publisher
