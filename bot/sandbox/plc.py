"""The PLC directory under /plc, and the handle resolution of each account's own host name."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from bot.sandbox.identity import did_document
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.times import iso


def plc(network: SandboxNetwork, url: str | None) -> APIRouter:
    """The directory, as far as it is used, and the well-known address that names the DID of a handle."""
    router = APIRouter()

    @router.get("/plc/{did}", response_model=None)
    async def document(did: str, request: Request) -> Response:
        with network.lock:
            account = network.state.accounts.get(did)
            if account is None:
                return JSONResponse({"message": f"DID not registered: {did}"}, 404)
            if account.status == "deleted":
                return JSONResponse({"message": f"DID not available: {did}"}, 410)
            home = url or f"{request.url.scheme}://{request.url.netloc}"
            return JSONResponse(did_document(account, home), media_type="application/did+ld+json")

    @router.get("/plc/{did}/log/audit", response_model=None)
    async def log(did: str) -> Response:
        with network.lock:
            account = network.state.accounts.get(did)
            if account is None:
                return JSONResponse({"message": f"DID not registered: {did}"}, 404)
            operation = {"type": "plc_operation", "prev": None, "alsoKnownAs": [f"at://{account.handle}"]}
            first = {"did": did, "operation": operation, "nullified": False, "createdAt": iso(account.created_at)}
            return JSONResponse([first])

    @router.get("/.well-known/atproto-did", response_model=None)
    async def handle(request: Request) -> Response:
        with network.lock:
            account = network.state.find_account(request.url.hostname or "")
            return PlainTextResponse(account.did) if account is not None else PlainTextResponse("", 404)

    return router
