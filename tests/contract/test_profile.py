"""Our profile says that this is a bot and who runs it, and keeps what a person put there."""

import io
from typing import Any

import pytest
from PIL import Image

from bot.bluesky.blobs import upload
from bot.bluesky.errors import CallFailed
from bot.bluesky.profile import PROFILE_COLLECTION, PROFILE_KEY, apply_profile
from bot.bluesky.profiles import own_labels
from bot.bluesky.records import INVALID_SWAP, Found, put_over, read_back
from bot.bluesky.session import Account
from tests.contract.target import Person, Target

CONTACT = "ops@apps.example"


def kept(account: Account) -> Found:
    found = read_back(account, PROFILE_COLLECTION, PROFILE_KEY)
    assert isinstance(found, Found)
    return found


@pytest.fixture
def lived_in(account: Account, target: Target, bot: Person) -> dict[str, Any]:
    """A profile that a person made: picture, pinned post, two self-labels."""
    pinned = target.post(bot.did, "read me first")
    written = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(written, "PNG")
    profile = {
        "$type": PROFILE_COLLECTION,
        "displayName": "Wright",
        "description": "I build small apps.\nAsk me.",
        "avatar": upload(account, written.getvalue(), "image/png").record,
        "pinnedPost": pinned.model_dump(),
        "labels": {
            "$type": "com.atproto.label.defs#selfLabels",
            "values": [{"val": "!no-unauthenticated"}, {"val": "rude"}],
        },
        "com.example.own": {"kept": True},
    }
    put_over(account, PROFILE_COLLECTION, PROFILE_KEY, profile, None)
    return profile


def test_a_first_profile_is_made(account: Account, target: Target, bot: Person) -> None:
    """The label and the contact, as others see them."""
    change = apply_profile(account, contact=CONTACT, description="I build small apps.")
    target.process()
    shown = account.query("app.bsky.actor.getProfile", {"actor": bot.did})

    assert (True, None) == (change.changed, change.before)
    assert f"I build small apps.\n\nBot operator: {CONTACT}" == shown["description"]
    assert [("bot", bot.did)] == [(label.val, label.src) for label in own_labels(account)]


def test_what_a_person_put_there_is_kept(account: Account, lived_in: dict[str, Any]) -> None:
    """Every field, both labels, the words."""
    apply_profile(account, contact=CONTACT)
    labels = {**lived_in["labels"], "values": [*lived_in["labels"]["values"], {"val": "bot"}]}
    description = f"I build small apps.\nAsk me.\n\nBot operator: {CONTACT}"

    assert {**lived_in, "labels": labels, "description": description} == kept(account).record


@pytest.mark.usefixtures("lived_in")
def test_a_second_run_writes_nothing(account: Account) -> None:
    """And a new contact takes the place of the old one."""
    apply_profile(account, contact=CONTACT)
    first = kept(account)

    assert not apply_profile(account, contact=CONTACT).changed
    assert first == kept(account)
    apply_profile(account, contact="@ann.example")
    assert "I build small apps.\nAsk me.\n\nBot operator: @ann.example" == kept(account).record["description"]


def test_a_profile_is_put_over_the_version_that_was_read_only(account: Account, lived_in: dict[str, Any]) -> None:
    """Another version, or none, is a conflict."""
    there = kept(account).cid
    put_over(account, PROFILE_COLLECTION, PROFILE_KEY, lived_in | {"displayName": "Smith"}, there)
    for old in (there, None):
        with pytest.raises(CallFailed) as caught:
            put_over(account, PROFILE_COLLECTION, PROFILE_KEY, lived_in, old)
        assert INVALID_SWAP == caught.value.error

    assert "Smith" == kept(account).record["displayName"]
