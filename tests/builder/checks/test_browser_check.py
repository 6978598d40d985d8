"""The browser check at work: one Chromium for all, which outlives every page, its own death, and a stop."""

import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Thread

import psutil
import pytest

from builder.checks.browser import BrowserCheck, BrowserOptions, why_not
from builder.errors import LaneUnfit
from builder.outcomes import Checked
from builder.stopping import Stop, StopReason
from guardrails.wire import Limits
from tests.builder.checks.apps.table import page
from tests.builder.checks.looking import snapshot_of
from tests.waiting import until

FINE = page("<h1>Fine</h1><button type=button>Go</button>")
BUSY = page("<h1>Busy</h1><script>while (true);</script>")
running = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]


def look(check: BrowserCheck, html: str, stop: Stop | None = None) -> Checked:
    return check.check(snapshot_of({"index.html": html}), Limits(), stop or Stop())


def chromiums() -> list[psutil.Process]:
    """The browsers that this process has started: of each the process that the others belong to."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            line = process.cmdline()
        except psutil.Error:
            continue
        if "--remote-debugging-pipe" in line and not any(word.startswith("--type=") for word in line):
            found.append(process)
    return found


def environment_of(process: psutil.Process) -> str:
    """All of it; "" when the process is gone."""
    try:
        return str(process.environ())
    except psutil.Error:
        return ""


def test_an_app_without_an_index_needs_no_browser() -> None:
    """One finding, and nothing is started."""
    check = BrowserCheck(BrowserOptions(program=Path("/no/such/chromium")))

    told = check.check(snapshot_of({"a.txt": "a"}), Limits(), Stop())

    assert ("there is no index.html to open",) == told.report.findings
    check.close()


def test_root_is_refused_unless_the_sandbox_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In plain words, with the mend; so is a Chromium that is not there."""
    there = tmp_path / "chromium"
    there.touch()
    monkeypatch.setattr("os.geteuid", lambda: 0)

    assert "run the lane as another user" in (why_not(BrowserOptions(program=there)) or "")
    assert why_not(BrowserOptions(program=there, sandbox=False)) is None
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert why_not(BrowserOptions(program=there)) is None
    assert "no Chromium at" in (why_not(BrowserOptions(program=tmp_path / "gone")) or "")


@pytest.mark.slow
def test_a_browser_that_does_not_start_makes_the_lane_unfit(tmp_path: Path) -> None:
    """No app is blamed for it."""
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o700)
    check = BrowserCheck(BrowserOptions(program=program, sandbox=False))

    with pytest.raises(LaneUnfit, match="Chromium does not start"):
        look(check, FINE)
    check.close()


class TestRunning:
    """With a real Chromium."""

    pytestmark = running

    def test_one_browser_serves_all_and_a_busy_page_hurts_nobody(
        self, browser_check: BrowserCheck, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its neighbours pass meanwhile; and nothing of the lane's environment is in the browser's."""
        monkeypatch.setenv("SKYWRIGHT_LANE_TOKEN", "CANARY-123")

        with ThreadPoolExecutor(3) as threads:
            told = list(threads.map(lambda html: look(browser_check, html), (BUSY, FINE, FINE)))

        assert [False, True, True] == [each.report.passed for each in told], told
        (browser,) = chromiums()
        assert "PATH" in browser.environ()
        assert "CANARY-123" not in " ".join(map(environment_of, [browser, *browser.children(recursive=True)]))

    def test_what_playwright_switches_off_stays_off(self, browser_check: BrowserCheck) -> None:
        """Of two lists of features the last one counts, and ours is the last."""
        look(browser_check, FINE)

        [line] = [browser.cmdline() for browser in chromiums()]
        playwrights, ours = (
            set(word.partition("=")[2].split(",")) for word in line if word.startswith("--disable-features=")
        )
        assert playwrights < ours

    def test_a_browser_that_is_killed_meanwhile_is_started_again(self, browser_check: BrowserCheck) -> None:
        """The app that was open is opened again, and passes."""
        look(browser_check, FINE)
        (before,) = chromiums()

        with ThreadPoolExecutor(1) as threads:
            told = threads.submit(look, browser_check, FINE)
            before.kill()

        assert told.result().report.passed, told.result()
        assert before.pid != chromiums()[0].pid

    def test_a_stop_ends_a_check_soon(self, browser_options: BrowserOptions) -> None:
        """Although the page would be busy for hours; and closing ends the browser."""
        check = BrowserCheck(replace(browser_options, yield_seconds=9_999.0, seconds=9_999.0))
        stop = Stop()
        told: list[Checked] = []
        caller = Thread(target=lambda: told.append(look(check, BUSY, stop)))
        others = len(chromiums())
        caller.start()
        until(lambda: len(chromiums()) > others)

        stop.ask(StopReason.LOST)

        until(lambda: told)
        assert ("stopped before its end",) == told[0].report.findings
        caller.join()
        check.close()
        assert others == len(chromiums())

    def test_a_slow_app_is_given_up_at_the_deadline(self, browser_options: BrowserOptions) -> None:
        """And said so."""
        check = BrowserCheck(replace(browser_options, yield_seconds=9_999.0, seconds=1.0))

        told = look(check, BUSY)

        assert ("not looked through within 1 seconds",) == told.report.findings
        check.close()

    def test_every_attempt_at_the_network_is_listed_and_none_arrives(self, browser_check: BrowserCheck) -> None:
        """Also at this machine, which needs no name to be found."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0.1)
            here = f"http://127.0.0.1:{server.getsockname()[1]}"
            ways = {
                "img": f"new Image().src = '{here}/img'",
                "fetch": f"fetch('{here}/fetch').catch(() => 0)",
                "xhr": f"const x = new XMLHttpRequest(); x.open('GET', '{here}/xhr'); x.send()",
                "beacon": f"navigator.sendBeacon('{here}/beacon')",
                "events": f"new EventSource('{here}/events')",
                "import": f"import('{here}/import').catch(() => 0)",
                "socket": f"new WebSocket('{here.replace('http', 'ws')}/socket')",
                "css": f"document.body.style.background = 'url({here}/css)'",
                "frame": f"const f = document.createElement('iframe'); f.src = '{here}/frame'; document.body.append(f)",
                "window": f"open('{here}/window')",
                "top": f"top.location = '{here}/top'",
                "leave": f"setTimeout(() => location = '{here}/leave', 300)",
            }
            tries = "".join(f"try {{ {way} }} catch {{}}\n" for way in ways.values())

            told = look(browser_check, page(f"<h1>Fine</h1><script>{tries}</script>"))

            with pytest.raises(TimeoutError):
                server.accept()
        listed = " ".join(told.report.findings)
        # Of a frame and of the page above only the host is told.
        silent = {"frame", "top"}
        assert [] == [way for way in ways if way not in silent and f"{here.partition(':')[2]}/{way}" not in listed]
        assert f"(frame-src) '{here}'" in listed
        assert "Unsafe attempt to initiate navigation" in listed
