"""A lane listener in a process of its own: python -m tests.bench.lane_server ours|floor PORT URL.

Ours is the bot's own listener. The floor is a bare endpoint that runs the same statements: they are taped once, from
one ask that waits.
"""

import asyncio
import json
import secrets
import signal
import sys
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.api.lane import lane_app
from bot.clock import Clock
from bot.ledger.engine import Database
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.listeners import Listener
from bot.logs import configure_logs
from bot.metrics.calls import CountedCalls
from bot.metrics.counting import Metrics
from guardrails.wire import ClaimRequest
from tests.bench.lane_cycle import APPS_URL, BUNDLE, TOKEN, report_of
from tests.bench.replay import Statement, recorded
from tests.bench.taped import Player
from tests.ledger_fixtures import slug_for

# As many as the framework of ours gives to calls.
THREADS = 40
TAPED_CLAIM = "claim-of-the-tape-00000000"
JSON_TYPE = [(b"content-type", b"application/json")]


@dataclass(frozen=True)
class Call:
    """What one call ran and answered."""

    tape: Sequence[Statement]
    status: int
    answer: str


class Floor:
    """Answers as the bot did when it was taped, with the texts of this claim: no framework, no objects."""

    def __init__(self, db: Database, calls: Mapping[str, Call], document: str, slug: str) -> None:
        self._player = Player(db)
        self._calls = calls
        self._document = document
        self._slug = slug
        self._claimed: dict[str, dict[str, str]] = {}
        self._threads = ThreadPoolExecutor(THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, run the statements in a thread, answer."""
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        name = scope["path"].rpartition("/")[2]
        # Every claim id is as long as this one; in a claim itself it stands in the body.
        claim_id = body.partition(b'"claim_id":"')[2][:26].decode() if name == "claim" else scope["path"].split("/")[4]
        loop = asyncio.get_running_loop()
        status, answer = await loop.run_in_executor(self._threads, self._run, name, claim_id)
        await send({"type": "http.response.start", "status": status, "headers": JSON_TYPE})
        await send({"type": "http.response.body", "body": answer})

    def _run(self, name: str, claim_id: str) -> tuple[int, bytes]:
        call = self._calls[name]
        instead = self._claimed.setdefault(
            claim_id, {TAPED_CLAIM: claim_id, self._slug: f"{self._slug}{secrets.token_hex(8)}"}
        )
        for rows in self._player.play(call.tape, instead):
            if name == "claim" and self._document not in instead:
                found = [cell for row in rows for cell in row if str(cell).startswith("mention:")]
                instead |= {self._document: found[0]} if found else {}
        answer = call.answer
        for was, becomes in instead.items():
            answer = answer.replace(was, becomes)
        return call.status, answer.encode()


def floor_of(ledger: Ledger) -> Floor:
    """The floor over a ledger in which two asks wait, which are used up."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces that another client will take its place
        http = TestClient(lane_app(ledger, APPS_URL), headers={"Authorization": f"Bearer {TOKEN}"})
    # The first one notes that the lane came by, which is not noted again for a while.
    one_taped(ledger, http, "claim-before-the-tape-0000")
    calls = one_taped(ledger, http, TAPED_CLAIM)
    claim = json.loads(calls["claim"].answer)
    return Floor(ledger.db, calls, claim["document_id"], claim["slug"])


def one_taped(ledger: Ledger, http: TestClient, claim_id: str) -> dict[str, Call]:
    """Claim, upload and report one ask; what each of them ran and answered."""
    calls: dict[str, Call] = {}

    def call(name: str, method: str, path: str, content: bytes | str) -> str:
        with recorded(ledger) as tape:
            answered = http.request(method, f"/api/lane/{path}", content=content)
        assert answered.is_success, answered.text
        calls[name] = Call(tape, answered.status_code, answered.text)
        return answered.text

    request = ClaimRequest(claim_id=claim_id, generator="template")
    address = json.loads(call("claim", "POST", "claim", request.model_dump_json()))["address"]
    call("bundle", "PUT", f"claims/{claim_id}/bundle", BUNDLE)
    call("report", "POST", f"claims/{claim_id}/report", report_of(address).model_dump_json())
    return calls


def serve(kind: str, port: int, url: str) -> None:
    """Serve until somebody ends the process."""
    configure_logs("json")
    ledger = open_ledger(url, Clock(), LedgerPolicy(), slug_for)
    app: ASGIApp
    if kind == "ours":
        app = CountedCalls(lane_app(ledger, APPS_URL), "lane", Metrics(CollectorRegistry()))
    else:
        app = floor_of(ledger)
    listener = Listener("lane", app, f"127.0.0.1:{port}")
    listener.start()
    signal.sigwait({signal.SIGTERM})
    listener.stop()
    ledger.close()


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3])
