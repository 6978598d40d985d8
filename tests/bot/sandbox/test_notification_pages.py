"""The order of notifications, and paging through them."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from tests.bot.sandbox.api import NOTIFICATIONS, Api, error, mention_of
from tests.clock import Clock

ASK = "@buildbot.test make me a timer"


def texts(answer: dict[str, Any]) -> list[str]:
    """The texts of a page."""
    return [item["record"]["text"] for item in answer["notifications"]]


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
    """Filtered after the cut, and the server looks ten pages ahead at most: the cursor tells, the length does not."""
    network.follow(alice.did, bot.did)
    for _ in range(25):
        clock.advance(1)
        network.post(alice.did, ASK, mentions=[bot.did])

    page = as_bot.query(NOTIFICATIONS, limit=1, reasons="follow").json()
    lengths = [len(page["notifications"])]
    while "cursor" in page:
        page = as_bot.query(NOTIFICATIONS, limit=1, reasons="follow", cursor=page["cursor"]).json()
        lengths.append(len(page["notifications"]))

    assert [0, 0, 1] == lengths
    assert [] == as_bot.query(NOTIFICATIONS, reasons="unheard-of").json()["notifications"]


def test_a_page_that_is_half_full_is_not_filled_up(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """Of four, two were filtered out: two are enough, though more are to come."""
    bob = network.create_account("bob.test")
    for author in (alice, alice, alice, bob, alice, bob):
        clock.advance(1)
        network.post(author.did, author.handle, facets=[mention_of(bot.did)])
    network.mute(bot.did, bob.did)

    page = as_bot.query(NOTIFICATIONS, limit=4).json()

    assert ["alice.test"] * 2 == texts(page)
    assert "2026-03-02T12:00:03.000Z" == page["cursor"]


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
