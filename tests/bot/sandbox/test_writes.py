"""Writing, reading and listing records: what a PDS answers."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from guardrails.documents import StrongRef
from tests.bot.sandbox.api import CREATE, DELETE, GET, KEY, LIST, OTHER_KEY, PUT, Api, error

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


REFERENCE = {"uri": "at://did:plc:abc/app.bsky.feed.post/3n3h4yetzwyef", "cid": CID}
INVALID = f"Invalid {POST} record: "


def facet(start: object, end: object, **feature: object) -> dict[str, Any]:
    """A post's text with one facet."""
    return {"facets": [{"index": {"byteStart": start, "byteEnd": end}, "features": [feature]}]}


def link(uri: str) -> dict[str, Any]:
    """A post with a link over its text."""
    return facet(0, 5, **{"$type": "app.bsky.richtext.facet#link", "uri": uri})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "x" * 301}, "grapheme too big (maximum 300, got 301) at $.record.text"),
        ({"text": FAMILY * 121}, "string too big (maximum 3000, got 3025) at $.record.text"),
        ({"text": None}, "Expected string value type (got null) at $.record.text"),
        ({"embed": None}, "Expected object value type (got null) at $.record.embed"),
        ({"reply": None}, "Expected object value type (got null) at $.record.reply"),
        (
            {"createdAt": "2026-11-29T11:00:00"},
            'Invalid datetime (got "2026-11-29T11:00:00") at $.record.createdAt',
        ),
        (
            {"createdAt": "2026-11-29T11:00:00-00:00"},
            'Invalid datetime (got "2026-11-29T11:00:00-00:00") at $.record.createdAt',
        ),
        ({"reply": {"parent": REFERENCE}}, 'Missing required key "root" at $.record.reply'),
        (
            {"reply": {"root": REFERENCE, "parent": {**REFERENCE, "cid": "abc"}}},
            'Invalid CID string (got "abc") at $.record.reply.parent.cid',
        ),
        (
            facet(-1, 5, **{"$type": "x#y"}),
            "integer too small (minimum 0, got -1) at $.record.facets[0].index.byteStart",
        ),
        (facet(0, 1.5), "Expected integer value type (got 1.5) at $.record.facets[0].index.byteEnd"),
        (facet(0, 5, uri="https://x.example"), 'Missing required key "$type" at $.record.facets[0].features[0]'),
        (link("example.com"), 'Invalid uri (got "example.com") at $.record.facets[0].features[0].uri'),
        (link("https://a b"), 'Invalid uri (got "https://a b") at $.record.facets[0].features[0].uri'),
        (
            facet(0, 5, **{"$type": "app.bsky.richtext.facet#mention", "did": "alice"}),
            'Invalid DID (got "alice") at $.record.facets[0].features[0].did',
        ),
        ({"langs": ["en", "de", "fr", "it"]}, "array too big (maximum 3, got 4) at $.record.langs"),
        ({"langs": ["english"]}, 'Invalid language (got "english") at $.record.langs[0]'),
        ({"labels": {"values": []}}, 'Missing required key "$type" at $.record.labels'),
        ({"facets": {}}, "Expected array value type (got object) at $.record.facets"),
        ({"langs": [True]}, "Expected string value type (got true) at $.record.langs[0]"),
        ({"reply": "x"}, 'Expected object value type (got "x") at $.record.reply'),
        ({"reply": []}, "Expected object value type (got array) at $.record.reply"),
    ],
)
def test_a_bad_post_is_refused_in_the_servers_words(
    as_bot: Api, bot: SandboxAccount, change: dict[str, Any], message: str
) -> None:
    """Each broken field of a post is a 400 that names it."""
    assert (400, "InvalidRequest", INVALID + message) == error(as_bot.create(bot.did, RECORD | change))


