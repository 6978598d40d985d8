"""The real commands: a ledger is put back as it was before, or moved, and the world goes on as if nothing had been.

The bots are processes, and so is what is killed; the rest is called in this one, since most of its time is its start.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import create_engine, text

from bot.ledger.schema import migrate
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from builder.client import BotClient
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.bot.ledger.steps import new_claim_id, replied, skipped
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.deploy.front import build
from tests.postgres import PostgresServer
from tests.scenarios.processes import TOKEN, Machine, Program, machine
from tests.waiting import SECONDS, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
MANY = 120


@pytest.fixture
def here(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Machine]:
    """A machine whose bot is on the sandbox."""
    settings = {
        "identifier": "wright.test",
        "password": "wright.test-pw",
        "pds_url": sandbox.url,
        "plc_url": f"{sandbox.url}/plc",
        "web_url": sandbox.url,
    }
    with machine(tmp_path, **settings) as here:
        yield here


def done(here: Machine, *command: str) -> str:
    """What a command says, which ends well."""
    ended = Prompt(here.settings).run(*command)
    assert 0 == ended.exit_code, ended.output
    return ended.output


@contextmanager
def lane_of(here: Machine) -> Iterator[BotClient]:
    """A lane, as far as the bot sees it."""
    with httpx.Client(base_url=here.lane_url, trust_env=False) as http:
        yield BotClient(http, SecretStr(TOKEN), SECONDS, time.monotonic)


def ask(network: SandboxNetwork, handle: str, text: str) -> StrongRef:
    return network.say(handle, f"@wright.test {text}")


def answers(network: SandboxNetwork) -> Counter[str]:
    """How many replies stand under each post."""
    repo = network.repo(network.account("wright.test").did)
    return Counter(entry["value"]["reply"]["parent"]["uri"] for entry in repo)


def has_said(program: Program, words: str) -> bool:
    return words in program.said


def lane_call(here: Machine, path: str, **body: object) -> httpx.Response:
    return httpx.post(
        f"{here.lane_url}/api/lane/{path}",
        json={"api_version": 1, **body},
        headers={"Authorization": f"Bearer {TOKEN}"},
        trust_env=False,
        timeout=SECONDS,
    )


def test_a_ledger_that_is_put_back_answers_nothing_twice(here: Machine, sandbox: SandboxServer) -> None:
    """One was answered before the backup, one after it, one was being built; and each has one answer in the end."""
    network = sandbox.network
    bot = here.bot()
    here.enrol()
    first = ask(network, "alice.test", "make me a pomodoro timer")
    copy = str(here.folder / "copy.db")
    with lane_of(here) as lane:
        build(lane)
        here.document(first.uri, Status.REPLIED)
        done(here, "backup", copy)
        second = ask(network, "bob.test", "make me a to-do list")
        build(lane)
        here.document(second.uri, Status.REPLIED)
    third = ask(network, "carol.test", "make me a dice roller")
    here.document(third.uri, Status.PENDING_BUILD)
    claim = new_claim_id()
    assert 201 == lane_call(here, "claim", claim_id=claim, generator="template").status_code
    refused = Prompt(here.settings).run("restore", copy)
    assert (4, True) == (refused.exit_code, "in use by another bot" in refused.output)
    bot.stop()

    told = done(here, "restore", copy)
    here.bot()
    here.document(third.uri, Status.PENDING_BUILD)
    beat = lane_call(here, f"claims/{claim}/heartbeat", step="generate")
    report = lane_call(here, f"claims/{claim}/report", outcome="broken", generator="template")
    fourth = ask(network, "alice.test", "make me a unit converter")
    with lane_of(here) as lane:
        for _ in (third, fourth):
            build(lane)
    for post in (third, fourth):
        here.document(post.uri, Status.REPLIED)

    assert {post.uri: 1 for post in (first, second, third, fourth)} == answers(network)
    assert [(409, "claim_lost")] * 2 == [(each.status_code, each.json()["error"]) for each in (beat, report)]
    assert "moves more" in told
    assert "devices list" in told


def cut_short(here: Machine, to: str, at: str) -> None:
    """Kill a move of the ledger once it has come to a table."""
    moving = here.skywright("migrate-ledger", "--to", to)
    until(partial(has_said, moving, f"\n{at}"), told=lambda: "it did not come so far")
    moving.kill()


@pytest.mark.postgres
def test_a_ledger_moves_while_it_is_killed_again_and_again(
    here: Machine, sandbox: SandboxServer, pg_server: PostgresServer
) -> None:
    """Killed at the documents, and at what comes after them; then the bot goes on in the new place."""
    with here.ledger() as ledger:
        migrate(ledger.db)
        document = replied(ledger, "3kfirst")
        for number in range(MANY):
            skipped(ledger, f"3k{number:05}")
    here.enrol()
    name = f"moved_{uuid4().hex}"
    url = pg_server.create_database(name)
    secret = url.replace("postgres@", f"postgres:{CANARY}@")

    cut_short(here, secret, "documents:")
    engine = create_engine(url)
    with engine.begin() as held:
        # It stands before the history for as long as this is held, however quick the machine is.
        held.execute(text("LOCK TABLE moves"))
        cut_short(here, secret, "moves:")
    engine.dispose()
    said = done(here, "migrate-ledger", "--to", secret)
    late = here.skywright("run")
    assert (78, True) == (late.status(), "has moved to" in late.said), late.said

    assert CANARY not in said + late.said

    here.settings["SKYWRIGHT_DATABASE_URL"] = url
    here.bot()
    post = ask(sandbox.network, "bob.test", "make me a to-do list")
    with lane_of(here) as lane:
        build(lane)
    here.document(post.uri, Status.REPLIED)
    with here.ledger() as moved:
        assert MANY + 2 == sum(moved.pages.counts().values())
        found = moved.queries.document(document.id)
        assert (document.slug, document.page, document.result) == (found.slug, found.page, found.result)
    assert {post.uri: 1} == answers(sandbox.network)
    here.end()
    pg_server.drop_database(name)
