"""What reaches an account's notifications, in which order, and what makes it go away."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from guardrails.documents import StrongRef
from tests.bot.sandbox.api import NOTIFICATIONS, Api, error
from tests.clock import Clock

ASK = "@buildbot.test make me a timer"
SEEN = "app.bsky.notification.updateSeen"


@pytest.fixture
def own(network: SandboxNetwork, bot: SandboxAccount) -> StrongRef:
    """A post of the bot's."""
    return network.post(bot.did, "I build small apps.")


def reasons(network: SandboxNetwork, bot: SandboxAccount) -> list[tuple[str, str | None]]:
    """Reason and subject of each notification, newest first."""
    return [(item["reason"], item.get("reasonSubject")) for item in network.notifications(bot.did)]


def texts(answer: dict[str, Any]) -> list[str]:
    """The texts of a page."""
    return [item["record"]["text"] for item in answer["notifications"]]


def mention_of(did: str, start: int = 0, end: int = 1) -> dict[str, Any]:
    """A mention facet over any bytes."""
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": did}
    return {"index": {"byteStart": start, "byteEnd": end}, "features": [feature]}


def quote_of(ref: StrongRef) -> dict[str, Any]:
    """A record that quotes a post."""
    return {"embed": {"$type": "app.bsky.embed.record", "record": ref.model_dump()}}


