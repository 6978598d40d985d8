"""Writing, reading and listing records: what a PDS answers."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from tests.bot.sandbox.api import CREATE, DELETE, GET, KEY, LIST, OTHER_KEY, Api, error

RECORD = {"$type": POST, "text": "Built!", "createdAt": "2026-11-29T11:38:50.211Z"}
OTHER = {**RECORD, "text": "Built again!"}
CID = "bafyreibrze2yyss2hftmgjs6yg362ir6w2ma4qhfpy2y3at73ls66eyu5m"
FAMILY = "👨‍👩‍👧‍👦"


def test_a_new_record_is_stored_under_its_real_cid(as_bot: Api, bot: SandboxAccount) -> None:
    """The uri is the repository's, the cid the one that the reference PDS gave the same record."""
    answer = as_bot.create(bot.did, RECORD, rkey=KEY)

    assert 200 == answer.status_code
    assert (f"at://{bot.did}/{POST}/{KEY}", CID, "valid") == (
        answer.json()["uri"],
        answer.json()["cid"],
        answer.json()["validationStatus"],
    )
    assert {"cid", "rev"} == answer.json()["commit"].keys()


def test_a_taken_key_is_a_500_that_tells_nothing(as_bot: Api, bot: SandboxAccount) -> None:
    """Creating under a key that is there fails like a real fault, with the same content too, and changes nothing."""
    as_bot.create(bot.did, RECORD, rkey=KEY)

    for record in (RECORD, OTHER):
        refused = as_bot.create(bot.did, record, rkey=KEY)
        assert (500, "InternalServerError", "Internal Server Error") == error(refused)
    assert RECORD == as_bot.query(GET, repo=bot.did, collection=POST, rkey=KEY).json()["value"]


def test_of_six_creations_under_one_key_one_succeeds(as_bot: Api, bot: SandboxAccount) -> None:
    """Threads that race for a key get one 200 and five 500s."""
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda n: as_bot.create(bot.did, {**RECORD, "text": f"{n}"}, rkey=KEY), range(6)))

    assert [200, 500, 500, 500, 500, 500] == sorted(answer.status_code for answer in answers)


def test_the_same_bytes_again_change_nothing(as_bot: Api, bot: SandboxAccount) -> None:
    """A repeated put gives the same uri and cid and no commit, with and without a null swap."""
    first = as_bot.put(bot.did, RECORD, swapRecord=None).json()

    assert "commit" in first
    tries: list[dict[str, Any]] = [{}, {"swapRecord": None}]
    for more in tries:
        again = as_bot.put(bot.did, dict(reversed(RECORD.items())), **more).json()
        assert {key: first[key] for key in ("uri", "cid", "validationStatus")} == again


def test_a_null_swap_refuses_other_bytes_and_names_what_is_there(as_bot: Api, bot: SandboxAccount) -> None:
    """Create-or-confirm: something else under the key is InvalidSwap, and stays."""
    as_bot.put(bot.did, RECORD, swapRecord=None)

    refused = as_bot.put(bot.did, OTHER, swapRecord=None)

    assert (400, "InvalidSwap", f"Record was at {CID}") == error(refused)
    assert CID == as_bot.query(GET, repo=bot.did, collection=POST, rkey=KEY).json()["cid"]


def test_a_plain_put_overwrites_silently(as_bot: Api, bot: SandboxAccount) -> None:
    """Without swapRecord the other content takes the place, under a new cid."""
    as_bot.put(bot.did, RECORD)

    answer = as_bot.put(bot.did, OTHER)

    assert 200 == answer.status_code
    assert "commit" in answer.json()
    assert CID != answer.json()["cid"]


