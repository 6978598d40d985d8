"""The repositories: writing, reading and listing records as a PDS does."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bot.bluesky.cid import cid_of
from bot.sandbox.errors import XrpcError, internal_error, invalid_request, invalid_swap
from bot.sandbox.happenings import Happenings
from bot.sandbox.lexicon import BadRecord, check_key, check_record
from bot.sandbox.state import LIKE, POST, Repo, State, StoredRecord, parent_of, root_of, subject_of
from bot.sandbox.views import may_reply
from guardrails.documents import AtUri, StrongRef
from guardrails.tid import TidClock

REPLY_NOTICE_DEPTH = 4


class Unset:
    """Stands for a swapRecord that the caller did not send; None means "must not be there"."""


UNSET = Unset()


class Written(NamedTuple):
    """The outcome of a write; `commit` is None when nothing changed, `status` when nothing was validated."""

    ref: StrongRef
    commit: dict[str, str] | None
    status: str | None


class Repositories:
    """Every write to and read from the repositories; the caller holds the network's lock."""

    def __init__(self, state: State, tids: TidClock, happenings: Happenings) -> None:
        self._state = state
        self._tids = tids
        self._happenings = happenings

    def open_repo(self, did: str) -> None:
        """An empty repository for a new account."""
        rev = self._tids.mint()
        self._state.repos[did] = Repo(commit=cid_of({"did": did, "rev": rev}), rev=rev)

    def create(
        self,
        did: str,
        collection: str,
        value: Mapping[str, Any],
        *,
        rkey: str | None = None,
        validate: bool | None = None,
    ) -> Written:
        """Add a record; a key that is taken is the real server's 500, which tells nothing."""
        record, status = self._prepared(did, collection, rkey or self._tids.mint(), value, validate)
        if record.rkey in self._state.repos[did].collection(collection):
            raise internal_error()
        if collection == LIKE:
            self._drop_same_like(did, record)
        return self._store(did, collection, record, status)

    def put(
        self,
        did: str,
        collection: str,
        rkey: str,
        value: Mapping[str, Any],
        *,
        swap: str | Unset | None = UNSET,
        validate: bool | None = None,
    ) -> Written:
        """Write under this key: same bytes change nothing, others overwrite unless `swap` expects something else."""
        record, status = self._prepared(did, collection, rkey, value, validate)
        there = self._state.repos[did].collection(collection).get(rkey)
        if there is not None and there.cid == record.cid:
            return Written(_ref(there), None, status)
        cid_there = there.cid if there else None
        if not isinstance(swap, Unset) and swap != cid_there:
            raise invalid_swap("Record", cid_there)
        if there is not None:
            record.indexed_at, record.taken_down = there.indexed_at, there.taken_down
        return self._store(did, collection, record, status)

    def delete(
        self, did: str, collection: str, rkey: str, *, swap: str | Unset | None = UNSET
    ) -> dict[str, str] | None:
        """Remove a record and the blobs that only it used; the commit, or None when there was nothing to remove."""
        repo = self._state.repos[did]
        there = repo.collection(collection).get(rkey)
        if there is None:
            return None
        if not isinstance(swap, Unset) and swap != there.cid:
            raise invalid_swap("Record", there.cid)
        del repo.collection(collection)[rkey]
        still_used = {cid for kept in self._all_records(did) for cid in _blob_cids(kept.value)}
        for cid in _blob_cids(there.value):
            if cid not in still_used:
                self._state.blobs.get(did, {}).pop(cid, None)
        commit = self._commit(did, {"deleted": there.uri})
        self._happenings.commit(did, commit["rev"], "delete", collection, rkey)
        return commit

    def get(self, did: str, collection: str, rkey: str, cid: str | None = None) -> StoredRecord:
        """The record, for anybody; RecordNotFound also for another version and for one that was taken down."""
        record = self._state.repos[did].collection(collection).get(rkey)
        if record is None or record.taken_down or (cid is not None and cid != record.cid):
            uri = f"at://{did}/{collection}/{rkey}"
            raise XrpcError(400, "RecordNotFound", f"Could not locate record: {uri}")
        return record

    def page(
        self, did: str, collection: str, *, limit: int = 50, cursor: str | None = None, reverse: bool = False
    ) -> list[StoredRecord]:
        """Up to `limit` records by record key, the greatest first, beyond the cursor."""
        records = [record for record in self._state.repos[did].collection(collection).values() if not record.taken_down]
        records.sort(key=lambda record: record.rkey, reverse=not reverse)
        if cursor is not None:
            records = [record for record in records if (record.rkey > cursor if reverse else record.rkey < cursor)]
        return records[:limit]

    def take_down(self, uri: str, *, undo: bool = False) -> None:
        """The moderators hide a record: it reads as not found, yet its key stays taken; KeyError when there is none."""
        record = self._state.find_record(uri)
        if record is None:
            raise KeyError(uri)
        record.taken_down = not undo

    def index_everything(self) -> None:
        """The AppView catches up: what was written while it stood still is indexed now."""
        for did in self._state.repos:
            for record in self._all_records(did):
                if record.indexed_at is None:
                    self._index(record)

    def _prepared(
        self, did: str, collection: str, rkey: str, value: Mapping[str, Any], validate: bool | None
    ) -> tuple[StoredRecord, str | None]:
        filled = _well_formed({**value, "$type": value.get("$type", collection)})
        if filled["$type"] != collection:
            raise invalid_request(f"Invalid $type: expected {collection}, got {filled['$type']}")
        status = _validation_status(collection, rkey, filled, validate)
        try:
            cid = cid_of(filled)
        except ValueError as problem:
            raise invalid_request(f"Invalid {collection} record: {problem}") from problem
        for blob in _blobs(filled):
            self._check_blob(did, blob)
        uri = f"at://{did}/{collection}/{rkey}"
        return StoredRecord(uri, cid, filled, valid=_is_indexable(collection, rkey, filled)), status

    def _check_blob(self, did: str, named: Mapping[str, Any]) -> None:
        cid = named["ref"]["$link"]
        blob = self._state.blobs.get(did, {}).get(cid)
        if blob is None:
            raise XrpcError(400, "BlobNotFound", f"Could not find blob: {cid}")
        for error, what, there, said in (
            ("InvalidMimeType", "Mimetype", blob.mime, named.get("mimeType")),
            ("InvalidSize", "Size", len(blob.content), named.get("size")),
        ):
            if said != there:
                message = f"Referenced {what} does not match stored blob. Expected: {there}, Got: {said}"
                raise XrpcError(400, error, message)

    def _store(self, did: str, collection: str, record: StoredRecord, status: str | None) -> Written:
        there = self._state.repos[did].collection(collection)
        operation = "update" if record.rkey in there else "create"
        there[record.rkey] = record
        if self._state.indexing:
            self._index(record)
        commit = self._commit(did, {"uri": record.uri, "cid": record.cid})
        more = {"record": record.value, "cid": record.cid}
        self._happenings.commit(did, commit["rev"], operation, collection, record.rkey, **more)
        return Written(_ref(record), commit, status)

    def _index(self, record: StoredRecord) -> None:
        record.indexed_at = record.indexed_at or self._state.clock()
        record.ancestors = tuple(self._ancestors(record))
        root = root_of(record.value)
        record.breaks_gate = root is not None and not may_reply(self._state, record.did, root)

    def _ancestors(self, record: StoredRecord) -> Iterator[str]:
        uri = parent_of(record.value)
        for _ in range(REPLY_NOTICE_DEPTH):
            parent = self._state.find_record(uri) if uri else None
            if parent is None or not parent.valid or parent.indexed_at is None:
                return
            yield parent.uri
            uri = parent_of(parent.value)

    def _commit(self, did: str, change: Mapping[str, str]) -> dict[str, str]:
        repo = self._state.repos[did]
        repo.rev = self._tids.mint()
        repo.commit = cid_of({"did": did, "rev": repo.rev, "prev": repo.commit, "change": dict(change)})
        return {"cid": repo.commit, "rev": repo.rev}

    def _drop_same_like(self, did: str, like: StoredRecord) -> None:
        likes = self._state.repos[did].collection(LIKE)
        for other in list(likes.values()):
            if subject_of(other.value) == subject_of(like.value):
                del likes[other.rkey]

    def _all_records(self, did: str) -> Iterator[StoredRecord]:
        for records in self._state.repos[did].records.values():
            yield from records.values()


