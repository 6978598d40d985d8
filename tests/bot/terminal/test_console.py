"""Links into the console, and who is in it."""

import json
import re

import pytest

from bot.ledger.ledger import Ledger
from bot.tokens import new_session
from guardrails.access import Role
from tests.bot.terminal.prompt import Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def entered(prompt: Prompt, ledger: Ledger, *arguments: str) -> str:
    """The name of a session that a link has begun."""
    code = prompt.run("console", "link", *arguments).stdout.strip().rpartition("/")[2]
    name, secret = new_session()
    assert ledger.consoles.spend(code, name, secret)
    return name


def test_the_link_alone_is_on_standard_output(prompt: Prompt) -> None:
    """Beside it stand how long it is good, and how another machine reaches the console."""
    result = prompt.run("console", "link", "--ttl", "20m")

    assert re.fullmatch(r"http://127\.0\.0\.1:8102/console/enter/[\w-]{43}\n", result.stdout)
    assert "one person in as operator, once, until" in result.stderr
    assert "ssh -N -L 8102:127.0.0.1:8102 HOST" in result.stderr


def test_a_console_with_an_address_of_its_own_needs_no_tunnel(prompt: Prompt) -> None:
    """The link leads there."""
    result = prompt.having(SKYWRIGHT_ADMIN_URL="https://admin.example").run("console", "link")

    assert result.stdout.startswith("https://admin.example/console/enter/")
    assert "ssh" not in result.stderr


def test_sessions_are_listed_and_ended(prompt: Prompt, ledger: Ledger) -> None:
    """By whom they began, and in which role; what was ended says so, and a second time is not found."""
    first, second = entered(prompt, ledger), entered(prompt, ledger, "--role", "viewer")

    told = prompt.run("console", "revoke", first)

    assert (0, f"session {first} is over\n") == (told.exit_code, told.stderr)
    assert 3 == prompt.run("console", "revoke", first).exit_code
    listed = {line.split("\t")[0]: line.split("\t") for line in prompt.lines("console", "sessions")[1:]}
    assert {first: "revoked", second: ""} == {name: cells[-1] for name, cells in listed.items()}
    as_json = [json.loads(line) for line in prompt.lines("console", "sessions", "--json")]
    assert {(first, Role.OPERATOR), (second, Role.VIEWER)} == {(row["id"], row["role"]) for row in as_json}
    assert as_json[0]["holder"].startswith("cli:")


@pytest.mark.parametrize("arguments", [["--ttl", "0m"], ["--ttl", "2d"], ["--ttl", "x"], ["--role", "lane"]])
def test_a_link_for_nobody_or_for_too_long_is_wrong_usage(prompt: Prompt, arguments: list[str]) -> None:
    """Nothing is made."""
    assert 2 == prompt.run("console", "link", *arguments).exit_code