def test_a_mention_is_a_facet_and_not_a_handle(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The facet's DID decides: over any text, once per post, and never by the text alone."""
    network.post(alice.did, "please click here", facets=[mention_of(bot.did, 7, 12)])
    network.post(alice.did, "twice", facets=[mention_of(bot.did), mention_of(bot.did)])
    network.post(alice.did, ASK)
    network.post(alice.did, ASK, facets=[mention_of(alice.did, 0, 14)])
    network.post(bot.did, "me, @buildbot.test", mentions=[bot.did])

    assert [("mention", None)] * 2 == reasons(network, bot)


def test_one_post_gives_one_notification_by_precedence(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Mention before quote before reply."""
    network.post(alice.did, "reply", reply=own)
    network.post(alice.did, "reply and quote", reply=own, extra=quote_of(own))
    network.post(alice.did, ASK, mentions=[bot.did], reply=own, extra=quote_of(own))

    assert [("mention", None), ("quote", own.uri), ("reply", own.uri)] == reasons(network, bot)


def test_a_quote_beside_media_is_a_quote(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """recordWithMedia counts as the plain quote does."""
    external = {"uri": "https://example.com", "title": "t", "description": "d"}
    media = {"$type": "app.bsky.embed.external", "external": external}
    embed = {"$type": "app.bsky.embed.recordWithMedia", "media": media, "record": {"record": own.model_dump()}}
    network.post(alice.did, "look", extra={"embed": embed})

    assert [("quote", own.uri)] == reasons(network, bot)


def test_replies_are_told_four_levels_down_about_the_nearest_own_post(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """A chain of answers below the bot's post: levels 1 to 4 are told, the fifth is not."""
    below = own
    for level in range(1, 6):
        below = network.post(alice.did, f"level {level}", reply=below)
    second = network.post(bot.did, "again", reply=below)
    network.post(alice.did, "and again", reply=second)

    assert [("reply", second.uri)] + [("reply", own.uri)] * 4 == reasons(network, bot)


def test_likes_reposts_and_follows_are_told_until_undone(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Each is one notification without a text, and vanishes with its record."""
    done = [network.like(alice.did, own), network.repost(alice.did, own), network.follow(alice.did, bot.did)]

    assert {("like", own.uri), ("repost", own.uri), ("follow", None)} == set(reasons(network, bot))

    for ref in done:
        network.delete_record(ref.uri)
    assert [] == reasons(network, bot)


def test_what_is_about_a_deleted_post_of_ours_vanishes(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Likes, replies and quotes lose their subject; a mention has none."""
    network.like(alice.did, own)
    network.post(alice.did, "reply", reply=own)
    network.post(alice.did, ASK, mentions=[bot.did])
    network.delete_record(own.uri)

    assert [("mention", None)] == reasons(network, bot)


def test_an_answer_to_a_post_that_is_gone_is_not_told(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """The parent was deleted first, and created anew later: its key alone makes no notification."""
    network.delete_record(own.uri)
    network.post(alice.did, "too late", reply=own)
    network.post(bot.did, "anew", rkey=own.uri.rsplit("/", 1)[1])

    assert [] == reasons(network, bot)


def test_an_edited_post_keeps_its_uri_and_takes_a_new_cid(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """A mention may come and go by editing; the list shows the present text."""
    post = network.post(alice.did, ASK, mentions=[bot.did])
    before = network.notifications(bot.did)[0]
    network.edit(post.uri, text="@buildbot.test make me two")
    after = network.notifications(bot.did)[0]

    assert (before["uri"], before["indexedAt"]) == (after["uri"], after["indexedAt"])
    assert before["cid"] != after["cid"]
    assert "@buildbot.test make me two" == after["record"]["text"]

    network.edit(post.uri, facets=None)
    assert [] == network.notifications(bot.did)

    network.edit(post.uri, facets=[mention_of(bot.did)])
    assert [post.uri] == [item["uri"] for item in network.notifications(bot.did)]


def test_a_post_created_anew_under_its_key_is_one_notification(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """Deleted and written again."""
    post = network.post(alice.did, ASK, mentions=[bot.did])
    network.delete_record(post.uri)
    assert [] == network.notifications(bot.did)

    network.post(alice.did, ASK, mentions=[bot.did], rkey=post.uri.rsplit("/", 1)[1])
    assert [post.uri] == [item["uri"] for item in network.notifications(bot.did)]


def test_the_list_is_sorted_by_the_time_that_a_post_claims(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """The past lands at its place, the future is clamped to now, days that no month has roll over."""
    now = clock()
    claimed: dict[str, datetime | str] = {
        "now": now,
        "a minute ago": now - timedelta(minutes=1),
        "2020": "2020-01-01T00:00:00.000Z",
        "next year": now + timedelta(days=365),
        "February": "2026-02-30T00:00:00.000Z",
        "year 0": "0000-01-01T00:00:00.000Z",
    }
    for text, at in claimed.items():
        network.post(alice.did, text, facets=[mention_of(bot.did)], created_at=at)
        clock.advance(0.002)

    found = {item["record"]["text"]: item["indexedAt"] for item in network.notifications(bot.did)}

    assert ["next year", "now", "a minute ago", "February", "2020", "year 0"] == list(found)
    assert "2020-01-01T00:00:00.000Z" == found["2020"]
    assert "2026-03-02T12:00:00.006Z" == found["next year"]
    assert "2026-03-02T00:00:00.000Z" == found["February"]


def test_items_that_share_the_boundarys_millisecond_are_lost_between_pages(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The cursor is a time and exclusive: paging by one sees one of five, one page of 100 sees them all."""
    for number in range(5):
        network.post(alice.did, f"{ASK} {number}", mentions=[bot.did])

    first = as_bot.query(NOTIFICATIONS, limit=1).json()
    second = as_bot.query(NOTIFICATIONS, limit=1, cursor=first["cursor"]).json()
    everything = as_bot.query(NOTIFICATIONS, limit=100).json()

    assert "2026-03-02T12:00:00.000Z" == first["cursor"]
    assert (1, 0, 5) == tuple(len(page["notifications"]) for page in (first, second, everything))
    assert "cursor" not in second
    assert "cursor" not in everything


def test_a_cursor_one_millisecond_later_sees_the_boundary_again(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """So a client that adds one to the cursor loses nothing."""
    for number in range(3):
        network.post(alice.did, f"{number}", facets=[mention_of(bot.did)])
        clock.advance(1)

    first = as_bot.query(NOTIFICATIONS, limit=2).json()
    later = datetime.fromisoformat(first["cursor"]) + timedelta(milliseconds=1)
    second = as_bot.query(NOTIFICATIONS, limit=2, cursor=later.isoformat(timespec="milliseconds")).json()

    assert (["2", "1"], ["1", "0"]) == (texts(first), texts(second))


def test_a_page_may_be_empty_and_still_go_on(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """Reasons and blocks are filtered after the page was cut: the cursor tells, the length does not."""
    network.follow(alice.did, bot.did)
    for _ in range(2):
        clock.advance(1)
        network.post(alice.did, ASK, mentions=[bot.did])

    page = as_bot.query(NOTIFICATIONS, limit=1, reasons="follow").json()
    lengths = [len(page["notifications"])]
    while "cursor" in page:
        page = as_bot.query(NOTIFICATIONS, limit=1, reasons="follow", cursor=page["cursor"]).json()
        lengths.append(len(page["notifications"]))

    assert [0, 0, 1, 0] == lengths
    assert [] == as_bot.query(NOTIFICATIONS, reasons="unheard-of").json()["notifications"]


def test_priority_is_those_whom_the_account_follows(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The others are left out, and the answer says so."""
    bob = network.create_account("bob.test")
    network.follow(bot.did, bob.did)
    for author in (alice, bob):
        network.post(author.did, author.handle, facets=[mention_of(bot.did)])

    page = as_bot.query(NOTIFICATIONS, priority="true").json()

    assert (["bob.test"], True) == (texts(page), page["priority"])


@pytest.mark.parametrize(
    ("params", "answer"),
    [
        ({"limit": 0}, (400, "InvalidRequest", "integer too small (minimum 1, got 0)")),
        ({"limit": 101}, (400, "InvalidRequest", "integer too big (maximum 100, got 101)")),
        ({"limit": "ten"}, (400, "InvalidRequest", 'Expected integer value type (got "ten")')),
        ({"priority": "maybe"}, (400, "InvalidRequest", 'Expected boolean value type (got "maybe")')),
    ],
)
def test_bad_parameters_are_refused(as_bot: Api, params: dict[str, Any], answer: tuple[int, str, str]) -> None:
    """Each is named together with the method."""
    status, name, message = answer

    assert (status, name, f"Invalid {NOTIFICATIONS} params: {message}") == error(as_bot.query(NOTIFICATIONS, **params))


def test_other_bad_parameters_have_their_own_answers(as_bot: Api) -> None:
    """A cursor that is no time is a 502, seenAt is not supported, an empty limit is the default."""
    assert (502, "InternalServerError") == error(as_bot.query(NOTIFICATIONS, cursor="garbage"))[:2]
    assert (400, "InvalidRequest", "The seenAt parameter is unsupported") == error(
        as_bot.query(NOTIFICATIONS, seenAt="2026-11-29T11:00:00Z")
    )
    assert 200 == as_bot.query(NOTIFICATIONS, limit="").status_code


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


def test_a_muted_thread_keeps_its_mentions(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """The plain reply is silent, the mention in the same thread is not."""
    network.mute_thread(bot.did, own.uri)
    network.post(alice.did, "reply", reply=own)
    network.post(alice.did, ASK, mentions=[bot.did], reply=own)

    assert [("mention", None)] == reasons(network, bot)


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


def test_an_appview_that_lags_inserts_what_it_missed_at_its_place(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """Written during an outage: absent, and afterwards below what was written later."""
    network.pause_indexing()
    network.post(alice.did, "during", facets=[mention_of(bot.did)])
    assert ([], 1) == (network.notifications(bot.did), len(network.repo(alice.did, POST)))

    clock.advance(60)
    network.resume_indexing()
    network.post(alice.did, "after", facets=[mention_of(bot.did)])

    assert ["after", "during"] == [item["record"]["text"] for item in network.notifications(bot.did)]


def test_a_reply_whose_parent_has_the_handle_for_an_address_is_never_indexed(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Accepted by the PDS, unknown to the AppView."""
    by_handle = {"uri": own.uri.replace(bot.did, bot.handle), "cid": own.cid}
    network.post(alice.did, "hello", reply={"root": by_handle, "parent": by_handle}, facets=[mention_of(bot.did)])

    assert [] == network.notifications(bot.did)