@pytest.mark.parametrize(
    "change",
    [
        {"text": "é" * 300},
        {"text": FAMILY * 120},
        {"text": ""},
        {"createdAt": "2026-11-29T11:00:00.123456+01:00"},
        {"createdAt": "2026-02-30T11:00:00Z"},
        {"createdAt": "9999-01-01T00:00:00Z"},
        {"createdAt": "0000-01-01T00:00:00Z"},
        {"langs": []},
        {"unheard": {"of": ["things"]}},
        link("javascript:alert(1)"),
        facet(40, 2, **{"$type": "app.bsky.richtext.facet#mention", "did": "did:plc:nobody"}),
        facet(0, 1, **{"$type": "com.example#glitter"}),
        {"reply": {"root": REFERENCE, "parent": REFERENCE}},
    ],
)
def test_an_odd_post_is_accepted(as_bot: Api, bot: SandboxAccount, change: dict[str, Any]) -> None:
    """What the reference server lets pass is stored as it came."""
    answer = as_bot.create(bot.did, RECORD | change, rkey=KEY)

    assert (200, "valid") == (answer.status_code, answer.json().get("validationStatus"))
    assert RECORD | change == as_bot.query(GET, repo=bot.did, collection=POST, rkey=KEY).json()["value"]


@pytest.mark.parametrize("rkey", ["my-reply-1", "self", "3n3h4yetzwye", "3N3H4YETZWYEF", "zzzzzzzzzzzzz"])
def test_a_post_needs_a_tid_for_a_key(as_bot: Api, bot: SandboxAccount, rkey: str) -> None:
    """Creating and putting refuse every other key."""
    refusal = f'Invalid record key for {POST}: Invalid TID string (got "{rkey}") at $'

    for answer in (as_bot.create(bot.did, RECORD, rkey=rkey), as_bot.put(bot.did, RECORD, rkey)):
        assert (400, "InvalidRequest", refusal) == error(answer)


@pytest.mark.parametrize(
    ("rkey", "message"),
    [
        ("a b", 'Invalid record key (got "a b") at $.rkey'),
        ("a/b", 'Invalid record key (got "a/b") at $.rkey'),
        (".", 'Invalid record key (got ".") at $.rkey'),
        ("x" * 513, "string too big (maximum 512, got 513) at $.rkey"),
    ],
)
def test_a_text_that_is_no_key_is_refused(as_bot: Api, bot: SandboxAccount, rkey: str, message: str) -> None:
    """The shape of a key is checked before its kind."""
    assert (400, "InvalidRequest", message) == error(as_bot.put(bot.did, RECORD, rkey))


@pytest.mark.parametrize("rkey", ["2222222222222", "jzzzzzzzzzzzz"])
def test_a_tid_of_any_time_is_a_key(as_bot: Api, bot: SandboxAccount, rkey: str) -> None:
    """The past and the far future are both accepted."""
    assert 200 == as_bot.put(bot.did, RECORD, rkey).status_code


def test_unvalidated_posts_are_kept_but_never_indexed(
    network: SandboxNetwork, as_alice: Api, alice: SandboxAccount, bot: SandboxAccount
) -> None:
    """validate=false stores any key and any length; the AppView ignores the result."""
    mention = {"$type": "app.bsky.richtext.facet#mention", "did": bot.did}
    answer = as_alice.create(alice.did, RECORD | facet(0, 5, **mention), rkey="my-key", validate=False)

    assert 200 == answer.status_code
    assert "validationStatus" not in answer.json()
    assert ["my-key"] == [record["uri"].rsplit("/", 1)[1] for record in network.repo(alice.did)]
    assert [] == network.notifications(bot.did)


