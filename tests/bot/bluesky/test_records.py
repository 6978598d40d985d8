"""The put that creates or confirms, and the read-back that may not guess."""

import json
from typing import Any

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import Absent, Found, OwnPage, cid_there, delete_record, list_own, put_once, read_back
from guardrails.documents import RecordKey, StrongRef
from tests.bot.bluesky.accounts import DID, scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused

POST = "app.bsky.feed.post"
KEY = RecordKey("3kaaaaaaaaaa2")
URI = f"at://{DID}/{POST}/{KEY}"
NOT_FOUND = refused(400, "RecordNotFound", f"Could not locate record: {URI}")


def test_the_put_says_swap_record_null() -> None:
    """The one field that makes it exactly-once is on the wire, and the record is as it was frozen."""
    record: dict[str, object] = {"$type": POST, "text": "Fertig \U0001f680", "tags": [], "n": None}
    with scene(lambda _: answered({"uri": URI, "cid": "bafyaa"})) as made:
        ref = put_once(made.open(), POST, KEY, json.dumps(record))

    sent = made.pds.calls[-1].json
    assert {"repo": DID, "collection": POST, "rkey": KEY, "record": record, "swapRecord": None} == sent
    assert StrongRef(uri=URI, cid="bafyaa") == ref  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "cid"), [("Record was at bafyreiabc", "bafyreiabc"), ("Record was at null", None), ("", None)]
)
def test_a_conflict_names_what_is_there(message: str, cid: str | None) -> None:
    """The CID is taken from the message if it is there."""
    with scene(lambda _: refused(400, "InvalidSwap", message)) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            put_once(account, POST, KEY, "{}")

    assert (Failure.REFUSED, "InvalidSwap") == (caught.value.failure, caught.value.error)
    assert cid == cid_there(caught.value)


def test_a_record_is_read_back() -> None:
    """Ours, with its CID and its bytes."""
    with scene(lambda _: answered({"uri": URI, "cid": "bafyaa", "value": {"text": "hi"}})) as made:
        found = read_back(made.open(), POST, KEY)

    assert Found(URI, "bafyaa", {"text": "hi"}) == found  # type: ignore[arg-type]
    assert {"repo": [DID], "collection": [POST], "rkey": [KEY]} == made.pds.calls[-1].params


def by_method(**answers: Answer) -> Any:
    def answer(call: Call) -> Answer:
        return answers[call.nsid.rpartition(".")[2]]

    return answer


def test_absence_is_proven_by_the_pds_that_holds_the_account() -> None:
    """Not found, by a server that has our session: nothing is there."""
    with scene(by_method(getRecord=NOT_FOUND, getSession=answered({"did": DID}))) as made:
        assert Absent() == read_back(made.open(), POST, KEY)


CANNOT_TELL = {
    "no such repository": refused(400, "InvalidRequest", f"Could not find repo: {DID}"),
    "server error": refused(500, "InternalServerError"),
    "not found in HTML": Answer(404, b"<html>", {"Content-Type": "text/html"}),
    "another error": refused(400, "NotFound"),
    "rate limit": refused(429, "RateLimitExceeded"),
    "half an answer": answered({"uri": URI}),
}


@pytest.mark.parametrize("what", CANNOT_TELL)
def test_any_other_answer_is_no_absence(what: str) -> None:
    """Only a plain "not found" counts."""
    with scene(by_method(getRecord=CANNOT_TELL[what], getSession=answered({"did": DID}))) as made:
        account = made.open()
        with pytest.raises(CallFailed):
            read_back(account, POST, KEY)


@pytest.mark.parametrize("session", [refused(400, "InvalidRequest"), answered({"did": "did:plc:other"}), answered({})])
def test_not_found_by_a_pds_that_does_not_hold_the_account_is_no_absence(session: Answer) -> None:
    """Such a server asks the AppView, which may simply not know the record yet."""
    with scene(by_method(getRecord=NOT_FOUND, getSession=session)) as made:
        account = made.open()
        with pytest.raises(CallFailed):
            read_back(account, POST, KEY)


def test_our_records_are_listed() -> None:
    """A page with its cursor, in the order of the server."""
    records = [{"uri": f"at://{DID}/{POST}/3k{n}", "cid": "bafyaa", "value": {"n": n}} for n in (2, 1)]
    with scene(lambda _: answered({"records": records, "cursor": "3k1"})) as made:
        page = list_own(made.open(), POST, "3k3", limit=2)

    assert ([{"n": 2}, {"n": 1}], "3k1") == ([found.record for found in page.records], page.cursor)
    assert {"repo": [DID], "collection": [POST], "limit": ["2"], "cursor": ["3k3"]} == made.pds.calls[-1].params


def test_the_last_page_has_no_cursor() -> None:
    """The end of the listing."""
    with scene(lambda _: answered({"records": []})) as made:
        assert OwnPage((), None) == list_own(made.open(), POST)


@pytest.mark.parametrize("answer", [{}, {"records": [{"uri": 1}]}, {"records": [], "cursor": 1}, {"records": None}])
def test_a_listing_that_cannot_be_read_is_a_failure(answer: object) -> None:
    """A record left out would be answered twice."""
    with scene(lambda _: answered(answer)) as made:
        account = made.open()
        with pytest.raises(CallFailed):
            list_own(account, POST)


def test_a_record_is_deleted() -> None:
    """By its key, in our repository."""
    with scene(lambda _: answered({})) as made:
        delete_record(made.open(), POST, KEY)

    assert {"repo": DID, "collection": POST, "rkey": KEY} == made.pds.calls[-1].json
