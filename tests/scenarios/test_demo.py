"""`skywright demo`, as people start it and as they end it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.scenarios.processes import environment
from tests.scenarios.terminal import CTRL_C, Terminal, terminal
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
DEMO = ("-m", "bot.cli", "demo")
LINK = re.compile(r"^ {2}(the app|the thread|health|the console) +(http://\S+?)\r?$", re.MULTILINE)
# What a machine may say on which a real bot runs, and whose way to the internet is a proxy.
OF_A_HOST = {
    "SKYWRIGHT_LANE_URL": "http://127.0.0.1:1",
    "SKYWRIGHT_ADMIN_URL": "http://127.0.0.1:1",
    "SKYWRIGHT_IDENTIFIER": "somebody.test",
    "HTTP_PROXY": "http://127.0.0.1:1",
    "http_proxy": "http://127.0.0.1:1",
}


def told(home: Path) -> dict[str, str]:
    """The environment of a person who has this home."""
    return environment(home) | OF_A_HOST | {"XDG_STATE_HOME": str(home / "state"), "TERM": "dumb"}


def run(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """`skywright demo` with these arguments and more in the environment, to its end."""
    command, env = [sys.executable, *DEMO, *arguments], told(home) | more
    return subprocess.run(command, cwd=home, env=env, check=False, capture_output=True, text=True, timeout=90)


def processes_in(home: Path) -> list[int]:
    """Whatever runs in this folder or below it; the folder itself may be gone by now."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(home):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def files_in(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


def fetch(link: str) -> httpx.Response:
    """A link as a browser follows it, which resolves every name that ends in localhost."""
    parts = urlsplit(link)
    url = f"http://127.0.0.1:{parts.port}{parts.path}"
    return httpx.get(url, headers={"Host": parts.netloc}, trust_env=False, timeout=20)


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal in which the demo was started just now."""
    with terminal(DEMO, tmp_path, told(tmp_path)) as window:
        yield window


@pytest.fixture
def window(starting: Terminal) -> Terminal:
    """A terminal with the demo in it, which has come to its first reply."""
    starting.shows("Ctrl-C ends the demo.")
    return starting


def test_without_a_terminal_it_ends_after_the_first_reply_and_leaves_nothing(tmp_path: Path) -> None:
    """The moves scroll by, three links follow, and then neither a process nor a file is left.

    So it is where CI wants colours, too; this terminal knows none.
    """
    done = run(tmp_path, FORCE_COLOR="1")
    links = dict(LINK.findall(done.stdout))

    assert (0, "") == (done.returncode, done.stderr)
    assert ["received", "pending-build", "building", "built", "replied"] == re.findall(r"→ (\S+)", done.stdout)
    assert {"the app", "the thread", "health"} == set(links)
    assert ([], []) == (processes_in(tmp_path), files_in(tmp_path))
    with pytest.raises(httpx.ConnectError):
        fetch(links["health"])


def test_its_links_lead_to_the_app_the_thread_the_health_and_the_console(window: Terminal) -> None:
    """All of them answer for as long as the demo runs; reading the way into the console does not spend it."""
    links = dict(LINK.findall(window.screen))
    app, thread, health, console = (fetch(links[name]) for name in ("the app", "the thread", "health", "the console"))

    assert [200] * 4 == [answer.status_code for answer in (app, thread, health, console)]
    assert "This link lets one person in, once." in console.text
    assert links["the app"] in thread.text
    assert "ok" == health.json()["status"]


def test_more_is_said_from_another_terminal_and_ctrl_c_ends_it(window: Terminal, tmp_path: Path) -> None:
    """`demo say` finds the demo, a second reply comes, and Ctrl-C leaves neither a process nor a file."""
    said = run(tmp_path, "say", "tip splitter for 4")
    assert (0, "") == (said.returncode, said.stderr)
    window.shows("  the app ", times=2)
    assert 2 == len(processes_in(tmp_path))

    window.type(CTRL_C)

    assert 0 == window.status()
    assert ([], []) == (processes_in(tmp_path), files_in(tmp_path))


def test_ctrl_c_before_the_reply_is_an_end_without_one(starting: Terminal, tmp_path: Path) -> None:
    """The exit status tells a script that nothing was answered; everything is taken down all the same."""
    starting.shows("make me a pomodoro timer")
    starting.type(CTRL_C)

    assert 130 == starting.status()
    assert "replied" not in starting.screen
    assert ([], []) == (processes_in(tmp_path), files_in(tmp_path))


def test_a_closed_window_ends_it(window: Terminal, tmp_path: Path) -> None:
    """Without its terminal the demo takes its lane along, and cleans up."""
    window.hang_up()

    until(lambda: not processes_in(tmp_path))
    assert [] == files_in(tmp_path)


def test_say_without_a_demo_says_so(tmp_path: Path) -> None:
    """Nobody is there to be asked."""
    said = run(tmp_path, "say", "a timer")

    assert (1, "") == (said.returncode, said.stdout)
    assert "no demo is running: start one with `skywright demo`\n" == said.stderr