def _well_formed(value: Any) -> Any:
    """The same with U+FFFD for every lone surrogate, which UTF-8 cannot hold."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {key: _well_formed(inner) for key, inner in value.items()}
        case list():
            return [_well_formed(inner) for inner in value]
    return value


def _ref(record: StoredRecord) -> StrongRef:
    return StrongRef(uri=AtUri(record.uri), cid=record.cid)


def _validation_status(collection: str, rkey: str, value: Mapping[str, Any], validate: bool | None) -> str | None:
    if validate is False:
        return None
    try:
        check_key(collection, rkey)
        known = check_record(collection, value)
    except BadRecord as problem:
        raise invalid_request(str(problem)) from problem
    if validate and not known:
        raise invalid_request(f"Unknown lexicon type: {collection}")
    return "valid" if known else "unknown"


def _is_indexable(collection: str, rkey: str, value: Mapping[str, Any]) -> bool:
    try:
        check_key(collection, rkey)
        check_record(collection, value)
    except BadRecord:
        return False
    parent = parent_of(value)
    return collection != POST or parent is None or parent.startswith("at://did:")


def _blob_cids(value: object) -> Iterator[str]:
    return (blob["ref"]["$link"] for blob in _blobs(value))


def _blobs(value: object) -> Iterator[dict[str, Any]]:
    match value:
        case {"$type": "blob", "ref": {"$link": str()}} if isinstance(value, dict):
            yield value
        case Mapping():
            for inner in value.values():
                yield from _blobs(inner)
        case list():
            for inner in value:
                yield from _blobs(inner)
