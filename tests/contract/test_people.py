"""What is shown of the people who ask, and of those whose posts it is about: profiles in batches, labels, blocks."""

from datetime import timedelta

import pytest

from bot.bluesky.ages import Ages
from bot.bluesky.identity import IdentityResolver
from bot.bluesky.people import BATCH, read_profiles
from bot.bluesky.session import Account
from bot.bluesky.sight import look_at
from bot.clock import Clock
from guardrails.documents import Did
from guardrails.facts import Label, Profile
from tests.contract.target import Person, Target


def seen(account: Account, person: Person) -> Profile:
    return read_profiles(account, [person.did]).found[person.did]


def test_somebody_without_a_profile_is_shown(writer: Account, target: Target, mallory: Person) -> None:
    """With nothing to hold against them."""
    target.process()

    assert Profile(did=mallory.did, followers=0) == seen(writer, mallory)


def test_a_profile_says_what_its_owner_put_there(writer: Account, target: Target, mallory: Person) -> None:
    """What they want of bots, and that they are one; since when they are there is for others to tell."""
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    target.profile(
        mallory.did, description="I bake. #NoBot please", labels=labels, createdAt="2019-04-01T12:00:00.000Z"
    )
    target.process()
    profile = seen(writer, mallory)

    assert (True, True, 0) == (profile.nobot, profile.is_bot, profile.followers)
    assert (Label(src=mallory.did, val="bot"),) == profile.labels
    assert profile.created_at is None


def test_since_when_somebody_is_there_is_told_by_the_plc(target: Target) -> None:
    """Whatever their profile says; of a DID that it does not have it says nothing."""
    before = Clock()()
    person = target.sign_up("newcomer")
    target.profile(person.did, createdAt="2019-04-01T12:00:00.000Z")
    ages = Ages(lambda: IdentityResolver(target.plc_url, deadline_seconds=30, now=Clock()))
    told = ages.entered_at([person.did, Did("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"), Did("did:web:localhost")])
    ages.close()

    assert [person.did] == list(told)
    assert timedelta(minutes=-1) < told[person.did] - before < timedelta(minutes=1)


def test_followers_are_counted(writer: Account, target: Target, mallory: Person, alice: Person) -> None:
    """Those who follow, not those who are followed."""
    target.follow(alice.did, mallory.did)
    target.follow(mallory.did, writer.did)
    target.process()

    assert 1 == seen(writer, mallory).followers


def test_a_label_on_an_account_is_on_its_profile_alone(writer: Account, target: Target, mallory: Person) -> None:
    """By whom it is, until it is taken back; the posts of the account carry none."""
    post = target.post(mallory.did, "hello")
    target.label(mallory.did, "spam")
    target.process()
    labelled, on_post = seen(writer, mallory).labels, look_at(writer, [post.uri])[post.uri].labels
    target.label(mallory.did, "spam", undo=True)
    target.process()

    assert ["spam"] == [label.val for label in labelled if label.src != mallory.did]
    assert () == on_post
    assert () == seen(writer, mallory).labels


def test_a_label_on_a_post_is_on_the_post_alone(writer: Account, target: Target, mallory: Person) -> None:
    """Beside those that its author gave it."""
    own = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "nudity"}]}
    post = target.post(mallory.did, "hello", extra={"labels": own})
    target.label(post.uri, "porn")
    target.process()
    sight = look_at(writer, [post.uri])[post.uri]

    assert {"porn", "nudity"} == {label.val for label in sight.labels}
    assert [mallory.did] == [label.src for label in sight.labels if label.val == "nudity"]
    assert () == seen(writer, mallory).labels


@pytest.mark.parametrize("by", ["them", "us"])
def test_a_block_is_seen_whoever_set_it(writer: Account, target: Target, mallory: Person, by: str) -> None:
    """Their profile is shown all the same."""
    pair = (mallory.did, writer.did) if by == "them" else (writer.did, mallory.did)
    target.block(*pair)
    target.process()

    assert seen(writer, mallory).blocked


@pytest.mark.parametrize("fate", ["taken down", "deactivated", "deleted", "never there"])
def test_whoever_is_away_is_left_out(
    writer: Account, target: Target, mallory: Person, alice: Person, fate: str
) -> None:
    """Without a word, and without a doubt: the others are shown."""
    who = mallory.did
    match fate:
        case "taken down":
            target.take_down(who)
        case "deactivated":
            target.deactivate(who)
        case "deleted":
            target.delete_account(who)
        case _:
            who = Did("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")
    target.process()
    profiles = read_profiles(writer, [who, alice.did])

    assert [alice.did] == list(profiles.found)
    assert frozenset() == profiles.unclear


def test_any_number_of_people_is_looked_up(writer: Account, target: Target, alice: Person) -> None:
    """More than one question may hold, some named twice, some who never were, and what is no name at all."""
    people = [target.sign_up("crowd").did for _ in range(3)]
    target.process()
    nobody = [Did(f"did:plc:{n:a>24}") for n in range(2, 2 + BATCH)]
    profiles = read_profiles(writer, [people[0], *nobody, Did("did:"), Did("alice"), *people, alice.did])

    assert {*people, alice.did} == profiles.found.keys()
    assert frozenset() == profiles.unclear
