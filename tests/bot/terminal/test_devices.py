"""Enrolling, listing and revoking devices."""

import json
import re

import pytest

from bot.ledger.ledger import Ledger
from guardrails.access import Role
from tests.bot.terminal.prompt import Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_the_token_alone_is_on_standard_output(prompt: Prompt, ledger: Ledger) -> None:
    """A script captures it; the explanation stands beside."""
    result = prompt.run("devices", "add", "spare box", "--role", "lane")

    assert re.fullmatch(r"sw_[A-Za-z0-9_-]{43}\n", result.stdout)
    assert "shown only once" in result.stderr
    device = ledger.desk.device_of_token(result.stdout.strip())
    assert device is not None
    assert ("spare box", Role.LANE, "http://localhost:8100") == (device.name, device.role, device.allowed_prefix)


def test_a_lane_may_publish_elsewhere(prompt: Prompt, ledger: Ledger) -> None:
    """Below an address that it is given."""
    prompt.run("devices", "add", "ci", "--role", "lane", "--prefix", "https://pages.example/apps")

    assert ["https://pages.example/apps"] == [device.allowed_prefix for device in ledger.desk.devices()]


@pytest.mark.parametrize(
    "arguments",
    [["--role", "bot"], ["--role", "lane", "--prefix", "javascript:x"], ["--role", "lane", "--prefix", ""], []],
)
def test_wrong_roles_and_prefixes_are_wrong_usage(prompt: Prompt, ledger: Ledger, arguments: list[str]) -> None:
    """Nothing is enrolled."""
    assert 2 == prompt.run("devices", "add", "x", *arguments).exit_code
    assert [] == ledger.desk.devices()


def test_a_revoked_token_opens_nothing(prompt: Prompt, ledger: Ledger) -> None:
    """The device stays listed."""
    token = prompt.run("devices", "add", "phone", "--role", "viewer").stdout.strip()
    (device,) = ledger.desk.devices()

    result = prompt.run("devices", "revoke", device.id)

    assert (0, f"{device.id} is revoked\n") == (result.exit_code, result.stderr)
    assert None is ledger.desk.device_of_token(token)
    told = json.loads(prompt.lines("devices", "list", "--json")[0])
    assert (device.id, "phone", "viewer") == (told["id"], told["name"], told["role"])
    assert told["revoked_at"] is not None


def test_the_list_never_shows_a_token(prompt: Prompt) -> None:
    """Nor what is kept of it."""
    token = prompt.run("devices", "add", "lane 1", "--role", "lane").stdout.strip()

    lines = prompt.lines("devices", "list")

    assert ["lane 1", "lane", "http://localhost:8100"] == lines[1].split("\t")[1:4]
    assert token not in "\n".join([*lines, *prompt.lines("devices", "list", "--json")])


def test_revoking_nobody_is_not_found(prompt: Prompt) -> None:
    """A typing error is not taken for done."""
    result = prompt.run("devices", "revoke", "lane-none")

    assert 3 == result.exit_code
    assert "devices list" in result.stderr
