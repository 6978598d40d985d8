"""`skywright init` with somebody at the keyboard, who mistypes, changes their mind, and goes away."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from bot.sandbox.faults import Fault
from tests.bot.terminal.prompt import CANARY
from tests.bot.terminal.setting_up import (
    HANDLE,
    LEDGER,
    LOGIN,
    MADE,
    OWN_PASSWORD,
    PASSWORD,
    REST,
    Folder,
    folder,
)
from tests.scenarios.processes import environment
from tests.scenarios.terminal import CTRL_C, Terminal, terminal

__all__ = ["folder"]
RIGHT = LEDGER + PASSWORD + REST


@pytest.fixture
def window(folder: Folder) -> Iterator[Terminal]:
    """A terminal in which `skywright init` was started just now."""
    env = {**environment(folder.path), **folder.prompt.env, "TERM": "dumb"}
    with terminal(("-m", "bot.cli", "init"), folder.path, env) as window:
        yield window


def test_the_questions_are_answered_one_by_one(folder: Folder) -> None:
    """A leading @ is dropped; at the end the three next commands, and a text to post, which is not posted."""
    result = folder.answering(f"@{HANDLE}{RIGHT}")

    assert (0, MADE, 1) == (result.exit_code, folder.files(), folder.logins), result.output
    for line in (
        "  skywright --env-file skywright.env run",
        "  skywright-builder --env-file lane.env watch",
        "  skywright --env-file skywright.env doctor",
        "  skywright --env-file skywright.env reload",
    ):
        assert line in result.stdout.splitlines()
    assert "@wright.test make me a pomodoro timer" in result.stdout
    assert [] == folder.network.repo(folder.account.did, "app.bsky.feed.post")
    assert CANARY not in result.output


def test_a_handle_that_nobody_has_is_asked_for_again(folder: Folder) -> None:
    """And so is what is none; neither costs a login."""
    result = folder.answering(f"wright\nnobody.test\nn\n{HANDLE}{RIGHT}")

    assert (0, 1) == (result.exit_code, folder.logins)
    assert "neither a handle" in result.stdout
    assert "look at its spelling" in result.stdout


def test_a_wrong_password_is_asked_for_again(folder: Folder) -> None:
    """The same one once more costs no login."""
    wrong = f"{CANARY}-wrong\n"
    result = folder.answering(f"{HANDLE}{LEDGER}{wrong}{wrong}{PASSWORD}{REST}")

    assert (0, MADE, 2) == (result.exit_code, folder.files(), folder.logins)
    assert "try 2 of 5" in result.stdout
    assert CANARY not in result.output


def test_logins_are_few(folder: Folder) -> None:
    """After five it ends, and nothing is written."""
    words = "".join(f"{CANARY}-{number}\n" for number in range(9))
    result = folder.answering(f"{HANDLE}{LEDGER}{words}")

    assert (1, [], 5) == (result.exit_code, folder.files(), folder.logins)
    assert "App passwords" in result.stderr


@pytest.mark.parametrize("second_factor", [False, True])
def test_after_the_own_password_an_app_password_is_taken_at_once(folder: Folder, second_factor: bool) -> None:
    """No pause between the two logins, and only the session of the latter is kept."""
    if second_factor:
        body = {"error": "AuthFactorTokenRequired", "message": "A sign in code has been sent"}
        folder.network.faults.append(Fault(LOGIN, "status", status=401, body=body))
    result = folder.answering(f"{HANDLE}{LEDGER}{OWN_PASSWORD}\n{PASSWORD}{REST}")

    assert (0, MADE, 2) == (result.exit_code, folder.files(), folder.logins), result.output
    assert "the account's own password" in result.stdout
    assert CANARY == folder.settings()["SKYWRIGHT_PASSWORD"]


def test_a_password_that_may_do_more_is_asked_about(folder: Folder) -> None:
    """Whoever has another one is not made to wait."""
    folder.account.app_passwords["messages"] = f"{CANARY}-messages"
    folder.account.privileged = {"messages"}
    result = folder.answering(f"{HANDLE}{LEDGER}{CANARY}-messages\nn\n{PASSWORD}{REST}")

    assert (0, MADE, 2) == (result.exit_code, folder.files(), folder.logins), result.output
    assert CANARY == folder.settings()["SKYWRIGHT_PASSWORD"]


def test_a_port_that_somebody_has_is_asked_about(folder: Folder) -> None:
    """The apps' address on this machine goes with the port."""
    taken, free = (folder.prompt.env[name] for name in ("SKYWRIGHT_PDS_URL", "SKYWRIGHT_APPS_LISTEN"))
    words = f"{HANDLE}{LEDGER}{PASSWORD}n\n{free}\n{REST}"
    result = folder.answering(words, SKYWRIGHT_APPS_LISTEN=urlsplit(taken).netloc)

    assert (0, f"http://localhost:{free.rpartition(':')[2]}") == (
        result.exit_code,
        folder.settings()["SKYWRIGHT_APPS_URL"],
    )


