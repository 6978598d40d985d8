"""Where an answer would not be seen nothing is built, and what was edited is judged by what it says now."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.errors import LostRace
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId, StrongRef
from guardrails.transitions import Reason, Status
from tests.scenarios.stages import ASK, POSTS, built, held, pending, received
from tests.scenarios.world import World

LIST = "@wright.test make me a to-do list"
THREAD = "app.bsky.feed.getPostThread"
PROFILES = "app.bsky.actor.getProfiles"
OPERATOR = Caller(Role.OPERATOR, DeviceId("olga"))


def did(world: World, name: str) -> str:
    return world.network.account(f"{name}.test").did


def later(world: World, seconds: float = 61) -> None:
    world.clock.shift += timedelta(seconds=seconds)


def gated(world: World, root: StrongRef) -> None:
    world.network.gate(root.uri)


def root_gone(world: World, root: StrongRef) -> None:
    world.network.delete_record(root.uri)


def root_author_away(world: World, _: StrongRef) -> None:
    world.network.deactivate(did(world, "bob"))


def blocked_by_author(world: World, _: StrongRef) -> None:
    world.network.block(did(world, "alice"), did(world, "wright"))


def blocked_by_us(world: World, _: StrongRef) -> None:
    world.network.block(did(world, "wright"), did(world, "alice"))


def blocked_by_the_root(world: World, _: StrongRef) -> None:
    world.network.block(did(world, "bob"), did(world, "wright"))


CLOSED: dict[Callable[[World, StrongRef], None], str] = {
    gated: "the thread's gate keeps our reply out",
    root_gone: "the post that began the thread is gone",
    root_author_away: "the account that began the thread is deactivated, taken down or deleted",
    blocked_by_author: "the author blocks us",
    blocked_by_us: "we block the author",
    blocked_by_the_root: "the account that began the thread blocks us",
}


@pytest.mark.parametrize("closing", CLOSED)
def test_where_an_answer_would_not_be_seen_nothing_is_built(
    world: World, closing: Callable[[World, StrongRef], None]
) -> None:
    """Skipped with the reason, no money spent, and nothing said about it."""
    thread = world.says("bob.test", "what shall we build?")
    post = world.says("alice.test", ASK, thread)
    world.fails("status", POSTS, status=502)
    world.bot.ingest()
    closing(world, thread)
    later(world)
    world.bot.judge()
    document = world.document(post)

    assert (Status.SKIPPED, Reason.CANNOT_REPLY, CLOSED[closing]) == (
        document.status,
        document.reason,
        document.detail,
    )
    assert (0, False) == (document.attempt, document.note_due)


@pytest.mark.parametrize("closing", CLOSED)
def test_what_is_closed_while_it_is_built_ends_without_a_reply(
    world: World, closing: Callable[[World, StrongRef], None]
) -> None:
    """Looked at once more right before the send."""
    thread = world.says("bob.test", "what shall we build?")
    post = world.says("alice.test", ASK, thread)
    world.bot.ingest()
    world.lane_builds()
    closing(world, thread)
    world.until_settled()

    assert (Status.ERROR, Reason.CANNOT_REPLY, []) == (
        world.status(post),
        world.document(post).reason,
        world.replies(),
    )


def test_an_author_who_is_away_is_waited_for(world: World) -> None:
    """Judged when they are back, and asked about less often the longer it takes."""
    post = received(world)
    world.network.deactivate(did(world, "alice"))
    later(world)
    asked = len(world.network.calls_to(POSTS))
    for _ in range(60):
        world.bot.judge()
        later(world, 60)
    times = len(world.network.calls_to(POSTS)) - asked

    assert Status.RECEIVED == world.status(post)
    assert 6 <= times <= 12
    world.network.deactivate(did(world, "alice"), undo=True)
    later(world, 600)
    world.bot.judge()
    assert Status.PENDING_BUILD == world.status(post)


def test_what_cannot_be_told_for_a_day_is_left_to_a_person(world: World) -> None:
    """An account that never comes back leaves no ask open for good: held, with why, until its deadline."""
    post = received(world)
    world.network.deactivate(did(world, "alice"))
    later(world)
    world.bot.judge()
    first = world.status(post)
    later(world, 24 * 3600)
    world.bot.judge()
    document = world.document(post)

    assert Status.RECEIVED == first
    assert (Status.AWAITING_APPROVAL, Reason.UNKNOWN_TOO_LONG) == (document.status, document.reason)
    assert "the author's account is deactivated, taken down or deleted" == document.detail


def test_a_batch_is_looked_at_together(world: World) -> None:
    """And only what the cheaper checks let through: thirty asks, their thread and their authors are five calls."""
    thread = world.says("bob.test", "what shall we build?")
    people = [world.network.create_account(f"fan{n}.test").handle for n in range(30)]
    posts = [world.says(handle, f"@wright.test make me timer {n}", thread) for n, handle in enumerate(people)]
    chatter = [world.says("carol.test", "@wright.test help") for _ in range(30)]
    world.bot.ingest()
    (first, second, roots) = world.network.calls_to(POSTS)
    profiles = world.network.calls_to(PROFILES)

    assert [25, 5, 1] == [len(call.params["uris"]) for call in (first, second, roots)]
    assert [25, 6] == [len(call.params["actors"]) for call in profiles]
    assert {Status.PENDING_BUILD} == {world.status(post) for post in posts}
    assert {Reason.COMMAND} == {world.document(post).reason for post in chatter}


def test_open_asks_are_watched_in_batches(world: World) -> None:
    """Thirty of them are two calls a minute, and none in between; nobody asks about them one by one."""
    for n in range(30):
        world.says("alice.test", f"@wright.test make me timer {n}")
    world.bot.ingest()
    before = len(world.network.calls_to(POSTS))
    world.bot.watch()
    world.bot.watch()

    assert 2 == len(world.network.calls_to(POSTS)) - before
    later(world)
    world.bot.watch()
    assert 4 == len(world.network.calls_to(POSTS)) - before
    assert [] == world.network.calls_to(THREAD)


def test_a_reply_is_looked_for_until_it_is_seen(world: World) -> None:
    """While the AppView lags nothing follows from it; there is one reply, and it is never sent again."""
    post = built(world)
    world.network.pause_indexing()
    world.bot.reply()
    for _ in range(3):
        later(world, 201)
        world.bot.watch()
    unseen = world.document(post)
    world.network.resume_indexing()
    world.bot.watch()

    assert (Status.REPLIED, None) == (unseen.status, unseen.reply_seen_at)
    assert world.document(post).reply_seen_at is not None
    assert 1 == len(world.replies())
    asked = len(world.network.calls_to(POSTS))
    world.bot.watch()
    assert asked == len(world.network.calls_to(POSTS))


def test_a_thread_that_gives_no_answer_hides_no_other_reply(world: World) -> None:
    """Only after a few of them nothing more is asked, until the next round."""
    posts = [world.says("alice.test", f"@wright.test make me timer {n}") for n in range(4)]
    world.bot.ingest()
    for _ in posts:
        world.lane_builds()
    world.until_settled()
    later(world)
    seen = []
    for times in (3, 2):
        world.fails("status", THREAD, status=502, times=times)
        world.bot.watch()
        seen.append([world.document(post).reply_seen_at is not None for post in posts])
    asked = len(world.network.calls_to(THREAD))

    assert [[False] * 4, [False, False, True, True]] == seen
    assert 3 + 4 == asked


def test_a_root_that_is_not_its_parents_is_taken_and_noted(world: World) -> None:
    """Our reply has the mention's own, so that its thread does not lead to it: operators are told, and that is all."""
    one, other = (world.says("bob.test", f"thread {n}") for n in range(2))
    above = world.says("carol.test", "well", reply_to=other)
    reply = {"root": one.model_dump(), "parent": above.model_dump()}
    post = world.network.post(did(world, "alice"), ASK, mentions=[did(world, "wright")], reply=reply)
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()
    later(world)
    world.bot.watch()
    (said,), document = world.replies(), world.document(post)

    assert {"root": one.model_dump(), "parent": post.model_dump()} == said["reply"]
    assert (Status.REPLIED, True) == (document.status, document.reply_seen_at is not None)
    assert "not in its thread: the post names another root than the post above it does" in document.detail


