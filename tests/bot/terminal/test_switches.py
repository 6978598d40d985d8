"""Pausing and resuming."""

import pytest

from bot.errors import ClaimLost
from bot.ledger.ledger import Ledger
from bot.terminal.opening import operator
from guardrails.switches import Switch
from guardrails.transitions import Reason
from tests.bot.ledger.steps import building, built, claim_id_of, now_of
from tests.bot.terminal.prompt import Prompt
from tests.mentions import LANE

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def last_device(ledger: Ledger) -> str:
    return ledger.feed.after(ledger.feed.last() - 1, 1)[0].device


def paused(ledger: Ledger) -> set[Switch]:
    return {switch for switch, *_ in ledger.desk.switches_on()}


def test_one_kind_of_work_is_paused_with_the_reason(prompt: Prompt, ledger: Ledger) -> None:
    """Who did it and why is there for the next person."""
    lines = prompt.lines("pause", "builds", "--why", "the purse is empty")

    ((switch, device, why, _),) = ledger.desk.switches_on()
    assert (Switch.PAUSE_BUILDS, "the purse is empty") == (switch, why)
    assert device.startswith("cli:")
    assert [["ingest", "runs"], ["builds", "paused"], ["replies", "runs"]] == [
        line.split("\t")[:2] for line in lines[1:]
    ]


def test_all_of_it(prompt: Prompt, ledger: Ledger) -> None:
    """And back, one by one or at once."""
    prompt.run("pause", "all", "--why", "moving")
    assert set(Switch) == paused(ledger)

    prompt.run("resume", "replies")
    assert set(Switch) - {Switch.PAUSE_REPLIES} == paused(ledger)

    prompt.run("resume", "all")
    assert set() == paused(ledger)


def test_a_pause_needs_its_reason(prompt: Prompt, ledger: Ledger) -> None:
    """Nothing is paused without one."""
    result = prompt.run("pause", "all")

    assert 2 == result.exit_code
    assert "--why" in result.stderr
    assert set() == paused(ledger)


def test_pause_alone_shows_the_switches(prompt: Prompt, ledger: Ledger) -> None:
    """And changes none."""
    lines = prompt.lines("pause")

    assert ["runs"] * 3 == [line.split("\t")[1] for line in lines[1:]]
    assert set() == paused(ledger)


def test_in_a_hurry_one_word_pauses_everything(prompt: Prompt, ledger: Ledger) -> None:
    """Nobody has to think of a reason first; with one, it is kept."""
    prompt.lines("pause", "--all")
    assert set(Switch) == paused(ledger)
    assert {"(no reason was given)"} == {why for _, _, why, _ in ledger.desk.switches_on()}

    prompt.run("resume", "all")
    prompt.lines("pause", "--all", "--why", "fire")
    assert {"fire"} == {why for _, _, why, _ in ledger.desk.switches_on()}


def test_what_a_lane_is_building_goes_on(prompt: Prompt, ledger: Ledger) -> None:
    """A pause alone takes nothing from anybody."""
    under_way = building(ledger).document

    prompt.lines("pause", "builds", "--why", "the purse")

    assert under_way == now_of(ledger, under_way)


@pytest.mark.parametrize("what", [["builds"], ["all"], ["--all"]])
def test_builds_are_taken_from_their_lanes_at_once(prompt: Prompt, ledger: Ledger, what: list[str]) -> None:
    """Each lane hears it at its next heartbeat; the builds wait, and are not counted as failed."""
    one, two = building(ledger), building(ledger, "3ktwo")

    result = prompt.run("pause", *what, "--now", "--why", "a bad model")

    assert 0 == result.exit_code
    for claimed in (one, two):
        assert f"{claimed.document.id}: taken from its lane, to be built again" in result.stderr
        now = now_of(ledger, claimed.document)
        assert (None, 0, Reason.PAUSED, operator().device) == (
            now.claim_id,
            now.failures,
            now.reason,
            last_device(ledger),
        )
        with pytest.raises(ClaimLost):
            ledger.claims.heartbeat(LANE, claim_id_of(claimed), "generating")


def test_what_a_lane_has_finished_stays(prompt: Prompt, ledger: Ledger) -> None:
    """Only what is being built is taken."""
    done = built(ledger)

    prompt.lines("pause", "builds", "--now", "--why", "a bad model")

    assert done == now_of(ledger, done)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["pause", "--now"], "--now goes with"),
        (["pause", "replies", "--now", "--why", "x"], "--now goes with"),
        (["pause", "replies", "--all"], "--all, or replies"),
    ],
)
def test_what_does_not_go_together(prompt: Prompt, ledger: Ledger, command: list[str], told: str) -> None:
    """Wrong usage; nothing is paused."""
    result = prompt.run(*command)

    assert (2, True) == (result.exit_code, told in " ".join(result.stderr.split()))
    assert set() == paused(ledger)
