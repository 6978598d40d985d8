"""What people type where a document is meant: an id or its end, an at-uri, the link of a post, an app's address."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from bot.errors import NoSuchDocument
from bot.ledger.queries import Queries
from bot.ledger.views import Document
from guardrails.documents import POST_COLLECTION

_AT_URI = re.compile(rf"at://(?P<who>[^/]+)/{re.escape(POST_COLLECTION)}/(?P<rkey>[^/]+)/?")
_POST_PATH = re.compile(r"/profile/(?P<who>[^/]+)/post/(?P<rkey>[^/]+)/?")
_SLUG = re.compile(r"[a-z0-9-]{1,63}")


@dataclass(frozen=True)
class PostName:
    """A post by its author, a DID or a handle, and its record key."""

    who: str
    rkey: str

    @property
    def uri(self) -> str | None:
        """The post's at-uri, None while only a handle is known."""
        return f"at://{self.who}/{POST_COLLECTION}/{self.rkey}" if self.who.startswith("did:") else None


def read_name(text: str, apps_url: str) -> PostName | str:
    """A post where the text is an at-uri or a link to one, else what the ledger looks for: an id, a slug.

    NoSuchDocument for an address that names neither a post nor an app.
    """
    text = text.strip()
    if text.startswith("at://"):
        match = _AT_URI.fullmatch(text)
        if match is None:
            raise NoSuchDocument("this at-uri does not name a post")
        return _post(match)
    if not text.lower().startswith(("http://", "https://")):
        return text
    try:
        address = urlsplit(text)
        slug = _slug(address, urlsplit(apps_url).hostname or "")
    except ValueError:
        raise NoSuchDocument("this is no address") from None
    match = _POST_PATH.fullmatch(address.path)
    if match is not None:
        return _post(match)
    if slug is None:
        raise NoSuchDocument("this address names neither a post nor an app of ours")
    return slug


def find_document(queries: Queries, text: str, apps_url: str, resolve: Callable[[str], str | None]) -> Document:
    """The document that a text names, or NoSuchDocument. `resolve` looks a handle's DID up, None when it cannot."""
    name = read_name(text, apps_url)
    if isinstance(name, str):
        return queries.find(name)
    return queries.find(name.uri) if name.uri else _by_handle(queries, name, resolve)


def _by_handle(queries: Queries, name: PostName, resolve: Callable[[str], str | None]) -> Document:
    handle = name.who.removeprefix("@").lower()
    for document in queries.asked_by(handle, name.rkey):
        return document
    # Handles change: the ledger may know the author by another one.
    did = resolve(handle)
    uri = PostName(did, name.rkey).uri if did else None
    if uri is None:
        raise NoSuchDocument("no document is known for this post by its author's handle; try it with the DID")
    return queries.find(uri)


def _post(match: re.Match[str]) -> PostName:
    who, rkey = unquote(match["who"]), unquote(match["rkey"])
    if "\x00" in who + rkey:
        # A database's text may hold none.
        raise NoSuchDocument("this is no address")
    return PostName(who, rkey)


def _slug(address: SplitResult, apps_host: str) -> str | None:
    """The slug in an app's address: the label before our host name, or the path's first step on it."""
    host = (address.hostname or "").removesuffix(".")
    if host == apps_host:
        label = address.path.strip("/").partition("/")[0].lower()
    else:
        ours = next((end for end in (apps_host, "localhost") if host.endswith(f".{end}")), None)
        label = host.removesuffix(f".{ours}") if ours else ""
    return label if _SLUG.fullmatch(label) else None
