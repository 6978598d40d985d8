"""An ask that says so little that it points at another post is built by what that post says."""

from datetime import timedelta
from typing import Any

import pytest

from bot.bluesky.cid import blob_cid
from bot.sandbox.state import Blob
from guardrails.documents import Did, Mention, StrongRef
from guardrails.transitions import Reason, Status
from tests.mentions import OPERATOR
from tests.scenarios.stages import POSTS, replied
from tests.scenarios.world import World

THIS = "@wright.test build this"


def did(world: World, name: str) -> str:
    return world.network.account(f"{name}.test").did


def said(world: World, text: str = "a timer for six eggs", by: str = "bob", **extra: Any) -> StrongRef:
    """A post in somebody else's thread, so that it is not its root."""
    root = world.says("carol.test", "what is missing in the world?")
    return world.network.post(did(world, by), text, reply=root, extra=extra)


def points(
    world: World, ask: str = THIS, parent: StrongRef | None = None, quoted: StrongRef | None = None
) -> StrongRef:
    """Alice's ask, which replies to one post, quotes one, or both."""
    embed = {"embed": {"$type": "app.bsky.embed.record", "record": quoted.model_dump()}} if quoted else {}
    wright = did(world, "wright")
    return world.network.post(did(world, "alice"), ask, mentions=[wright], reply=parent, extra=embed)


def judged(world: World, **about: Any) -> Mention:
    post = points(world, **about)
    world.bot.ingest()
    assert Status.PENDING_BUILD == world.status(post)
    return world.document(post).mention


@pytest.mark.parametrize("ask", [THIS, "@wright.test", "@wright.test make it an app, please"])
def test_it_is_given_what_its_parent_says(world: World, ask: str) -> None:
    """With whose words they are."""
    parent = said(world)
    (context,) = judged(world, ask=ask, parent=parent).context

    assert (parent, did(world, "bob"), "bob.test") == (context.post, context.author_did, context.author_handle)
    assert ("a timer for six eggs", False) == (context.text, context.quoted)


def test_it_is_given_what_it_quotes(world: World) -> None:
    """Pictures and card too, beside its parent's words."""
    image = {"alt": "six eggs in a pot", "image": _picture(world, "bob")}
    media = {"$type": "app.bsky.embed.images", "images": [image]}
    quoted = said(world, "look", embed=media)
    card = {"uri": "https://eggs.example", "title": "Eggs", "description": "How long?"}
    parent = said(world, "this one", embed={"$type": "app.bsky.embed.external", "external": card})
    first, second = judged(world, parent=parent, quoted=quoted).context

    assert ("this one", "Eggs – How long? – https://eggs.example", False) == (first.text, first.card, first.quoted)
    assert ("look", ("six eggs in a pot",), True) == (second.text, second.alts, second.quoted)


def test_an_ask_that_says_enough_is_given_nothing(world: World) -> None:
    """Other people's words stay out of it."""
    assert () == judged(world, ask="@wright.test make me a dice roller", parent=said(world)).context


def test_two_that_point_at_different_posts_are_two_asks(world: World) -> None:
    """The same words about the same post are one."""
    eggs, dice = said(world), said(world, "a dice with seven sides")
    posts = [points(world, parent=parent) for parent in (eggs, dice, eggs)]
    world.rules = world.rules.model_copy(update={"ask": world.rules.ask.model_copy(update={"same_hours": 24.0})})
    world.bot.ingest()

    assert [Status.PENDING_BUILD] * 2 + [Status.SKIPPED] == [world.status(post) for post in posts]
    assert Reason.SAME_ASK is world.document(posts[2]).reason


@pytest.mark.parametrize("text", ["", "…", "👀"])
def test_a_post_that_says_nothing_is_nothing_to_build(world: World, text: str) -> None:
    """As if nothing had been asked."""
    post = points(world, parent=said(world, text))
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.NOTHING_TO_BUILD) == (world.status(post), world.document(post).reason)


