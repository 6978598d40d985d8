"""What the drills ask of a bot and of the network."""

from collections import Counter
from http import HTTPStatus
from typing import Any

from bot.sandbox.network import SandboxNetwork
from guardrails.transitions import Status
from tests.scenarios.processes import Machine
from tests.scenarios.world import PUT

# What takes seconds on a machine with nothing else to do.
PATIENCE = 90.0


def said(here: Machine, *command: str, **settings: str) -> str:
    """What a command says, which ends well."""
    program = here.skywright(*command, **settings)
    assert 0 == program.status(), program.said
    return program.said


def replied(here: Machine) -> int:
    """How many documents are answered, by what the bot says."""
    told: Any = here.health() or {}
    return int(told.get("documents", {}).get(Status.REPLIED.value, 0))


def answers(network: SandboxNetwork) -> Counter[str]:
    """How many replies stand under each post."""
    repo = network.repo(network.account("wright.test").did)
    return Counter(entry["value"]["reply"]["parent"]["uri"] for entry in repo)


def sent(network: SandboxNetwork) -> list[str]:
    """The record keys of all that the bot has put, in the order in which it did."""
    return [call.body["rkey"] for call in network.calls if call.nsid == PUT and call.status == HTTPStatus.OK]


def conditions(here: Machine) -> set[str]:
    """What the bot says is wrong."""
    told: Any = here.health() or {}
    return {each["name"] for each in told.get("conditions", [])}
