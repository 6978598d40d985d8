"""On the real network: a reply with its card, the like that came before it, and a note under a mention."""

from typing import Any

from bot.speech import note
from bot.texts import Note
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome
from tests.network.here import Here
from tests.scenarios.links import link_of
from tests.scenarios.pictures import screenshot


def read(here: Here, uri: str) -> dict[str, Any]:
    """A post as everybody reads it."""
    here.network.process()
    (post,) = here.network.query(None, "app.bsky.feed.getPosts", {"uris": uri})["posts"]
    view: dict[str, Any] = post
    return view


def told(here: Here, post: StrongRef) -> list[str]:
    """Why alice is notified about her post."""
    here.network.process()
    about = [each for each in here.network.notifications(here.alice.did) if each["author"]["did"] == here.wright.did]
    assert {post.uri} == {each["reasonSubject"] for each in about}
    return [each["reason"] for each in about]


def test_a_reply_is_read_with_its_card_and_picture(here: Here) -> None:
    """Through the AppView: title, line and picture, and a link whose bytes are the ones that are shown."""
    post = here.asks()
    here.bot.ingest()
    here.builds(screenshot(), description="Twenty-five minutes, then five.")
    here.bot.reply()
    document = here.document(post)
    assert document.reply_uri is not None
    assert document.result is not None
    view = read(here, document.reply_uri)
    card = view["embed"]["external"]

    assert Status.REPLIED is document.status
    assert ("app.bsky.embed.external#view", document.result.address) == (view["embed"]["$type"], card["uri"])
    assert ("A timer", "Twenty-five minutes, then five.") == (card["title"], card["description"])
    assert view["record"]["embed"]["external"]["thumb"]["ref"]["$link"] in card["thumb"]
    assert document.result.address == link_of(view["record"])


def test_an_ask_that_is_taken_on_is_liked_once(here: Here) -> None:
    """Its author is notified of one like, whatever became of the answer to the put, and then of one reply."""
    post = here.asks()
    here.bot.ingest()
    here.bot.speak()
    here.bot.speak()
    liked = told(here, post)
    here.builds()
    here.bot.reply()
    here.bot.speak()

    assert ["like"] == liked
    assert ["like", "reply"] == sorted(told(here, post))
    assert 1 == read(here, post.uri)["likeCount"]


def test_an_end_without_an_app_is_told_under_the_mention(here: Here) -> None:
    """One note, in the thread."""
    post = here.asks()
    here.bot.ingest()
    here.builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    here.bot.speak()
    here.bot.speak()
    here.network.process()
    (reply,) = here.network.get_post_thread(post.uri, here.alice.did)["replies"]

    assert Status.BUILD_FAILED is here.document(post).status
    assert here.wright.did == reply["post"]["author"]["did"]
    assert note(Note.NOT_BUILT, reason="it needs a server").text == reply["post"]["record"]["text"]


def test_a_bot_is_told_nothing(here: Here) -> None:
    """Its profile says so after the ask was taken on, and the AppView shows that with its posts."""
    here.asks()
    here.bot.ingest()
    here.builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    here.network.create(here.alice.did, "app.bsky.actor.profile", {"labels": labels}, rkey="self")
    here.network.process()

    assert 1 == here.bot.speak().silent
    assert [] == here.network.list_records(here.wright.did)
