"""Our own records: the exactly-once put, the read-back, the listing."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.bluesky.cid import is_cid
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account
from guardrails.documents import AtUri, RecordKey, StrongRef

INVALID_SWAP = "InvalidSwap"
RECORD_NOT_FOUND = "RecordNotFound"

_THERE = re.compile(r"Record was at (?P<cid>[a-z0-9]+)")


@dataclass(frozen=True)
class Found:
    """A record in our repository."""

    uri: AtUri
    cid: str
    record: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Absent:
    """No record under this key; a record taken down by a moderator looks the same."""


@dataclass(frozen=True)
class OwnPage:
    """A page of our own records, greatest record key first."""

    records: tuple[Found, ...]
    cursor: str | None


def put_once(account: Account, collection: str, rkey: RecordKey, record_json: str) -> StrongRef:
    """Create a frozen record or confirm that it is there already; nothing is ever overwritten.

    Raises CallFailed: REFUSED with `error == INVALID_SWAP` when other bytes are there, UNKNOWN when it may be done.
    """
    return _put(account, collection, rkey, json.loads(record_json), None)


def put_over(
    account: Account, collection: str, rkey: RecordKey, record: Mapping[str, Any], there: str | None
) -> StrongRef:
    """Write a record over the version that was read (None: over nothing); raises CallFailed as `put_once` does."""
    return _put(account, collection, rkey, record, there)


def cid_there(conflict: CallFailed) -> str | None:
    """The CID that an InvalidSwap names as present under the key."""
    named = _THERE.search(conflict.message)
    return None if named is None or named["cid"] == "null" else named["cid"]


def read_back(account: Account, collection: str, rkey: RecordKey) -> Found | Absent:
    """What our own PDS holds under a key of ours; CallFailed, of any class, means that it cannot be told."""
    params = {"repo": account.did, "collection": collection, "rkey": rkey}
    try:
        answer = account.query("com.atproto.repo.getRecord", params)
    except CallFailed as failed:
        if failed.error != RECORD_NOT_FOUND:
            raise
        _check_own_pds(account)
        return Absent()
    return _found(answer)


def list_own(account: Account, collection: str, cursor: str | None = None, limit: int = 100) -> OwnPage:
    """One page of our own records, newest record key first; raises CallFailed, also when one record cannot be read."""
    params: dict[str, Any] = {"repo": account.did, "collection": collection, "limit": limit}
    if cursor is not None:
        params["cursor"] = cursor
    answer = account.query("com.atproto.repo.listRecords", params)
    records, after = answer.get("records"), answer.get("cursor")
    if not isinstance(records, list) or not (after is None or isinstance(after, str)):
        raise CallFailed(Failure.NOT_SENT, "the listing of our records cannot be read")
    return OwnPage(tuple(_found(record) for record in records), after or None)


def delete_record(account: Account, collection: str, rkey: RecordKey) -> None:
    """Delete a record of ours; deleting what is not there succeeds."""
    body = {"repo": account.did, "collection": collection, "rkey": rkey}
    account.procedure("com.atproto.repo.deleteRecord", body, writes=True)


def _put(account: Account, collection: str, rkey: RecordKey, record: Mapping[str, Any], there: str | None) -> StrongRef:
    body = {"repo": account.did, "collection": collection, "rkey": rkey, "record": record, "swapRecord": there}
    answer = account.procedure("com.atproto.repo.putRecord", body, writes=True)
    uri, cid = answer.get("uri"), answer.get("cid")
    if uri != _uri(account, collection, rkey) or not (isinstance(cid, str) and is_cid(cid)):
        raise CallFailed(Failure.UNKNOWN, "the answer to the put names another record")
    return StrongRef(uri=AtUri(uri), cid=cid)


def _check_own_pds(account: Account) -> None:
    """A PDS without our repository passes the question on, and the AppView's "not found" proves nothing."""
    answer = account.query("com.atproto.server.getSession")
    if answer.get("did") != account.did:
        raise CallFailed(Failure.NOT_SENT, "the PDS does not hold our repository")


def _found(answer: object) -> Found:
    match answer:
        case {"uri": str(uri), "cid": str(cid), "value": dict(value)} if is_cid(cid):
            return Found(AtUri(uri), cid, value)
    raise CallFailed(Failure.NOT_SENT, "a record of ours cannot be read")


def _uri(account: Account, collection: str, rkey: RecordKey) -> AtUri:
    return AtUri(f"at://{account.did}/{collection}/{rkey}")
