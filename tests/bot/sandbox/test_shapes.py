"""The sandbox's answers have the shape of the reference servers' answers to the same situation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from tests.bot.sandbox.api import (
    CREATE_SESSION,
    GET,
    KEY,
    NOTIFICATIONS,
    POSTS,
    PROFILE,
    PROFILES,
    REFRESH,
    THREAD,
    Api,
)

RECORD = {"$type": POST, "text": "Built!", "createdAt": "2026-11-29T11:38:50.211Z"}
ASK = "@buildbot.test make me a pomodoro timer with 25/5 cycles"


def reference(name: str) -> Any:
    """An answer of the reference servers."""
    return json.loads((Path(__file__).parent / "reference" / f"{name}.json").read_text("utf-8"))


def shape(value: Any) -> Any:
    """Keys and types, all the way down; constants of the protocol stay."""
    match value:
        case dict():
            return {key: value[key] if key in {"$type", "reason", "val"} else shape(value[key]) for key in value}
        case list():
            return [shape(inner) for inner in value]
    return type(value).__name__


class Scene:
    """Alice and the bot on a fresh network, and the bot's calls."""

    def __init__(self, network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount) -> None:
        self.network, self.as_bot, self.bot, self.alice = network, as_bot, bot, alice

    def mention(self, **more: Any) -> str:
        return self.network.post(self.alice.did, ASK, mentions=[self.bot.did], **more).uri

    def item(self) -> Any:
        return self.as_bot.query(NOTIFICATIONS).json()["notifications"][0]

    def thread(self, uri: str) -> Any:
        return self.as_bot.query(THREAD, uri=uri, depth=0).json()


@pytest.fixture
def scene(network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount) -> Scene:
    """What every case starts from."""
    return Scene(network, as_bot, bot, alice)


def _mention_page(scene: Scene) -> Any:
    scene.mention()
    return scene.as_bot.query(NOTIFICATIONS).json()


def _reply(scene: Scene) -> Any:
    scene.network.post(scene.alice.did, "nice", reply=scene.network.post(scene.bot.did, "hello"))
    return scene.item()


def _quote(scene: Scene) -> Any:
    own = scene.network.post(scene.bot.did, "hello")
    embed = {"$type": "app.bsky.embed.record", "record": own.model_dump()}
    scene.network.post(scene.alice.did, "look", extra={"embed": embed})
    return scene.item()


def _like(scene: Scene) -> Any:
    scene.network.like(scene.alice.did, scene.network.post(scene.bot.did, "hello"))
    return scene.item()


def _repost(scene: Scene) -> Any:
    scene.network.repost(scene.alice.did, scene.network.post(scene.bot.did, "hello"))
    return scene.item()


def _follow(scene: Scene) -> Any:
    scene.network.follow(scene.alice.did, scene.bot.did)
    return scene.item()


def _author_label(scene: Scene) -> Any:
    scene.mention()
    scene.network.label(scene.alice.did, "spam")
    return scene.item()


def _post_label(scene: Scene) -> Any:
    scene.network.label(scene.mention(), "porn")
    return scene.item()


def _self_label(scene: Scene) -> Any:
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "porn"}]}
    scene.mention(extra={"labels": labels})
    return scene.item()


def _bot_author(scene: Scene) -> Any:
    other = scene.network.create_account("botself.test", display_name="botself", self_labels=["bot"])
    scene.network.post(other.did, ASK, mentions=[scene.bot.did])
    return scene.item()


def _thread(scene: Scene) -> Any:
    return scene.thread(scene.mention())


def _chain(scene: Scene, gap: Callable[[str], object]) -> Any:
    bob = scene.network.create_account("bob.test", display_name="Bob")
    root = scene.network.post(scene.alice.did, "root")
    gone = scene.network.post(bob.did, "gone", reply=root)
    level_11 = scene.network.post(scene.alice.did, "level 11", reply=gone)
    level_12 = scene.network.post(scene.alice.did, "level 12", reply=level_11)
    deep = scene.network.post(scene.alice.did, "deep", facets=None, reply=level_12, mentions=[scene.bot.did])
    scene.network.edit(deep.uri, text=ASK, facets=_facets(scene))
    gap(gone.uri)
    return scene.thread(deep.uri)


def _facets(scene: Scene) -> list[dict[str, Any]]:
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": scene.bot.did}
    return [{"index": {"byteStart": 0, "byteEnd": 14}, "features": [feature]}]


def _parent_deleted(scene: Scene) -> Any:
    return _chain(scene, scene.network.delete_record)


def _parent_blocked(scene: Scene) -> Any:
    bob = scene.network.create_account("bob.test", display_name="Bob")
    root = scene.network.post(scene.alice.did, "root")
    parent = scene.network.post(bob.did, "parent", reply=root)
    deep = scene.network.post(scene.alice.did, ASK, reply=parent, mentions=[scene.bot.did])
    scene.network.block(scene.bot.did, bob.did)
    return scene.thread(deep.uri)


