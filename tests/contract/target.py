"""What the sandbox and the real network both offer to a contract test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import CURATED_LIST, LIST, LIST_ITEM, PROFILE
from guardrails.documents import Did, StrongRef, split_at_uri
from tests.network.control import ADMIN, JWT_SECRET
from tests.network.net import Network

POST = "app.bsky.feed.post"


@dataclass(frozen=True)
class Person:
    """Somebody on the network."""

    did: Did
    handle: str
    password: str = field(repr=False)


class Target(Protocol):
    """A network: `process` waits until everything that was written can be read, `pause` lets the AppView lag."""

    pds_url: str
    plc_url: str
    jwt_secret: bytes

    def sign_up(self, name: str) -> Person: ...

    def process(self) -> None: ...

    def post(
        self,
        did: str,
        text: str,
        *,
        mentions: Sequence[str] = (),
        facets: list[dict[str, Any]] | None = None,
        reply: Mapping[str, Any] | None = None,
        created_at: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> StrongRef: ...

    def edit(self, uri: str, **changes: Any) -> StrongRef: ...

    def delete(self, uri: str) -> None: ...

    def like(self, did: str, subject: StrongRef) -> StrongRef: ...

    def repost(self, did: str, subject: StrongRef) -> StrongRef: ...

    def follow(self, did: str, subject: str) -> StrongRef: ...

    def block(self, did: str, subject: str) -> StrongRef: ...

    def mute(self, did: str, subject: str) -> None: ...

    def gate(self, post: StrongRef, allow: Sequence[str] = ()) -> None: ...

    def take_down(self, subject: str, cid: str | None = None, *, undo: bool = False) -> None: ...

    def deactivate(self, did: str, *, undo: bool = False) -> None: ...

    def delete_account(self, did: str) -> None: ...

    def label(self, subject: str, val: str, *, undo: bool = False) -> None: ...

    def profile(self, did: str, **fields: Any) -> None: ...

    def make_list(self, did: str, name: str) -> StrongRef: ...

    def put_on_list(self, list_uri: str, subject: str) -> StrongRef: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class SandboxTarget:
    """The sandbox behind its server."""

    def __init__(self, network: SandboxNetwork, server: SandboxServer, jwt_secret: bytes) -> None:
        self.pds_url = server.url
        self.plc_url = f"{server.url}/plc"
        self.jwt_secret = jwt_secret
        self._network = network
        self._count = 0
        self.post = network.post
        self.edit = network.edit
        self.delete = network.delete_record
        self.like = network.like
        self.repost = network.repost
        self.follow = network.follow
        self.block = network.block
        self.mute = network.mute
        self.delete_account = network.delete_account
        self.make_list = network.make_list
        self.put_on_list = network.put_on_list
        self.pause = network.pause_indexing
        self.resume = network.resume_indexing
        self.happenings = network.happenings

    def sign_up(self, name: str) -> Person:
        self._count += 1
        made = self._network.create_account(f"{name}-{self._count}.test")
        return Person(Did(made.did), made.handle, made.password)

    def process(self) -> None:
        return

    def gate(self, post: StrongRef, allow: Sequence[str] = ()) -> None:
        self._network.gate(post.uri, allow)

    def take_down(self, subject: str, cid: str | None = None, *, undo: bool = False) -> None:
        self._network.takedown(subject, undo=undo)

    def deactivate(self, did: str, *, undo: bool = False) -> None:
        self._network.deactivate(did, undo=undo)

    def label(self, subject: str, val: str, *, undo: bool = False) -> None:
        self._network.label(subject, val, undo=undo)

    def profile(self, did: str, **fields: Any) -> None:
        self._network.put_record(did, PROFILE, "self", fields)


class NetworkTarget:
    """The real network."""

    def __init__(self, network: Network) -> None:
        self.pds_url = network.endpoints.pds
        self.plc_url = network.endpoints.plc
        self.jwt_secret = JWT_SECRET.encode()
        self._network = network
        self.process = network.process
        self.post = network.post
        self.edit = network.edit
        self.delete = network.delete
        self.like = network.like
        self.repost = network.repost
        self.follow = network.follow
        self.block = network.block
        self.mute = network.mute
        self.pause = network.appview_pause
        self.resume = network.appview_resume

    def sign_up(self, name: str) -> Person:
        # Not by the control port, which waits for the AppView each time.
        handle = self._network.fresh_handle(name)
        body = {"handle": handle, "email": f"{handle}@example.test", "password": f"{handle}-pw"}
        url = f"{self.pds_url}/xrpc/com.atproto.server.createAccount"
        made = httpx.post(url, json=body, timeout=30, trust_env=False).raise_for_status().json()
        self._network.tokens[made["did"]] = made["accessJwt"]
        self._network.handles[made["did"]] = handle
        return Person(Did(made["did"]), handle, body["password"])

    def gate(self, post: StrongRef, allow: Sequence[str] = ()) -> None:
        self._network.gate(post, [f"{name}Rule" for name in allow])

    def take_down(self, subject: str, cid: str | None = None, *, undo: bool = False) -> None:
        self._network.takedown(subject, cid, reverse=undo)
        if subject.startswith("at://"):
            self._take_down_at_the_pds(subject, cid, undo=undo)

    def deactivate(self, did: str, *, undo: bool = False) -> None:
        self._network.deactivate(did, reverse=undo)

    def delete_account(self, did: str) -> None:
        self._administer("deleteAccount", {"did": did})

    def label(self, subject: str, val: str, *, undo: bool = False) -> None:
        self._network.label(subject, val, neg=undo)

    def profile(self, did: str, **fields: Any) -> None:
        record = {"$type": PROFILE, **fields}
        body = {"repo": did, "collection": PROFILE, "rkey": "self", "record": record}
        self._network.procedure(did, "com.atproto.repo.putRecord", body)

    def make_list(self, did: str, name: str) -> StrongRef:
        return self._network.create(did, LIST, {"name": name, "purpose": CURATED_LIST})

    def put_on_list(self, list_uri: str, subject: str) -> StrongRef:
        return self._network.create(split_at_uri(list_uri).did, LIST_ITEM, {"list": list_uri, "subject": subject})

    def _take_down_at_the_pds(self, uri: str, cid: str | None, *, undo: bool) -> None:
        body = {
            "subject": {"$type": "com.atproto.repo.strongRef", "uri": uri, "cid": cid},
            "takedown": {"applied": not undo},
        }
        self._administer("updateSubjectStatus", body)

    def _administer(self, method: str, body: Mapping[str, Any]) -> None:
        url = f"{self.pds_url}/xrpc/com.atproto.admin.{method}"
        httpx.post(url, json=body, auth=ADMIN, trust_env=False).raise_for_status()
