"""What is made of the AppView's answers about a post, fitting or not."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.bluesky.patience import Patience
from bot.bluesky.sight import (
    BATCH,
    Closed,
    Seen,
    Sight,
    ThreadSight,
    look_at,
    look_at_threads,
    out_of_place,
    which_are_visible,
)
from guardrails.documents import AtUri
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused

ALICE = "did:plc:ndh7limaf7c2saw23rincw3f"
URI = AtUri(f"at://{ALICE}/app.bsky.feed.post/3n3h52zhifc2a")
ROOT = AtUri(f"at://{ALICE}/app.bsky.feed.post/3n3h52zhifc2b")
NOT_FOUND = refused(400, "NotFound", f"Post not found: {URI}")
PROFILE = answered({"did": ALICE, "handle": "alice.test", "viewer": {"blockedBy": False}})
POSTS, THREAD, ACTOR = "app.bsky.feed.getPosts", "app.bsky.feed.getPostThread", "app.bsky.actor.getProfile"


def view(uri: str, **more: Any) -> dict[str, Any]:
    author = {"did": ALICE, "handle": "alice.test"}
    return {"uri": uri, "cid": "bafyaa", "author": author, "record": {"text": "hi"}, **more}


def node(uri: AtUri, **more: Any) -> dict[str, Any]:
    """A post in a thread."""
    return {"post": view(uri), **more}


def below(root: str) -> dict[str, Any]:
    return {"record": {"text": "hi", "reply": {"root": {"uri": root, "cid": "bafybb"}}}}


ROOTS_DIFFER = "the post names another root than the post above it does"
Network = Callable[[Call], Answer]


def said(posts: Answer | None = None, thread: Answer = NOT_FOUND, profile: Answer = PROFILE) -> Network:
    """A network that answers each question in one way; no post is listed unless given."""
    answers = {POSTS: posts or answered({"posts": []}), THREAD: thread, ACTOR: profile}
    return lambda call: answers[call.nsid]


def seen(answer: Network) -> Sight:
    with scene(answer) as made:
        return look_at(made.open(), [URI])[URI]


def test_a_listed_post_is_visible() -> None:
    """With all that its view says; the others in the answer are not asked for."""
    listed = answered({"posts": [view(ROOT), view(URI, viewer={"replyDisabled": True})]})

    assert Sight(Seen.VISIBLE, "bafyaa", True, {"text": "hi"}, "alice.test") == seen(said(listed))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([{"src": ALICE, "val": "bot"}], True),
        ([{"src": "did:plc:somebodyelse", "val": "bot"}], False),
        ([{"src": ALICE, "val": "porn"}, "bot", None], False),
        ("bot", False),
    ],
)
def test_a_bot_is_one_by_its_own_word(labels: object, expected: bool) -> None:
    """What others call it does not count."""
    author = {"did": ALICE, "handle": "alice.test", "labels": labels}

    assert expected is seen(said(answered({"posts": [view(URI, author=author)]}))).by_bot


def blocked(**viewer: Any) -> Answer:
    author = {"did": ALICE, "viewer": viewer}
    return answered({"thread": {"uri": URI, "blocked": True, "author": author}})


THREADS = {
    "they block us": (blocked(blockedBy=True), Seen.BLOCKED_BY_AUTHOR),
    "we block them": (blocked(blockedBy=False, blocking="at://x"), Seen.BLOCKED_BY_US),
    "both": (blocked(blockedBy=True, blocking="at://x"), Seen.BLOCKED_BY_AUTHOR),
    "blocked by nobody": (blocked(blockedBy=False), Seen.UNCLEAR),
    "blocked without a word": (answered({"thread": {"blocked": True}}), Seen.UNCLEAR),
    "found after all": (answered({"thread": {"post": view(URI)}}), Seen.UNCLEAR),
    "nothing": (answered({}), Seen.UNCLEAR),
    "not found": (NOT_FOUND, Seen.GONE),
    "not found, said otherwise": (answered({"thread": {"uri": URI, "notFound": True}}), Seen.GONE),
    "another refusal": (refused(400, "InvalidRequest", "no"), Seen.UNCLEAR),
    "trouble": (refused(502, "InternalServerError"), Seen.UNCLEAR),
    "not found, by something in between": (refused(404, "NotFound"), Seen.GONE),
    "not found in HTML": (Answer(404, b"<html>"), Seen.UNCLEAR),
}


@pytest.mark.parametrize("what", THREADS)
def test_the_thread_tells_of_blocks(what: str) -> None:
    """Absent is not gone."""
    answer, expected = THREADS[what]

    assert expected is seen(said(thread=answer)).kind


AUTHORS = {
    "there": (PROFILE, Seen.GONE),
    "there, nothing said of blocks": (answered({"did": ALICE, "handle": "alice.test"}), Seen.GONE),
    "there and blocking us": (
        answered({"did": ALICE, "handle": "alice.test", "viewer": {"blockedBy": True}}),
        Seen.BLOCKED_BY_AUTHOR,
    ),
    "there and blocked by a list": (
        answered({"did": ALICE, "handle": "alice.test", "viewer": {"blockingByList": {"uri": "at://x"}}}),
        Seen.BLOCKED_BY_US,
    ),
    "taken down": (refused(400, "AccountTakedown", "Account has been suspended"), Seen.AUTHOR_AWAY),
    "deactivated": (refused(400, "AccountDeactivated", "Account is deactivated"), Seen.AUTHOR_AWAY),
    "deleted": (refused(400, "InvalidRequest", "Profile not found"), Seen.AUTHOR_AWAY),
    "another's": (answered({"did": "did:plc:x", "handle": "alice.test"}), Seen.UNCLEAR),
    "nothing": (answered({}), Seen.UNCLEAR),
    "another refusal": (refused(400, "InvalidRequest", "no"), Seen.UNCLEAR),
    "our own account taken down": (refused(401, "AccountTakedown", "Account has been taken down"), Seen.UNCLEAR),
    "trouble": (refused(500, "InternalServerError"), Seen.UNCLEAR),
    "hanging up": (Answer(cut_after=-1), Seen.UNCLEAR),
}


@pytest.mark.parametrize("what", AUTHORS)
def test_the_author_tells_whether_a_post_that_is_not_found_is_gone(what: str) -> None:
    """Only when they are there, and no block may hide it."""
    answer, expected = AUTHORS[what]

    assert expected is seen(said(profile=answer)).kind


@pytest.mark.parametrize("answer", [answered({}), answered({"posts": 1}), refused(500, "InternalServerError")])
def test_a_question_that_fails_decides_nothing(answer: Answer) -> None:
    """It is said why, and nobody is asked further."""
    with scene(said(answer)) as made:
        sight = look_at(made.open(), [URI])[URI]
        asked = [call.nsid for call in made.pds.calls if call.nsid in {THREAD, ACTOR}]

    assert (Seen.UNCLEAR, []) == (sight.kind, asked)
    assert sight.detail


def test_a_view_that_cannot_be_read_spoils_no_other() -> None:
    """It counts as absent, and its thread shows that it is not."""
    listed = answered({"posts": [{"uri": URI}, 7, view(ROOT)]})
    thread = answered({"thread": {"post": {"uri": URI}}})
    with scene(said(listed, thread)) as made:
        sights = look_at(made.open(), [URI, ROOT])

    assert [Seen.UNCLEAR, Seen.VISIBLE] == [sight.kind for sight in sights.values()]


def many(count: int) -> list[AtUri]:
    return [AtUri(f"at://{ALICE}/app.bsky.feed.post/post-{n}") for n in range(count)]


def test_posts_are_asked_for_in_batches() -> None:
    """Each once, in the order that they were named, and one that is no at-uri not at all."""
    uris = [*many(2 * BATCH + 1), AtUri("at://alice.test/x/y")]
    with scene(lambda call: answered({"posts": [view(uri) for uri in call.params["uris"]]})) as made:
        sights = look_at(made.open(), uris + uris)
        batches = [len(call.params["uris"]) for call in made.pds.called(POSTS)]

    assert [25, 25, 1] == batches
    assert uris == list(sights)
    assert Seen.UNCLEAR is sights[uris[-1]].kind


def test_one_post_that_the_server_cannot_read_hides_no_other() -> None:
    """A refused batch is asked for one by one."""
    uris = many(3)

    def answer(call: Call) -> Answer:
        asked = call.params["uris"]
        return refused(400, "InvalidRequest", "bad uri") if uris[1] in asked else answered({"posts": [view(asked[0])]})

    with scene(answer) as made:
        sights = look_at(made.open(), uris)

    assert [Seen.VISIBLE, Seen.UNCLEAR, Seen.VISIBLE] == [sights[uri].kind for uri in uris]


@pytest.mark.parametrize("nsid", [POSTS, THREAD, ACTOR])
@pytest.mark.parametrize("refusal", [(429, "RateLimitExceeded"), (401, "AuthenticationRequired")])
def test_a_server_that_wants_no_more_questions_is_asked_none(nsid: str, refusal: tuple[int, str]) -> None:
    """After a rate limit, or when our account is not accepted, the rest of the round is unclear."""
    with scene(lambda call: refused(*refusal) if call.nsid == nsid else said()(call)) as made:
        sights = look_at(made.open(), many(2 * BATCH))
        refusals = len(made.pds.called(nsid))
        batches = len(made.pds.called(POSTS))

    assert (1, 1) == (refusals, batches)
    assert {Seen.UNCLEAR} == {sight.kind for sight in sights.values()}


@pytest.mark.parametrize("nsid", [POSTS, THREAD, ACTOR])
def test_a_server_that_does_not_answer_is_asked_three_times(nsid: str) -> None:
    """A round of many posts must not wait for each of them."""
    trouble = refused(502, "InternalServerError")
    with scene(lambda call: trouble if call.nsid == nsid else said()(call)) as made:
        sights = look_at(made.open(), many(5 * BATCH))
        asked = len(made.pds.called(nsid))

    assert 3 == asked
    assert {Seen.UNCLEAR} == {sight.kind for sight in sights.values()}


def test_what_the_server_refuses_is_no_silence() -> None:
    """However many posts it cannot read, the others are looked at."""
    uris = many(8)

    def answer(call: Call) -> Answer:
        asked = call.params["uris"]
        return answered({"posts": [view(uris[7])]}) if asked == [uris[7]] else refused(400, "InvalidRequest", "no")

    with scene(answer) as made:
        assert Seen.VISIBLE is look_at(made.open(), uris)[uris[7]].kind


def test_replies_are_asked_for_together() -> None:
    """Those that are shown, of those that were meant; nothing can be told without an answer."""
    first, second = many(2)
    with scene(said(answered({"posts": [view(second), view(URI)]}))) as made:
        assert {second} == which_are_visible(made.open(), [first, second])
    with scene(said(refused(502, "InternalServerError"))) as made:
        assert which_are_visible(made.open(), [first, second]) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (answered({"thread": node(URI, replies=[node(ROOT)])}), ""),
        (answered({"thread": node(URI, replies=[{}, node(URI)])}), "it is not shown below the post"),
        (answered({"thread": node(URI)}), "it is not shown below the post"),
        (answered({"thread": {"uri": URI, "blocked": True}}), "a block stands before the post"),
        (refused(400, "NotFound", "Post not found"), "the post is not found"),
        (answered({"thread": {"uri": URI, "notFound": True}}), "the post is not found"),
        (answered({"thread": {"post": view(URI, **below(ROOT)), "replies": [node(ROOT)]}}), ROOTS_DIFFER),
        (answered({"thread": {}}), None),
        (refused(502, "InternalServerError"), None),
    ],
)
def test_a_reply_is_in_its_thread_or_it_is_told_why_not(answer: Answer, expected: str | None) -> None:
    """Posted, and hidden."""
    with scene(lambda call: answer) as made:
        assert expected == out_of_place(made.open(), URI, ROOT, Patience(lambda: False))


def test_nothing_is_asked_of_nothing() -> None:
    """An empty look."""
    with scene(said()) as made:
        account = made.open()
        assert {} == look_at(account, [])
        assert {} == look_at_threads(account, [])
        assert [] == made.pds.called(POSTS)


def test_roots_are_looked_at_together() -> None:
    """Two posts of one thread, a third that begins its own, and one that is gone: two questions for posts."""
    first, second, third, fourth = many(4)
    views = {first: view(first, **below(ROOT)), second: view(second, **below(ROOT)), third: view(third)}
    views[ROOT] = view(ROOT)

    def answer(call: Call) -> Answer:
        if call.nsid == POSTS:
            return answered({"posts": [views[AtUri(uri)] for uri in call.params["uris"] if uri in views]})
        return said()(call)

    with scene(answer) as made:
        threads = look_at_threads(made.open(), [first, second, third, fourth])
        batches = [call.params["uris"] for call in made.pds.called(POSTS)]

    assert [[first, second, third, fourth], [ROOT]] == batches
    assert Seen.VISIBLE is getattr(threads[first].root, "kind", None)
    assert threads[first].root == threads[second].root
    assert (None, None) == (threads[third].root, threads[fourth].root)


VISIBLE, GATED = Sight(Seen.VISIBLE), Sight(Seen.VISIBLE, reply_disabled=True)


@pytest.mark.parametrize(
    ("thread", "closed", "clear"),
    [
        (ThreadSight(VISIBLE), None, True),
        (ThreadSight(VISIBLE, VISIBLE), None, True),
        (ThreadSight(VISIBLE, Sight(Seen.UNCLEAR)), None, False),
        (ThreadSight(Sight(Seen.UNCLEAR)), None, False),
        (ThreadSight(VISIBLE, Sight(Seen.GONE)), Closed.ROOT_GONE, True),
        (ThreadSight(VISIBLE, Sight(Seen.AUTHOR_AWAY)), Closed.ROOT_AUTHOR_AWAY, True),
        (ThreadSight(VISIBLE, Sight(Seen.BLOCKED_BY_AUTHOR)), Closed.ROOT_AUTHOR_BLOCKS_US, True),
        (ThreadSight(VISIBLE, Sight(Seen.BLOCKED_BY_US)), Closed.ROOT_AUTHOR_BLOCKED, True),
        (ThreadSight(GATED), Closed.GATED, True),
        (ThreadSight(GATED, Sight(Seen.GONE)), Closed.GATED, True),
        (ThreadSight(GATED, Sight(Seen.UNCLEAR)), Closed.GATED, False),
    ],
)
def test_a_thread_is_closed_by_its_gate_or_its_root(thread: ThreadSight, closed: Closed | None, clear: bool) -> None:
    """And unclear as soon as one of both is."""
    assert (closed, clear) == (thread.closed, thread.clear)


@pytest.mark.parametrize("record", [None, {}, {"reply": None}, {"reply": {"root": "x"}}, {"reply": {"root": {}}}])
def test_a_record_that_names_no_root_begins_a_thread(record: dict[str, Any] | None) -> None:
    """However odd it is."""
    assert None is Sight(Seen.VISIBLE, record=record).root


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (answered({"posts": [view(URI)]}), {URI}),
        (answered({"posts": [view(ROOT)]}), set()),
        (answered({"posts": []}), set()),
        (answered({}), None),
        (refused(500, "InternalServerError"), None),
        (refused(429, "RateLimitExceeded"), None),
    ],
)
def test_a_reply_of_ours_is_visible_or_not_or_it_cannot_be_told(answer: Answer, expected: set[AtUri] | None) -> None:
    """By its address alone."""
    with scene(said(answer)) as made:
        assert expected == which_are_visible(made.open(), [URI])
        assert [] == made.pds.called(THREAD)
