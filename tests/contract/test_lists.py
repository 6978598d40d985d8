"""Lists of people, read to their end."""

from bot.bluesky.lists import read_list
from bot.bluesky.session import Account
from guardrails.documents import AtUri
from tests.contract.target import Person, Target


def test_everybody_on_a_list_is_found(writer: Account, target: Target, alice: Person, mallory: Person) -> None:
    """Page by page."""
    people = [mallory, *(target.sign_up("crowd") for _ in range(3))]
    friends = target.make_list(alice.did, "friends").uri
    for person in people:
        target.put_on_list(friends, person.did)
    target.process()
    whole, part = read_list(writer, friends, limit=1), read_list(writer, friends, limit=1, pages=3)

    assert ({person.did for person in people}, True) == (set(whole.members), whole.complete)
    assert (3, False) == (len(part.members), part.complete)
    assert whole == read_list(writer, friends)


def test_whoever_is_away_or_taken_off_is_not_on_a_list(writer: Account, target: Target, alice: Person) -> None:
    """The list is complete without them, and with whoever stands between empty pages."""
    stays, goes, leaves = (target.sign_up("crowd") for _ in range(3))
    friends = target.make_list(alice.did, "friends").uri
    items = [target.put_on_list(friends, person.did) for person in (stays, goes, leaves)]
    target.delete(items[1].uri)
    target.deactivate(leaves.did)
    target.process()
    found = read_list(writer, friends, limit=1)

    assert ({stays.did}, True) == (set(found.members), found.complete)


def test_only_its_author_puts_people_on_a_list(writer: Account, target: Target, alice: Person, mallory: Person) -> None:
    """Whatever others write."""
    friends = target.make_list(alice.did, "friends").uri
    others = target.make_list(mallory.did, "others").uri
    target.put_on_list(friends, writer.did)
    target.put_on_list(others, mallory.did)
    target.process()

    assert {writer.did} == read_list(writer, friends).members


def test_a_list_that_is_empty_is_complete(writer: Account, target: Target, alice: Person) -> None:
    """Nobody may ask."""
    friends = target.make_list(alice.did, "friends").uri
    target.process()
    found = read_list(writer, friends)

    assert (0, True) == (len(found.members), found.complete)


def test_a_list_that_is_not_there_is_not_complete(writer: Account, alice: Person) -> None:
    """So nobody is said not to be on it."""
    found = read_list(writer, AtUri(f"at://{alice.did}/app.bsky.graph.list/3kaaaaaaaaaa2"))

    assert (0, False) == (len(found.members), found.complete)


def test_a_block_between_author_and_member_hides_the_member(
    writer: Account, target: Target, alice: Person, mallory: Person
) -> None:
    """As the AppView has it for every list but those for moderation."""
    friends = target.make_list(alice.did, "friends").uri
    target.put_on_list(friends, mallory.did)
    target.put_on_list(friends, writer.did)
    target.block(mallory.did, alice.did)
    target.process()

    assert {writer.did} == read_list(writer, friends).members
