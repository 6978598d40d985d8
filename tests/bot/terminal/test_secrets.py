"""No command shows a secret, whatever is wrong."""

import pytest

from tests.bot.terminal.prompt import CANARY, Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)

COMMANDS = [
    ["run"],
    ["migrate"],
    ["new-key"],
    ["version"],
    ["tail", "--until-empty"],
    ["list"],
    ["show", "3kfirst"],
    ["ask", "at://did:plc:alice/app.bsky.feed.post/3kfirst"],
    ["devices", "add", "x", "--role", "lane"],
    ["devices", "invite"],
    ["devices", "list"],
    ["lanes"],
    ["devices", "revoke", "x"],
    ["pause"],
    ["resume", "all"],
    ["login"],
    ["login", "--retry"],
    ["doctor"],
    ["doctor", "--json"],
    ["doctor", "--write"],
    ["sends"],
    ["resolve", "3kfirst", "--sent", "at://did:plc:wright/app.bsky.feed.post/3k", "--yes"],
    ["resolve", "3kfirst", "--abandon", "--yes"],
    ["approve", "3kfirst"],
    ["skip", "3kfirst"],
    ["retry", "3kfirst"],
    ["profile", "apply", "--contact", "ops@wright.example"],
]
WRONG = {
    "a required one is missing": {},
    "a key is no key": {"SKYWRIGHT_IDENTIFIER": "wright.test", "SKYWRIGHT_SESSION_KEY": CANARY},
    "a number is no number": {"SKYWRIGHT_LEASE_SECONDS": CANARY},
    "a repository is none": {"SKYWRIGHT_GITHUB_REPOSITORY": CANARY, "SKYWRIGHT_GITHUB_TOKEN": CANARY},
    "an address is none": {"SKYWRIGHT_PDS_URL": f"ftp://{CANARY}@pds.example", "SKYWRIGHT_APPS_URL": CANARY},
    "the database is none": {"SKYWRIGHT_DATABASE_URL": f"mongodb://user:{CANARY}@localhost/x"},
    "the database's address is garbage": {"SKYWRIGHT_DATABASE_URL": f"{CANARY}:{CANARY}"},
    "the database is away": {"SKYWRIGHT_DATABASE_URL": f"postgresql+psycopg://user:{CANARY}@127.0.0.1:1/x"},
}
# What the ports of this machine's own bot, if it has one, would say is nothing to us.
NOWHERE = {
    "SKYWRIGHT_ADMIN_URL": "http://127.0.0.1:1",
    "SKYWRIGHT_LANE_URL": "http://127.0.0.1:1",
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_canary_is_never_sung(prompt: Prompt, command: list[str], wrong: dict[str, str]) -> None:
    """Neither on standard output nor on standard error, and there is no traceback."""
    told = prompt.having(**NOWHERE, **{"SKYWRIGHT_PASSWORD": CANARY, **wrong}).run(*command)

    assert CANARY not in told.output
    assert "Traceback" not in told.output
