"""On the real network: mentions that are gated, blocked, deleted or edited, each in its stated status."""

from datetime import timedelta

import pytest

from bot.apphost import apps_app
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.bot.serving import client, served
from tests.network.here import Here


def test_a_mention_in_a_gated_thread_is_not_built(here: Here) -> None:
    """Alice was let in before the gate came; we would not be."""
    thread = here.network.post(here.bob.did, "what shall we build?")
    post = here.asks(thread)
    here.network.gate(thread)
    here.network.process()
    here.bot.ingest()

    assert (Status.SKIPPED, Reason.CANNOT_REPLY) == here.stands(post)
    assert "the thread's gate keeps our reply out" == here.document(post).detail


@pytest.mark.parametrize("who", ["author", "bot"])
def test_a_mention_behind_a_block_is_not_built(here: Here, who: str) -> None:
    """Whoever blocks whom."""
    post = here.asks()
    here.hears()
    author, bot = here.alice.did, here.wright.did
    here.network.block(*((author, bot) if who == "author" else (bot, author)))
    here.network.process()
    here.bot.judge()

    assert (Status.SKIPPED, Reason.CANNOT_REPLY) == here.stands(post)
    assert {"author": "the author blocks us", "bot": "we block the author"}[who] == here.document(post).detail


@pytest.mark.parametrize("who", ["author", "bot"])
def test_a_mention_behind_a_block_is_not_answered(here: Here, who: str) -> None:
    """The block came while it was built."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    author, bot = here.alice.did, here.wright.did
    here.network.block(*((author, bot) if who == "author" else (bot, author)))
    here.network.process()
    here.bot.reply()

    assert (Status.ERROR, Reason.CANNOT_REPLY) == here.stands(post)
    assert [] == here.network.list_records(here.wright.did)


def test_a_mention_deleted_before_the_answer_is_withdrawn(here: Here) -> None:
    """By the second look at it."""
    post = here.asks()
    here.bot.ingest()
    here.network.delete(post.uri)
    here.watches()
    once = here.stands(post)
    here.watches()

    assert (Status.PENDING_BUILD, Reason.PASSED) == once
    assert (Status.SKIPPED, Reason.DELETED) == here.stands(post)


def test_a_mention_deleted_after_the_answer_takes_the_answer_with_it(here: Here) -> None:
    """Out of our repository, and out of everybody's sight."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    here.bot.reply()
    here.watches()
    (ours,) = here.network.list_records(here.wright.did)
    seen = here.document(post)
    here.network.delete(post.uri)
    here.watches(2, timedelta(minutes=11))
    here.network.process()
    after = here.document(post)

    assert (Status.REPLIED, ours["uri"], True) == (seen.status, seen.reply_uri, seen.reply_seen_at is not None)
    assert (Status.REPLIED, True) == (after.status, after.withdrawn_at is not None)
    assert after.reply_deleted_at is not None
    assert [] == here.network.list_records(here.wright.did)
    assert [] == here.network.query(None, "app.bsky.feed.getPosts", {"uris": ours["uri"]})["posts"]


def test_a_delete_under_the_answer_takes_it_back(here: Here) -> None:
    """Out of our repository, out of everybody's sight, and the app is gone for good."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    here.bot.reply()
    (ours,) = here.network.list_records(here.wright.did)
    here.asks(StrongRef(uri=ours["uri"], cid=ours["cid"]), "delete")
    here.bot.ingest()
    here.watches()
    here.network.process()
    document = here.document(post)
    with (
        served(lambda _: apps_app(here.ledger, "http://localhost:8100")) as port,
        client(port, "localhost") as http,
    ):
        page = http.get(f"/{document.slug}")

    assert (Status.REPLIED, True) == (document.status, document.withdrawn_at is not None)
    assert document.reply_deleted_at is not None
    assert [] == here.network.list_records(here.wright.did)
    assert [] == here.network.query(None, "app.bsky.feed.getPosts", {"uris": ours["uri"]})["posts"]
    assert 410 == page.status_code


def test_a_mention_under_a_post_that_was_taken_down_is_not_built(here: Here) -> None:
    """Whoever opens the thread would not find our reply."""
    thread = here.network.post(here.bob.did, "what shall we build?")
    post = here.asks(thread)
    here.hears()
    here.network.takedown(thread.uri, thread.cid)
    here.bot.judge()

    assert (Status.SKIPPED, Reason.CANNOT_REPLY) == here.stands(post)
    assert "the post that began the thread is gone" == here.document(post).detail


def test_a_mention_that_was_taken_down_is_not_answered(here: Here) -> None:
    """A takedown reads as a deletion; one look decides nothing, the second withdraws it."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    here.network.takedown(post.uri, post.cid)
    here.bot.reply()
    once = here.stands(post)
    here.watches(2)

    assert (Status.BUILT, Reason.BUILT) == once
    assert (Status.SKIPPED, Reason.DELETED) == here.stands(post)
    assert [] == here.network.list_records(here.wright.did)


def test_an_author_who_is_away_is_waited_for(here: Here) -> None:
    """Deactivated is not deleted."""
    post = here.asks()
    here.bot.ingest()
    here.network.deactivate(here.alice.did)
    here.watches(3)
    away = here.stands(post)
    here.network.deactivate(here.alice.did, reverse=True)
    here.watches()

    assert (Status.PENDING_BUILD, Reason.PASSED) == away == here.stands(post)
    assert here.document(post).absent_since is None


def test_a_mention_edited_before_a_claim_is_asked_again(here: Here) -> None:
    """And answered below its new version."""
    post = here.asks()
    here.bot.ingest()
    edited = here.network.edit(post.uri, text=f"@{here.wright.handle} make me a to-do list")
    here.watches()
    reopened = here.stands(post)
    here.bot.judge()

    assert (Status.RECEIVED, Reason.EDITED) == reopened
    assert (Status.PENDING_BUILD, Reason.PASSED) == here.stands(post)
    assert ("make me a to-do list", edited.cid) == (here.document(post).mention.ask, here.document(post).source_cid)
    here.builds()
    here.bot.reply()
    (ours,) = here.network.list_records(here.wright.did)
    assert edited.cid == ours["value"]["reply"]["parent"]["cid"]


def test_a_mention_edited_after_a_claim_is_answered_as_first_asked(here: Here) -> None:
    """The edit is noted."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    edited = here.network.edit(post.uri, text=f"@{here.wright.handle} make me a to-do list")
    here.watches()
    here.bot.reply()
    document = here.document(post)

    assert (Status.REPLIED, Reason.SENT) == here.stands(post)
    assert (edited.cid, post.cid) == (document.edited_cid, document.source_cid)
    assert "make me a pomodoro timer" == document.mention.ask


def test_a_reply_that_the_appview_does_not_know_yet_is_not_sent_twice(here: Here) -> None:
    """It is seen once the AppView has caught up."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    with here.network.appview_paused():
        here.bot.reply()
        for _ in range(2):
            here.clock.shift += timedelta(seconds=61)
            here.bot.watch()
        unseen = here.document(post)
    here.watches()

    assert (Status.REPLIED, None) == (unseen.status, unseen.reply_seen_at)
    assert here.document(post).reply_seen_at is not None
    assert 1 == len(here.network.list_records(here.wright.did))
