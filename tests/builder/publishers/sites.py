"""A publisher with a real bot behind it, and the public before it."""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
from pydantic import SecretStr

from bot.api.lane import lane_app
from bot.apphost import apps_app
from builder.client import BotClient
from builder.errors import ClaimLost
from builder.outcomes import Done, Outcome, Published
from builder.ports import Publisher
from builder.publishers.visitor import Patience, Visitor
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome, Claim, Report
from tests.bot.serving import client, served
from tests.bot.stage import BOT, Stage

APP = {
    "index.html": b'<!doctype html><link rel="stylesheet" href="css/a.css"><p>tick<script src="a.js"></script>',
    "a.js": b"document.title += 1",
    "css/a.css": b"p { color: teal }",
    "css/deep/icon.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"></circle></svg>',
    "more/about.html": b"about",
    "words.csv": "M\u00e1laga".encode(),
}
OTHER = {"index.html": b"<!doctype html><title>Other</title><p>tock"}
Files = Mapping[str, bytes]


@dataclass
class Site:
    """What a publisher does, told as stories; `file_url` says where the public finds a file of a version."""

    stage: Stage
    client: BotClient
    publisher: Publisher
    file_url: Callable[[Claim, str], httpx.URL]
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def claim(self) -> Claim:
        """A claim to a new ask."""
        self.stage.ask(f"timer number {next(self.numbers)}")
        claim = self.client.claim(f"claim-{next(self.numbers):026}", "template")
        assert claim is not None
        return claim

    def publish(self, claim: Claim, files: Files = APP) -> Outcome[Published]:
        return self.publisher.publish(claim, self.publisher.prepare(files, claim))

    def report(self, claim: Claim, published: Outcome[Published]) -> str:
        """The document's status once this is reported."""
        assert isinstance(published, Done)
        done, value = BuildOutcome.DONE, published.value
        report = Report(outcome=done, title="Timer", address=value.address, sha256=value.sha256, generator="template")
        return self.client.report(claim.claim_id, report).status

    def live(self, files: Files = APP) -> Claim:
        """The claim of an app that is published and reported."""
        claim = self.claim()
        assert "built" == self.report(claim, self.publish(claim, files))
        return claim

    def is_refused(self, claim: Claim, files: Files = APP) -> bool:
        try:
            return not isinstance(self.publish(claim, files), Done)
        except ClaimLost:
            return True

    def file(self, claim: Claim, name: str, **headers: str) -> httpx.Response:
        """What the public gets; names below localhost need not resolve."""
        return _got(self.file_url(claim, name), headers)

    def page(self, claim: Claim) -> httpx.Response:
        """The app's page on the bot."""
        return _got(httpx.URL(claim.address), {})

    def seen(self, claim: Claim, files: Files = APP) -> Files:
        """The files that answer."""
        answers = {name: self.file(claim, name) for name in files}
        return {name: answer.content for name, answer in answers.items() if answer.status_code == 200}

    def take_down(self, claim: Claim) -> None:
        """At the bot by whoever runs it, and where the publisher has put it."""
        self.stage.ledger.documents.withdraw(BOT, self.stage.ledger.queries.document(claim.document_id), Reason.DELETED)
        if not self.publisher.answers_gone:
            assert Done(None) == self.publisher.unpublish(claim.slug, "It was copied.")


def _got(url: httpx.URL, headers: Mapping[str, str]) -> httpx.Response:
    with httpx.Client(trust_env=False) as http:
        return http.get(url.copy_with(host="127.0.0.1"), headers={"Host": url.netloc.decode(), **headers})


@dataclass
class House:
    """A bot whose lane listener and apps listener run, and what a publisher needs of it."""

    stage: Stage
    apps_url: str
    client: BotClient
    visitor: Visitor


@contextmanager
def housed(stage: Stage, http: httpx.Client) -> Iterator[House]:
    """The bot of a stage."""
    with served(lambda port: apps_app(stage.ledger, f"http://localhost:{port}")) as apps_port:
        apps_url = f"http://localhost:{apps_port}"
        with served(lambda _: lane_app(stage.ledger, apps_url)) as port, client(port) as lane:
            yield House(stage, apps_url, BotClient(lane, SecretStr("token"), 20.0, time.monotonic), visitor_of(http))


def visitor_of(http: httpx.Client, patience: Patience | None = None) -> Visitor:
    numbers = itertools.count()
    return Visitor(http, patience or Patience(), lambda: f"fresh-{next(numbers)}")


@contextmanager
def shown(folder: Path) -> Iterator[str]:
    """The address that a plain web server shows a folder under."""
    server = _Shown(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Shown(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


class _Quiet(SimpleHTTPRequestHandler):
    # As any server's own table; that of the machine is another on each.
    extensions_map: dict[str, str] = {  # noqa: RUF012  # as the base class has it
        ".html": "text/html",
        ".css": "text/css",
        ".js": "text/javascript",
        ".svg": "image/svg+xml",
        "": "application/octet-stream",
    }

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal of the tests."""
