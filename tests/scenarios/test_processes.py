"""The real commands as processes: killed, or told to end, at the worst moment."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.holding import sole_holder
from bot.ledger.schema import migrate
from bot.sandbox.faults import Fault
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import POST_COLLECTION, StrongRef
from guardrails.transitions import Status
from tests.postgres import PostgresServer
from tests.scenarios.links import link_of
from tests.scenarios.processes import Machine, machine
from tests.scenarios.relay import relay
from tests.scenarios.world import PUT
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
NEVER = 60.0


@pytest.fixture
def here(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Machine]:
    """A machine whose bot is on the sandbox."""
    with machine(tmp_path, **on(sandbox)) as here:
        yield here


def on(sandbox: SandboxServer) -> dict[str, str]:
    """The settings of wright.test's bot."""
    return {
        "identifier": "wright.test",
        "password": "wright.test-pw",
        "pds_url": sandbox.url,
        "plc_url": f"{sandbox.url}/plc",
        "web_url": sandbox.url,
    }


def replies(network: SandboxNetwork) -> list[dict[str, Any]]:
    return network.repo(network.account("wright.test").did)


def ask(network: SandboxNetwork, text: str = "make me a pomodoro timer") -> StrongRef:
    return network.say("alice.test", f"@wright.test {text}")


def hold_the_answer(network: SandboxNetwork) -> None:
    """The next reply is stored at once, and its sender hears nothing."""
    network.faults.append(Fault(PUT, "delay", seconds=NEVER, collection=POST_COLLECTION))


def test_a_mention_is_built_by_a_lane_and_answered(here: Machine, sandbox: SandboxServer) -> None:
    """Bot and lane are processes of their own; the link in the reply leads to the app."""
    here.bot()
    here.enrol()
    lane = here.lane()
    post = ask(sandbox.network)
    document = here.document(post.uri, Status.REPLIED)

    (reply,) = replies(sandbox.network)
    page, app = here.page(f"/{document.slug}"), here.page("/~1/", app=document.slug)

    assert document.result is not None
    assert document.result.address == link_of(reply["value"])
    assert (200, 200) == (page.status_code, app.status_code)
    assert f"{document.slug}.localhost:{here.apps_port}" in page.text
    assert "pomodoro" in app.text.lower()
    assert 0 == lane.stop()


def test_a_bot_killed_between_the_send_and_its_answer_replies_once(here: Machine, sandbox: SandboxServer) -> None:
    """The next process finds the reply in the repository; so does one that starts over an empty ledger."""
    network = sandbox.network
    bot = here.bot(call_deadline_seconds="60")
    here.enrol()
    lane = here.lane()
    hold_the_answer(network)
    post = ask(network)
    until(lambda: replies(network), told=lambda: bot.said)
    bot.kill()

    bot = here.bot()
    here.document(post.uri, Status.REPLIED)
    bot.stop()
    lane.stop()
    assert 1 == len(replies(network))

    here.lose_the_ledger()
    here.bot("--since", "1h")
    here.enrol()
    here.lane()
    later = ask(network, "make me a to-do list")
    here.document(later.uri, Status.REPLIED)

    assert [later.uri, post.uri] == [reply["value"]["reply"]["parent"]["uri"] for reply in replies(network)]


def test_a_bot_told_to_end_while_it_replies_ends_in_time(here: Machine, sandbox: SandboxServer) -> None:
    """SIGTERM lets the call run to its deadline and no further; the next start settles what was sent."""
    network = sandbox.network
    bot = here.bot()
    here.enrol()
    here.lane()
    hold_the_answer(network)
    post = ask(network)
    until(lambda: replies(network), told=lambda: bot.said)

    assert 0 == bot.stop()

    here.document(post.uri, Status.BUILT)
    here.bot()
    here.document(post.uri, Status.REPLIED)

    assert 1 == len(replies(network))


def test_a_lane_killed_while_it_builds_is_followed_by_another(here: Machine, sandbox: SandboxServer) -> None:
    """The dead lane's lease runs out, the next lane takes over, and there is one reply."""
    here.bot()
    here.enrol()
    here.enrol("another", "sw_" + "u" * 43)
    post = ask(sandbox.network)
    with relay(here.lane_port, holds=b"PUT ") as before_the_bot:
        lane = here.lane(before_the_bot.url)
        assert before_the_bot.held.wait(30), lane.said
        lane.kill()
        here.lane(token="sw_" + "u" * 43)
        document = here.document(post.uri, Status.REPLIED)

    with here.ledger() as ledger:
        attempts = [(each.device, each.outcome) for each in ledger.queries.attempts(document.id)]

    assert [("lane", "lost"), ("another", "done")] == attempts
    assert 1 == len(replies(sandbox.network))


def test_a_second_bot_on_one_ledger_refuses_to_start(here: Machine) -> None:
    """It says who has it: here, the test."""
    with sole_holder(here.settings["SKYWRIGHT_DATABASE_URL"]):
        second = here.skywright("run")

        assert 4 == second.status()

    assert f"ledger.db is in use by another bot (process {os.getpid()})" in second.said


@pytest.mark.postgres
def test_on_postgresql_a_person_migrates(sandbox: SandboxServer, tmp_path: Path, pg_server: PostgresServer) -> None:
    """The bot says what to run and starts nothing; afterwards it starts, and ends when it is told to."""
    url = pg_server.create_database("ledger_of_a_process")
    with machine(tmp_path, **on(sandbox), database_url=url) as here:
        refused = here.skywright("run")
        assert 78 == refused.status()
        assert "run `skywright migrate`" in refused.said

        with here.ledger() as ledger:
            migrate(ledger.db)
        bot = here.bot()
        bot.send(signal.SIGINT)

        assert 0 == bot.status(), bot.said
    pg_server.drop_database("ledger_of_a_process")
