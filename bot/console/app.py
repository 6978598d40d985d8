"""The console as an app of its own, to be mounted at /console on the admin listener."""

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from fastapi import FastAPI

from bot.console.audit import audit_routes
from bot.console.bulk import bulk_routes
from bot.console.charts import charts_routes
from bot.console.console import Console
from bot.console.devices import devices_routes
from bot.console.document import document_routes
from bot.console.documents import documents_routes
from bot.console.drawing import Drawing
from bot.console.lanes import lanes_routes
from bot.console.now import now_routes
from bot.console.parked import parked_routes
from bot.console.patience import Patience
from bot.console.problems import answer_with_pages
from bot.console.rules import rules_routes
from bot.console.sends import sends_routes
from bot.console.sessions import sessions_routes
from bot.console.signing_in import sign_in_routes
from bot.console.statics import Statics
from bot.console.stream import BEAT_SECONDS, at_the_door, last_routes, stream_routes
from bot.console.visits import Cookies, Door
from bot.follower import Follower
from bot.ledger.ledger import Ledger
from bot.operations.port import Operations
from guardrails.access import Caller
from guardrails.rules import Rules


def console_app(
    ledger: Ledger,
    operations_for: Callable[[Caller], Operations],
    rules: Callable[[], Rules],
    admin_address: str,
    follower: Follower,
    steady: Callable[[], float] = time.monotonic,
    beat_seconds: float = BEAT_SECONDS,
) -> FastAPI:
    """The console for operators who reach the admin listener at an address, by https or from this machine.

    Its streams look every `beat_seconds` whether their session still stands.
    """
    address = urlsplit(admin_address)
    cookies = Cookies(secure=address.scheme == "https")
    statics = Statics()
    drawing = Drawing(statics)
    door = Door(ledger.consoles, operations_for, cookies, frozenset({address.netloc.lower()}))
    console = Console(ledger, rules, door, drawing)
    app = FastAPI(title="Skywright console", openapi_url=None, redirect_slashes=False)
    answer_with_pages(app, drawing, door)
    app.include_router(statics.routes())
    app.include_router(sign_in_routes(console, Patience(steady)))
    for pages in (now_routes, lanes_routes, devices_routes, rules_routes, audit_routes, sessions_routes):
        app.include_router(pages(console))
    for pages in (last_routes, documents_routes, parked_routes, charts_routes):
        app.include_router(pages(console))
    for doing in (bulk_routes, document_routes, sends_routes):
        app.include_router(doing(console, follower))
    app.include_router(stream_routes(at_the_door(door), follower, ledger.feed.last, beat_seconds))
    return app
