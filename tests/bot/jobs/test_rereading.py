"""An edited post is read as a new one would be; what the bot knew beside its text stays."""

from typing import Any

import pytest

from bot.bluesky.sight import Seen, Sight
from bot.jobs.rereading import reread
from guardrails.documents import Mention
from tests.mentions import HANDLE, OUR_DID, mention, post


def edited(text: str, **more: Any) -> Sight:
    return Sight(Seen.VISIBLE, "cid-new", record=post(text, **more), author_handle="alice.example")


def test_an_edited_post_is_read_anew() -> None:
    """Its words, its languages, its version and its author's name, under the same address."""
    before = mention()
    after = reread(before, edited(f"{HANDLE} a to-do list", langs=["de"]), OUR_DID)

    assert after is not None
    assert ("a to-do list", f"{HANDLE} a to-do list", ("de",)) == (after.ask, after.text, after.langs)
    assert (before.post.uri, "cid-new", "cid-new") == (after.post.uri, after.post.cid, after.root.cid)
    assert (before.author_did, "alice.example") == (after.author_did, after.author_handle)


def test_what_no_post_says_stays() -> None:
    """Who put it before us, when it came in, and whether that was before the first start."""
    before = mention(by_operator=True, stale=True)
    after = reread(before, edited("a to-do list"), OUR_DID)

    assert after is not None
    assert (True, True, before.indexed_at) == (after.by_operator, after.stale, after.indexed_at)
    assert "a to-do list" == after.ask


@pytest.mark.parametrize(
    ("text", "ask"), [(f"{HANDLE} stop", "cancel"), ("never mind", "never mind"), (f"{HANDLE}", "")]
)
def test_a_command_or_no_mention_is_read_too(text: str, ask: str) -> None:
    """For the guardrails to judge."""
    after = reread(mention(), edited(text), OUR_DID)

    assert after is not None
    assert (ask, text) == (after.ask, after.text)


@pytest.mark.parametrize(
    "sight",
    [
        Sight(Seen.VISIBLE, mention().post.cid, record=post("the same")),
        Sight(Seen.VISIBLE, None, record=post("no version")),
        Sight(Seen.VISIBLE, "cid-new"),
        Sight(Seen.VISIBLE, "cid-new", record={"text": 7}),
        Sight(Seen.GONE),
        Sight(Seen.UNCLEAR),
    ],
)
def test_what_is_not_an_edit_that_can_be_read_changes_nothing(sight: Sight) -> None:
    """The document keeps what was read."""
    before: Mention = mention()

    assert reread(before, sight, OUR_DID) is None
