"""The publisher `object-store`: a bucket of S3, GCS or Azure, or of what speaks like them, that the public may read."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import AzureStore, GCSStore, ObjectStore, S3Store

from builder.client import BotClient
from builder.errors import BadSettings, LaneUnfit
from builder.publishers.elsewhere import ElsewherePublisher, PlaceAway
from builder.publishers.visitor import Visitor
from guardrails.bundle import INDEX, content_type

if TYPE_CHECKING:
    from obstore.store import RetryConfig

_URL = re.compile(r"(?:s3|gs|az)://[A-Za-z0-9._/-]+")
# A list that is refused has no error of its own kind.
_DENIED = re.compile(r"status code: 40[13]\b")
_FOREVER = "public, max-age=31536000, immutable"
# What a take-down removes has to be asked for each time; the rest is reached through it only.
_ANEW_EACH_TIME = "no-cache"
# One call ends after the 30 seconds of the library; its options are left alone, since they undo AWS_ALLOW_HTTP.
_RETRY: "RetryConfig" = {"max_retries": 3, "retry_timeout": timedelta(seconds=60)}


@dataclass(frozen=True)
class ObjectStoreOptions:
    """A bucket and a prefix in it, `s3://bucket/prefix`, and the public address that the prefix is served under.

    Credentials come from the provider's own variables of the environment (AWS_…, GOOGLE_…, AZURE_…).
    """

    url: str
    public_url: str


def object_store_publisher(options: ObjectStoreOptions, client: BotClient, visitor: Visitor) -> ElsewherePublisher:
    """The publisher; BadSettings when the bucket's address or the variables beside it are wrong; no value is said."""
    place = ObjectPlace(open_store(options.url))
    return ElsewherePublisher("object-store", place, options.public_url, client, visitor)


def open_store(url: str) -> ObjectStore:
    """The store behind an address; nothing is asked of it yet."""
    if _URL.fullmatch(url) is None:
        raise BadSettings("the object store's address is not one like s3://bucket/prefix (s3, gs or az, no user name)")
    try:
        if url.startswith("s3:"):
            return S3Store.from_url(url, retry_config=_RETRY)
        if url.startswith("gs:"):
            return GCSStore.from_url(url, retry_config=_RETRY)
        return AzureStore.from_url(url, retry_config=_RETRY)
    except (BaseError, ValueError) as problem:
        # from None: the error may quote a variable's value.
        kind = type(problem).__name__
        raise BadSettings(f"the object store's address and its variables do not go together ({kind})") from None


class ObjectPlace:
    """Versions as objects, each created and never overwritten."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def is_buried(self, slug: str) -> bool:
        """Whether there is an object at the slug's index."""
        with _told():
            try:
                obstore.head(self._store, f"{slug}/{INDEX}")
            except FileNotFoundError:
                return False
            return True

    def store(self, slug: str, version: int, files: Mapping[str, bytes]) -> bool:
        """Create what is missing, the first page last: where it is, the version is whole, and gets no more files."""
        paths = {f"{slug}/{version}/{name}": content for name, content in files.items()}
        index = f"{slug}/{version}/{INDEX}"
        with _told():
            there = self._listed(f"{slug}/{version}")
            if index in there and there != paths.keys():
                return False
            in_turn = sorted(paths, key=lambda path: (path == index, path))
            return there <= paths.keys() and all(self._create(path, paths[path]) for path in in_turn)

    def remove(self, slug: str, version: int) -> None:
        """Every object of a version."""
        with _told():
            self._delete(self._listed(f"{slug}/{version}"))

    def bury(self, slug: str, stone: bytes) -> None:
        """The object at the slug's index is the stone; one that is there already stays."""
        index = f"{slug}/{INDEX}"
        with _told():
            self._create(index, stone)
            self._delete(self._listed(slug) - {index})

    def _create(self, path: str, content: bytes) -> bool:
        """Create an object; False when another one is there."""
        kind = content_type(path)
        lasts = not kind.startswith(("text/html", "image/svg"))
        attributes = {"Content-Type": kind, "Cache-Control": _FOREVER if lasts else _ANEW_EACH_TIME}
        try:
            obstore.put(self._store, path, content, attributes=attributes, mode="create")
        except AlreadyExistsError:
            return bytes(obstore.get(self._store, path).bytes()) == content
        return True

    def _listed(self, prefix: str) -> set[str]:
        return {found["path"] for some in obstore.list(self._store, prefix) for found in some}

    def _delete(self, paths: set[str]) -> None:
        # The first pages first: without them nothing else is opened.
        in_turn = sorted(paths, key=lambda path: (not path.endswith(f"/{INDEX}"), path))
        if in_turn:
            obstore.delete(self._store, in_turn)


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong, in our errors; by its kind only, since a store's own words quote keys and what was signed."""
    try:
        yield
    except (BaseError, OSError, ValueError) as problem:
        kind = type(problem).__name__
        if isinstance(problem, PermissionDeniedError | UnauthenticatedError) or _DENIED.search(str(problem)):
            raise LaneUnfit(
                f"the object store lets the lane not read, list, write and delete ({kind}); see its variables"
            ) from None
        raise PlaceAway(f"the object store does not answer as it should ({kind})") from None
