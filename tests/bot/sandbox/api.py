"""Calls to the sandbox over HTTP, as any client would make them."""

import json
from typing import Any

import httpx

from bot.sandbox.state import POST, SandboxAccount

CREATE, PUT, DELETE = (f"com.atproto.repo.{verb}Record" for verb in ("create", "put", "delete"))
GET, LIST = "com.atproto.repo.getRecord", "com.atproto.repo.listRecords"
CREATE_SESSION, REFRESH, DELETE_SESSION, GET_SESSION = (
    f"com.atproto.server.{name}Session" for name in ("create", "refresh", "delete", "get")
)
NOTIFICATIONS = "app.bsky.notification.listNotifications"
POSTS, THREAD = "app.bsky.feed.getPosts", "app.bsky.feed.getPostThread"
PROFILE, PROFILES = "app.bsky.actor.getProfile", "app.bsky.actor.getProfiles"
KEY, OTHER_KEY = "3n3h4yetzwyef", "3n3h4yeuwtneg"


class Api:
    """A client with one token at most."""

    def __init__(self, http: httpx.Client, token: str | None = None) -> None:
        self.http = http
        self.token = token

    def log_in(self, account: SandboxAccount) -> "Api":
        session = self.procedure(CREATE_SESSION, {"identifier": account.did, "password": account.password}).json()
        return Api(self.http, session["accessJwt"])

    def bearing(self, token: str | None) -> "Api":
        return Api(self.http, token)

    def query(self, nsid: str, **params: Any) -> httpx.Response:
        return self.http.get(f"/xrpc/{nsid}", params=params, headers=self._headers())

    def procedure(self, nsid: str, body: dict[str, Any] | None = None) -> httpx.Response:
        if body is None:
            return self.http.post(f"/xrpc/{nsid}", headers=self._headers())
        headers = {**self._headers(), "content-type": "application/json"}
        return self.http.post(f"/xrpc/{nsid}", content=json.dumps(body), headers=headers)

    def put(self, did: str, record: dict[str, Any], rkey: str = KEY, **more: Any) -> httpx.Response:
        return self.procedure(PUT, {"repo": did, "collection": POST, "rkey": rkey, "record": record, **more})

    def create(self, did: str, record: dict[str, Any], **more: Any) -> httpx.Response:
        return self.procedure(CREATE, {"repo": did, "collection": POST, "record": record, **more})

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"} if self.token is not None else {}


def error(answer: httpx.Response) -> tuple[int, str, str]:
    """Status, error and message of a refusal."""
    body = answer.json()
    return answer.status_code, body["error"], body["message"]


def mention_of(did: str, start: int = 0, end: int = 1) -> dict[str, Any]:
    """A mention facet over any bytes."""
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": did}
    return {"index": {"byteStart": start, "byteEnd": end}, "features": [feature]}
