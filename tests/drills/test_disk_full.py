"""The disk is full at the worst moments: the bot says so, loses nothing, and goes on by itself when there is room."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from guardrails.documents import POST_COLLECTION
from tests.drills.runbook import lines_of
from tests.drills.saying import PATIENCE, answers, conditions, replied, said
from tests.drills.worlds import beside, small_disk
from tests.scenarios.processes import Machine
from tests.scenarios.world import PUT
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
FEW_MEGABYTES = "8m"


@contextmanager
def filled(ballast: Path) -> Iterator[None]:
    """Not a byte is left where this file is, for as long as the block lasts."""
    with ballast.open("ab", buffering=0) as file:
        for piece in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while True:
                    file.write(b"x" * piece)
    try:
        yield
    finally:
        ballast.unlink()


def test_a_full_disk(here: Machine, sandbox: SandboxServer) -> None:
    """It fills while an answer is on its way, and somebody asks meanwhile."""
    network, place = sandbox.network, here.folder / "disk"
    here.settings["SKYWRIGHT_DATABASE_URL"] = f"sqlite:///{place / 'ledger.db'}"
    here.within = small_disk(place, FEW_MEGABYTES)
    bot = here.bot(call_deadline_seconds="10")
    here.within = beside(bot.itself.pid)
    seen = Path(f"/proc/{bot.itself.pid}/root{place}")
    until(lambda: "disk" in conditions(here), PATIENCE, told=lambda: bot.said)

    lane_token = said(here, "devices", "add", "lane", "--role", "lane").split()[-1]
    here.lane(token=lane_token)
    network.faults.append(Fault(PUT, "delay", seconds=2, collection=POST_COLLECTION))
    first = network.say("alice.test", "@wright.test make me a pomodoro timer")
    until(lambda: answers(network), PATIENCE, told=lambda: bot.said)
    with filled(seen / "ballast"):
        second = network.say("bob.test", "@wright.test make me a tip splitter")
        until(lambda: "database or disk is full" in bot.said, PATIENCE, told=lambda: bot.said)
        doctor = here.skywright(*lines_of("disk-full")[0].removeprefix("skywright ").split())
        assert 1 == doctor.status()
        assert "fail  disk " in doctor.said
        assert not bot.has_ended

    until(lambda: answers(network)[second.uri], PATIENCE, told=lambda: bot.said)
    until(lambda: 2 == replied(here), PATIENCE, told=lambda: bot.said)
    assert {first.uri: 1, second.uri: 1} == answers(network)
    assert 0 == bot.stop()