def test_types_are_filled_in_compared_and_may_be_unknown(as_bot: Api, bot: SandboxAccount) -> None:
    """No $type takes the collection's; another one is refused; a type of one's own is kept unvalidated."""
    bare = {key: value for key, value in RECORD.items() if key != "$type"}
    wrong = as_bot.create(bot.did, {**bare, "$type": "app.bsky.feed.like"})
    own = {"repo": bot.did, "collection": "com.example.note", "rkey": "one", "record": {"n": 1}}

    assert CID == as_bot.create(bot.did, bare).json()["cid"]
    assert (400, "InvalidRequest", f"Invalid $type: expected {POST}, got app.bsky.feed.like") == error(wrong)
    assert "unknown" == as_bot.procedure(PUT, own).json()["validationStatus"]


def test_a_profile_lives_under_self(as_bot: Api, bot: SandboxAccount) -> None:
    """Any other key is refused."""
    body = {"repo": bot.did, "collection": "app.bsky.actor.profile", "rkey": "me", "record": {"displayName": "x"}}

    assert 400 == as_bot.procedure(PUT, body).status_code
    assert 200 == as_bot.procedure(PUT, {**body, "rkey": "self"}).status_code


def test_floats_have_no_place_in_a_record(as_bot: Api, bot: SandboxAccount) -> None:
    """A number with a fraction is refused wherever it sits."""
    assert 400 == as_bot.create(bot.did, {**RECORD, "weight": 1.5}).status_code


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


def test_a_blob_is_named_sniffed_and_needed(as_bot: Api, bot: SandboxAccount, http: httpx.Client) -> None:
    """A PNG is one whatever it is called; a record may only name what was uploaded, and not be too big for a thumb."""
    content = b"\x89PNG\r\n\x1a\n" + b"\0" * 1_000_000
    headers = {"authorization": f"Bearer {as_bot.token}", "content-type": "image/jpeg"}

    def embed(blob: dict[str, Any]) -> dict[str, Any]:
        external = {"uri": "https://x.example", "title": "", "description": "", "thumb": blob}
        return {"embed": {"$type": "app.bsky.embed.external", "external": external}}

    blob = http.post("/xrpc/com.atproto.repo.uploadBlob", content=content[:73], headers=headers).json()["blob"]
    big = http.post("/xrpc/com.atproto.repo.uploadBlob", content=content, headers=headers).json()["blob"]
    unknown = {**blob, "ref": {"$link": "bafkreides7slhv562fuxti2du7nu56tnk5zfkkpvvq6oyrob6ch2xs627q"}}

    assert ("image/png", 73) == (blob["mimeType"], blob["size"])
    assert 200 == as_bot.create(bot.did, RECORD | embed(blob), rkey=KEY).status_code
    assert (400, "BlobNotFound", f"Could not find blob: {unknown['ref']['$link']}") == error(
        as_bot.create(bot.did, RECORD | embed(unknown))
    )
    too_big = "blob too big (maximum 1000000, got 1000008) at $.record.embed.external.thumb"
    assert (400, "InvalidRequest", INVALID + too_big) == error(as_bot.create(bot.did, RECORD | embed(big)))


def test_a_blob_goes_with_the_last_record_that_used_it(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, http: httpx.Client
) -> None:
    """Two posts share an image; after the second deletion the old reference is not found any more."""
    headers = {"authorization": f"Bearer {as_bot.token}", "content-type": "image/png"}
    blob = http.post("/xrpc/com.atproto.repo.uploadBlob", content=b"pixels", headers=headers).json()["blob"]
    images = {"embed": {"$type": "app.bsky.embed.images", "images": [{"image": blob, "alt": ""}]}}
    refs: list[StrongRef] = [network.post(bot.did, text, extra=images) for text in ("one", "two")]
    asked = {"did": bot.did, "cid": blob["ref"]["$link"]}

    network.delete_record(refs[0].uri)
    assert b"pixels" == as_bot.query("com.atproto.sync.getBlob", **asked).content

    network.delete_record(refs[1].uri)
    assert 400 == as_bot.query("com.atproto.sync.getBlob", **asked).status_code
    assert (400, "BlobNotFound") == error(as_bot.create(bot.did, RECORD | images))[:2]
