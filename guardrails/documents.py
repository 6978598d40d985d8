"""The shapes of documents: what a unit of work is made of and how it is named."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple, NewType

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

DocId = NewType("DocId", str)
ClaimId = NewType("ClaimId", str)
DeviceId = NewType("DeviceId", str)
Did = NewType("Did", str)
AtUri = NewType("AtUri", str)
RecordKey = NewType("RecordKey", str)
Slug = NewType("Slug", str)

# https://atproto.com/specs/at-uri-scheme, with the specifications of its three parts.
_AT_URI = re.compile(
    r"at://(?P<did>did:[a-z]+:[A-Za-z0-9._:%-]{1,2000})"
    r"/(?P<collection>[A-Za-z0-9.-]{1,317})/(?P<rkey>[A-Za-z0-9_~.:-]{1,512})"
)

_DID = re.compile(r"did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]")

# Authors name the root of their thread themselves; an index of PostgreSQL holds no key of more than 2700 bytes.
_LONGEST_URI = 1000

POST_COLLECTION = "app.bsky.feed.post"


class Kind(StrEnum):
    """What sort of upstream event a document stands for; each kind has its own table of moves."""

    MENTION = "mention"


class Shape(BaseModel):
    """A frozen, strict shape: unknown fields and lax conversions are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class StrongRef(Shape):
    """A record at one version, as com.atproto.repo.strongRef names it."""

    uri: AtUri
    cid: str


class Context(Shape):
    """What a post that an ask points at says: the post that it replies to, or quotes; its words are its author's."""

    post: StrongRef
    author_did: Did
    author_handle: str
    quoted: bool
    text: str
    alts: tuple[str, ...] = ()
    card: str = ""

    @property
    def says_something(self) -> bool:
        """Whether there is anything in it that could be built."""
        return any(character.isalnum() for part in (self.text, *self.alts, self.card) for character in part)


class Mention(Shape):
    """The body of a mention's document: what the post said when it was read, kept as it was.

    `by_operator`: an operator's word stands for the mention. `stale`: it was there before the bot's first start.
    """

    post: StrongRef
    author_did: Did
    author_handle: str
    text: str
    ask: str
    langs: tuple[str, ...] = ()
    root: StrongRef
    created_at: str
    indexed_at: AwareDatetime
    by_operator: bool = False
    stale: bool = False
    context: tuple[Context, ...] = ()
    record: Mapping[str, Any] = Field(repr=False)

    @property
    def thread(self) -> AtUri:
        """The root of the thread that the post stands in; the post itself where what it names as root is none."""
        if len(self.root.uri) > _LONGEST_URI:
            return self.post.uri
        try:
            split_at_uri(self.root.uri)
        except ValueError:
            return self.post.uri
        return self.root.uri


class Built(Shape):
    """What a finished build left behind; the reply is written from it."""

    title: str
    description: str
    address: str
    sha256: str


class AtUriParts(NamedTuple):
    """An at-uri taken apart; `did` is a DID, never a handle."""

    did: Did
    collection: str
    rkey: RecordKey


def split_at_uri(uri: str) -> AtUriParts:
    """Take `at://did/collection/rkey` apart; ValueError for anything else, a handle as authority included.

    The parts hold only what the AT Protocol allows in them, so that ids made of them are plain ASCII.
    """
    shape = _AT_URI.fullmatch(uri)
    if shape is None or shape["rkey"] in (".", ".."):
        raise ValueError("not an at-uri of a record with a DID")
    return AtUriParts(Did(shape["did"]), shape["collection"], RecordKey(shape["rkey"]))


def is_did(text: str) -> bool:
    """Whether a text has the form of a DID."""
    return _DID.fullmatch(text) is not None and len(text) <= 2048


def is_of_plc(did: Did) -> bool:
    """Whether the PLC keeps the history of this DID, and so dates it; of any other only its owner tells."""
    return did.startswith("did:plc:")


def doc_id(kind: Kind, author: Did, rkey: RecordKey) -> DocId:
    """The id of the document for an upstream record; the DID is part of it, since authors choose record keys."""
    return DocId(f"{kind.value}:{author}:{rkey}")


def post_of(document_id: DocId) -> AtUri:
    """The at-uri of the post that a mention's id was made of."""
    did, _, rkey = document_id.removeprefix(f"{Kind.MENTION.value}:").rpartition(":")
    return AtUri(f"at://{did}/{POST_COLLECTION}/{rkey}")


def doc_id_of(kind: Kind, uri: str) -> DocId:
    """The id of the document for the record at an at-uri; ValueError when it is not one."""
    parts = split_at_uri(uri)
    return doc_id(kind, parts.did, parts.rkey)