def edit(world: World, post: StrongRef, text: str = LIST, **more: object) -> StrongRef:
    return world.network.edit(post.uri, text=text, **more)


def test_an_edit_before_the_claim_is_asked_and_judged_again(world: World) -> None:
    """What the lane gets is what the post says now, and the answer hangs below this version."""
    post = pending(world)
    edited = edit(world, post)
    later(world)
    world.bot.watch()
    reopened = world.document(post)
    world.bot.judge()
    claimed = world.lane_builds("To-do list")
    world.until_settled()
    (reply,) = world.replies()

    assert (Status.RECEIVED, Reason.EDITED, edited.cid) == (reopened.status, reopened.reason, reopened.source_cid)
    assert ("make me a to-do list", None) == (claimed.mention.ask, world.document(post).edited_cid)
    assert (post.uri, edited.cid) == (reply["reply"]["parent"]["uri"], reply["reply"]["parent"]["cid"])


def test_an_edit_before_the_judgement_is_what_is_judged(world: World) -> None:
    """No lane ever sees what it said before."""
    post = received(world)
    edited = edit(world, post)
    later(world)
    world.bot.judge()

    assert (Status.PENDING_BUILD, "make me a to-do list") == (world.status(post), world.document(post).mention.ask)
    assert (edited.cid, edited.cid) == (world.document(post).source_cid, world.document(post).mention.post.cid)


