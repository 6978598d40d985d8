"""The pages for people: a thread drawn as Bluesky draws it, somebody's posts, and the door to post by."""

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, JSONResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.sandbox.drawing import draw_posts, draw_thread
from bot.sandbox.errors import XrpcError
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST
from bot.sandbox.threads import get_thread
from bot.sandbox.views import profile_basic
from guardrails.documents import Shape

_CSP = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_SAFE_IMAGES = {"image/png", "image/jpeg", "image/gif"}


class Say(Shape, defer_build=False):
    """Something to post as somebody."""

    handle: str
    text: str


def pages(network: SandboxNetwork) -> APIRouter:
    """The pages, their style sheet and images, and POST /sandbox/post."""
    router = APIRouter()
    _add_thread(router, network)
    _add_feeds(router, network)
    _add_assets(router, network)
    _add_posting(router, network)
    return router


def _add_thread(router: APIRouter, network: SandboxNetwork) -> None:
    templates = _templates()

    @router.get("/profile/{actor}/post/{rkey}", response_model=None)
    def thread(actor: str, rkey: str) -> Response:
        with network.lock:
            account = network.state.find_account(actor)
            uri = f"at://{account.did if account else actor}/{POST}/{rkey}"
            try:
                posts = draw_thread(get_thread(network.state, None, uri), network.state.clock())
            except XrpcError:
                return _page(templates, "missing.html", 404, what="Post not found")
        return _page(templates, "thread.html", posts=posts)


def _add_feeds(router: APIRouter, network: SandboxNetwork) -> None:
    templates = _templates()

    @router.get("/profile/{actor}", response_model=None)
    def profile(actor: str) -> Response:
        with network.lock:
            account = network.state.find_account(actor)
            if account is None or not account.active:
                return _page(templates, "missing.html", 404, what="Profile not found")
            posts = draw_posts(network.state, [account.did])
            name = profile_basic(network.state, None, account.did).get("displayName", account.handle)
        return _page(templates, "feed.html", title=name, posts=posts)

    @router.get("/", response_model=None)
    def everything() -> Response:
        with network.lock:
            posts = draw_posts(network.state, list(network.state.accounts))
        return _page(templates, "feed.html", title="Everything", posts=posts)


def _add_assets(router: APIRouter, network: SandboxNetwork) -> None:
    style = (files("bot.sandbox") / "templates" / "sandbox.css").read_text("utf-8")

    @router.get("/sandbox/style.css", response_model=None)
    def stylesheet() -> Response:
        return Response(style, media_type="text/css")

    @router.get("/sandbox/image/{did}/{cid}", response_model=None)
    def image(did: str, cid: str) -> Response:
        with network.lock:
            blob = network.state.blobs.get(did, {}).get(cid)
        if blob is None or blob.mime not in _SAFE_IMAGES:
            return Response(status_code=404)
        return Response(blob.content, media_type=blob.mime, headers={"x-content-type-options": "nosniff"})


def _add_posting(router: APIRouter, network: SandboxNetwork) -> None:
    @router.post("/sandbox/post", response_model=None)
    def say(what: Say) -> Response:
        try:
            return JSONResponse(network.say(what.handle, what.text).model_dump())
        except KeyError:
            return JSONResponse({"error": "UnknownAccount", "message": f"Nobody here is called {what.handle}"}, 404)
        except XrpcError as refusal:
            return JSONResponse(refusal.body(), refusal.status)


def _templates() -> Environment:
    loader = PackageLoader("bot.sandbox")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _page(templates: Environment, name: str, status: int = 200, **values: object) -> HTMLResponse:
    html = templates.get_template(name).render(**values)
    return HTMLResponse(html, status, headers={"content-security-policy": _CSP})