def _blocked_by_viewer(scene: Scene) -> Any:
    uri = scene.mention()
    scene.network.block(scene.bot.did, scene.alice.did)
    return scene.thread(uri)


def _blocked_by_author(scene: Scene) -> Any:
    uri = scene.mention()
    scene.network.block(scene.alice.did, scene.bot.did)
    answer = scene.thread(uri)
    answer["thread"]["author"]["viewer"].pop("blocking", None)
    return answer


def _card(scene: Scene) -> Any:
    headers = {"authorization": f"Bearer {scene.as_bot.token}", "content-type": "image/png"}
    upload = scene.as_bot.http.post("/xrpc/com.atproto.repo.uploadBlob", content=b"pixels", headers=headers)
    external = {
        "uri": "https://example.com/app",
        "title": "Pomodoro",
        "description": "A timer",
        "thumb": upload.json()["blob"],
    }
    embed = {"$type": "app.bsky.embed.external", "external": external}
    post = scene.network.post(scene.bot.did, "built", extra={"embed": embed})
    return scene.as_bot.query(POSTS, uris=post.uri).json()


def _gated(scene: Scene) -> Any:
    uri = scene.mention()
    scene.network.gate(uri)
    return scene.as_bot.query(POSTS, uris=uri).json()


def _profile(scene: Scene) -> Any:
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    profile = {"displayName": "Build Bot", "description": "I build small apps.", "labels": labels}
    scene.network.put_record(scene.bot.did, "app.bsky.actor.profile", "self", profile)
    return scene.as_bot.query(PROFILE, actor=scene.bot.did).json()


def _profiles(scene: Scene) -> Any:
    spam = scene.network.create_account("spamacct.test", display_name="spamacct")
    bot = scene.network.create_account("botself.test", display_name="botself", self_labels=["bot"])
    hidden = scene.network.create_account("noauth.test", display_name="noauth", self_labels=["!no-unauthenticated"])
    scene.network.label(spam.did, "spam")
    return scene.as_bot.query(PROFILES, actors=[spam.did, bot.did, hidden.did]).json()


def _login(scene: Scene) -> Any:
    login = {"identifier": scene.bot.did, "password": scene.bot.password}
    return scene.as_bot.procedure(CREATE_SESSION, login).json()


def _deactivated(scene: Scene) -> Any:
    scene.network.deactivate(scene.bot.did)
    return _login(scene)


def _refreshed(scene: Scene) -> Any:
    return scene.as_bot.bearing(_login(scene)["refreshJwt"]).procedure(REFRESH).json()


def _created(scene: Scene) -> Any:
    return scene.as_bot.create(scene.bot.did, RECORD).json()


def _read(scene: Scene) -> Any:
    scene.as_bot.put(scene.bot.did, RECORD)
    return scene.as_bot.query(GET, repo=scene.bot.did, collection=POST, rkey=KEY).json()


CASES: dict[str, Callable[[Scene], Any]] = {
    "list_notifications_mention": _mention_page,
    "notification_reply": _reply,
    "notification_quote": _quote,
    "notification_like": _like,
    "notification_repost": _repost,
    "notification_follow": _follow,
    "notification_author_label_spam": _author_label,
    "notification_post_label_porn": _post_label,
    "notification_self_label": _self_label,
    "notification_author_self_label_bot": _bot_author,
    "get_post_thread_ok": _thread,
    "get_post_thread_parent_deleted": _parent_deleted,
    "get_post_thread_parent_blocked": _parent_blocked,
    "get_post_thread_blocked_by_viewer": _blocked_by_viewer,
    "get_post_thread_blocked_by_author": _blocked_by_author,
    "get_posts_external_embed": _card,
    "get_posts_reply_disabled": _gated,
    "get_profile_bot_label": _profile,
    "get_profiles_labels": _profiles,
    "create_session_ok": _login,
    "create_session_deactivated": _deactivated,
    "refresh_session_ok": _refreshed,
    "create_record_ok": _created,
    "get_record_ok": _read,
}


@pytest.mark.parametrize("name", CASES)
def test_an_answer_has_the_shape_of_the_real_one(scene: Scene, name: str) -> None:
    """Every key, every type, every $type, and nothing more."""
    assert shape(reference(name)) == shape(CASES[name](scene))


def test_a_blob_has_the_shape_of_the_real_one(as_bot: Api, http: httpx.Client) -> None:
    """As uploadBlob answers it."""
    headers = {"authorization": f"Bearer {as_bot.token}", "content-type": "image/png"}
    answer = http.post("/xrpc/com.atproto.repo.uploadBlob", content=b"x" * 73, headers=headers).json()

    assert shape(reference("upload_blob_ok")) == shape(answer)
    assert reference("upload_blob_ok")["blob"]["size"] == answer["blob"]["size"]
