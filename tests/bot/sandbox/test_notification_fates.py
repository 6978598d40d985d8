"""What becomes of a notification afterwards: hidden, back again, labelled, read."""

from collections.abc import Callable

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import SandboxAccount
from guardrails.documents import StrongRef
from tests.bot.sandbox.api import NOTIFICATIONS, Api, mention_of
from tests.clock import Clock

ASK = "@buildbot.test make me a timer"
SEEN = "app.bsky.notification.updateSeen"


Hide = Callable[[SandboxNetwork, SandboxAccount, SandboxAccount, StrongRef], object]

UNDOABLE: dict[str, tuple[Hide, Hide]] = {
    "author taken down": (lambda n, b, a, p: n.takedown(a.did), lambda n, b, a, p: n.takedown(a.did, undo=True)),
    "author deactivated": (lambda n, b, a, p: n.deactivate(a.did), lambda n, b, a, p: n.deactivate(a.did, undo=True)),
    "author muted": (lambda n, b, a, p: n.mute(b.did, a.did), lambda n, b, a, p: n.mute(b.did, a.did, undo=True)),
    "post taken down": (lambda n, b, a, p: n.takedown(p.uri), lambda n, b, a, p: n.takedown(p.uri, undo=True)),
    "post labelled !takedown": (
        lambda n, b, a, p: n.label(p.uri, "!takedown"),
        lambda n, b, a, p: n.label(p.uri, "!takedown", undo=True),
    ),
    "author labelled needs-review": (
        lambda n, b, a, p: n.label(a.did, "needs-review"),
        lambda n, b, a, p: n.label(a.did, "needs-review", undo=True),
    ),
    "author blocks the bot": (
        lambda n, b, a, p: n.block(a.did, b.did),
        lambda n, b, a, p: n.delete_record(n.repo(a.did, "app.bsky.graph.block")[0]["uri"]),
    ),
    "bot blocks the author": (
        lambda n, b, a, p: n.block(b.did, a.did),
        lambda n, b, a, p: n.delete_record(n.repo(b.did, "app.bsky.graph.block")[0]["uri"]),
    ),
}


@pytest.mark.parametrize("case", UNDOABLE)
def test_what_hides_a_notification_brings_it_back_when_undone(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, case: str
) -> None:
    """Gone, then there again."""
    post = network.post(alice.did, ASK, mentions=[bot.did])
    hide, show = UNDOABLE[case]

    hide(network, bot, alice, post)
    assert [] == network.notifications(bot.did)

    show(network, bot, alice, post)
    assert [post.uri] == [item["uri"] for item in network.notifications(bot.did)]


def test_somebody_who_is_followed_needs_no_review(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The label holds back strangers only."""
    network.post(alice.did, ASK, mentions=[bot.did])
    network.label(alice.did, "needs-review")
    network.follow(bot.did, alice.did)

    assert 1 == len(network.notifications(bot.did))


def test_a_deleted_account_takes_its_notifications_with_it(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """For good."""
    network.post(alice.did, ASK, mentions=[bot.did])
    network.delete_account(alice.did)

    assert [] == network.notifications(bot.did)


def test_a_renamed_author_is_shown_by_the_new_handle(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The uri stays."""
    post = network.post(alice.did, ASK, mentions=[bot.did])
    network.rename(alice.did, "alicia.test")
    item = network.notifications(bot.did)[0]

    assert (post.uri, "alicia.test") == (item["uri"], item["author"]["handle"])


def test_labels_annotate_and_hide_nothing(network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount) -> None:
    """A label on the account comes with the author, one on the post with the item; the source tells who said it."""
    post = network.post(
        alice.did,
        ASK,
        mentions=[bot.did],
        extra={"labels": {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "nudity"}]}},
    )
    network.label(alice.did, "spam")
    network.label(post.uri, "porn")
    network.label(alice.did, "!takedown", src="did:plc:somebody")
    item = network.notifications(bot.did)[0]

    assert ["spam", "!takedown"] == [label["val"] for label in item["author"]["labels"]]
    assert [("porn", "did:plc:labelerlabelerlabelerlab"), ("nudity", alice.did)] == [
        (label["val"], label["src"]) for label in item["labels"]
    ]


def test_seen_moves_forward_only_and_marks_what_is_older(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """Never seen: only the top is unread. Seen at an item's own time leaves it unread. An older time is ignored."""
    for text in ("old", "new"):
        network.post(alice.did, text, facets=[mention_of(bot.did)])
        clock.advance(1)

    def read() -> list[bool]:
        return [item["isRead"] for item in as_bot.query(NOTIFICATIONS).json()["notifications"]]

    assert [False, True] == read()
    top = as_bot.query(NOTIFICATIONS).json()["notifications"][0]["indexedAt"]

    answer = as_bot.procedure(SEEN, {"seenAt": top})
    assert (200, b"", [False, True]) == (answer.status_code, answer.content, read())

    as_bot.procedure(SEEN, {"seenAt": "2100-01-01T00:00:00.000Z"})
    assert [True, True] == read()

    as_bot.procedure(SEEN, {"seenAt": top})
    assert [True, True] == read()
    assert "2100-01-01T00:00:00.000Z" == as_bot.query(NOTIFICATIONS).json()["seenAt"]
    assert 400 == as_bot.procedure(SEEN, {"seenAt": "yesterday"}).status_code


def test_the_unread_count_counts_what_the_list_hides(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """A muted author's mention is counted and not listed."""
    network.post(alice.did, ASK, mentions=[bot.did])
    network.mute(bot.did, alice.did)

    assert {"count": 1} == as_bot.query("app.bsky.notification.getUnreadCount").json()
    assert [] == as_bot.query(NOTIFICATIONS).json()["notifications"]
