"""A command is answered in one line: what came of it, once, to people only, and to so many a day."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from bot.apphost import apps_app
from bot.jobs.rescue import rescue_once
from bot.public import SIGNED_IN_ONLY, page_address
from bot.sandbox.state import PROFILE
from bot.speech import capped, note
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.documents import POST_COLLECTION, Did, StrongRef
from guardrails.facts import Standing
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.serving import client, served
from tests.documents import newest
from tests.mentions import BOT
from tests.scenarios.asides import ASK, asked, speaks_until_settled, texts
from tests.scenarios.stages import building, built, held, pending, received, replied, watch
from tests.scenarios.test_pace import on_the_hour
from tests.scenarios.world import World, ruled

SIGNED_IN_ONLY_PROFILE = {"labels": {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": SIGNED_IN_ONLY}]}}


def commands(world: World, text: str, under: StrongRef | None = None, by: str = "alice.test") -> StrongRef:
    """A command that was read, obeyed and answered."""
    post = world.says(by, f"@wright.test {text}", under)
    world.bot.ingest()
    world.bot.speak()
    return post


def heard(world: World) -> list[str]:
    """What the bot has said, first to last."""
    return texts(world)[::-1]


def said(*notes: Note) -> list[str]:
    return [note(each).text for each in notes]


def our_post(world: World) -> StrongRef:
    """The only one."""
    (post,) = world.network.repo(world.network.account("wright.test").did, POST_COLLECTION)
    return StrongRef(uri=post["uri"], cid=post["cid"])


def failed(world: World) -> StrongRef:
    post = pending(world)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    return post


def links(record: Mapping[str, Any]) -> list[str]:
    """The addresses that a post of the bot's leads to."""
    return [feature["uri"] for facet in record.get("facets", []) for feature in facet["features"]]


@pytest.mark.parametrize(
    ("stage", "line", "is_public"),
    [
        (received, Note.IS_WAITING, False),  # nobody knows yet what its author wants strangers to see
        (held, Note.IS_HELD, False),
        (pending, Note.IS_QUEUED, True),
        (building, Note.IS_BUILDING, True),
    ],
)
def test_status_says_what_an_ask_is_doing(
    world: World, stage: Callable[[World], StrongRef], line: Note, is_public: bool
) -> None:
    """As a reply to whoever wants to know, in its thread, with the page that shows it from then on."""
    post = stage(world)
    question = commands(world, "status", post)
    (record,) = world.replies()
    address = page_address(world.settings.apps_url, world.document(post)) or ""

    assert note(line, address=address if is_public else "").text == record["text"]
    assert [address] * is_public == links(record)
    assert {"root": post.model_dump(), "parent": question.model_dump()} == record["reply"]


def test_everybody_sees_how_an_ask_goes_on_and_no_word_of_it(world: World) -> None:
    """From the link of the post to the page of its app; whoever wants no strangers is shown to none."""
    hers = asked(world)
    world.network.put_record(world.network.account("bob.test").did, PROFILE, "self", SIGNED_IN_ONLY_PROFILE)
    his = asked(world, by="bob.test")
    commands(world, "status", his, by="bob.test")
    with served(lambda _: apps_app(world.ledger, world.settings.apps_url)) as port, client(port, "localhost") as http:
        found = http.get("/", params={"post": f"https://bsky.app/profile/alice.test/post/{hers.uri[-13:]}"})
        path = found.headers["Location"].removeprefix(world.settings.apps_url)
        told = [http.get(path).text]
        world.lane_builds(title="Quiet timer")
        told.append(http.get(path).text)
        lost = [http.get("/", params={"post": post}).status_code for post in (his.uri, "https://x.example")]

    assert ["<h1>Queued</h1>", "<h1>It is ready</h1>"] == [text[text.index("<h1>") :].splitlines()[0] for text in told]
    assert "Quiet timer" in told[1]
    assert not [part for part in ("alice", hers.uri[-13:], "did:plc", ASK) if part in told[0] + told[1]]
    assert [404, 404] == lost
    assert said(Note.IS_QUEUED) == heard(world)


def test_status_links_the_page_of_a_finished_app(world: World) -> None:
    """With the address whole behind what is shown of it."""
    post = built(world)
    world.bot.reply()
    commands(world, "status", post)
    address = f"{world.settings.apps_url}/{world.document(post).slug}"
    told = world.replies()[0]

    assert note(Note.IS_READY, address=address).text == told["text"]
    assert [address] == links(told)


def test_an_answer_is_in_the_language_of_the_command(world: World) -> None:
    """As far as the bot speaks it."""
    alice, wright = (world.network.account(handle).did for handle in ("alice.test", "wright.test"))
    world.network.post(alice, "@wright.test status", mentions=[wright], extra={"langs": ["ja"]})
    world.bot.ingest()
    world.bot.speak()

    assert [note(Note.IS_NOTHING, "ja").text] == heard(world)


@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "broken_json", "error_after_commit", "rate_limit"])
def test_a_fault_ends_in_one_answer(world: World, kind: str) -> None:
    """Whatever becomes of the request or its answer, and however often the process begins anew."""
    world.fails(kind, collection=POST_COLLECTION, times=2)
    command = commands(world, "help")
    world.restart()
    speaks_until_settled(world)

    assert said(Note.HELP) == heard(world)
    keys = [send.key for send in world.ledger.queries.sends(world.document(command).id)]
    assert [f"note:{world.document(command).id}"] == keys


def test_three_commands_of_an_author_are_answered_in_a_day(world: World) -> None:
    """All are obeyed; somebody else, and the next day, have answers of their own."""
    world.rules = ruled()
    for _ in range(4):
        commands(world, "help")
    post = pending(world)
    commands(world, "cancel", post)
    same_day = texts(world)
    commands(world, "help", by="bob.test")
    world.clock.shift += timedelta(days=1)
    commands(world, "help")

    assert said(*[Note.HELP] * 3) == same_day
    assert said(*[Note.HELP] * 5) == heard(world)
    assert Reason.CANCELLED is world.document(post).reason


