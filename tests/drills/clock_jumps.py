"""The machine's clock is set while the bot runs: it says so, and goes on by the new time, whichever way it was set.

It takes half a minute: a clock that can be set costs. `make drills` runs it.
"""

import re
from pathlib import Path

import pytest

from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.drills.runbook import commands_of
from tests.drills.saying import PATIENCE, answers, conditions, replied, said, sent
from tests.drills.worlds import SetClock
from tests.scenarios.processes import Machine
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def clock(here: Machine, tmp_path: Path) -> SetClock:
    """The clock that the machine's programs go by."""
    clock = SetClock(tmp_path / "clock")
    here.within = clock.within
    return clock


def test_a_clock_that_is_set(here: Machine, sandbox: SandboxServer, clock: SetClock) -> None:
    """Two days back, three days ahead, and right again: everybody is answered, once, under keys that rise.

    What is asked while the clock is ahead looks days old, so that its reply waits for a person, as the runbook says.
    """
    network = sandbox.network
    bot = here.bot()
    here.enrol()
    here.lane()

    def ask(text: str) -> StrongRef:
        return network.say("alice.test", f"@wright.test make me {text}")

    def answered(post: StrongRef) -> bool:
        return until(lambda: bool(answers(network)[post.uri]), PATIENCE, told=lambda: bot.said)

    def set_to(away: str, jumps: int) -> None:
        clock.set(away)
        until(lambda: jumps == bot.said.count("clock_jumped"), PATIENCE, told=lambda: bot.said)
        until(lambda: (away == "+0") != ("clock" in conditions(here)), PATIENCE, told=lambda: bot.said)

    before = ask("a pomodoro timer")
    answered(before)
    set_to("-2d", jumps=1)
    behind = ask("a tip splitter")
    answered(behind)
    set_to("+3d", jumps=2)
    doctor = here.skywright(*commands_of("clock-jumped")[0])
    assert 0 == doctor.status(), doctor.said
    ahead = ask("a dice roller")
    until(lambda: "72 hours old" in bot.said, PATIENCE, told=lambda: bot.said)
    set_to("+0", jumps=3)
    held = here.document(ahead.uri, Status.BUILT)
    *_, approve = commands_of("clock-jumped", ID=str(held.id))
    said(here, *approve)
    answered(ahead)
    after = ask("a to-do list")
    answered(after)

    until(lambda: 4 == replied(here), PATIENCE, told=lambda: bot.said)
    # A Date header names whole seconds, and the answer was on its way.
    assert re.search(r"clock +this machine is 25920[0-2] s ahead of the PDS", doctor.said)
    assert {each.uri: 1 for each in (before, behind, ahead, after)} == answers(network)
    minted = sent(network)
    assert sorted(set(minted)) == minted
    assert 0 == bot.stop()