def test_a_domain_gives_the_names(folder: Folder) -> None:
    """One below which the apps are and one for lanes, to be agreed with or changed."""
    domain, names = "wright.localhost\n", "\nhttps://lanes.wright.localhost\n"
    result = folder.answering(f"{HANDLE}{LEDGER}{PASSWORD}{domain}{names}\n\nops@wright.example\n\n\n\n")

    assert 0 == result.exit_code, result.output
    assert {
        "SKYWRIGHT_APPS_URL": "https://apps.wright.localhost",
        "SKYWRIGHT_LANE_URL": "https://lanes.wright.localhost",
    }.items() <= folder.settings().items()


def test_a_webhook_is_tried_if_that_is_wanted(folder: Folder) -> None:
    """What it answers is told, its address is not."""
    hook = f"ftp://x\nhttp://127.0.0.1:1/{CANARY}\n"
    result = folder.answering(f"{HANDLE}{LEDGER}{PASSWORD}\n\n\nops@wright.example\n\n{hook}\n\n")

    assert (0, f"http://127.0.0.1:1/{CANARY}") == (result.exit_code, folder.settings()["SKYWRIGHT_ALERT_URL"])
    assert "not an http or https address" in result.stdout
    assert "then `skywright alerts test`" in result.stdout
    assert CANARY not in result.output


def test_a_file_that_is_there_is_not_touched_unasked(folder: Folder) -> None:
    """A no is an end."""
    file = folder.path / "skywright.env"
    file.write_text("SKYWRIGHT_CONTACT=me@wright.example\n")
    file.chmod(0o600)
    result = folder.answering("n\n")

    assert (130, "SKYWRIGHT_CONTACT=me@wright.example\n") == (result.exit_code, file.read_text())
    assert "nothing was written" in result.stderr
    assert [] == folder.network.calls


def test_enter_keeps_what_is_set(folder: Folder) -> None:
    """The second time all is known, and no login is made; the password for one is not asked again either."""
    folder.answering(HANDLE + RIGHT)
    before = {name: (folder.path / name).read_text() for name in MADE if name != "skywright.db"}
    result = folder.answering("\n" * 12)

    assert (0, 1) == (result.exit_code, folder.logins), result.output
    assert before == {name: (folder.path / name).read_text() for name in before}


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("answers", [2, 6])
def test_ctrl_c_leaves_nothing(folder: Folder, window: Terminal, answers: int) -> None:
    """At the unseen question, and at a late one."""
    questions = ["handle, as", "ledger is kept", "not shown", "Your domain", "Who builds", "in a day", "Who answers"]
    for question, words in zip(questions[:answers], [HANDLE, "\n", PASSWORD, "\n", "\n", "\n"], strict=False):
        window.asks(question)
        window.type(words.encode())
    window.asks(questions[answers])
    window.type(CTRL_C)

    assert (130, []) == (window.status(), folder.files())
    assert "nothing was written" in window.screen
    assert CANARY not in window.screen


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_closed_window_leaves_nothing(folder: Folder, window: Terminal) -> None:
    """As if it had been ended by hand, though the ledger is half made by then."""
    window.asks("handle, as")
    window.type(HANDLE.encode())
    window.asks("ledger is kept")
    window.type(b"\n")
    window.asks("not shown")
    (process,) = [each for each in psutil.Process().children() if _is_in(each, folder.path)]
    os.kill(process.pid, signal.SIGHUP)

    assert (130, []) == (window.status(), folder.files())


def _is_in(process: psutil.Process, path: Path) -> bool:
    return Path(process.cwd()) == path
