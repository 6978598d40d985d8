"""The one write: created once, confirmed when repeated, never overwritten; and what can be read back."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bot.bluesky.cid import cid_of
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import Absent, Found, cid_there, delete_record, list_own, put_once, read_back
from bot.bluesky.session import Account
from guardrails.documents import RecordKey, StrongRef
from guardrails.tid import tid_from
from tests.contract.target import POST, Person, Target
from tests.contract.wire import Wire


def post(text: str = "hello", **more: Any) -> str:
    return json.dumps({"$type": POST, "text": text, "createdAt": "2026-03-02T12:00:00.000Z", **more})


def refusal(account: Account, key: RecordKey, record: str) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        put_once(account, POST, key, record)
    return caught.value


def test_a_put_creates_the_record(writer: Account, key: RecordKey) -> None:
    """Under the key that was chosen, with the CID that was computed before."""
    record = post("Fertig ✅ e\u0301", langs=["de"], **{"com.example.note": {"$bytes": "aGk"}})
    ref = put_once(writer, POST, key, record)

    assert StrongRef(uri=f"at://{writer.did}/{POST}/{key}", cid=cid_of(json.loads(record))) == ref  # type: ignore[arg-type]
    assert Found(ref.uri, ref.cid, json.loads(record)) == read_back(writer, POST, key)


def test_the_same_bytes_again_confirm_it(account: Account, key: RecordKey) -> None:
    """In any order of keys, and there is one record."""
    first = put_once(account, POST, key, post())
    again = put_once(account, POST, key, json.dumps(dict(reversed(json.loads(post()).items()))))

    assert first == again
    assert 1 == len(list_own(account, POST).records)


def test_other_bytes_are_a_conflict(writer: Account, key: RecordKey) -> None:
    """Nothing is edited, and the conflict names what is there."""
    there = put_once(writer, POST, key, post("first"))
    caught = refusal(writer, key, post("second"))

    assert (Failure.REFUSED, 400, "InvalidSwap") == (caught.failure, caught.status, caught.error)
    assert there.cid == cid_there(caught)
    assert there.cid == getattr(read_back(writer, POST, key), "cid", None)


def test_of_many_at_once_one_text_wins(writer: Account, key: RecordKey) -> None:
    """All who sent the winning bytes succeed, all others are told of the conflict."""

    def send(n: int) -> str:
        try:
            return put_once(writer, POST, key, post(f"text {n % 2}")).cid
        except CallFailed as failed:
            return str(failed.error)

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(send, range(6)))

    assert {3} == {outcomes.count(outcome) for outcome in outcomes}
    assert "InvalidSwap" in outcomes


def test_a_create_on_a_taken_key_looks_like_a_server_error(writer: Account, key: RecordKey) -> None:
    """Which is why it is never used for a send."""
    put_once(writer, POST, key, post())
    body = {"repo": writer.did, "collection": POST, "rkey": key, "record": json.loads(post())}
    with pytest.raises(CallFailed) as caught:
        writer.procedure("com.atproto.repo.createRecord", body, writes=True)

    assert (Failure.UNKNOWN, 500) == (caught.value.failure, caught.value.status)


@pytest.mark.parametrize("key", [tid_from(0, 0), tid_from(2**53 - 1, 1023), tid_from(4102444800_000_000, 7)])
def test_any_tid_is_a_key(writer: Account, key: RecordKey) -> None:
    """From the first to the last, the future included."""
    put_once(writer, POST, key, post())

    assert isinstance(read_back(writer, POST, key), Found)


def test_what_was_never_written_is_absent(writer: Account, key: RecordKey) -> None:
    """Surely: our own PDS says so."""
    assert Absent() == read_back(writer, POST, key)


def test_what_was_deleted_is_absent_and_can_be_written_again(writer: Account, key: RecordKey) -> None:
    """Deleting twice is deleting once."""
    first = put_once(writer, POST, key, post())
    delete_record(writer, POST, key)
    delete_record(writer, POST, key)

    assert Absent() == read_back(writer, POST, key)
    assert first == put_once(writer, POST, key, post())


def test_what_was_taken_down_reads_absent_and_is_a_conflict(writer: Account, key: RecordKey, target: Target) -> None:
    """Other bytes under its key are refused, so nothing comes back that a moderator removed."""
    there = put_once(writer, POST, key, post())
    target.process()
    target.take_down(there.uri, there.cid)

    assert Absent() == read_back(writer, POST, key)
    caught = refusal(writer, key, post("another"))
    assert "InvalidSwap" == caught.error
    assert there.cid == cid_there(caught)


def test_another_repository_is_not_ours_to_write(writer: Account, key: RecordKey, alice: Person) -> None:
    """An authentication failure, not a refused record."""
    body = {"repo": alice.did, "collection": POST, "rkey": key, "record": json.loads(post()), "swapRecord": None}
    with pytest.raises(CallFailed) as caught:
        writer.procedure("com.atproto.repo.putRecord", body, writes=True)

    assert (Failure.AUTH, "AuthenticationRequired") == (caught.value.failure, caught.value.error)


def test_a_blob_that_is_missing_is_named(writer: Account, key: RecordKey) -> None:
    """So that the thumb can be dropped."""
    thumb = {"$type": "blob", "ref": {"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"}}
    external = {"uri": "https://apps.example/x", "title": "", "description": ""}
    external |= {"thumb": {**thumb, "mimeType": "image/png", "size": 10}}  # type: ignore[dict-item]
    caught = refusal(writer, key, post(embed={"$type": "app.bsky.embed.external", "external": external}))

    assert (Failure.REFUSED, "BlobNotFound") == (caught.failure, caught.error)


def test_our_records_are_listed_newest_key_first(account: Account) -> None:
    """Page by page, by record key and not by createdAt."""
    keys = [tid_from(1_770_000_000_000_000 + n, 1) for n in range(5)]
    for key in (keys[2], keys[0], keys[4], keys[1], keys[3]):
        put_once(account, POST, key, post(key))
    seen: list[str] = []
    cursor, pages = None, 0
    while pages == 0 or cursor:
        page = list_own(account, POST, cursor, limit=2)
        seen += [found.record["text"] for found in page.records]
        cursor, pages = page.cursor, pages + 1

    assert keys[::-1] == seen


def test_an_empty_collection_is_an_empty_listing(account: Account) -> None:
    """A bot that never wrote."""
    assert () == list_own(account, POST).records


def test_the_session_of_the_sdk_is_not_needed_to_read(writer: Account, key: RecordKey, wire: Wire) -> None:
    """Anybody can check what the bot said."""
    put_once(writer, POST, key, post())
    params = {"repo": writer.did, "collection": POST, "rkey": key}

    assert json.loads(post()) == wire.get("com.atproto.repo.getRecord", params).json()["value"]
