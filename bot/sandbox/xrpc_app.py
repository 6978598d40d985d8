"""The XRPC endpoint: finds the method, runs it with the network's lock held, and writes its answer or error."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from bot.sandbox.appview_routes import APPVIEW_METHODS
from bot.sandbox.errors import XrpcError, invalid_request
from bot.sandbox.identity import IDENTITY_METHODS
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.repo_routes import REPO_METHODS
from bot.sandbox.session_routes import SESSION_METHODS
from bot.sandbox.xrpc import Answer, Raw, XrpcCall

METHODS = SESSION_METHODS | REPO_METHODS | IDENTITY_METHODS | APPVIEW_METHODS


def xrpc(network: SandboxNetwork, url: str | None) -> APIRouter:
    """The routes under /xrpc; each is over at once, so that none needs a thread of its own."""
    router = APIRouter()

    @router.get("/xrpc/_health")
    async def health() -> dict[str, str]:
        return {"version": "sandbox"}

    @router.api_route("/xrpc/{nsid}", methods=["GET", "POST"], response_model=None)
    async def call(nsid: str, request: Request) -> Response:
        asked = XrpcCall(
            network=network,
            nsid=nsid,
            params={key: request.query_params.getlist(key) for key in request.query_params},
            content=await request.body(),
            content_type=request.headers.get("content-type", ""),
            authorization=request.headers.get("authorization"),
            url=url or f"{request.url.scheme}://{request.url.netloc}",
        )
        try:
            return _response(_run(asked, request.method))
        except XrpcError as refusal:
            return JSONResponse(refusal.body(), refusal.status, headers=refusal.headers)

    return router


def _run(call: XrpcCall, verb: str) -> Answer:
    method = METHODS.get(call.nsid)
    if method is None:
        raise XrpcError(501, "MethodNotImplemented", "Method Not Implemented")
    if verb != method.verb:
        raise invalid_request(f"Incorrect HTTP method ({verb}) expected {method.verb}")
    with call.network.lock:
        return method.run(call)


def _response(answer: Answer) -> Response:
    if answer is None:
        return Response()
    if isinstance(answer, Raw):
        headers = {"content-security-policy": "default-src 'none'; sandbox", "x-content-type-options": "nosniff"}
        return Response(answer.content, media_type=answer.media_type, headers=headers)
    return JSONResponse(answer)
