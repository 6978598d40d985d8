"""The methods that write and read repositories."""

import re
from typing import Any

from bot.bluesky.cid import blob_cid
from bot.sandbox.errors import XrpcError, invalid_request, invalid_swap, not_authorized
from bot.sandbox.records import UNSET, Written
from bot.sandbox.schema import Check, at_identifier, boolean, cid, did, nsid, nullable, record_key, storable
from bot.sandbox.sessions import refuse_inactive
from bot.sandbox.state import Blob, SandboxAccount
from bot.sandbox.xrpc import Answer, Method, Raw, XrpcCall, procedure, query

_BODY_LIMIT = 1_000_000
_BLOB_LIMIT = 5_242_880
_IMAGES = {
    re.compile(rb"\x89PNG\r\n\x1a\n"): "image/png",
    re.compile(rb"\xff\xd8\xff"): "image/jpeg",
    re.compile(rb"GIF8"): "image/gif",
    re.compile(rb"RIFF.{4}WEBP", re.DOTALL): "image/webp",
}


def _create_record(call: XrpcCall) -> Answer:
    body = _write_body(
        call,
        {"repo": at_identifier, "collection": nsid, "record": storable},
        {"rkey": record_key, "validate": boolean, "swapCommit": cid},
    )
    owner = _own_repo(call, body)
    written = call.network.repos.create(
        owner, body["collection"], body["record"], rkey=body.get("rkey"), validate=body.get("validate")
    )
    return _outcome(written)


def _put_record(call: XrpcCall) -> Answer:
    body = _write_body(
        call,
        {"repo": at_identifier, "collection": nsid, "rkey": record_key, "record": storable},
        {"validate": boolean, "swapCommit": cid, "swapRecord": nullable(cid)},
    )
    owner = _own_repo(call, body)
    written = call.network.repos.put(
        owner,
        body["collection"],
        body["rkey"],
        body["record"],
        swap=body.get("swapRecord", UNSET),
        validate=body.get("validate"),
    )
    return _outcome(written)


def _delete_record(call: XrpcCall) -> Answer:
    body = _write_body(
        call,
        {"repo": at_identifier, "collection": nsid, "rkey": record_key},
        {"swapCommit": cid, "swapRecord": cid},
    )
    owner = _own_repo(call, body)
    commit = call.network.repos.delete(owner, body["collection"], body["rkey"], swap=body.get("swapRecord", UNSET))
    return {"commit": commit} if commit is not None else {}


def _get_record(call: XrpcCall) -> Answer:
    account = _public_repo(call)
    found = call.network.repos.get(
        account.did, call.param("collection", nsid), call.param("rkey", record_key), call.optional("cid")
    )
    return {"uri": found.uri, "cid": found.cid, "value": found.value}


def _list_records(call: XrpcCall) -> Answer:
    account = _public_repo(call)
    page = call.network.repos.page(
        account.did,
        call.param("collection", nsid),
        limit=call.number("limit", default=50, least=1, most=100),
        cursor=call.optional("cursor"),
        reverse=call.flag("reverse"),
    )
    answer: dict[str, Any] = {"records": [{"uri": it.uri, "cid": it.cid, "value": it.value} for it in page]}
    return answer | ({"cursor": page[-1].rkey} if page else {})


def _upload_blob(call: XrpcCall) -> Answer:
    caller = call.caller()
    if "/" not in call.content_type:
        raise invalid_request("Request encoding (Content-Type) required but not provided")
    if len(call.content) > _BLOB_LIMIT:
        raise XrpcError(413, "PayloadTooLarge", "request entity too large")
    sniffed = (mime for magic, mime in _IMAGES.items() if magic.match(call.content))
    blob = Blob(call.content, next(sniffed, call.content_type.partition(";")[0].strip()))
    name = blob_cid(call.content)
    call.network.state.blobs.setdefault(caller.did, {})[name] = blob
    ref = {"$type": "blob", "ref": {"$link": name}, "mimeType": blob.mime, "size": len(blob.content)}
    return {"blob": ref}


def _get_blob(call: XrpcCall) -> Answer:
    blob = call.network.state.blobs.get(call.param("did", did), {}).get(call.param("cid", cid))
    if blob is None:
        raise invalid_request("Blob not found")
    return Raw(blob.content, blob.mime)


def _write_body(call: XrpcCall, required: dict[str, Check], optional: dict[str, Check]) -> dict[str, Any]:
    if len(call.content) > _BODY_LIMIT:
        raise XrpcError(413, "PayloadTooLargeError", "request entity too large")
    call.bearer()
    return call.body(required, optional)


def _own_repo(call: XrpcCall, body: dict[str, Any]) -> str:
    caller = call.caller()
    account = call.network.state.find_account(body["repo"])
    if account is None:
        raise XrpcError(403, "AccountNotFound", "Account not found")
    refuse_inactive(account)
    if account.did != caller.did:
        raise not_authorized()
    head = call.network.state.repos[account.did].commit
    if body.get("swapCommit", head) != head:
        raise invalid_swap("Commit", head)
    return account.did


def _public_repo(call: XrpcCall) -> SandboxAccount:
    repo = call.param("repo", at_identifier)
    account = call.network.state.find_account(repo)
    if account is None or not account.active:
        raise invalid_request(f"Could not find repo: {repo}")
    return account


def _outcome(written: Written) -> dict[str, Any]:
    answer: dict[str, Any] = {"uri": written.ref.uri, "cid": written.ref.cid}
    if written.commit is not None:
        answer["commit"] = written.commit
    if written.status is not None:
        answer["validationStatus"] = written.status
    return answer


REPO_METHODS: dict[str, Method] = {
    "com.atproto.repo.createRecord": procedure(_create_record),
    "com.atproto.repo.putRecord": procedure(_put_record),
    "com.atproto.repo.deleteRecord": procedure(_delete_record),
    "com.atproto.repo.getRecord": query(_get_record),
    "com.atproto.repo.listRecords": query(_list_records),
    "com.atproto.repo.uploadBlob": procedure(_upload_blob),
    "com.atproto.sync.getBlob": query(_get_blob),
}
