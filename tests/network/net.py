"""The real AT network as a test sees it: people who write, and what others then read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

from guardrails.documents import AtUri, StrongRef, split_at_uri
from tests.network.control import Account, Control, Refused, answer
from tests.network.install import Installed
from tests.network.process import running_node
from tests.postgres import PostgresServer

__all__ = ["Account", "Network", "Refused", "running_network"]

POST = "app.bsky.feed.post"


@contextmanager
def running_network(installed: Installed, server: PostgresServer, *, rate_limits: bool = False) -> Iterator["Network"]:
    """A network of one's own, empty, for as long as the block lasts."""
    with ExitStack() as stack:
        endpoints = stack.enter_context(running_node(installed, server, rate_limits=rate_limits))
        yield stack.enter_context(Network(endpoints))


class Network(Control):
    """A running network. Who acts or reads is named by DID; writing does not wait for the AppView, `process()` does."""

    def query(self, did: str | None, nsid: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """An XRPC query: as `did` through their PDS, or as nobody at the AppView."""
        host = self.endpoints.pds if did else self.endpoints.appview
        headers = self._authorization(did) if did else {}
        return answer(self.http.get(f"{host}/xrpc/{nsid}", params=dict(params), headers=headers))

    def procedure(self, did: str, nsid: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """An XRPC procedure as `did`, through their PDS."""
        url = f"{self.endpoints.pds}/xrpc/{nsid}"
        return answer(self.http.post(url, json=dict(body), headers=self._authorization(did)))

    def post(
        self,
        did: str,
        text: str,
        *,
        mentions: Sequence[str] = (),
        facets: Sequence[Mapping[str, Any]] | None = None,
        reply: Mapping[str, Any] | None = None,
        created_at: str | None = None,
        extra: Mapping[str, Any] | None = None,
        rkey: str | None = None,
    ) -> StrongRef:
        """Post; every DID in `mentions` gets a facet over its "@handle", which must be in the text."""
        record: dict[str, Any] = {"$type": POST, "text": text, "createdAt": created_at or _now()}
        found = [self.mention_facet(text, mentioned) for mentioned in mentions] if facets is None else facets
        record |= {"facets": list(found)} if found else {}
        record |= {"reply": dict(reply)} if reply else {}
        return self.create(did, POST, {**record, **(extra or {})}, rkey=rkey)

    def reply(
        self, did: str, parent: StrongRef, text: str, *, root: StrongRef | None = None, mentions: Sequence[str] = ()
    ) -> StrongRef:
        """Answer `parent`; `root` is the parent itself unless given.

        As people do, one answers what the AppView shows: it indexes accounts side by side, and tells nobody of a reply
        that it indexes together with its parent.
        """
        self.process()
        refs = {"root": (root or parent).model_dump(), "parent": parent.model_dump()}
        return self.post(did, text, mentions=mentions, reply=refs)

    def create(self, did: str, collection: str, record: Mapping[str, Any], *, rkey: str | None = None) -> StrongRef:
        """Create a record; `$type` and `createdAt` are filled in where they are missing."""
        whole = {"$type": collection, "createdAt": _now(), **record}
        body = {"repo": did, "collection": collection, "record": whole} | ({"rkey": rkey} if rkey else {})
        made = self.procedure(did, "com.atproto.repo.createRecord", body)
        return StrongRef(uri=AtUri(made["uri"]), cid=made["cid"])

    def edit(self, uri: str, **changes: Any) -> StrongRef:
        """Rewrite a record of its author's under the same uri, with these fields changed."""
        did, collection, rkey = split_at_uri(uri)
        record = {**self.record(uri), **changes}
        body = {"repo": did, "collection": collection, "rkey": rkey, "record": record}
        made = self.procedure(did, "com.atproto.repo.putRecord", body)
        return StrongRef(uri=AtUri(made["uri"]), cid=made["cid"])

    def delete(self, uri: str) -> None:
        """Delete a record as its author."""
        did, collection, rkey = split_at_uri(uri)
        self.procedure(did, "com.atproto.repo.deleteRecord", {"repo": did, "collection": collection, "rkey": rkey})

    def like(self, did: str, subject: StrongRef) -> StrongRef:
        """Like a post."""
        return self.create(did, "app.bsky.feed.like", {"subject": subject.model_dump()})

    def repost(self, did: str, subject: StrongRef) -> StrongRef:
        """Repost a post."""
        return self.create(did, "app.bsky.feed.repost", {"subject": subject.model_dump()})

    def follow(self, did: str, subject: str) -> StrongRef:
        """Follow an account."""
        return self.create(did, "app.bsky.graph.follow", {"subject": subject})

    def block(self, did: str, subject: str) -> StrongRef:
        """Block an account; deleting the record that this returns unblocks it."""
        return self.create(did, "app.bsky.graph.block", {"subject": subject})

    def mute(self, did: str, subject: str) -> None:
        """Mute an account."""
        self.procedure(did, "app.bsky.graph.muteActor", {"actor": subject})

    def gate(self, post: StrongRef, allow: Sequence[str] = ()) -> StrongRef:
        """Let only some reply to one's post: names of rules such as "mentionRule", "followingRule"; none: nobody."""
        did, _, rkey = split_at_uri(post.uri)
        rules = [{"$type": f"app.bsky.feed.threadgate#{rule}"} for rule in allow]
        return self.create(did, "app.bsky.feed.threadgate", {"post": post.uri, "allow": rules}, rkey=rkey)

    def record(self, uri: str) -> dict[str, Any]:
        """A record as it is in its repository; Refused when there is none."""
        did, collection, rkey = split_at_uri(uri)
        params = {"repo": did, "collection": collection, "rkey": rkey}
        value: dict[str, Any] = self.query(did, "com.atproto.repo.getRecord", params)["value"]
        return value

    def list_records(self, did: str, collection: str = POST) -> list[dict[str, Any]]:
        """Up to 100 records of a repository with uri, cid and value, newest key first."""
        params = {"repo": did, "collection": collection, "limit": 100}
        records: list[dict[str, Any]] = self.query(did, "com.atproto.repo.listRecords", params)["records"]
        return records

    def notifications(self, did: str) -> list[dict[str, Any]]:
        """The newest 100 notifications of an account, as the wire has them."""
        listed = self.query(did, "app.bsky.notification.listNotifications", {"limit": 100})
        notifications: list[dict[str, Any]] = listed["notifications"]
        return notifications

    def get_post_thread(self, uri: str, did: str | None = None) -> dict[str, Any]:
        """The thread around a post as `did` sees it, or as anybody does."""
        thread: dict[str, Any] = self.query(did, "app.bsky.feed.getPostThread", {"uri": uri})["thread"]
        return thread

    def mention_facet(self, text: str, did: str) -> dict[str, Any]:
        """The facet over this account's "@handle" in the text, in UTF-8 bytes; ValueError when it is not there."""
        name = f"@{self.handles[did]}".encode()
        start = text.encode().index(name)
        feature = {"$type": "app.bsky.richtext.facet#mention", "did": did}
        return {"index": {"byteStart": start, "byteEnd": start + len(name)}, "features": [feature]}

    def _authorization(self, did: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[did]}"}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
