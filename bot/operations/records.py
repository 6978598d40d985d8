"""The record of ours that a person says was sent, looked at on our own PDS before it counts."""

from typing import Any

from bot.bluesky.posts import resolve_link
from bot.bluesky.records import Absent, Found, read_back
from bot.bluesky.session import Account
from bot.errors import BotError, NoName, NoSuchDocument
from bot.ledger.queries import Queries
from bot.ledger.send_rows import DELETE
from bot.ledger.views import Send
from guardrails.documents import AtUri, RecordKey, StrongRef, split_at_uri
from guardrails.text import visible

# These answer the mention itself; notes of a day may have been set off by any of an author's mentions.
ABOUT_THE_MENTION = ("reply:", "like:")


def record_of_ours(account: Account, queries: Queries, send: Send, link: str) -> StrongRef:
    """What a link or an at-uri names, once our PDS has shown that it can be what was to be sent.

    NoSuchDocument when it is not there, BotError when it is something else; NoName for what is no at-uri.
    """
    uri = resolve_link(account, link) if link.startswith(("http://", "https://")) else AtUri(link.strip())
    try:
        did, collection, rkey = split_at_uri(uri)
    except ValueError as problem:
        raise NoName(f"{link!r}: {problem}") from None
    if did != account.did:
        raise BotError(f"{uri} is not in our repository, which is {account.did}")
    if collection != send.collection:
        raise BotError(f"{uri} is no {send.collection}, which {send.key} was to be")
    found = read_back(account, collection, rkey)
    if send.op == DELETE:
        return _deleted(send, uri, rkey, found)
    if isinstance(found, Absent):
        raise NoSuchDocument(f"{uri} is not there: never sent, deleted, or taken down by moderators")
    _check_is_meant(queries, send, found)
    return StrongRef(uri=uri, cid=found.cid)


def _deleted(send: Send, uri: AtUri, rkey: RecordKey, found: Found | Absent) -> StrongRef:
    if rkey != send.rkey:
        raise BotError(f"{uri} is not what {send.key} was to delete")
    if isinstance(found, Found):
        raise BotError(f"{uri} is still there")
    return StrongRef(uri=uri, cid=send.cid)


def _check_is_meant(queries: Queries, send: Send, found: Found) -> None:
    """A reply answers the mention, a like is of it; what is another send's record is not this one's too."""
    if send.document_id is None:
        return
    document = queries.document(send.document_id)
    about = _about(found.record)
    if send.key.startswith(ABOUT_THE_MENTION) and about != document.source_uri:
        told = f"is about {visible(about)}" if about else "answers nothing"
        raise BotError(f"{found.uri} {told}, and not about the mention {document.source_uri}")
    for other in queries.sends(document.id):
        if other.id != send.id and other.uri == found.uri:
            raise BotError(f"{found.uri} is what {other.key} was sent as")


def _about(record: dict[str, Any]) -> str | None:
    match record:
        case {"reply": {"parent": {"uri": str(uri)}}} | {"subject": {"uri": str(uri)}}:
            return uri
    return None
