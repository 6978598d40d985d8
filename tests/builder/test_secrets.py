"""No command of a lane shows a secret, whatever is wrong."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from typer.main import get_command
from typer.testing import CliRunner, Result

from builder.cli import app
from tests.bot.serving import served
from tests.builder.conftest import MakeClient
from tests.builder.fake_bot import FakeBot
from tests.builder.test_canary import ASK, CLAIM_ID

CANARY = "canary-4711-of-the-lane"
# A way to call each command; whoever adds one says here how it is called.
CALLS = {
    "once": [],
    "check": ["app"],
    "try": ["make a dice roller"],
    "doctor": [],
    "enrol": [CANARY],
    "unpublish": ["a-slug", "--reason", "x"],
    "generate": ["--claim", "claim.json", "--out", "built"],
    "publish": ["app", "--claim", "claim.json"],
    "version": [],
}
# It goes on until it is ended; up to there it is `once`.
UNCALLED = {"watch"}
OBJECT_STORE = {"PUBLISHER": "object-store", "PUBLISH_STORE": "s3://bucket/x", "PUBLISH_URL": "https://x.example"}
BUCKET = {
    "AWS_ACCESS_KEY_ID": CANARY,
    "AWS_SECRET_ACCESS_KEY": CANARY,
    "AWS_SESSION_TOKEN": CANARY,
    "AWS_REGION": "eu-west-1",
    "AWS_ALLOW_HTTP": "true",
}
WRONG = {
    "nothing is set": {},
    "a name is misspelt": {"TOKN": CANARY, "LLM_OPENAI_KEYS": CANARY},
    "the address is none": {"BOT_URL": f"https://me:{CANARY}@bot.example/?{CANARY}"},
    "a number is none": {"LLM_OUTPUT_TOKENS": CANARY, "TOKEN": CANARY},
    "the token is none": {"TOKEN": f"{CANARY} {CANARY}"},
    "the file of the token is none": {"TOKEN_FILE": f"/no/{CANARY}"},
    "a model is none": {"GENERATOR": "llm", "LLM_MODELS": CANARY, "LLM_OPENAI_KEY": CANARY},
    "the server of the models is none": {
        "GENERATOR": "llm",
        "LLM_MODELS": "compatible:x",
        "LLM_COMPATIBLE_URL": f"ftp://me:{CANARY}@models.example/?key={CANARY}",
        "LLM_COMPATIBLE_KEY": CANARY,
        "LLM_PRICE_IN": "0",
        "LLM_PRICE_OUT": "0",
    },
    "the program is none": {"GENERATOR": "command", "COMMAND": f"no-such-agent --key {CANARY}"},
    "the bucket is none": {**OBJECT_STORE, "PUBLISH_STORE": f"s3://me:{CANARY}@bucket/x?key={CANARY}"},
    "everybody says back what they hear": {
        **OBJECT_STORE,
        "BOT_URL": "PARROT",
        "TOKEN": CANARY,
        "GENERATOR": "llm",
        "LLM_MODELS": "compatible:small",
        "LLM_COMPATIBLE_URL": "PARROT",
        "LLM_COMPATIBLE_KEY": CANARY,
        "LLM_PRICE_IN": "0",
        "LLM_PRICE_OUT": "0",
    },
}


@pytest.fixture(scope="module")
def parrot() -> Iterator[str]:
    """The address of somebody who says back whatever they are told, the keys too, and calls it an error."""
    api = FastAPI(openapi_url=None)

    @api.api_route("/{path:path}", methods=["GET", "POST", "PUT", "HEAD", "DELETE"])
    async def say_back(request: Request) -> JSONResponse:
        heard = f"{dict(request.headers)} {await request.body()!r}"
        return JSONResponse({"error": {"message": heard}, "message": heard, "mend": heard, "api_version": 1}, 400)

    with served(lambda _: api) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def folder(bot: FakeBot, make_client: MakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an app and a claim in it, where the commands are called."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "index.html").write_text("<!doctype html><html lang=en><title>t</title><h1>Hello</h1>")
    bot.asks = [ASK]
    make_client().claim(CLAIM_ID, "template")
    (tmp_path / "claim.json").write_text(json.dumps(bot.claims[CLAIM_ID]))
    return tmp_path


def run(words: list[str], settings: dict[str, str], parrot: str) -> Result:
    """A command in this process, whose environment has nothing else of a lane's."""
    told = {f"SKYWRIGHT_LANE_{name}": parrot if value == "PARROT" else value for name, value in settings.items()}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKYWRIGHT_")}
    own = {"SKYWRIGHT_LANE_BROWSER": "off", "SKYWRIGHT_LANE_CALL_DEADLINE_SECONDS": "1", "AWS_ENDPOINT": parrot}
    with patch.dict(os.environ, {**clean, **BUCKET, **own, **told}, clear=True):
        return CliRunner().invoke(app, words)


def test_every_command_is_called_below() -> None:
    assert vars(get_command(app))["commands"].keys() == CALLS.keys() | UNCALLED


@pytest.mark.parametrize("command", CALLS)
def test_a_canary_is_never_sung(command: str, folder: Path, parrot: str) -> None:
    """Neither on standard output nor on standard error, whatever is wrong, and there is no traceback."""
    for wrong, settings in WRONG.items():
        said = run([command, *CALLS[command]], settings, parrot)

        assert CANARY not in said.output, wrong
        assert said.exception is None or isinstance(said.exception, SystemExit), wrong
