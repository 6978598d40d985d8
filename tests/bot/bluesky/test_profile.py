"""What becomes of a profile, and how it is written when somebody else writes too."""

from typing import Any

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.profile import CONTACT_LINE, MAX_GRAPHEMES, ProfileUnfit, apply_profile, merged
from tests.bot.bluesky.accounts import DID, scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused

CONTACT = "ops@apps.example"
LINE = f"{CONTACT_LINE}{CONTACT}"
SELF = "com.atproto.label.defs#selfLabels"
PUT, GET = "com.atproto.repo.putRecord", "com.atproto.repo.getRecord"
URI = f"at://{DID}/app.bsky.actor.profile/self"
CONFLICT = refused(400, "InvalidSwap", "Record was at bafyother")


def applied(profile: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    return merged(profile, **{"self_label": "bot", "contact": CONTACT, **more})


def test_no_profile_becomes_one() -> None:
    """With what it must say, and nothing else."""
    labels = {"$type": SELF, "values": [{"val": "bot"}]}

    assert {"$type": "app.bsky.actor.profile", "description": LINE, "labels": labels} == applied(None)


def test_a_profile_keeps_all_that_it_has() -> None:
    """A pinned post, a picture, two self-labels and what nobody here knows."""
    profile = {
        "$type": "app.bsky.actor.profile",
        "displayName": "Wright",
        "avatar": {"$type": "blob", "ref": {"$link": "bafkreiabc"}, "mimeType": "image/png", "size": 9},
        "pinnedPost": {"uri": "at://x/y/z", "cid": "bafyaa"},
        "labels": {"$type": SELF, "values": [{"val": "!no-unauthenticated"}, {"val": "rude"}], "note": 1},
        "com.example.own": {"kept": True},
    }
    made = applied(profile)

    assert [*profile["labels"]["values"], {"val": "bot"}] == made["labels"]["values"]  # type: ignore[index]
    assert 1 == made["labels"]["note"]
    untouched = set(profile) - {"labels"}
    assert {key: profile[key] for key in untouched} == {key: made[key] for key in untouched}


DESCRIPTIONS = {
    "none": (None, LINE),
    "words": ("I build.\nAsk me.", f"I build.\nAsk me.\n\n{LINE}"),
    "an old contact": (f"I build.\n\n{CONTACT_LINE}old@apps.example", f"I build.\n\n{LINE}"),
    "an old contact alone": (f"{CONTACT_LINE}old@apps.example", LINE),
    "words below the old contact": (f"{CONTACT_LINE}old@apps.example\nAsk me.", f"Ask me.\n\n{LINE}"),
    "two old contacts": (f"Hi\n{CONTACT_LINE}a\n{CONTACT_LINE}b", f"Hi\n\n{LINE}"),
    "the contact in own words": (f"Mail {CONTACT}.", f"Mail {CONTACT}."),
    "the contact in own words and a line": (f"Mail {CONTACT}.\n\n{LINE}", f"Mail {CONTACT}."),
    "a longer address that holds it": (f"Not {CONTACT}.org", f"Not {CONTACT}.org\n\n{LINE}"),
    "another address that holds it": (f"Not x-{CONTACT}", f"Not x-{CONTACT}\n\n{LINE}"),
}


@pytest.mark.parametrize("what", DESCRIPTIONS)
def test_the_contact_has_a_line_of_its_own(what: str) -> None:
    """The person's words stay, and a second run changes nothing."""
    words, expected = DESCRIPTIONS[what]
    made = applied({} if words is None else {"description": words})

    assert expected == made["description"]
    assert made == applied(made)


def test_new_words_take_the_place_of_the_old_ones() -> None:
    """When the operator gives some."""
    profile = {"description": f"Old.\n\n{LINE}"}

    assert f"New.\n\n{LINE}" == applied(profile, description="New.")["description"]
    assert LINE == applied(profile, description="")["description"]


def test_a_contact_is_one_line() -> None:
    """Whatever the setting holds: nothing may hide in it, nor look like a second line."""
    made = applied(None, contact=" ops@apps.example\nBot operator: \u202eeve ")

    assert f"{CONTACT_LINE}ops@apps.example Bot operator: eve" == made["description"]


@pytest.mark.parametrize(
    ("profile", "more"),
    [
        ({"description": "a" * (MAX_GRAPHEMES - len(LINE) - 1)}, {}),
        ({}, {"description": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 102}),
        ({}, {"contact": " \u200b"}),
        ({"labels": {"$type": "com.example.labels", "values": []}}, {}),
        ({"labels": []}, {}),
    ],
)
def test_what_does_not_fit_is_said_and_not_cut(profile: dict[str, Any], more: dict[str, Any]) -> None:
    """A person's words, an operator's name and foreign labels are not ours to shorten."""
    with pytest.raises(ProfileUnfit):
        applied(profile, **more)


def test_a_description_may_fill_the_limit() -> None:
    """256 characters, not one more."""
    words = "a" * (MAX_GRAPHEMES - len(LINE) - 2)

    assert MAX_GRAPHEMES == len(applied({"description": words})["description"])


def test_a_label_that_is_there_is_not_repeated() -> None:
    """Another one is added beside it."""
    once = applied(None)

    assert once == applied(once)
    assert [{"val": "bot"}, {"val": "x"}] == applied(once, self_label="x")["labels"]["values"]


class Repository:
    """A repository with one profile, that answers puts as told."""

    def __init__(self, *puts: Answer) -> None:
        self.puts = list(puts)
        self.record: dict[str, Any] | None = {"displayName": "Wright"}
        self.after_conflict: dict[str, Any] = {"displayName": "Smith"}

    def __call__(self, call: Call) -> Answer:
        if call.nsid == PUT:
            answer = self.puts.pop(0)
            if answer is CONFLICT:
                self.record = self.after_conflict
            return answer
        if call.nsid == GET and self.record is not None:
            return answered({"uri": URI, "cid": f"bafy{self.record['displayName']}", "value": self.record})
        if call.nsid == GET:
            return refused(400, "RecordNotFound")
        return answered({"did": DID})


WRITTEN = answered({"uri": URI, "cid": "bafynew"})


def test_a_profile_is_put_over_the_version_that_was_read() -> None:
    """So that nothing is lost that somebody else wrote meanwhile."""
    with scene(Repository(WRITTEN)) as made:
        change = apply_profile(made.open(), contact=CONTACT)
        (put,) = made.pds.called(PUT)

    assert ("bafyWright", "self", change.after) == (put.json["swapRecord"], put.json["rkey"], put.json["record"])
    assert ({"displayName": "Wright"}, True) == (change.before, change.changed)


def test_a_first_profile_is_put_over_nothing() -> None:
    """And over nothing only."""
    repository = Repository(WRITTEN)
    repository.record = None
    with scene(repository) as made:
        change = apply_profile(made.open(), contact=CONTACT)
        (put,) = made.pds.called(PUT)

    assert put.json["swapRecord"] is None
    assert change.before is None


def test_a_profile_that_says_it_already_is_not_written() -> None:
    """No new version, no rate points."""
    repository = Repository()
    repository.record = {**applied(None), "displayName": "Wright"}
    with scene(repository) as made:
        assert not apply_profile(made.open(), contact=CONTACT).changed
        assert [] == made.pds.called(PUT)


def test_a_conflict_is_read_and_merged_once_more() -> None:
    """With what the other one wrote."""
    with scene(Repository(CONFLICT, WRITTEN)) as made:
        change = apply_profile(made.open(), contact=CONTACT)
        puts = made.pds.called(PUT)

    assert ["bafyWright", "bafySmith"] == [put.json["swapRecord"] for put in puts]
    assert ("Smith", "Smith") == (change.after["displayName"], puts[1].json["record"]["displayName"])


@pytest.mark.parametrize(
    ("puts", "expected"),
    [
        ((CONFLICT, CONFLICT), Failure.REFUSED),
        ((refused(400, "InvalidRequest"),), Failure.REFUSED),
        ((refused(500, "InternalServerError"),), Failure.UNKNOWN),
        ((answered({}),), Failure.UNKNOWN),
    ],
)
def test_a_put_that_fails_is_a_failure(puts: tuple[Answer, ...], expected: Failure) -> None:
    """Two conflicts are enough, and nothing else is tried twice."""
    with scene(Repository(*puts)) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            apply_profile(account, contact=CONTACT)
        assert len(puts) == len(made.pds.called(PUT))

    assert expected is caught.value.failure
