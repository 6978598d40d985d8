"""Mentions, judgements and the people of the tests, each with sensible defaults."""

from datetime import UTC, datetime
from typing import Any

from guardrails.access import Caller, Role
from guardrails.documents import AtUri, DeviceId, Did, Mention, StrongRef
from guardrails.facets import MENTION_FEATURE
from guardrails.judgement import Judgement, Verdict
from guardrails.said import Outcome
from guardrails.transitions import Reason

OUR_DID = Did("did:plc:wright")
ALICE = Did("did:plc:alice")
BOB = Did("did:plc:bob")

BOT = Caller(Role.BOT, DeviceId("bot"))
LANE = Caller(Role.LANE, DeviceId("lane-1"))
OTHER_LANE = Caller(Role.LANE, DeviceId("lane-2"))
OPERATOR = Caller(Role.OPERATOR, DeviceId("olga"))
VIEWER = Caller(Role.VIEWER, DeviceId("vera"))

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HANDLE = "@wright.test"


def facet(start: int, end: int, did: object = OUR_DID, *others: dict[str, Any]) -> dict[str, Any]:
    """A mention facet over a byte range, with more features beside it if given."""
    features = [*others, {"$type": MENTION_FEATURE, "did": did}]
    return {"index": {"byteStart": start, "byteEnd": end}, "features": features}


def post(text: str, **more: Any) -> dict[str, Any]:
    """A post's record that mentions us where our handle stands in the text, as an app would write it."""
    facets = []
    if HANDLE in text:
        start = len(text[: text.index(HANDLE)].encode())
        facets = [facet(start, start + len(HANDLE))]
    return {"$type": "app.bsky.feed.post", "text": text, "facets": facets, "createdAt": "2026-03-02T12:00:00Z"} | more


def mention(rkey: str = "3kfirst", author: Did = ALICE, ask: str = "make me a tip splitter", **more: Any) -> Mention:
    """The body of a mention's document."""
    ref = StrongRef(uri=AtUri(f"at://{author}/app.bsky.feed.post/{rkey}"), cid=f"cid-{rkey}")
    text = f"{HANDLE} {ask}"
    fields = {
        "post": ref,
        "author_did": author,
        "author_handle": f"{author.split(':')[-1]}.test",
        "text": text,
        "ask": ask,
        "root": ref,
        "created_at": "2026-03-02T12:00:00Z",
        "indexed_at": NOON,
        "record": post(text),
    }
    return Mention.model_validate(fields | more)


def judgement(outcome: Outcome = Outcome.PASS, reason: Reason | None = Reason.PASSED, detail: str = "") -> Judgement:
    """What the guardrails might have said, by one check."""
    verdict = Verdict(check="a_check", rules="1", outcome=outcome, reason=reason, detail=detail, at=NOON)
    return Judgement(outcome, reason, (verdict,))
