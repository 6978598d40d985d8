"""What a record and its key may be: the complaints of a PDS, and what it lets pass."""

from typing import Any

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from tests.bot.sandbox.api import GET, KEY, PUT, Api, error

RECORD = {"$type": POST, "text": "Built!", "createdAt": "2026-11-29T11:38:50.211Z"}
CID = "bafyreibrze2yyss2hftmgjs6yg362ir6w2ma4qhfpy2y3at73ls66eyu5m"
FAMILY = "👨‍👩‍👧‍👦"
REFERENCE = {"uri": "at://did:plc:abc/app.bsky.feed.post/3n3h4yetzwyef", "cid": CID}
INVALID = f"Invalid {POST} record: "
TYPED = 'Expected an object which includes the "$type" property value type'


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
        ({"embed": None}, f"{TYPED} (got null) at $.record.embed"),
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
        (facet(0, True), "Expected integer value type (got true) at $.record.facets[0].index.byteEnd"),
        ({"text": ["x"]}, 'Expected string value type (got ["x"]) at $.record.text'),
        ({"createdAt": "x" * 300}, f'Invalid datetime (got "{"x" * 255}…") at $.record.createdAt'),
        (facet(0, 5, uri="https://x.example"), f'{TYPED} (got {{"uri": ...}}) at $.record.facets[0].features[0]'),
        (link("example.com"), 'Invalid uri (got "example.com") at $.record.facets[0].features[0].uri'),
        (link("https://a b"), 'Invalid uri (got "https://a b") at $.record.facets[0].features[0].uri'),
        (
            facet(0, 5, **{"$type": "app.bsky.richtext.facet#mention", "did": "alice"}),
            'Invalid DID (got "alice") at $.record.facets[0].features[0].did',
        ),
        ({"langs": ["en", "de", "fr", "it"]}, "array too big (maximum 3, got 4) at $.record.langs"),
        ({"langs": ["english"]}, 'Invalid language (got "english") at $.record.langs[0]'),
        ({"labels": {"values": []}}, f'{TYPED} (got {{"values": ...}}) at $.record.labels'),
        ({"facets": {}}, "Expected array value type (got {}) at $.record.facets"),
        ({"langs": [True]}, "Expected string value type (got true) at $.record.langs[0]"),
        ({"reply": "x"}, 'Expected object value type (got "x") at $.record.reply'),
        ({"reply": [1, "b", {}]}, 'Expected object value type (got [1, "b", ...]) at $.record.reply'),
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


def test_half_a_character_is_stored_as_a_replacement(as_bot: Api, bot: SandboxAccount) -> None:
    """A lone surrogate cannot be written in UTF-8; NUL and whole pairs can."""
    as_bot.create(bot.did, {**RECORD, "text": "a\ud800b \x00 🍅", "tags": ["\udc00"]}, rkey=KEY)
    stored = as_bot.query(GET, repo=bot.did, collection=POST, rkey=KEY).json()["value"]

    assert ("a\ufffdb \x00 🍅", ["\ufffd"]) == (stored["text"], stored["tags"])


def test_a_number_beyond_64_bits_is_refused(as_bot: Api, bot: SandboxAccount) -> None:
    """No repository can hold it."""
    assert (400, "InvalidRequest") == error(as_bot.create(bot.did, {**RECORD, "n": 2**70}))[:2]


def test_a_profile_lives_under_self(as_bot: Api, bot: SandboxAccount) -> None:
    """Any other key is refused."""
    body = {"repo": bot.did, "collection": "app.bsky.actor.profile", "rkey": "me", "record": {"displayName": "x"}}

    assert 400 == as_bot.procedure(PUT, body).status_code
    assert 200 == as_bot.procedure(PUT, {**body, "rkey": "self"}).status_code


def test_floats_have_no_place_in_a_record(as_bot: Api, bot: SandboxAccount) -> None:
    """A number with a fraction is refused wherever it sits, before the record's type is looked at."""
    kinds = "one of null, boolean, integer, string, cid, bytes, array or object"
    message = f"Expected {kinds} value type (got 1.5) at $.record.weights[1]"

    assert (400, "InvalidRequest", message) == error(as_bot.create(bot.did, {**RECORD, "weights": [1, 1.5]}))


def test_a_collection_has_the_form_of_one_and_validation_can_be_demanded(as_bot: Api, bot: SandboxAccount) -> None:
    """Two names are too few; an unknown type cannot be validated."""
    body = {"repo": bot.did, "collection": "com.example.note", "rkey": "one", "record": {}}

    assert 400 == as_bot.procedure(PUT, {**body, "collection": "note"}).status_code
    assert 400 == as_bot.procedure(PUT, {**body, "validate": True}).status_code
    assert 400 == as_bot.procedure(PUT, {**body, "validate": "yes"}).status_code
    assert 200 == as_bot.procedure(PUT, body).status_code