def test_an_edit_after_the_claim_is_noted(world: World) -> None:
    """It is built and answered as first asked."""
    post = pending(world)
    claimed = world.lane_builds()
    edited = edit(world, post)
    later(world)
    world.bot.watch()
    world.until_settled()

    assert "make me a pomodoro timer" == claimed.mention.ask
    assert (Status.REPLIED, edited.cid, post.cid) == (
        world.status(post),
        world.document(post).edited_cid,
        world.document(post).source_cid,
    )


def test_an_edit_while_a_person_thinks_about_it_is_judged_again(world: World) -> None:
    """What they would say yes to is not what it says any more."""
    post = held(world)
    edited, thought_about = edit(world, post), world.document(post)
    later(world)
    world.bot.watch()
    reopened = world.document(post)
    world.bot.judge()

    assert (Status.RECEIVED, Reason.EDITED, edited.cid) == (reopened.status, reopened.reason, reopened.source_cid)
    assert (Status.PENDING_BUILD, "make me a to-do list") == (world.status(post), world.document(post).mention.ask)
    with pytest.raises(LostRace):
        world.ledger.documents.approve(OPERATOR, thought_about)


def test_an_edit_right_before_a_person_says_yes_is_looked_at_at_once(world: World) -> None:
    """Not only when it is its time again."""
    post = held(world)
    later(world)
    world.bot.watch()
    edit(world, post)
    world.ledger.documents.approve(OPERATOR, world.document(post))
    world.bot.watch()
    world.bot.judge()

    assert (Status.PENDING_BUILD, "make me a to-do list") == (world.status(post), world.document(post).mention.ask)


def test_an_edit_that_names_us_no_more_is_not_ours(world: World) -> None:
    """The guardrails say so; nothing is built."""
    post = pending(world)
    edit(world, post, "never mind", facets=[])
    later(world)
    world.bot.watch()
    world.bot.judge()

    assert (Status.SKIPPED, Reason.NOT_OURS) == (world.status(post), world.document(post).reason)


def test_an_edit_into_a_command_builds_nothing(world: World) -> None:
    """The whole text counts, as in a new post."""
    post = pending(world)
    edit(world, post, "@wright.test cancel")
    later(world)
    world.bot.watch()
    world.bot.judge()

    assert (Status.SKIPPED, Reason.COMMAND) == (world.status(post), world.document(post).reason)
