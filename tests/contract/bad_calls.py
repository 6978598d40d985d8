"""Calls that a PDS refuses, and the words in which it does; {me} and {other} stand for two accounts."""

from dataclasses import dataclass
from typing import Any

from tests.contract.target import POST

KEY = "3kaaaaaaaaaz2"
NOBODY = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
MINE = {"repo": "{me}", "collection": POST, "rkey": KEY}
RECORD = {"$type": POST, "text": "hello", "createdAt": "2026-03-02T12:00:00.000Z"}

PUT = "com.atproto.repo.putRecord"
GET_RECORD = "com.atproto.repo.getRecord"
LIST = "com.atproto.repo.listRecords"
NOTIFICATIONS = "app.bsky.notification.listNotifications"
GET_POSTS = "app.bsky.feed.getPosts"
GET_PROFILE = "app.bsky.actor.getProfile"
RESOLVE = "com.atproto.identity.resolveHandle"
LOGIN = "com.atproto.server.createSession"


@dataclass(frozen=True)
class Bad:
    """A call that goes wrong; `error` None is an answer without one."""

    verb: str
    nsid: str
    arguments: Any
    message: str = ""
    status: int = 400
    error: str | None = "InvalidRequest"


def get(nsid: str, arguments: dict[str, Any], message: str, **more: Any) -> Bad:
    return Bad("GET", nsid, arguments, message, **more)


def bad_parameter(nsid: str, arguments: dict[str, Any], message: str) -> Bad:
    return get(nsid, arguments, f"Invalid {nsid} params: {message}")


def post(nsid: str, arguments: object, message: str, **more: Any) -> Bad:
    return Bad("POST", nsid, arguments, message, **more)


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in {**MINE, "record": RECORD}.items() if name != key}


def server_error(nsid: str, arguments: dict[str, Any]) -> Bad:
    return get(nsid, arguments, "Internal Server Error", status=502, error="InternalServerError")


WRONG_LOGIN: dict[str, Any] = {
    "message": "Invalid identifier or password",
    "status": 401,
    "error": "AuthenticationRequired",
}
NOT_OURS: dict[str, Any] = {"message": "Authentication Required", "status": 401, "error": "AuthenticationRequired"}

