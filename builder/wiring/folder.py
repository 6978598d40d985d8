"""The publisher `folder` from the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from builder.client import BotClient
from builder.errors import BadSettings
from builder.ports import Publisher
from builder.publishers.folder import FolderOptions, folder_publisher
from builder.settings import PREFIX, BuildSettings
from builder.wiring.visiting import opened_visitor, public_url


@contextmanager
def opened(settings: BuildSettings, client: BotClient) -> Iterator[Publisher]:
    """The publisher; BadSettings when the folder or its public address is missing or wrong."""
    if settings.publish_folder is None:
        raise BadSettings(f"{PREFIX}PUBLISH_FOLDER: missing, and the publisher is `folder`")
    options = FolderOptions(settings.publish_folder, public_url(settings))
    with opened_visitor() as visitor:
        yield folder_publisher(options, client, visitor)