def test_answers_may_be_ruled_out(world: World) -> None:
    """What is asked for is done all the same."""
    world.rules = ruled(commands={"answers_per_day": 0})
    post = pending(world)
    commands(world, "cancel", post)

    assert ([], Reason.CANCELLED) == (texts(world), world.document(post).reason)


def test_a_bot_is_not_answered(world: World) -> None:
    """It is obeyed; an answer might be its next command."""
    alice = world.network.account("alice.test").did
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    post = pending(world)
    profile = {"$type": "app.bsky.actor.profile", "labels": labels}
    world.network.put_record(alice, "app.bsky.actor.profile", "self", profile)
    commands(world, "cancel", post)

    assert ([], Reason.CANCELLED) == (texts(world), world.document(post).reason)


def test_commands_are_answered_where_ends_are_not_told(world: World) -> None:
    """Whoever says something to the bot is not told of something unasked."""
    world.settings = world.settings.model_copy(update={"notes": False})
    world.restart()
    commands(world, "help")

    assert said(Note.HELP) == heard(world)


def test_a_failed_build_is_tried_again_for_its_author(world: World) -> None:
    """Who hears that it is, and then gets the app, under the ask itself."""
    post = failed(world)
    world.bot.speak()
    commands(world, "retry", our_post(world))
    world.lane_builds()
    world.bot.reply()

    assert said(Note.TRIED_AGAIN) == heard(world)[1:2]
    assert (Status.REPLIED, post.model_dump()) == (world.status(post), world.replies()[0]["reply"]["parent"])


def test_a_build_that_fails_once_more_is_told_once_more(world: World) -> None:
    """Its author waits for it."""
    post = failed(world)
    world.bot.speak()
    commands(world, "retry", post)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="still not")
    world.bot.speak()
    world.bot.speak()

    told = [note(Note.NOT_BUILT, reason=reason).text for reason in ("it needs a server", "still not")]
    assert [told[0], *said(Note.TRIED_AGAIN), told[1]] == heard(world)


def test_a_full_cap_keeps_a_build_from_being_tried_again(world: World) -> None:
    """Its author hears which one, and when it goes on; by then it does."""
    world.rules = ruled(caps={"author_per_hour": 1})
    on_the_hour(world)
    post = failed(world)
    world.bot.speak()
    asked(world, ASK)
    commands(world, "retry", post)
    until = world.ledger.db.time().replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    status = world.status(post)
    on_the_hour(world)
    world.bot.judge()
    world.bot.speak()

    assert [capped(Cap.AUTHOR_HOUR, until, goes_on=True).text, *said(Note.TRIED_AGAIN)] == heard(world)[1:]
    assert (Status.BUILD_FAILED, Status.PENDING_BUILD) == (status, world.status(post))


def test_a_bare_command_right_under_our_answer_counts(world: World) -> None:
    """Its asker need not mention us; what a stranger says there makes no document."""
    post = replied(world)
    under = our_post(world)
    world.says("bob.test", "delete", under)
    world.says("alice.test", "delete", under)
    world.bot.ingest()
    watch(world)
    world.bot.speak()

    assert said(Note.TAKEN_BACK) == heard(world)
    assert world.document(post).reply_deleted_at is not None
    assert 2 == len(newest(world.ledger, 10))


def test_who_wants_to_be_forgotten_leaves_nothing_behind(world: World) -> None:
    """But one line that says how to come back: no reply, no app, no word of theirs."""
    post = replied(world)
    waiting = asked(world, ASK)
    command = commands(world, "forget me")
    watch(world)
    rescue_once(world.ledger, BOT)
    documents = [world.document(each) for each in (post, waiting, command)]

    assert said(Note.FORGOTTEN) == heard(world)
    assert [True] * 3 == [document.is_blank for document in documents]
    assert [Status.REPLIED, Status.SKIPPED, Status.SKIPPED] == [document.status for document in documents]
    app = world.ledger.hosting.app(str(documents[0].slug))
    assert app is not None
    assert "forgotten" == app.gone_reason


def test_the_forgotten_are_left_alone_until_they_come_back(world: World) -> None:
    """Then they are a person like any other."""
    commands(world, "forget me")
    alone = [world.says("alice.test", text) for text in (ASK, "@wright.test status", "@wright.test delete")]
    world.bot.ingest()
    world.bot.speak()
    known = len(newest(world.ledger, 10))
    commands(world, "remember me")
    post = asked(world, ASK)
    world.bot.sweep()

    assert 1 == known
    assert said(Note.FORGOTTEN, Note.REMEMBERED) == heard(world)
    assert Status.PENDING_BUILD is world.status(post)
    uris = {document.source_uri for document in newest(world.ledger, 10)}
    assert uris.isdisjoint(each.uri for each in alone)


def test_the_confirmation_outlives_a_crash(world: World) -> None:
    """The command is obeyed, and the process ends before it is answered."""
    world.fails("drop_answer", collection=POST_COLLECTION)
    commands(world, "forget me")
    rescue_once(world.ledger, BOT)
    world.restart()
    speaks_until_settled(world)
    rescue_once(world.ledger, BOT)

    alice = Did(world.network.account("alice.test").did)
    (document,) = newest(world.ledger, 1)
    assert said(Note.FORGOTTEN) == heard(world)
    assert Standing.FORGOTTEN in world.ledger.people.standing_of([alice])[alice]
    assert (True, [{}]) == (document.is_blank, [send.record for send in world.ledger.queries.sends(document.id)])
