"""Who is who: DID documents, handles, and what the server says about itself."""

from typing import Any

from bot.sandbox.errors import XrpcError
from bot.sandbox.schema import did, handle
from bot.sandbox.state import SandboxAccount
from bot.sandbox.tokens import SERVICE_DID
from bot.sandbox.xrpc import Answer, Method, XrpcCall, query

_SIGNING_KEY = "zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N"
_BLOB_LIMIT = 5_242_880


def did_document(account: SandboxAccount, url: str) -> dict[str, Any]:
    """The account's DID document: its home is this sandbox, unless the account says otherwise."""
    method = {
        "id": f"{account.did}#atproto",
        "type": "Multikey",
        "controller": account.did,
        "publicKeyMultibase": _SIGNING_KEY,
    }
    home = {
        "id": "#atproto_pds",
        "type": "AtprotoPersonalDataServer",
        "serviceEndpoint": account.pds_url or url,
    }
    return {
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
        "id": account.did,
        "alsoKnownAs": [f"at://{account.handle}"],
        "verificationMethod": [method],
        "service": [home],
    }


def _resolve_handle(call: XrpcCall) -> Answer:
    wanted = call.param("handle", handle)
    account = call.network.state.find_account(wanted)
    if account is None or not account.active:
        own_domain = wanted.endswith(".test")
        raise XrpcError(400, "HandleNotFound" if own_domain else "InvalidRequest", "Unable to resolve handle")
    return {"did": account.did}


def _describe_server(call: XrpcCall) -> Answer:
    return {
        "did": SERVICE_DID,
        "availableUserDomains": [".test"],
        "inviteCodeRequired": False,
        "links": {},
        "contact": {},
        "blobUploadLimit": _BLOB_LIMIT,
    }


def _get_repo_status(call: XrpcCall) -> Answer:
    wanted = call.param("did", did)
    account = call.network.state.find_account(wanted)
    if account is None:
        raise XrpcError(400, "RepoNotFound", f"Could not find repo for DID: {wanted}")
    if not account.active:
        return {"did": account.did, "active": False, "status": account.status}
    return {"did": account.did, "active": True, "rev": call.network.state.repos[account.did].rev}


IDENTITY_METHODS: dict[str, Method] = {
    "com.atproto.identity.resolveHandle": query(_resolve_handle),
    "com.atproto.server.describeServer": query(_describe_server),
    "com.atproto.sync.getRepoStatus": query(_get_repo_status),
}
