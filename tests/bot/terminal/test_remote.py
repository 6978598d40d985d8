"""A bot elsewhere: who may ask it, over which address, with which token, and what is said when it does not answer."""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet
from fastapi import FastAPI
from fastapi.responses import JSONResponse, RedirectResponse, Response

from bot.ledger.ledger import Ledger
from bot.settings import Settings
from bot.terminal.server import SERVER
from bot.terminal.token import TOKEN, TOKEN_FILE
from guardrails.access import Role
from tests.bot.ledger.steps import building, held, now_of, received
from tests.bot.serving import served
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.bot.terminal.served import A_TOKEN, elsewhere
from tests.mentions import OPERATOR

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
AWAY = "http://127.0.0.1:1"


@pytest.fixture
def settings() -> Settings:
    return Settings.model_validate({"identifier": "x", "password": "x", "session_key": Fernet.generate_key().decode()})


def flat(text: str) -> str:
    """A message without the frame and the line breaks that it was given."""
    return " ".join(text.replace("│", "").split())


@SQLITE
def test_a_viewer_looks_and_changes_nothing(ledger: Ledger, settings: Settings) -> None:
    """What its role forbids is told, with a status of its own."""
    document = held(ledger)
    with elsewhere(ledger, settings, role=Role.VIEWER) as far:
        seen, refused = far.run("list"), far.run("approve", document.id)

    assert (0, True) == (seen.exit_code, document.id in seen.stdout)
    assert (4, "a viewer device may not decide\n") == (refused.exit_code, refused.stderr)
    assert document == now_of(ledger, document)


