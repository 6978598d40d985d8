"""Asks that say so little that what is to be built stands in another post."""

from datetime import timedelta
from typing import Any

import pytest

from guardrails.documents import AtUri, DocId, Mention
from guardrails.facts import Earlier
from guardrails.request import pointed_at
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status
from guardrails.verdicts import judge
from tests.guardrails.known import RULES, known
from tests.mentions import HANDLE, NOON, mention, post

PARENT = AtUri("at://did:plc:bob/app.bsky.feed.post/3kbob")
QUOTED = AtUri("at://did:plc:carol/app.bsky.feed.post/3kcarol")


def ref(uri: str) -> dict[str, str]:
    return {"uri": uri, "cid": "cid"}


def reply(uri: str = PARENT) -> dict[str, Any]:
    return {"reply": {"root": ref(uri), "parent": ref(uri)}}


def quote(uri: str = QUOTED) -> dict[str, Any]:
    return {"embed": {"$type": "app.bsky.embed.record", "record": ref(uri)}}


def asks(ask: str, **more: Any) -> Mention:
    return mention(ask=ask, record=post(f"{HANDLE} {ask}", **more))


@pytest.mark.parametrize(
    ("ask", "record", "expected"),
    [
        ("build this", reply(), (PARENT,)),
        ("", reply(), (PARENT,)),
        ("make it an app", quote(), (QUOTED,)),
        ("this please", reply() | quote(), (PARENT, QUOTED)),
        ("build this", {}, ()),
        ("make me a dice roller", reply() | quote(), ()),
    ],
)
def test_it_points_at_what_it_replies_to_and_what_it_quotes(
    ask: str, record: dict[str, Any], expected: tuple[AtUri, ...]
) -> None:
    """Only where it says nothing itself."""
    assert expected == pointed_at(ask, record)


def test_a_bare_mention_under_a_post_is_no_skip_before_the_look() -> None:
    """What the post says is not known yet; without a post there is nothing to build."""
    assert Reason.NOTHING_TO_BUILD is not judge(known(asks("", **reply()), look=None), RULES, NOON).reason
    assert Reason.NOTHING_TO_BUILD is judge(known(asks("")), RULES, NOON).reason


@pytest.mark.parametrize(
    ("about", "outcome"),
    [
        ((PARENT,), Outcome.SKIP),
        ((QUOTED,), Outcome.UNKNOWN),
        ((), Outcome.UNKNOWN),
        ((PARENT, QUOTED), Outcome.UNKNOWN),
    ],
)
def test_build_this_repeats_one_about_the_same_post_only(about: tuple[AtUri, ...], outcome: Outcome) -> None:
    """However alike the words are."""
    first = Earlier(
        id=DocId("mention:did:plc:alice:3k0"),
        ask="build this",
        status=Status.BUILDING,
        reason=Reason.CLAIMED,
        at=NOON - timedelta(hours=1),
        about=about,
    )
    judgement = judge(known(asks("build this", **reply()), earlier=(first,), look=None), RULES, NOON)

    assert outcome is judgement.outcome
    assert (outcome is Outcome.SKIP) is (judgement.reason is Reason.SAME_ASK)
