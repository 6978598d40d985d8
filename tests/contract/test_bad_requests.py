"""What is refused is refused in the same words everywhere, so that the sandbox teaches nothing wrong."""

import json
from typing import Any

import httpx
import pytest

from bot.bluesky.errors import CallFailed
from bot.bluesky.records import put_once
from bot.bluesky.session import Account
from guardrails.documents import RecordKey
from tests.contract.bad_calls import BAD_CALLS, LOGIN, NOTIFICATIONS, PUT, RECORD
from tests.contract.bad_records import BAD_KEYS, BAD_POSTS, ODD_POSTS, changed
from tests.contract.target import POST, Person, Target
from tests.contract.wire import Wire, expired, tampered

Said = tuple[int, str | None, str]


@pytest.fixture(scope="session")
def tokens(target: Target, wire: Wire) -> dict[str, str]:
    session = wire.log_in(target.sign_up("asker"))
    found: dict[str, str] = {name: session[name] for name in ("did", "accessJwt", "refreshJwt")}
    return found


def said(response: httpx.Response) -> Said:
    body = response.json() if response.content else {}
    return response.status_code, body.get("error"), body.get("message", "")


def put(wire: Wire, tokens: dict[str, str], record: object, key: str) -> Said:
    body = {"repo": tokens["did"], "collection": POST, "rkey": key, "record": record, "swapRecord": None}
    return said(wire.post(PUT, body, tokens["accessJwt"]))


@pytest.mark.parametrize("what", BAD_POSTS)
def test_a_bad_post_is_refused(wire: Wire, tokens: dict[str, str], key: RecordKey, what: str) -> None:
    """With the path to what is wrong."""
    change, end = BAD_POSTS[what]

    expected = (400, "InvalidRequest", f"Invalid app.bsky.feed.post record: {end}")
    assert expected == put(wire, tokens, changed(change), key)


@pytest.mark.parametrize("what", ODD_POSTS)
def test_an_odd_post_is_refused(wire: Wire, tokens: dict[str, str], key: RecordKey, what: str) -> None:
    """Before or after its shape was looked at."""
    change, error, message = ODD_POSTS[what]

    assert (400, error, message) == put(wire, tokens, changed(change), key)


@pytest.mark.parametrize("bad", BAD_KEYS)
def test_a_bad_key_is_refused(wire: Wire, tokens: dict[str, str], bad: str) -> None:
    """A post's key is a TID."""
    assert (400, "InvalidRequest", BAD_KEYS[bad]) == put(wire, tokens, changed({}), bad)


def test_an_unknown_embed_is_kept(wire: Wire, tokens: dict[str, str], key: RecordKey) -> None:
    """What the server does not know it does not judge."""
    assert 200 == put(wire, tokens, changed({"embed": {"$type": "com.example.new"}}), key)[0]


@pytest.mark.parametrize("what", BAD_CALLS)
def test_a_bad_call_is_refused(wire: Wire, tokens: dict[str, str], alice: Person, what: str) -> None:
    """Status, error and message are the network's."""
    bad = BAD_CALLS[what]

    def filled(value: Any) -> Any:
        return json.loads(json.dumps(value).replace("{me}", tokens["did"]).replace("{other}", alice.did))

    arguments = filled(bad.arguments)
    send = wire.get if bad.verb == "GET" else wire.post

    assert (bad.status, bad.error, filled(bad.message)) == said(send(bad.nsid, arguments, tokens["accessJwt"]))


MISSING = (401, "AuthMissing", "Authentication Required")
INVALID = (400, "InvalidToken", "Token could not be verified")
EXPIRED = (400, "ExpiredToken", "Token has expired")

BAD_TOKENS = {"none": MISSING, "a word": INVALID, "dots": INVALID, "tampered": INVALID, "refresh": INVALID}


@pytest.mark.parametrize("kind", [*BAD_TOKENS, "expired"])
@pytest.mark.parametrize("call", ["read", "write", "session"])
def test_a_bad_token_is_refused(wire: Wire, tokens: dict[str, str], target: Target, kind: str, call: str) -> None:
    """The same by every method that needs one, and only the missing one is a 401."""
    access = tokens["accessJwt"]
    token = {
        "none": None,
        "a word": "word",
        "dots": "a.b.c",
        "tampered": tampered(access),
        "refresh": tokens["refreshJwt"],
        "expired": expired(access, target.jwt_secret),
    }[kind]
    match call:
        case "read":
            response = wire.get(NOTIFICATIONS, {}, token)
        case "write":
            body = {"repo": tokens["did"], "collection": POST, "rkey": "3kaaaaaaaaaz2", "record": RECORD}
            response = wire.post(PUT, body, token)
        case _:
            response = wire.get("com.atproto.server.getSession", {}, token)

    assert BAD_TOKENS.get(kind, EXPIRED) == said(response)


