"""Names do not resolve any more: the bot says so, serves what it can, and goes on by itself once they do."""

import pytest

from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from tests.drills.runbook import commands_of
from tests.drills.saying import PATIENCE, answers, replied
from tests.drills.worlds import beside, names
from tests.scenarios.processes import Machine
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
HOSTS = "127.0.0.1 localhost pds.localhost plc.localhost\n"


def test_no_name_resolves(here: Machine, sandbox: SandboxServer) -> None:
    """Neither the PDS's nor the directory's: at the start, and while the bot runs."""
    network = sandbox.network
    hosts = here.folder / "hosts"
    port = sandbox.url.rpartition(":")[2]
    here.settings |= {
        "SKYWRIGHT_PDS_URL": f"http://pds.localhost:{port}",
        "SKYWRIGHT_PLC_URL": f"http://plc.localhost:{port}/plc",
    }
    hosts.write_text("127.0.0.1 localhost\n")
    here.within = names(hosts)
    bot = here.bot()
    here.within = beside(bot.itself.pid)
    until(lambda: "not_logged_in" in bot.said, PATIENCE, told=lambda: bot.said)
    hosts.write_text(HOSTS)
    here.enrol()
    here.lane()
    first = network.say("alice.test", "@wright.test make me a pomodoro timer")
    until(lambda: answers(network)[first.uri], PATIENCE, told=lambda: bot.said)

    hosts.write_text("127.0.0.1 localhost\n")
    network.faults.append(Fault("*", "drop_request", times=20))
    second = network.say("bob.test", "@wright.test make me a tip splitter")
    doctor = here.skywright(*commands_of("dns-gone")[0])
    assert 1 == doctor.status()
    until(lambda: "no connection" in bot.said.rpartition("answered")[2], PATIENCE, told=lambda: bot.said)
    page = here.page("/health")
    hosts.write_text(HOSTS)
    until(lambda: answers(network)[second.uri], PATIENCE, told=lambda: bot.said)

    until(lambda: 2 == replied(here), PATIENCE, told=lambda: bot.said)
    assert {first.uri: 1, second.uri: 1} == answers(network)
    assert "fail  pds " in doctor.said
    assert 200 == page.status_code
    assert 0 == bot.stop()