def test_a_swap_of_the_right_cid_replaces_and_a_wrong_one_does_not(as_bot: Api, bot: SandboxAccount) -> None:
    """swapRecord compares with what is there, or with nothing."""
    wrong = as_bot.put(bot.did, RECORD, swapRecord=CID)
    as_bot.put(bot.did, RECORD)
    right = as_bot.put(bot.did, OTHER, swapRecord=CID)

    assert (400, "InvalidSwap", "Record was at null") == error(wrong)
    assert 200 == right.status_code


def test_a_taken_down_record_reads_as_missing_but_keeps_its_key(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount
) -> None:
    """Not found on reading, a 500 on creating, InvalidSwap on a put of other bytes."""
    uri = as_bot.put(bot.did, RECORD).json()["uri"]
    network.takedown(uri)

    read = as_bot.query(GET, repo=bot.did, collection=POST, rkey=KEY)

    assert (400, "RecordNotFound", f"Could not locate record: {uri}") == error(read)
    assert 500 == as_bot.create(bot.did, OTHER, rkey=KEY).status_code
    assert (400, "InvalidSwap", f"Record was at {CID}") == error(as_bot.put(bot.did, OTHER, swapRecord=None))
    assert [] == as_bot.query(LIST, repo=bot.did, collection=POST).json()["records"]


def test_deleting_twice_is_deleting_once(as_bot: Api, bot: SandboxAccount) -> None:
    """The second deletion answers 200 with an empty object; the key is free again."""
    as_bot.put(bot.did, RECORD)
    body = {"repo": bot.did, "collection": POST, "rkey": KEY}

    first, second = as_bot.procedure(DELETE, body), as_bot.procedure(DELETE, body)

    assert {"commit"} == first.json().keys()
    assert (200, {}) == (second.status_code, second.json())
    assert 200 == as_bot.create(bot.did, OTHER, rkey=KEY).status_code


def test_a_deletion_with_a_wrong_swap_is_refused(as_bot: Api, bot: SandboxAccount) -> None:
    """The record that is there is named, and stays."""
    as_bot.put(bot.did, RECORD)
    body = {"repo": bot.did, "collection": POST, "rkey": KEY, "swapRecord": CID.replace("5m", "5a")}

    assert (400, "InvalidSwap", f"Record was at {CID}") == error(as_bot.procedure(DELETE, body))


def test_records_are_listed_newest_key_first_page_by_page(
    network: SandboxNetwork, api: Api, bot: SandboxAccount
) -> None:
    """The cursor is the last key of the page, whatever the records' times say; no token is needed."""
    keys = ["2222222222222", KEY, OTHER_KEY, "jzzzzzzzzzzzz"]
    for rkey in keys:
        network.post(bot.did, rkey, rkey=rkey)

    first = api.query(LIST, repo=bot.handle, collection=POST, limit=3).json()
    second = api.query(LIST, repo=bot.handle, collection=POST, limit=3, cursor=first["cursor"]).json()

    assert ["jzzzzzzzzzzzz", OTHER_KEY, KEY] == [record["value"]["text"] for record in first["records"]]
    assert KEY == first["cursor"]
    assert ["2222222222222"] == [record["value"]["text"] for record in second["records"]]
    assert {"records": []} == api.query(LIST, repo=bot.did, collection="com.example.nothing").json()


def test_records_can_be_listed_oldest_first(network: SandboxNetwork, api: Api, bot: SandboxAccount) -> None:
    """`reverse` turns the order and the cursor around."""
    for rkey in ("2222222222222", KEY, OTHER_KEY):
        network.post(bot.did, rkey, rkey=rkey)

    page = api.query(LIST, repo=bot.did, collection=POST, reverse="true", cursor="2222222222222").json()

    assert [KEY, OTHER_KEY] == [record["value"]["text"] for record in page["records"]]


def test_a_record_of_another_version_is_not_found(as_bot: Api, bot: SandboxAccount) -> None:
    """getRecord with a cid finds that version or nothing."""
    as_bot.put(bot.did, RECORD)
    asked = {"repo": bot.did, "collection": POST, "rkey": KEY}

    assert 200 == as_bot.query(GET, **asked, cid=CID).status_code
    assert (400, "RecordNotFound") == error(as_bot.query(GET, **asked, cid=CID.replace("5m", "5a")))[:2]


