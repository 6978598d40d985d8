"""`skywright ask`: an operator puts a post before the bot as if it had mentioned us."""

import typer
from pydantic import ValidationError

from bot.bluesky.posts import PostView, get_post, resolve_link
from bot.errors import NoSuchDocument
from bot.jobs.hearing import mention_of
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.settings import Settings, load_settings
from bot.terminal.account import opened_account
from bot.terminal.failures import Exit, end
from bot.terminal.opening import opened_ledger, operator
from guardrails.documents import Did, Kind, Mention, doc_id_of
from guardrails.request import Command, NoRequest, NotARequest, read_post
from guardrails.text import clean, visible
from guardrails.transitions import Reason


def ask_command(link: str) -> None:
    """Store the post that a link names; its document's id on standard output, what became of it beside that."""
    settings = load_settings(Settings)
    with opened_ledger(settings) as ledger, opened_account(settings, ledger) as account:
        uri = resolve_link(account, link)
        document_id = doc_id_of(Kind.MENTION, uri)
        known = _known(ledger, document_id)
        post = None if known else get_post(account, uri)
        if known is None and post is None:
            end("this post is not shown to us: deleted, blocked either way, or not indexed yet", Exit.NOT_FOUND)
        stored = [] if post is None else _store(ledger, post, account.did)
        known = known or _known(ledger, document_id)
    if stored:
        _say(document_id, "stored; the bot judges it next")
    elif known:
        _say(known.id, f"known already: {known.status.value} ({known.reason.value})")
    else:
        end("the bot has answered this post already, before this ledger began", Exit.NOT_DONE)


def _store(ledger: Ledger, post: PostView, our_did: Did) -> list[Document]:
    mention = _mention(ledger, post, our_did)
    return ledger.documents.receive(operator(), [mention], Reason.ASKED_BY_OPERATOR)


def _mention(ledger: Ledger, post: PostView, our_did: Did) -> Mention:
    read = read_post(post.record, our_did)
    match read:
        case NotARequest(reason=NoRequest.NOT_A_POST):
            end("this record is not a post that can be read", Exit.NOT_FOUND)
        case NotARequest():
            ask = clean(str(post.record["text"]))
        case Command():
            ask = read.word.value
        case _:
            ask = read.ask
    now = ledger.db.time()
    try:
        return mention_of(
            post.uri, post.cid, post.author_did, post.author_handle, post.record, ask, now, by_operator=True
        )
    except ValidationError:
        end("this record is not a post that can be read", Exit.NOT_FOUND)


def _known(ledger: Ledger, document_id: str) -> Document | None:
    try:
        return ledger.queries.document(document_id)
    except NoSuchDocument:
        return None


def _say(document_id: str, what: str) -> None:
    typer.echo(visible(document_id))
    typer.echo(what, err=True)
