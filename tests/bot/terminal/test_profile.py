"""The bot's profile says what it is and who answers for it."""

import pytest

from bot.ledger.ledger import Ledger
from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from tests.bot.terminal.prompt import CANARY, Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
PROFILE = "app.bsky.actor.profile"
PUT = "com.atproto.repo.putRecord"


def test_it_is_applied_once(host: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """What changed is said; a second run writes nothing; what else is there stays."""
    sandbox.network.put_record(wright.did, PROFILE, "self", {"displayName": "Wright"})
    named = host.having(SKYWRIGHT_CONTACT="ops@wright.example")

    first, second = named.lines("profile", "apply"), named.lines("profile", "apply")

    (profile,) = sandbox.network.repo(wright.did, PROFILE)
    value = profile["value"]
    assert ("Wright", "Bot operator: ops@wright.example") == (value["displayName"], value["description"])
    assert [{"val": "bot"}] == value["labels"]["values"]
    assert 'description: nothing → "Bot operator: ops@wright.example"' == first[0]
    assert first[1].startswith("labels: nothing → ")
    assert (["nothing to change"], 1) == (second, len(sandbox.network.calls_to(PUT)))


def test_words_and_contact_from_the_command_line(
    host: Prompt, sandbox: SandboxServer, wright: SandboxAccount, ledger: Ledger
) -> None:
    """They take the place of the setting and of what was there; hidden characters are spelled out."""
    sandbox.network.put_record(wright.did, PROFILE, "self", {"description": "\x1b[2Jold"})
    named = host.having(SKYWRIGHT_CONTACT="ops@wright.example")

    result = named.run("profile", "apply", "--description", "I build apps.", "--contact", "me@wright.example")

    (profile,) = sandbox.network.repo(wright.did, PROFILE)
    assert "I build apps.\n\nBot operator: me@wright.example" == profile["value"]["description"]
    assert "\x1b" not in result.stdout
    assert CANARY not in result.output


@pytest.mark.parametrize("contact", [[], ["--contact", " "]])
def test_somebody_has_to_be_named(host: Prompt, sandbox: SandboxServer, contact: list[str]) -> None:
    """Before anything is asked of the network."""
    result = host.run("profile", "apply", *contact)

    assert (2, True) == (result.exit_code, "SKYWRIGHT_CONTACT" in result.stderr)
    assert [] == sandbox.network.calls


def test_words_that_do_not_fit(host: Prompt, sandbox: SandboxServer) -> None:
    """A profile has its limits; nothing is written."""
    result = host.run("profile", "apply", "--contact", "me@wright.example", "--description", "x" * 250)

    assert (1, True) == (result.exit_code, "shorten it" in result.stderr)
    assert [] == sandbox.network.calls_to(PUT)


def test_an_unclear_end(host: Prompt, sandbox: SandboxServer) -> None:
    """It may be done; running it again is safe."""
    sandbox.network.faults.append(Fault(PUT, "drop_answer"))
    command = ("profile", "apply", "--contact", "me@wright.example")

    result = host.run(*command)

    assert (5, True) == (result.exit_code, "run it again" in result.stderr)
    assert ["nothing to change"] == host.lines(*command)
