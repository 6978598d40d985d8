"""The machine's clock is set while the bot runs: it says so, and goes on by the new time, whichever way it was set."""

from pathlib import Path

import pytest

from bot.sandbox.server import SandboxServer
from tests.drills.runbook import commands_of
from tests.drills.saying import PATIENCE, answers, conditions, replied, sent
from tests.drills.worlds import SetClock
from tests.scenarios.processes import Machine
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SKEWS = {"-2d": "172800 s behind", "+3d": "259200 s ahead of"}
ASKS = {"-2d": "a tip splitter", "+3d": "a dice roller", "+0": "a to-do list"}


@pytest.fixture
def clock(here: Machine, tmp_path: Path) -> SetClock:
    """The clock that the machine's programs go by."""
    clock = SetClock(tmp_path / "clock")
    here.within = clock.within
    return clock


def test_a_clock_that_is_set(here: Machine, sandbox: SandboxServer, clock: SetClock) -> None:
    """Two days back, three days ahead, and right again: everybody is answered, once, under keys that rise."""
    network = sandbox.network
    bot = here.bot()
    here.enrol()
    here.lane()
    asked = [network.say("alice.test", "@wright.test make me a pomodoro timer")]
    until(lambda: answers(network), PATIENCE, told=lambda: bot.said)
    for n, (away, what) in enumerate(ASKS.items(), start=1):
        clock.set(away)
        until(lambda n=n: n == bot.said.count("clock_jumped"), PATIENCE, told=lambda: bot.said)  # type: ignore[misc]
        if away != "+0":
            until(lambda: "clock" in conditions(here), PATIENCE, told=lambda: bot.said)
            doctor = here.skywright(*commands_of("clock-jumped")[0])
            assert 0 == doctor.status(), doctor.said
            assert f"this machine is {SKEWS[away]} the PDS" in doctor.said
        asked.append(network.say("bob.test", f"@wright.test make me {what}"))
        until(lambda: answers(network)[asked[-1].uri], PATIENCE, told=lambda: bot.said)

    until(lambda: "clock" not in conditions(here), PATIENCE, told=lambda: bot.said)
    until(lambda: len(asked) == replied(here), PATIENCE, told=lambda: bot.said)
    assert {each.uri: 1 for each in asked} == answers(network)
    minted = sent(network)
    assert sorted(minted) == minted
    assert 0 == bot.stop()
