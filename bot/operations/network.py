"""What is looked at on the network for an operator, with the bot's own account."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from pydantic import ValidationError

from bot.bluesky.errors import NotAPost
from bot.bluesky.posts import PostView, get_post, resolve_link
from bot.bluesky.session import Account
from bot.errors import NoSuchDocument
from bot.jobs.hearing import mention_of
from bot.ledger.queries import Queries
from bot.ledger.views import Send
from bot.operations.records import record_of_ours
from guardrails.documents import AtUri, Did, DocId, Kind, Mention, StrongRef, doc_id_of
from guardrails.request import Command, NoRequest, NotARequest, read_post
from guardrails.text import clean

_UNREADABLE = "this record is not a post that can be read"


class AccountNetwork:
    """Asks with the account, which is opened for each question. Each raises CallFailed when nobody can be asked."""

    def __init__(self, queries: Queries, account: Callable[[], AbstractContextManager[Account]]) -> None:
        self._queries = queries
        self._account = account

    def record(self, send: Send, link: str) -> StrongRef:
        """The record of ours that a link or an at-uri names, once it was seen that it can be what was to be sent."""
        with self._account() as account:
            return record_of_ours(account, self._queries, send, link)

    def ask(self, link: str, is_known: Callable[[DocId], bool], now: datetime) -> tuple[DocId, Mention | None]:
        """The id of a post's document, and what the post asks for; None when that is known, and nobody is asked."""
        with self._account() as account:
            uri = _uri(account, link)
            document_id = doc_id_of(Kind.MENTION, uri)
            if is_known(document_id):
                return document_id, None
            post = get_post(account, uri)
            if post is None:
                raise NoSuchDocument("this post is not shown to us: deleted, blocked either way, or not indexed yet")
            return document_id, _mention(post, account.did, now)


def _uri(account: Account, link: str) -> AtUri:
    try:
        return resolve_link(account, link)
    except NotAPost as problem:
        raise NoSuchDocument(str(problem)) from None


def _mention(post: PostView, our_did: Did, now: datetime) -> Mention:
    read = read_post(post.record, our_did)
    match read:
        case NotARequest(reason=NoRequest.NOT_A_POST):
            raise NoSuchDocument(_UNREADABLE)
        case NotARequest():
            ask = clean(str(post.record["text"]))
        case Command():
            ask = read.word.value
        case _:
            ask = read.ask
    try:
        return mention_of(
            post.uri, post.cid, post.author_did, post.author_handle, post.record, ask, now, by_operator=True
        )
    except ValidationError:
        raise NoSuchDocument(_UNREADABLE) from None
