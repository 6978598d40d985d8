"""What stands around a post: the post that it replies to, the one that it quotes, and whose they are."""

from collections.abc import Mapping
from typing import Any

from guardrails.documents import AtUri, Did, Mention, split_at_uri


def parent_of(record: Mapping[str, Any]) -> AtUri | None:
    """The post that a post's record replies to; None when it is no reply, or names nothing that could be a post."""
    match record.get("reply"):
        case {"parent": {"uri": str(uri)}}:
            return _at_uri(uri)
    return None


def quoted_by(record: Mapping[str, Any]) -> AtUri | None:
    """The post that a post's record quotes, with a picture beside it or without; None when it quotes none."""
    match record.get("embed"):
        case {"record": {"uri": str(uri)}} | {"record": {"record": {"uri": str(uri)}}}:
            return _at_uri(uri)
    return None


def people_around(mention: Mention) -> tuple[Did, ...]:
    """The other people whose posts an ask is about: the authors of root, parent and quoted post, each once."""
    uris = (mention.thread, parent_of(mention.record), quoted_by(mention.record))
    authors = dict.fromkeys(split_at_uri(uri).did for uri in uris if uri is not None)
    return tuple(did for did in authors if did != mention.author_did)


def _at_uri(uri: str) -> AtUri | None:
    try:
        split_at_uri(uri)
    except ValueError:
        return None
    return AtUri(uri)