@pytest.mark.parametrize(("kind", "expected"), [("access", INVALID), ("expired", EXPIRED), ("none", MISSING)])
def test_a_bad_refresh_is_refused(
    wire: Wire, tokens: dict[str, str], target: Target, kind: str, expected: Said
) -> None:
    """Only a live refresh token refreshes."""
    token = {
        "access": tokens["accessJwt"],
        "expired": expired(tokens["refreshJwt"], target.jwt_secret),
        "none": None,
    }[kind]

    assert expected == said(wire.post_raw("com.atproto.server.refreshSession", b"", token))


BODIES = {
    "no JSON": (b"{", "application/json", (400, "SyntaxError", None)),
    "no type": (b"{}", "", (400, "InvalidRequest", "Request encoding (Content-Type) required but not provided")),
    "plain text": (b"{}", "text/plain", (400, "InvalidRequest", "Wrong request encoding (Content-Type): text/plain")),
    "nothing": (b"", "application/json", (400, "InvalidRequest", 'Missing required key "repo" at $')),
    "too much": (
        b'{"x": "' + b"a" * 1_100_000 + b'"}',
        "application/json",
        (413, "PayloadTooLargeError", "request entity too large"),
    ),
}


@pytest.mark.parametrize("what", BODIES)
def test_a_bad_body_is_refused(wire: Wire, tokens: dict[str, str], what: str) -> None:
    """Before anybody looks for a record in it; the words about broken JSON are the parser's own."""
    content, media_type, expected = BODIES[what]
    status, error, message = said(wire.post_raw(PUT, content, tokens["accessJwt"], media_type))

    assert expected == (status, error, message if expected[2] is not None else None)


def test_a_taken_key_is_a_server_error_for_create(wire: Wire, tokens: dict[str, str], key: RecordKey) -> None:
    """The answer that cannot be told from a fault."""
    assert 200 == put(wire, tokens, RECORD, key)[0]
    body = {"repo": tokens["did"], "collection": POST, "rkey": key, "record": RECORD}
    response = wire.post("com.atproto.repo.createRecord", body, tokens["accessJwt"])

    assert (500, "InternalServerError", "Internal Server Error") == said(response)


@pytest.mark.parametrize("how", ["deactivated", "taken down"])
def test_an_account_that_is_closed_is_told_so(target: Target, wire: Wire, mallory: Person, how: str) -> None:
    """The same account, asked in every way that a bot would."""
    token = wire.log_in(mallory)["accessJwt"]
    close = target.deactivate if how == "deactivated" else target.take_down
    close(mallory.did)
    did = mallory.did
    where = {"repo": did, "collection": POST}
    write = {**where, "rkey": "3kaaaaaaaaaz2", "record": RECORD}
    answers = {
        "put": said(wire.post(PUT, write, token)),
        "login": said(wire.post(LOGIN, {"identifier": did, "password": mallory.password}))[:2],
        "session": said(wire.get("com.atproto.server.getSession", {}, token)),
        "record": said(wire.get("com.atproto.repo.getRecord", {**where, "rkey": "3kaaaaaaaaaz2"}, token)),
        "listing": said(wire.get("com.atproto.repo.listRecords", where, token)),
        "notifications": said(wire.get(NOTIFICATIONS, {}, token)),
        "handle": said(wire.get("com.atproto.identity.resolveHandle", {"handle": mallory.handle}, token))[:2],
    }

    no_repo = (400, "InvalidRequest", f"Could not find repo: {did}")
    fine = (200, None, "")
    gone = (400, "HandleNotFound")
    same = {"record": no_repo, "listing": no_repo, "notifications": fine}
    if how == "deactivated":
        refused = (401, "AccountDeactivated", "Account is deactivated")
        expected = {**same, "put": refused, "login": (200, None), "session": fine, "handle": gone}
    else:
        refused = (401, "AccountTakedown", "Account has been taken down")
        no_user = (400, "InvalidRequest", f"Could not find user info for account: {did}")
        expected = {**same, "put": refused, "login": refused[:2], "session": no_user, "handle": gone}
    assert expected == answers


def test_a_refused_call_leaves_nothing_behind(writer: Account, wire: Wire, key: RecordKey) -> None:
    """A refused put is not half a put."""
    with pytest.raises(CallFailed):
        put_once(writer, POST, key, json.dumps(changed({"text": "a" * 301})))
    params = {"repo": writer.did, "collection": POST, "rkey": key}

    assert (400, "RecordNotFound") == said(wire.get("com.atproto.repo.getRecord", params))[:2]