@SQLITE
def test_an_answer_that_got_lost(ledger: Ledger, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for again under the same id: done once, and told as done."""
    document, request, lost = held(ledger), httpx.Client.request, iter((True, False))

    def losing(client: httpx.Client, method: str, url: str, **more: Any) -> httpx.Response:
        answer = request(client, method, url, **more)
        if method == "POST" and next(lost):
            raise httpx.ReadError("the line is down")
        return answer

    monkeypatch.setattr(httpx.Client, "request", losing)
    with elsewhere(ledger, settings) as far:
        result = far.run("approve", document.id)

    assert (0, f"{document.id} is pending-build (approved) at version 3\n") == (result.exit_code, result.stdout)
    assert 1 == len([row for row in ledger.audit.rows(None, 10) if row.target == document.id])


@SQLITE
@pytest.mark.parametrize("command", ["tail --since all", "logs 3kfirst -f"])
def test_what_follows_goes_on_after_a_blip(
    ledger: Ledger, settings: Settings, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """It says once that nobody answers, asks on, and misses nothing; whoever is let in no more is told so."""
    building(ledger)
    request, looks = httpx.Client.request, count(1)

    def blinking(client: httpx.Client, method: str, url: str, **more: Any) -> httpx.Response:
        is_look = url in ("/api/moves", "/api/documents/whole")
        number = next(looks) if is_look else 0
        if number in (2, 3):
            raise httpx.ConnectError("the line is down")
        if number == 4:
            received(ledger, "3knew")
        if number == 6:
            ledger.desk.revoke_device(OPERATOR, "far-operator")
        return request(client, method, url, **more)

    monkeypatch.setattr(httpx.Client, "request", blinking)
    monkeypatch.setattr("bot.terminal.patience.AGAIN_SECONDS", 0.01)
    with elsewhere(ledger, settings) as far:
        result = far.run(*command.split())

    assert (4, 1) == (result.exit_code, result.stderr.count("asked again until it does"))
    assert "the bot answers again" in result.stderr
    assert ("3knew" in result.stdout) is command.startswith("tail")


@SQLITE
def test_a_token_that_opens_nothing(ledger: Ledger, settings: Settings) -> None:
    """A wrong one and a lane's: what to do instead is said, and the token is not."""
    with elsewhere(ledger, settings, role=Role.LANE) as far:
        lane, wrong = far.run("list"), far.having(**{TOKEN: CANARY}).run("list")

    assert (4, 4) == (lane.exit_code, wrong.exit_code)
    assert ("a lane device may not read", True) == (lane.stderr.strip(), "`skywright devices add`" in wrong.stderr)
    assert CANARY not in wrong.output
    assert A_TOKEN not in lane.output


@SQLITE
def test_a_token_from_a_file(ledger: Ledger, settings: Settings, tmp_path: Path) -> None:
    """Where it usually lies, or where it is said to; one that others can read is refused before anybody is asked."""
    usual = tmp_path / "skywright" / "token"
    usual.parent.mkdir()
    usual.write_text(f"{A_TOKEN}\n")
    usual.chmod(0o600)
    with elsewhere(ledger, settings) as signed:
        far = signed.having(**{TOKEN: "", "XDG_CONFIG_HOME": str(tmp_path)})
        found, named = far.run("people"), far.having(**{TOKEN_FILE: str(usual)}).run("people")
        usual.chmod(0o640)
        shown = far.run("people")
        usual.chmod(0o600)
        usual.write_text(f"{CANARY}\n{CANARY}\n")
        two = far.run("people")
        usual.unlink()
        none = far.run("people")

    assert [0, 0, 2, 2, 2] == [each.exit_code for each in (found, named, shown, two, none)]
    assert "chmod 600" in flat(shown.stderr)
    assert "set SKYWRIGHT_TOKEN" in flat(none.stderr)
    assert [] == [each for each in (found, named, shown, two, none) if A_TOKEN in each.output or CANARY in each.output]


def test_a_token_file_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They could have put in another."""
    file = tmp_path / "token"
    file.write_text(A_TOKEN)
    file.chmod(0o600)
    somebody = os.getuid() + 1
    monkeypatch.setattr("os.getuid", lambda: somebody)

    result = Prompt({SERVER: AWAY, TOKEN_FILE: str(file)}).run("list")

    assert (2, True) == (result.exit_code, "somebody else" in flat(result.stderr))


@pytest.mark.parametrize(
    ("server", "told"),
    [
        ("http://bot.example:8102", "over https only"),
        ("http://10.0.0.1", "over https only"),
        ("http://127.0.0.1.evil.test", "over https only"),
        ("ftp://127.0.0.1", "http or https"),
        ("bot.example", "http or https"),
        ("http://user:canary@127.0.0.1", "without a user"),
        ("https://bot.example/?x=1", "without a user"),
    ],
)
def test_where_a_token_is_not_told(server: str, told: str) -> None:
    """Nobody is called."""
    result = Prompt({TOKEN: A_TOKEN}).run("--server", server, "list")

    assert (2, "") == (result.exit_code, result.stdout)
    assert told in flat(result.stderr)
    assert A_TOKEN not in result.output


def test_nobody_answers() -> None:
    """Of what was to be done nobody knows whether it was."""
    far = Prompt({SERVER: AWAY, TOKEN: A_TOKEN})

    reads, does = far.run("list"), far.run("resume", "all")

    assert (5, 5) == (reads.exit_code, does.exit_code)
    assert f"no bot answers at {AWAY} (ConnectError)\n" == reads.stderr
    assert "may be done" in does.stderr


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda: RedirectResponse("https://evil.test/"), "which is not followed"),
        (lambda: JSONResponse({"hello": 1}), "is it the admin listener"),
        (lambda: Response("<h1>hello", 502), "answered 502"),
        (lambda: JSONResponse({"error": "x", "message": "\x1b[2Jaway"}, 503), "\\x1b[2Jaway"),
        (lambda: JSONResponse({"api_version": 1, "result": {"role": "king"}}), "cannot be read"),
        (lambda: JSONResponse({"error": "not_found", "message": "no such call"}, 404), "of this version?"),
    ],
)
def test_something_else_answers(answer: Callable[[], Response], told: str) -> None:
    """It is no bot, or not as it should be: nothing of what it says steers the terminal."""
    app = FastAPI(openapi_url=None)

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    def anything(path: str) -> Any:
        return answer()

    with served(lambda _: app) as port:
        result = Prompt({SERVER: f"http://127.0.0.1:{port}", TOKEN: A_TOKEN}).run("devices", "list")

    assert (5, True) == (result.exit_code, told in result.stderr)
    assert A_TOKEN not in result.output


def test_moves_and_names_of_a_bot_that_is_none() -> None:
    """Of another version, or hostile: the one is told in a line, and the other steers no terminal."""
    app = FastAPI(openapi_url=None)

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    def anything(path: str) -> Any:
        named = {"did": "did:plc:a", "told": "\x1b[2J"}
        result = 1 if path == "api/moves/last" else False if path == "api/people/lift" else named
        return {"api_version": 1, "moves": [{"seq": 1, "reason": "of_tomorrow"}], "result": result}

    with served(lambda _: app) as port:
        far = Prompt({SERVER: f"http://127.0.0.1:{port}", TOKEN: A_TOKEN})
        tailed, lifted = far.run("tail", "--no-follow"), far.run("lift", "a.test")

    assert (5, True) == (tailed.exit_code, "cannot be read (moves)" in tailed.stderr)
    assert (3, True, False) == (lifted.exit_code, "\\x1b[2J" in lifted.stderr, "\x1b" in lifted.stderr)


def test_an_empty_server_is_not_the_ledger_here() -> None:
    """A script whose variable is not set changes nothing of its own."""
    assert 2 == Prompt().run("--server", "", "list").exit_code


@pytest.mark.parametrize("command", ["migrate", "login", "replay --rules x", "rules", "console sessions"])
def test_what_works_on_the_ledger_itself_does_not_pretend(command: str, tmp_path: Path) -> None:
    """Rather than to do it to a ledger that happens to be here."""
    (tmp_path / "x").write_text("")
    env = {"SKYWRIGHT_DATABASE_URL": f"sqlite:///{tmp_path / 'ledger.db'}", TOKEN: A_TOKEN}
    needed = {"IDENTIFIER": "x", "PASSWORD": "x", "SESSION_KEY": Fernet.generate_key().decode()}
    here = Prompt(env | {f"SKYWRIGHT_{name}": value for name, value in needed.items()})

    result = here.run("--server", AWAY, *(str(tmp_path / word) if word == "x" else word for word in command.split()))

    assert (2, True) == (result.exit_code, "leave out --server" in flat(result.stderr))
    assert not (tmp_path / "ledger.db").exists()
