"""What holds at the end of the story, whoever died in it."""

from collections import Counter

from sqlalchemy import text

from bot.ledger.feed import Filter
from bot.ledger.ledger import Ledger
from bot.ledger.sends import reply_key
from bot.ledger.views import Document
from bot.sandbox.state import LIKE, POST
from guardrails.transitions import Status, check_move
from tests.crash.story import BUNDLE, PAGE, Story
from tests.documents import newest
from tests.facts import PURSE

ENDS = {
    "alice": Status.REPLIED,
    "bob": Status.SKIPPED,
    "carol": Status.REPLIED,
    "dave": Status.BUILD_FAILED,
}


def check_the_end(story: Story, ledger: Ledger) -> None:
    """One answer to each, a like to each whose ask was taken on, and a ledger that says so, with nothing left open."""
    documents = {name: ledger.queries.find(post.uri) for name, post in story.posts.items()}

    assert ENDS == {name: document.status for name, document in documents.items()}
    assert len(ENDS) == len(newest(ledger, 100))
    _check_repository(story, documents)
    for document in documents.values():
        check_history(ledger, document)
        _check_attempts(ledger, document)
        _check_sends(ledger, document, story)
        if document.status is Status.REPLIED:
            _check_app(ledger, document)
    _check_accounts(ledger, documents)
    # A session that was lost with its process costs one login more, and no other death does.
    assert 2 >= len(story.network.calls_to("com.atproto.server.createSession"))


def _check_repository(story: Story, documents: dict[str, Document]) -> None:
    """Each answer hangs below its own mention, under the root of its thread, and links to an app if there is one."""
    did = story.network.account("wright.test").did
    said = {entry["value"]["reply"]["parent"]["uri"]: entry["value"] for entry in story.network.repo(did)}
    liked = [entry["value"]["subject"]["uri"] for entry in story.network.repo(did, LIKE)]

    assert len(ENDS) == len(story.network.repo(did))
    for name, document in documents.items():
        answer = said[document.source_uri]
        assert {"root": story.roots[name].model_dump(), "parent": story.posts[name].model_dump()} == answer["reply"]
        assert (document.status is Status.REPLIED) == ("embed" in answer)
    assert sorted(story.posts[name].uri for name in ("alice", "carol", "dave")) == sorted(liked)


def check_history(ledger: Ledger, document: Document) -> None:
    """Replaying the moves, each a row of the table, gives the present status."""
    status, version = None, 0
    for moved in ledger.feed.after(0, 1000, Filter(document_id=document.id)):
        assert status == moved.from_status
        assert version < moved.version
        assert moved.to_status is check_move(moved.kind, moved.name, moved.from_status, moved.reason).target
        status, version = moved.to_status, moved.version
    assert document.status is status


def _check_sends(ledger: Ledger, document: Document, story: Story) -> None:
    """Every key is answered once and none is open, each with what is in the repository."""
    did = story.network.account("wright.test").did
    there = {entry["uri"]: entry["cid"] for name in (POST, LIKE) for entry in story.network.repo(did, name)}
    sends = {send.key: send for send in ledger.queries.sends(document.id)}

    assert len(sends) == len(ledger.queries.sends(document.id))
    assert all(("answered", there[str(send.uri)]) == (send.state, send.cid) for send in sends.values())
    answer = sends.get(reply_key(document.id))
    assert (document.status is Status.REPLIED) == (answer is not None)
    assert (answer.uri if answer is not None else None) == document.reply_uri
    assert not document.sending


def _check_attempts(ledger: Ledger, document: Document) -> None:
    attempts = ledger.queries.attempts(document.id)
    assert list(range(1, document.attempt + 1)) == [attempt.attempt for attempt in attempts]
    assert all(attempt.ended_at is not None for attempt in attempts)
    assert Counter(attempt.outcome for attempt in attempts)["done"] == int(document.status is Status.REPLIED)
    assert document.claim_id is None


def _check_app(ledger: Ledger, document: Document) -> None:
    """The app that the reply links to is live, in the version that was built last."""
    assert document.slug is not None
    assert document.result is not None
    app = ledger.hosting.app(document.slug)
    page = ledger.hosting.file(document.slug, document.attempt, "index.html")
    assert document.result.address.endswith(document.slug)
    assert document.result.sha256 == BUNDLE == ledger.queries.attempts(document.id)[-1].upload_sha256
    assert app is not None
    assert document.attempt == app.live_version
    assert page is not None
    assert PAGE["index.html"] == page.content


def _check_accounts(ledger: Ledger, documents: dict[str, Document]) -> None:
    """Every claim was counted, every report paid for once, however often repeated; what was lost as estimated."""
    with ledger.db.read() as connection:
        used = connection.execute(text("SELECT SUM(n), SUM(cost_micros) FROM usage WHERE scope = 'builds'")).one()
    paid = [attempt for document in documents.values() for attempt in ledger.queries.attempts(document.id)]
    lost = [attempt.estimate_micros for attempt in paid if attempt.outcome == "lost"]
    assert (len(paid), sum(attempt.cost_micros for attempt in paid) + sum(lost)) == tuple(int(part) for part in used)
    assert 14 + PURSE.estimate_micros * len(lost) == used[1]