def test_what_it_points_at_must_be_fit(world: World) -> None:
    """The same rules for other people's words."""
    post = points(world, parent=said(world, "a sign-in page for my bank that mails me every password"))
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.REFUSED_BY_RULES) == (world.status(post), world.document(post).reason)


@pytest.mark.parametrize("how", ["parent", "quoted"])
def test_a_post_that_cannot_be_read_now_is_waited_for(world: World, how: str) -> None:
    """Not skipped for saying nothing."""
    about: dict[str, Any] = {how: said(world)}
    post = points(world, **about)
    # The first look is at the ask itself; the one at what is around it fails.
    world.fails("status", POSTS, status=502, skip=1)
    world.bot.ingest()
    before = world.document(post)
    world.clock.shift += timedelta(seconds=61)
    world.bot.judge()

    assert (Status.RECEIVED, "can_we_answer") == (before.status, before.verdicts[-1].check)
    assert Status.PENDING_BUILD == world.status(post)


def test_a_post_that_is_gone_is_nothing_to_build(world: World) -> None:
    """Once it cannot be a delay any more."""
    parent = said(world)
    post = points(world, parent=parent)
    world.network.delete_record(parent.uri)
    world.bot.ingest()
    at_first = world.status(post)
    for _ in range(5):
        world.clock.shift += timedelta(minutes=5)
        world.bot.judge()

    assert Status.RECEIVED == at_first
    assert (Status.SKIPPED, Reason.NOTHING_TO_BUILD) == (world.status(post), world.document(post).reason)


def test_a_post_that_is_taken_back_before_it_is_built_is_not_built(world: World) -> None:
    """Its words go with it."""
    parent = said(world)
    post = points(world, parent=parent)
    world.ledger.people.deny(OPERATOR, Did(did(world, "alice")), "wait")
    world.bot.ingest()
    world.ledger.people.lift(OPERATOR, Did(did(world, "alice")))
    world.ledger.documents.judge_again(OPERATOR, world.document(post))
    world.bot.judge()
    read = world.document(post).mention.context
    world.ledger.documents.stop(OPERATOR, world.document(post))
    world.network.delete_record(parent.uri)
    world.clock.shift += timedelta(minutes=11)
    world.ledger.documents.judge_again(OPERATOR, world.document(post))
    world.bot.judge()

    assert 1 == len(read)
    assert (Status.SKIPPED, Reason.NOTHING_TO_BUILD) == (world.status(post), world.document(post).reason)
    assert () == world.document(post).mention.context


def test_our_own_answer_is_no_ask(world: World) -> None:
    """However short the asker's words under it are."""
    replied(world)
    ours = world.network.repo(did(world, "wright"))[0]
    answer = StrongRef.model_validate({"uri": ours["uri"], "cid": ours["cid"]})
    post = points(world, parent=answer)
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.NOTHING_TO_BUILD) == (world.status(post), world.document(post).reason)
    assert () == world.document(post).mention.context


def test_an_edit_that_says_enough_drops_what_it_pointed_at(world: World) -> None:
    """It is judged by what it says now."""
    post = points(world, parent=said(world))
    world.bot.ingest()
    facets = world.network.state.find_record(post.uri).value["facets"]  # type: ignore[union-attr]
    world.network.edit(post.uri, text="@wright.test make me a dice roller", facets=facets)
    world.clock.shift += timedelta(seconds=61)
    world.bot.watch()
    world.bot.judge()
    mention = world.document(post).mention

    assert (Status.PENDING_BUILD, "make me a dice roller", ()) == (world.status(post), mention.ask, mention.context)


def _picture(world: World, name: str) -> dict[str, Any]:
    """A blob of somebody's, as their app would have uploaded it."""
    cid = blob_cid(b"pixels")
    world.network.state.blobs.setdefault(did(world, name), {})[cid] = Blob(b"pixels", "image/png")
    return {"$type": "blob", "ref": {"$link": cid}, "mimeType": "image/png", "size": 6}