BAD_CALLS: dict[str, Bad] = {
    "put without record": post(PUT, without("record"), 'Missing required key "record" at $'),
    "put without key": post(PUT, without("rkey"), 'Missing required key "rkey" at $'),
    "put of null": post(PUT, {**MINE, "record": None}, "Expected object value type (got null) at $.record"),
    "put of a list": post(PUT, {**MINE, "record": []}, "Expected object value type (got []) at $.record"),
    "put of a text": post(PUT, {**MINE, "record": "x"}, 'Expected object value type (got "x") at $.record'),
    "put of a bad collection": post(
        PUT, {**MINE, "record": RECORD, "collection": "nope"}, 'Invalid NSID (got "nope") at $.collection'
    ),
    "put in a list": post(PUT, [], "Expected object value type (got []) at $"),
    "put to another's repository": post(PUT, {**MINE, "record": RECORD, "repo": "{other}"}, **NOT_OURS),
    "put to nobody's repository": post(
        PUT, {**MINE, "record": RECORD, "repo": NOBODY}, "Account not found", status=403, error="AccountNotFound"
    ),
    "put to no repository": post(
        PUT, {**MINE, "record": RECORD, "repo": "x"}, 'Invalid AT identifier (got "x") at $.repo'
    ),
    "put over a cid when nothing is there": post(
        PUT,
        {**MINE, "record": RECORD, "swapRecord": "bafyreicrycyncw326k3gfyd7ory2gwlafsfqyus3dclknuezdrt425ps5u"},
        "Record was at null",
        error="InvalidSwap",
    ),
    "put over no cid": post(
        PUT, {**MINE, "record": RECORD, "swapRecord": "abc"}, 'Invalid CID string (got "abc") at $.swapRecord'
    ),
    "put over a null commit": post(
        PUT, {**MINE, "record": RECORD, "swapCommit": None}, "Expected string value type (got null) at $.swapCommit"
    ),
    "delete from another's repository": post("com.atproto.repo.deleteRecord", {**MINE, "repo": "{other}"}, **NOT_OURS),
    "delete of nothing": post("com.atproto.repo.deleteRecord", MINE, "", status=200, error=None),
    "a record that is not there": get(
        GET_RECORD, MINE, f"Could not locate record: at://{{me}}/{POST}/{KEY}", error="RecordNotFound"
    ),
    "a record of nobody": get(GET_RECORD, {**MINE, "repo": NOBODY}, f"Could not find repo: {NOBODY}"),
    "a record without key": bad_parameter(
        GET_RECORD, {"repo": "{me}", "collection": POST}, 'Missing required key "rkey"'
    ),
    "a record with a bad key": bad_parameter(GET_RECORD, {**MINE, "rkey": "a b"}, 'Invalid record key (got "a b")'),
    "a listing of 101": bad_parameter(
        LIST, {"repo": "{me}", "collection": POST, "limit": 101}, "integer too big (maximum 100, got 101)"
    ),
    "a listing of nobody": get(LIST, {"repo": NOBODY, "collection": POST}, f"Could not find repo: {NOBODY}"),
    "a page of none": bad_parameter(NOTIFICATIONS, {"limit": 0}, "integer too small (minimum 1, got 0)"),
    "a page of 101": bad_parameter(NOTIFICATIONS, {"limit": 101}, "integer too big (maximum 100, got 101)"),
    "a page of x": bad_parameter(NOTIFICATIONS, {"limit": "x"}, 'Expected integer value type (got "x")'),
    "a page since": get(NOTIFICATIONS, {"seenAt": "2026-03-02T12:00:00.000Z"}, "The seenAt parameter is unsupported"),
    "a page with priority maybe": bad_parameter(
        NOTIFICATIONS, {"priority": "maybe"}, 'Expected boolean value type (got "maybe")'
    ),
    "a page before garbage": server_error(NOTIFICATIONS, {"cursor": "garbage"}),
    "an unheard-of reason": get(NOTIFICATIONS, {"reasons": "nope"}, "", status=200, error=None),
    "an empty limit": get(NOTIFICATIONS, {"limit": ""}, "", status=200, error=None),
    "seen at no time": post("app.bsky.notification.updateSeen", {}, 'Missing required key "seenAt" at $'),
    "seen yesterday": post(
        "app.bsky.notification.updateSeen", {"seenAt": "yesterday"}, 'Invalid datetime (got "yesterday") at $.seenAt'
    ),
    "no posts": bad_parameter(GET_POSTS, {}, 'Missing required key "uris"'),
    "26 posts": bad_parameter(
        GET_POSTS,
        {"uris": [f"at://{{me}}/{POST}/3kaaaaaaaaa{letter}2" for letter in "abcdefghijklmnopqrstuvwxyz"]},
        "array too big (maximum 25, got 26)",
    ),
    "a post that is no uri": bad_parameter(GET_POSTS, {"uris": ["x"]}, 'Invalid at-uri (got "x")'),
    "a post of a handle": server_error(GET_POSTS, {"uris": [f"at://alice-1.test/{POST}/{KEY}"]}),
    "a thread that is not there": get(
        "app.bsky.feed.getPostThread",
        {"uri": f"at://{{me}}/{POST}/{KEY}"},
        f"Post not found: at://{{me}}/{POST}/{KEY}",
        error="NotFound",
    ),
    "a profile of nobody": get(GET_PROFILE, {"actor": NOBODY}, "Profile not found"),
    "a profile of no actor": bad_parameter(GET_PROFILE, {"actor": "x"}, 'Invalid AT identifier (got "x")'),
    "no profile": bad_parameter(GET_PROFILE, {}, 'Missing required key "actor"'),
    "a handle that nobody has": get(
        RESOLVE, {"handle": "nobody-at-all.test"}, "Unable to resolve handle", error="HandleNotFound"
    ),
    "a handle that is none": bad_parameter(RESOLVE, {"handle": "x"}, 'Invalid handle (got "x")'),
    "no handle": bad_parameter(RESOLVE, {}, 'Missing required key "handle"'),
    "the status of nobody": get(
        "com.atproto.sync.getRepoStatus",
        {"did": NOBODY},
        f"Could not find repo for DID: {NOBODY}",
        error="RepoNotFound",
    ),
    "an unknown method": get(
        "com.example.nothing", {}, "Method Not Implemented", status=501, error="MethodNotImplemented"
    ),
    "a question that is posted": post(NOTIFICATIONS, {}, "Incorrect HTTP method (POST) expected GET"),
    "a procedure that is got": get(PUT, {}, "Incorrect HTTP method (GET) expected POST"),
    "a login without password": post(LOGIN, {"identifier": "{me}"}, 'Missing required key "password" at $'),
    "a login with a wrong password": post(LOGIN, {"identifier": "{me}", "password": "x"}, **WRONG_LOGIN),
    "a login of nobody": post(LOGIN, {"identifier": "nobody.test", "password": "x"}, **WRONG_LOGIN),
    "a login of nothing": post(LOGIN, {"identifier": "", "password": ""}, **WRONG_LOGIN),
}
