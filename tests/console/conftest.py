"""A served console over the ledger of a test, on both databases, and whoever is signed in to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from playwright.sync_api import Page
from starlette.routing import BaseRoute

from bot.api.app import admin_app
from bot.console.app import console_app
from bot.errors import NoSuchDocument
from bot.follower import Follower
from bot.jobs.board import JobBoard
from bot.jobs.reload import reload_rules
from bot.ledger.ledger import Ledger
from bot.operations.acting import Means, Network
from bot.operations.local import local_operations
from bot.operations.port import Operations
from bot.operations.reading import Around
from bot.outgoing import Failed
from bot.rules import RulesFile
from bot.tokens import new_session, new_token
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId
from tests.bot.serving import served
from tests.clock import Clock
from tests.console.visitors import COOKIE, Visitor, visitor
from tests.mentions import OPERATOR

BEAT_SECONDS = 0.3
APPS_URL = "http://apps.localhost:8100"


@dataclass(frozen=True)
class Served:
    """A console at a port, and the ledger below it."""

    port: int
    ledger: Ledger
    rules: RulesFile
    routes: list[tuple[str, set[str]]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/console"

    def token(self, role: Role) -> str:
        """The token of a new device."""
        token = new_token()
        name = DeviceId(f"{role.value}-{len(self.ledger.desk.devices()) + 1}")
        self.ledger.desk.add_device(OPERATOR, name, "Olga's phone", role, "", token)
        return token

    def session(self, role: Role) -> str:
        """The secret of a new session of a new device."""
        device = self.ledger.desk.device_of_token(self.token(role))
        name, secret = new_session()
        assert device is not None
        assert self.ledger.consoles.sign_in(device, name, secret)
        return secret

    def let_in(self, page: Page, role: Role = Role.OPERATOR) -> Page:
        """A browser's page whose profile is signed in."""
        page.context.add_cookies([{"name": COOKIE, "value": self.session(role), "url": self.url}])
        return page


def flat(routes: Sequence[BaseRoute]) -> Iterator[tuple[str, set[str]]]:
    """Path and methods of every route, those of routers that are included among them."""
    for route in routes:
        within = getattr(route, "original_router", None)
        if within is not None:
            yield from flat(within.routes)
            continue
        assert isinstance(route, APIRoute), route
        yield route.path, route.methods or set()


@pytest.fixture
def rules() -> RulesFile:
    """The rules in force; a test that wants a file has a fixture of this name of its own."""
    return RulesFile(None)


@dataclass
class Outside:
    """What is beyond the bot: nothing, until a test puts it there. `takes` tells what an alert channel does."""

    network: Network | None = None
    takes: Callable[[], Failed | None] | None = None

    def asked(self) -> Network:
        if self.network is None:
            raise NoSuchDocument("there is no network in this test")
        return self.network


@pytest.fixture
def outside() -> Outside:
    return Outside()


@pytest.fixture
def operations_for(ledger: Ledger, rules: RulesFile, outside: Outside) -> Callable[[Caller], Operations]:
    """What callers may see and do, over the ledger of the test; no handle is looked up anywhere."""

    def operations(caller: Caller) -> Operations:
        has_channel = outside.takes is not None
        around = Around(APPS_URL, rules, lambda _: None, timedelta(minutes=30), has_channel=has_channel)
        means = Means(outside.asked, lambda caller: reload_rules(rules, ledger, caller).version)
        return local_operations(ledger, caller, around, replace(means, try_alerts=outside.takes or means.try_alerts))

    return operations


@pytest.fixture
def steady() -> Clock:
    """The clock of the jobs, and of the console's patience with wrong tokens."""
    return Clock()


@pytest.fixture
def follower(ledger: Ledger) -> Iterator[Follower]:
    """Who reads the history for the streams, much more often than in a bot."""
    follower = Follower(ledger.feed, 0.02)
    follower.start()
    yield follower
    follower.stop()


@pytest.fixture
def console(
    ledger: Ledger,
    rules: RulesFile,
    operations_for: Callable[[Caller], Operations],
    follower: Follower,
    steady: Clock,
) -> Iterator[Served]:
    routes: list[tuple[str, set[str]]] = []

    def build(port: int) -> FastAPI:
        url, patience = f"http://127.0.0.1:{port}", lambda: steady().timestamp()
        app = console_app(ledger, operations_for, rules, url, follower, patience, BEAT_SECONDS)
        routes.extend(flat(app.routes))
        return admin_app(ledger, JobBoard(steady), steady, rules, console=app)

    with served(build) as port:
        yield Served(port, ledger, rules, routes)


@pytest.fixture
def operator(console: Served) -> Iterator[Visitor]:
    """An operator who is signed in."""
    with visitor(console.port, console.session(Role.OPERATOR)) as operator:
        yield operator


@pytest.fixture
def viewer(console: Served) -> Iterator[Visitor]:
    """A viewer who is signed in."""
    with visitor(console.port, console.session(Role.VIEWER)) as viewer:
        yield viewer


@pytest.fixture
def nobody(console: Served) -> Iterator[Visitor]:
    """Somebody who is not signed in."""
    with visitor(console.port) as nobody:
        yield nobody