@pytest.mark.parametrize("closed", ["takedown", "deactivate", "delete_account"])
def test_a_closed_repository_cannot_be_read(
    network: SandboxNetwork, api: Api, alice: SandboxAccount, closed: str
) -> None:
    """Taken down, deactivated, deleted: the repository is not to be found."""
    getattr(network, closed)(alice.did)

    for answer in (
        api.query(GET, repo=alice.did, collection=POST, rkey=KEY),
        api.query(LIST, repo=alice.did, collection=POST),
    ):
        assert (400, "InvalidRequest", f"Could not find repo: {alice.did}") == error(answer)


def test_a_second_like_replaces_the_first(network: SandboxNetwork, as_alice: Api, alice: SandboxAccount) -> None:
    """The PDS keeps one like per post."""
    post = network.post(alice.did, "hello")
    like = {"subject": post.model_dump(), "createdAt": "2026-11-29T11:38:50.211Z"}
    body = {"repo": alice.did, "collection": "app.bsky.feed.like", "record": like}

    uris = [as_alice.procedure(CREATE, body).json()["uri"] for _ in range(2)]

    assert [uris[1]] == [record["uri"] for record in network.repo(alice.did, "app.bsky.feed.like")]


def test_a_commit_swap_guards_the_whole_repository(as_bot: Api, bot: SandboxAccount) -> None:
    """A stale commit is InvalidSwap and names the present one; null is no commit."""
    commit = as_bot.put(bot.did, RECORD).json()["commit"]["cid"]
    fresh = as_bot.put(bot.did, OTHER, OTHER_KEY, swapCommit=commit)

    stale = as_bot.put(bot.did, OTHER, swapCommit=commit)
    null = as_bot.put(bot.did, OTHER, swapCommit=None)

    assert (400, "InvalidSwap", f"Commit was at {fresh.json()['commit']['cid']}") == error(stale)
    assert (400, "InvalidRequest", "Expected string value type (got null) at $.swapCommit") == error(null)


def test_only_the_owner_writes(as_alice: Api, api: Api, bot: SandboxAccount) -> None:
    """Somebody else's repository is 401; no token at all is AuthMissing."""
    assert (401, "AuthenticationRequired", "Authentication Required") == error(as_alice.put(bot.did, RECORD))
    assert (401, "AuthMissing", "Authentication Required") == error(api.put(bot.did, RECORD))


def test_bodies_that_are_no_requests_are_refused(as_bot: Api, bot: SandboxAccount, http: httpx.Client) -> None:
    """Broken JSON, no content type, a body beyond a megabyte, a missing key."""
    headers = {"authorization": f"Bearer {as_bot.token}"}
    path = f"/xrpc/{CREATE}"
    broken = http.post(path, content=b"{", headers={**headers, "content-type": "application/json"})
    bare = http.post(path, content=b"{}", headers=headers)
    huge = as_bot.create(bot.did, {**RECORD, "padding": "x" * 1_000_001})
    missing = as_bot.procedure(CREATE, {"repo": bot.did, "collection": POST})

    assert (400, "SyntaxError") == error(broken)[:2]
    assert (400, "InvalidRequest") == error(bare)[:2]
    assert (413, "PayloadTooLargeError", "request entity too large") == error(huge)
    assert (400, "InvalidRequest", 'Missing required key "record" at $') == error(missing)


def test_unknown_methods_and_wrong_verbs_are_told(api: Api) -> None:
    """501 for what is not there, 400 for a POST on a query."""
    assert (501, "MethodNotImplemented", "Method Not Implemented") == error(api.query("com.example.nothing"))
    assert (400, "InvalidRequest", "Incorrect HTTP method (POST) expected GET") == error(api.procedure(GET))
