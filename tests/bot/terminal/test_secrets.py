"""No command shows a secret, whatever is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from tests.bot.serving import served
from tests.bot.terminal.commands import commands
from tests.bot.terminal.prompt import CANARY, Prompt

POST = "at://did:plc:alice/app.bsky.feed.post/3kfirst"
# A way to call each command, or several; whoever adds a command says here how it is called.
CALLS: dict[str, list[list[str]]] = {
    "init": [["--yes"]],
    "run": [[]],
    "migrate": [[]],
    "backup": [[], ["--to", "."]],
    "restore": [["no-such-file.db"]],
    "prune": [["--dry-run"]],
    "migrate-ledger": [["--to", f"postgresql+psycopg://user:{CANARY}@127.0.0.1:1/x"], ["--back"]],
    "new-key": [[]],
    "version": [[]],
    "login": [[], ["--retry"]],
    "doctor": [[], ["--json"], ["--write"]],
    "tail": [["--until-empty"]],
    "list": [["--json"]],
    "show": [["3kfirst"]],
    "logs": [["3kfirst"]],
    "costs": [[]],
    "audit": [[]],
    "export": [[]],
    "alerts": [[]],
    "alerts test": [[]],
    "ask": [[POST]],
    "approve": [["3kfirst"]],
    "skip": [["3kfirst"]],
    "retry": [["3kfirst"]],
    "delete": [["3kfirst", "--yes"]],
    "takedown": [["3kfirst", "--yes"], ["--author", "did:plc:alice", "--yes"]],
    "pause": [[]],
    "resume": [["all"]],
    "sends": [[]],
    "parked": [[]],
    "resolve": [["3kfirst", "--sent", POST, "--yes"], ["3kfirst", "--abandon", "--yes"]],
    "lanes": [[]],
    "profile apply": [["--contact", "ops@wright.example"]],
    "deny": [["did:plc:alice"]],
    "allow": [["alice.test"]],
    "lift": [["did:plc:alice"]],
    "people": [[]],
    "forget": [["did:plc:alice", "--yes"]],
    "unpublished": [["timer-x"]],
    "rules": [[]],
    "reload": [[]],
    "replay": [[]],
    "demo say": [["make me a tip splitter"]],
    "devices add": [["x", "--role", "lane"]],
    "devices invite": [[]],
    "devices list": [[]],
    "devices revoke": [["x"]],
    "console link": [[]],
    "console sessions": [[]],
    "console revoke": [["x"]],
}
# The demo has no settings but its own, and would run for seconds; its own tests run it.
UNCALLED = {"demo"}
# What the ports of this machine's own bot, if it has one, would say is nothing to us.
NOWHERE = {"SKYWRIGHT_ADMIN_URL": "http://127.0.0.1:1", "SKYWRIGHT_LANE_URL": "http://127.0.0.1:1"}
WRONG: dict[str, dict[str, str]] = {
    "a required one is missing": {},
    "a key is no key": {"SKYWRIGHT_IDENTIFIER": "wright.test", "SKYWRIGHT_SESSION_KEY": CANARY},
    "a number is no number": {"SKYWRIGHT_LEASE_SECONDS": CANARY},
    "a repository is none": {"SKYWRIGHT_GITHUB_REPOSITORY": CANARY, "SKYWRIGHT_GITHUB_TOKEN": CANARY},
    "an address is none": {"SKYWRIGHT_PDS_URL": f"ftp://{CANARY}@pds.example", "SKYWRIGHT_APPS_URL": CANARY},
    "a stream is none": {"SKYWRIGHT_STREAM_URL": f"https://u:{CANARY}@stream.example/?key={CANARY}"},
    "the way round the pooler is none": {"SKYWRIGHT_DATABASE_DIRECT_URL": f"mysql://user:{CANARY}@localhost/x"},
    "a name is misspelt": {"SKYWRIGHT_PASWORD": CANARY, "SKYWRIGHT_LEASE_SECONDS": CANARY},
    "a channel is none": {"SKYWRIGHT_ALERT_URL": f"http://hooks.example/{CANARY}"},
    "the channel is away": {"SKYWRIGHT_ALERT_URL": f"http://127.0.0.1:1/{CANARY}"},
    "the database is none": {"SKYWRIGHT_DATABASE_URL": f"mongodb://user:{CANARY}@localhost/x"},
    "the database's address is garbage": {"SKYWRIGHT_DATABASE_URL": f"{CANARY}:{CANARY}"},
    "the database is away": {
        "SKYWRIGHT_DATABASE_URL": f"postgresql+psycopg://user:{CANARY}@127.0.0.1:1/x",
        "SKYWRIGHT_DATABASE_DIRECT_URL": f"postgresql+psycopg://user:{CANARY}@127.0.0.1:1/y",
    },
    "the bot elsewhere is away": {"SKYWRIGHT_SERVER": "http://127.0.0.1:1", "SKYWRIGHT_TOKEN": CANARY},
    "the bot elsewhere would hear it in plain": {"SKYWRIGHT_SERVER": "http://bot.example", "SKYWRIGHT_TOKEN": CANARY},
    "the bot elsewhere has a password in its address": {
        "SKYWRIGHT_SERVER": f"https://me:{CANARY}@bot.example",
        "SKYWRIGHT_TOKEN": f"{CANARY} and more",
    },
    "others can read the token": {"SKYWRIGHT_SERVER": "http://127.0.0.1:1", "SKYWRIGHT_TOKEN_FILE": "TOKEN_FILE"},
}

FIRST = list(WRONG)[:3]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where commands are called that write a file beside them."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def token_file(tmp_path: Path) -> str:
    """A token that anybody on this machine can read."""
    file = tmp_path / "token"
    file.write_text(CANARY)
    file.chmod(0o644)
    return str(file)


@pytest.fixture(scope="module")
def parrot() -> Iterator[str]:
    """The address of somebody who says back whatever they are told, the token too, and calls it an error."""
    app = FastAPI(openapi_url=None)

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def say_back(request: Request) -> JSONResponse:
        heard = f"{dict(request.headers)} {await request.body()!r}"
        return JSONResponse({"error": "failed", "message": heard, "mend": heard, "api_version": 1}, 400)

    with served(lambda _: app) as port:
        yield f"http://127.0.0.1:{port}"


def test_every_command_is_called_below() -> None:
    assert commands().keys() == CALLS.keys() | UNCALLED


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("words", CALLS)
def test_a_canary_is_never_sung(prompt: Prompt, words: str, token_file: str, parrot: str) -> None:
    """Neither on standard output nor on standard error, whatever is wrong, and there is no traceback."""
    ways = {**WRONG, "the bot elsewhere says it back": {"SKYWRIGHT_SERVER": parrot, "SKYWRIGHT_TOKEN": CANARY}}
    for wrong, settings in ways.items():
        env = {name: token_file if value == "TOKEN_FILE" else value for name, value in settings.items()}
        # The other ways to call it differ where the settings are looked at, which the first few cases show.
        for more in CALLS[words] if wrong in FIRST else CALLS[words][:1]:
            told = prompt.having(**NOWHERE, **{"SKYWRIGHT_PASSWORD": CANARY, **env}).run(*words.split(), *more)

            assert CANARY not in told.output, wrong
            assert "Traceback" not in told.output, wrong
