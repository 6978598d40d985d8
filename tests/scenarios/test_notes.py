"""An end without an app is told in one line: once, in the asker's language, and only where it is welcome."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.jobs.notes import LATE
from bot.jobs.rescue import rescue_once
from bot.ledger.tables import metadata
from bot.ledger.views import Document
from bot.speech import note
from bot.texts import Note
from guardrails.documents import POST_COLLECTION
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome
from tests.documents import newest
from tests.mentions import BOT, OPERATOR
from tests.scenarios.asides import (
    approval_expired,
    asked,
    build_refused,
    declined,
    lane_lost,
    no_lane,
    nothing_to_build,
    out_of_tries,
    refused_by_rules,
    speaks_until_settled,
    texts,
)
from tests.scenarios.world import World

Ends = Callable[[World], Document]
NOT_BUILT = note(Note.NOT_BUILT, reason="it needs a server").text
DECLINED = note(Note.DECLINED).text
HELP = note(Note.HELP).text


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (build_refused, NOT_BUILT),
        (out_of_tries, note(Note.NOT_WORKING).text),
        (no_lane, note(Note.NOBODY_CAME).text),
        (lane_lost, note(Note.GOT_LOST).text),
        (refused_by_rules, DECLINED),
        (declined, DECLINED),
        (approval_expired, DECLINED),
        (nothing_to_build, HELP),
    ],
)
def test_an_end_is_told_in_one_line(world: World, ends: Ends, text: str) -> None:
    """Once, without a card, and the document stays as it ended."""
    ended = ends(world)
    world.bot.speak()
    world.bot.speak()
    now = world.ledger.queries.document(ended.id)

    assert [text] == texts(world)
    assert "embed" not in world.replies()[0]
    assert (ended.status, ended.version, False) == (now.status, now.version, now.note_due)


def test_a_note_stands_under_the_mention_in_its_thread_and_its_language(world: World) -> None:
    """Root and parent as those of a reply."""
    opening = world.says("bob.test", "what shall we do?")
    alice, wright = (world.network.account(handle).did for handle in ("alice.test", "wright.test"))
    post = world.network.post(
        alice, "@wright.test bau mir etwas", mentions=[wright], reply=opening, extra={"langs": ["de-AT", "en"]}
    )
    world.bot.ingest()
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="dafür braucht es einen Server")
    world.bot.speak()
    (record,) = world.replies()

    assert {"root": opening.model_dump(), "parent": post.model_dump()} == record["reply"]
    assert ["de"] == record["langs"]
    assert note(Note.NOT_BUILT, "de", reason="dafür braucht es einen Server").text == record["text"]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "broken_json", "error_after_commit", "rate_limit"])
def test_a_fault_ends_in_one_note(world: World, kind: str, times: int) -> None:
    """Whatever becomes of the request or its answer."""
    build_refused(world)
    world.fails(kind, collection=POST_COLLECTION, times=times)
    speaks_until_settled(world)

    assert [NOT_BUILT] == texts(world)


def test_a_refused_note_is_no_error_of_the_document(world: World) -> None:
    """It is not tried again."""
    ended = build_refused(world)
    world.fails("status", collection=POST_COLLECTION, status=400, body={"error": "InvalidRequest", "message": "no"})
    world.bot.speak()
    world.bot.speak()

    assert [] == texts(world)
    assert Status.BUILD_FAILED is world.ledger.queries.document(ended.id).status


def test_what_a_lane_says_to_operators_is_not_told(world: World) -> None:
    """Without a reason for the asker the line is the neutral one; the detail stays with the attempt."""
    ended = build_refused(world, reason="")
    world.bot.speak()

    assert [DECLINED] == texts(world)
    assert ["for operators only"] == [attempt.detail for attempt in world.ledger.queries.attempts(ended.id)]


def test_a_refusal_is_told_to_an_author_once_a_day(world: World) -> None:
    """Whatever it was that was refused; another author and another day have a line of their own."""
    refused_by_rules(world)
    refused_by_rules(world, "@wright.test make me something else")
    refused_by_rules(world, by="bob.test")
    world.bot.speak()
    same_day = texts(world)
    world.clock.shift += timedelta(days=1)
    refused_by_rules(world, "@wright.test make me a third thing")
    world.bot.speak()

    assert [DECLINED] * 2 == same_day
    assert [DECLINED] * 3 == texts(world)


@pytest.mark.parametrize("days", [1, 15, 29])
def test_help_is_given_to_an_author_once_in_thirty_days(world: World, days: int) -> None:
    """However the windows of thirty days fall; another author has help of their own."""
    nothing_to_build(world)
    world.bot.speak()
    world.clock.shift += timedelta(days=days)
    nothing_to_build(world)
    nothing_to_build(world, "bob.test")
    world.bot.speak()

    assert [HELP] * 2 == texts(world)


def test_help_is_given_again_after_thirty_days(world: World) -> None:
    """By then it may be news."""
    for _ in range(3):
        nothing_to_build(world)
        world.bot.speak()
        world.clock.shift += timedelta(days=30, minutes=1)

    assert [HELP] * 3 == texts(world)


def blocked(world: World) -> None:
    alice, wright = (world.network.account(handle).did for handle in ("alice.test", "wright.test"))
    world.network.block(alice, wright)


def gated(world: World) -> None:
    (document,) = newest(world.ledger, 1)
    world.network.gate(document.source_uri)


def a_bot(world: World) -> None:
    alice = world.network.account("alice.test").did
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    profile = {"$type": "app.bsky.actor.profile", "labels": labels}
    world.network.put_record(alice, "app.bsky.actor.profile", "self", profile)


def too_late(world: World) -> None:
    world.clock.shift += LATE + timedelta(minutes=1)


def answered_by_hand(world: World) -> None:
    (document,) = newest(world.ledger, 1)
    wright = world.network.account("wright.test").did
    world.network.post(wright, "let me see", reply=document.mention.post)
    world.restart()


@pytest.mark.parametrize(
    ("meanwhile", "said"),
    [(blocked, []), (gated, []), (a_bot, []), (too_late, []), (answered_by_hand, ["let me see"])],
)
def test_a_note_that_is_not_welcome_is_not_written(
    world: World, meanwhile: Callable[[World], None], said: list[str]
) -> None:
    """Nothing is sent, and nothing waits for ever."""
    ended = build_refused(world)
    meanwhile(world)
    world.bot.speak()

    assert said == texts(world)
    assert not world.ledger.queries.document(ended.id).note_due


@pytest.mark.parametrize("meanwhile", [blocked, gated, a_bot, too_late])
def test_a_note_that_was_not_sent_is_let_go(world: World, meanwhile: Callable[[World], None]) -> None:
    """Its claim is settled as refused, and the document does not move for it."""
    ended = build_refused(world)
    world.fails("drop_request", collection=POST_COLLECTION)
    world.bot.speak()
    meanwhile(world)
    world.clock.shift += timedelta(minutes=11)
    world.bot.speak()
    (send,) = [send for send in world.ledger.queries.sends(ended.id) if send.collection == POST_COLLECTION]

    assert ([], "refused") == (texts(world), send.state)
    assert Status.BUILD_FAILED is world.ledger.queries.document(ended.id).status


def test_help_for_what_was_said_while_the_bot_was_away_comes_too_late(world: World) -> None:
    """It was judged just now, and yet nobody expects an answer to it."""
    post = world.says("alice.test", "@wright.test")
    too_late(world)
    world.bot.ingest()
    world.bot.speak()

    assert Status.SKIPPED is world.status(post)
    assert [] == texts(world)


def test_nobody_hears_days_later_that_no_lane_came(world: World) -> None:
    """The bot was away for a week, and moves the document on when it is back."""
    post = asked(world)
    world.clock.shift += timedelta(days=7)
    rescue_once(world.ledger, BOT)
    world.bot.speak()

    assert Status.SKIPPED is world.status(post)
    assert [] == texts(world)


def test_a_mention_that_is_not_there_is_looked_at_again_later(world: World) -> None:
    """It may have been a delay: the note waits, and asks no more than every few minutes."""
    uri = build_refused(world).source_uri
    world.network.takedown(uri)
    world.bot.speak()
    looked = len(world.network.calls_to("app.bsky.feed.getPosts"))
    world.bot.speak()
    assert looked == len(world.network.calls_to("app.bsky.feed.getPosts"))

    world.network.takedown(uri, undo=True)
    world.clock.shift += timedelta(minutes=6)
    world.bot.speak()
    assert [NOT_BUILT] == texts(world)


def test_an_ask_that_works_after_all_still_gets_its_reply(world: World) -> None:
    """The note and the reply have keys of their own."""
    ended = build_refused(world)
    world.bot.speak()
    world.ledger.documents.retry(OPERATOR, world.ledger.queries.document(ended.id))
    world.lane_builds()
    world.bot.reply()

    assert 2 == len(world.replies())
    assert Status.REPLIED is world.ledger.queries.document(ended.id).status


def test_an_ask_that_fails_twice_is_told_once(world: World) -> None:
    """The asker knows already."""
    ended = build_refused(world)
    world.bot.speak()
    world.ledger.documents.retry(OPERATOR, world.ledger.queries.document(ended.id))
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="still not")
    world.bot.speak()

    assert [NOT_BUILT] == texts(world)
    assert not world.ledger.queries.document(ended.id).note_due


def test_a_start_does_not_take_a_note_for_the_reply(world: World) -> None:
    """The reply was claimed and is not there, the note is: the look settles nothing with it, and the reply goes out."""
    ended = build_refused(world)
    world.bot.speak()
    world.ledger.documents.retry(OPERATOR, world.ledger.queries.document(ended.id))
    world.lane_builds()
    world.fails("drop_request")
    world.bot.reply()
    world.restart()
    world.until_settled()
    states = {send.key: send.state for send in world.ledger.queries.sends(ended.id)}

    assert (Status.REPLIED, 2) == (world.ledger.queries.document(ended.id).status, len(world.replies()))
    assert {f"{what}:{ended.id}": "answered" for what in ("like", "note", "reply")} == states


def test_a_start_does_not_take_a_note_for_the_reply_before_it_is_claimed(world: World) -> None:
    """The ask is under way once more when the process begins anew."""
    ended = build_refused(world)
    world.bot.speak()
    world.ledger.documents.retry(OPERATOR, world.ledger.queries.document(ended.id))
    world.restart()
    world.lane_builds()
    world.bot.reply()

    assert (Status.REPLIED, 2) == (world.ledger.queries.document(ended.id).status, len(world.replies()))


def test_a_lost_ledger_tells_no_end_twice(world: World) -> None:
    """Which line it was is not known any more: the ask is tried anew, and where that ends alike, nothing is said."""
    build_refused(world)
    world.bot.speak()
    lose(world)
    world.restart(since=timedelta(hours=1))
    world.bot.reply()
    world.bot.sweep()
    ended = world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    world.bot.speak()

    assert Status.BUILD_FAILED is world.ledger.queries.document(ended.id).status
    assert [NOT_BUILT] == texts(world)


def test_an_old_copy_of_the_ledger_writes_no_second_note(world: World) -> None:
    """The copy holds the end, and not that it was told."""
    ended = build_refused(world)
    told = note(Note.NOT_BUILT, reason="it needs a server").text
    world.network.post(world.network.account("wright.test").did, told, reply=ended.mention.post)
    world.restart()
    world.bot.speak()

    assert [NOT_BUILT] == texts(world)


def test_notes_may_be_switched_off(world: World) -> None:
    """By a setting; what was due is not caught up on later."""
    world.settings = world.settings.model_copy(update={"notes": False})
    world.restart()
    build_refused(world)
    world.bot.speak()
    world.settings = world.settings.model_copy(update={"notes": True})
    world.restart()
    world.bot.speak()

    assert [] == texts(world)


def test_notes_do_not_count_against_the_pace_of_replies(world: World) -> None:
    """One reply an hour goes out beside as many notes as there are."""
    world.settings = world.settings.model_copy(update={"replies_per_hour": 1})
    world.restart()
    build_refused(world)
    build_refused(world, "@wright.test make me another one")
    world.bot.speak()
    asked(world, "@wright.test make me a timer")
    world.lane_builds()
    world.bot.reply()

    assert 3 == len(world.replies())


def lose(world: World) -> None:
    """Nothing is left in the ledger."""
    with world.ledger.db.write() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
