"""The sandbox network: what people do on it, by plain calls; safe to use from several threads."""

import base64
import hashlib
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import datetime
from threading import RLock
from typing import Any

from bot.sandbox.facets import mention_facets
from bot.sandbox.faults import Call, Fault, take_fault
from bot.sandbox.happenings import Happenings
from bot.sandbox.notifications import list_notifications
from bot.sandbox.records import UNSET, Repositories, Unset
from bot.sandbox.sessions import Sessions
from bot.sandbox.state import (
    BLOCK,
    CURATED_LIST,
    FOLLOW,
    LABELER,
    LIKE,
    LIST,
    LIST_ITEM,
    POST,
    PROFILE,
    REPOST,
    THREADGATE,
    AccountStatus,
    Label,
    SandboxAccount,
    State,
)
from bot.sandbox.times import iso
from guardrails.documents import StrongRef, split_at_uri
from guardrails.tid import TidClock


class SandboxNetwork:
    """A small Bluesky; its clock may be shifted. The server uses up `faults` and fills `calls`."""

    def __init__(self, clock: Callable[[], datetime], *, secret: bytes = b"sandbox") -> None:
        self.lock = RLock()
        self.state = State(clock)
        self.happenings = Happenings(clock)
        self.repos = Repositories(self.state, TidClock(clock, clock_id=0), self.happenings)
        self.sessions = Sessions(self.state, secret)
        self.faults: list[Fault] = []
        self.calls: list[Call] = []

    def create_account(
        self,
        handle: str,
        password: str | None = None,
        display_name: str | None = None,
        self_labels: Iterable[str] = (),
    ) -> SandboxAccount:
        """A new account, with a profile if it has something to say; `<handle>-pw` is its password if not given."""
        with self.lock:
            if self.state.find_account(handle) is not None:
                raise ValueError(f"handle taken: {handle}")
            did = _free_did(handle, self.state.accounts)
            account = SandboxAccount(did, handle.lower(), password or f"{handle}-pw", self.state.clock())
            self.state.accounts[account.did] = account
            self.repos.open_repo(account.did)
            self.happenings.identity(account.did, account.handle)
            profile: dict[str, Any] = {"displayName": display_name} if display_name is not None else {}
            values = [{"val": val} for val in self_labels]
            if values:
                profile["labels"] = {"$type": "com.atproto.label.defs#selfLabels", "values": values}
            if profile:
                self.put_record(account.did, PROFILE, "self", profile)
            return account

    def account(self, identifier: str) -> SandboxAccount:
        """The account with this DID or handle; KeyError when there is none."""
        with self.lock:
            account = self.state.find_account(identifier)
        if account is None:
            raise KeyError(identifier)
        return account

    def post(
        self,
        did: str,
        text: str,
        *,
        mentions: Iterable[str] = (),
        facets: list[dict[str, Any]] | None = None,
        reply: StrongRef | Mapping[str, Any] | None = None,
        created_at: datetime | str | None = None,
        extra: Mapping[str, Any] | None = None,
        rkey: str | None = None,
        validate: bool | None = None,
    ) -> StrongRef:
        """Post as this account: `mentions` become facets where the text names them; `reply` may be the parent alone."""
        with self.lock:
            record: dict[str, Any] = {"$type": POST, "text": text, "createdAt": self._created(created_at)}
            handles = {self.state.accounts[mentioned].handle: mentioned for mentioned in mentions}
            found = mention_facets(text, lambda handle: handles.get(handle.lower())) if facets is None else facets
            if found:
                record["facets"] = found
            if reply is not None:
                record["reply"] = self._reply(reply)
            record |= extra or {}
            return self.repos.create(did, POST, record, rkey=rkey, validate=validate).ref

    def say(self, handle: str, text: str) -> StrongRef:
        """Post as the account with this handle, mentioning everybody on the network that the text names."""
        with self.lock:
            everybody = [account.did for account in self.state.accounts.values() if account.status != "deleted"]
            return self.post(self.account(handle).did, text, mentions=everybody)

    def edit(self, uri: str, **changes: Any) -> StrongRef:
        """Change keys of a record in place, as its author: same uri, new cid; a change to None removes the key."""
        with self.lock:
            parts = split_at_uri(uri)
            record = self.repos.get(*parts).value | changes
            kept = {key: value for key, value in record.items() if value is not None}
            return self.put_record(*parts, kept)

    def put_record(
        self,
        did: str,
        collection: str,
        rkey: str,
        record: Mapping[str, Any],
        *,
        swap: str | Unset | None = UNSET,
        validate: bool | None = None,
    ) -> StrongRef:
        """Write any record under any key; with `validate=False` it is kept however odd, and not indexed if it is."""
        with self.lock:
            return self.repos.put(did, collection, rkey, record, swap=swap, validate=validate).ref

    def delete_record(self, uri: str) -> None:
        """Delete a post, or undo a like, repost, follow or block; nothing happens when it is gone already."""
        with self.lock:
            self.repos.delete(*split_at_uri(uri))

    def like(self, did: str, subject: StrongRef) -> StrongRef:
        """Like a post."""
        return self._about(did, LIKE, subject.model_dump())

    def repost(self, did: str, subject: StrongRef) -> StrongRef:
        """Repost a post."""
        return self._about(did, REPOST, subject.model_dump())

    def follow(self, did: str, subject: str) -> StrongRef:
        """Follow an account."""
        return self._about(did, FOLLOW, subject)

    def block(self, did: str, subject: str) -> StrongRef:
        """Block an account; delete the record to undo it."""
        return self._about(did, BLOCK, subject)

    def make_list(self, did: str, name: str, purpose: str = CURATED_LIST) -> StrongRef:
        """A list of people, empty."""
        with self.lock:
            record = {"name": name, "purpose": purpose, "createdAt": self._created(None)}
            return self.repos.create(did, LIST, record).ref

    def put_on_list(self, list_uri: str, subject: str) -> StrongRef:
        """The list's author puts an account on it; delete the record to take it off."""
        with self.lock:
            record = {"subject": subject, "list": list_uri, "createdAt": self._created(None)}
            return self.repos.create(split_at_uri(list_uri).did, LIST_ITEM, record).ref

    def mute(self, did: str, subject: str, *, undo: bool = False) -> None:
        """Mute an account."""
        with self.lock:
            _toggle(self.state.accounts[did].mutes, subject, undo=undo)

    def mute_thread(self, did: str, root_uri: str, *, undo: bool = False) -> None:
        """Mute a thread: its replies are not notified any more, mentions are."""
        with self.lock:
            _toggle(self.state.accounts[did].muted_threads, root_uri, undo=undo)

    def gate(self, root_uri: str, allow: Iterable[str] = ()) -> StrongRef:
        """Close a thread to all but those whom a rule admits: "mention", "following" or "follower"."""
        with self.lock:
            did, _, rkey = split_at_uri(root_uri)
            rules = [{"$type": f"{THREADGATE}#{name}Rule"} for name in allow]
            record = {"post": root_uri, "allow": rules, "createdAt": self._created(None)}
            return self.put_record(did, THREADGATE, rkey, record)

    def label(self, subject: str, val: str, *, src: str = LABELER, undo: bool = False) -> None:
        """Label an account (by DID) or a record (by at-uri), as the default labeler unless said otherwise."""
        with self.lock:
            kept = [it for it in self.state.labels if (it.src, it.uri, it.val) != (src, subject, val)]
            self.state.labels = kept if undo else [*kept, Label(src, subject, val, self.state.clock())]

    def takedown(self, subject: str, *, undo: bool = False) -> None:
        """The moderators take an account (by DID) or a record (by at-uri) down."""
        with self.lock:
            if subject.startswith("at://"):
                self.repos.take_down(subject, undo=undo)
            else:
                self._set_status(subject, "active" if undo else "takendown")

    def deactivate(self, did: str, *, undo: bool = False) -> None:
        """The account's owner closes it for a while."""
        with self.lock:
            self._set_status(did, "active" if undo else "deactivated")

    def delete_account(self, did: str) -> None:
        """The account and all its records go for good."""
        with self.lock:
            self._set_status(did, "deleted")
            self.state.repos[did].records.clear()
            self.sessions.revoke(did)

    def rename(self, did: str, handle: str) -> None:
        """The account takes another handle; the DID stays."""
        with self.lock:
            self.state.accounts[did].handle = handle.lower()
            self.happenings.identity(did, handle.lower())

    def pause_indexing(self) -> None:
        """The AppView stops seeing what is written; repositories go on."""
        with self.lock:
            self.state.indexing = False

    def resume_indexing(self) -> None:
        """The AppView catches up, and indexes with the present time what it missed."""
        with self.lock:
            self.state.indexing = True
            self.repos.index_everything()

    def notifications(self, did: str) -> list[dict[str, Any]]:
        """All of the account's notifications as the wire has them, newest first."""
        with self.lock:
            items: list[dict[str, Any]] = list_notifications(self.state, did, limit=10**6)["notifications"]
            return items

    def repo(self, did: str, collection: str = POST) -> list[dict[str, Any]]:
        """All records of a collection as listRecords gives them, the greatest record key first."""
        with self.lock:
            return [
                {"uri": record.uri, "cid": record.cid, "value": record.value}
                for record in self.repos.page(did, collection, limit=10**6)
            ]

    def arrive(self, call: Call) -> Fault | None:
        """Note a call, and take the fault that hits it, if one does."""
        with self.lock:
            fault = take_fault(self.faults, call)
            call.fault = fault.kind if fault is not None else None
            self.calls.append(call)
            return fault

    def calls_to(self, nsid: str) -> list[Call]:
        """The calls of one method, in the order of their arrival."""
        with self.lock:
            return [call for call in self.calls if call.nsid == nsid]

    def _set_status(self, did: str, status: AccountStatus) -> None:
        account = self.state.accounts[did]
        account.status = status
        self.happenings.account(did, active=account.active, status=None if account.active else status)

    def _about(self, did: str, collection: str, subject: object) -> StrongRef:
        with self.lock:
            record = {"subject": subject, "createdAt": self._created(None)}
            return self.repos.create(did, collection, record).ref

    def _reply(self, reply: StrongRef | Mapping[str, Any]) -> Mapping[str, Any]:
        if not isinstance(reply, StrongRef):
            return reply
        parent = self.state.find_record(reply.uri)
        above = parent.value.get("reply") if parent is not None else None
        root = above["root"] if above is not None else reply.model_dump()
        return {"root": root, "parent": reply.model_dump()}

    def _created(self, at: datetime | str | None) -> str:
        return at if isinstance(at, str) else iso(at or self.state.clock())


def _free_did(handle: str, taken: Container[str]) -> str:
    """The DID that a handle gets first is always the same; whoever takes it after a renaming gets another."""
    owner = 0
    while (did := _did_for(f"{handle.lower()}{owner or ''}")) in taken:
        owner += 1
    return did


def _did_for(seed: str) -> str:
    return "did:plc:" + base64.b32encode(hashlib.sha256(seed.encode()).digest()).decode().lower()[:24]


def _toggle(things: set[str], thing: str, *, undo: bool) -> None:
    if undo:
        things.discard(thing)
    else:
        things.add(thing)
