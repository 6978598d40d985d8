"""The command `skywright-builder` at work for a bot: its exit codes, its output, its end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from typer.testing import CliRunner, Result

from builder.cli import app
from tests.builder.fake_bot import TOKEN, FakeBot, Fault

COMMAND = [sys.executable, "-m", "builder.cli"]
Run = Callable[..., Result]


@pytest.fixture
def env(bot: FakeBot) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("COVERAGE")},
        "SKYWRIGHT_LANE_BOT_URL": bot.url,
        "SKYWRIGHT_LANE_TOKEN": TOKEN,
        "SKYWRIGHT_LANE_BROWSER": "off",
        "SKYWRIGHT_LANE_POLL_SECONDS": "0.01",
        "HTTP_PROXY": "http://127.0.0.1:1",
    }


@pytest.fixture
def run(env: dict[str, str]) -> Run:
    def run(*words: str, **changes: str) -> Result:
        result = CliRunner().invoke(app, words, env={**env, **changes})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert TOKEN not in result.output
        return result

    return run


@pytest.fixture
def start(env: dict[str, str]) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, **changes: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, *words], env={**env, **changes}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def test_once_builds_one_document(bot: FakeBot, run: Run) -> None:
    """Exit 0; the second ask still waits."""
    bot.asks = ["a to-do list", "a decision wheel"]

    result = run("once")

    assert (0, "") == (result.exit_code, result.stderr)
    assert ["done"] == [report["outcome"] for report in bot.reports.values()]
    assert ["a decision wheel"] == bot.asks


def test_once_builds_up_to_a_number(bot: FakeBot, run: Run) -> None:
    """`--max` bounds it, an empty bot ends it."""
    bot.asks = ["a to-do list"] * 2

    assert 0 == run("once", "--max", "5").exit_code
    assert 2 == len(bot.reports)


def test_json_is_one_object_a_line(bot: FakeBot, run: Run) -> None:
    """For scripts: nothing else is on standard output."""
    bot.asks = ["a pomodoro timer"]

    events = [json.loads(line) for line in run("once", "--json").stdout.splitlines()]

    assert ["ready", "claimed", "generating", "checking", "checked", "publishing", "reported", "done"] == list(
        dict.fromkeys(event["event"] for event in events)
    )
    assert {"mention:did:plc:alice:1"} == {event["document"] for event in events[1:-1]}


def test_once_with_nothing_to_do_is_fine(run: Run) -> None:
    """Exit 0, since CI runs it on a schedule."""
    assert 0 == run("once").exit_code


def test_once_without_a_bot_says_try_again(run: Run) -> None:
    """Exit 75 and one line that says why."""
    result = run("once", SKYWRIGHT_LANE_BOT_URL="http://127.0.0.1:9", SKYWRIGHT_LANE_CALL_DEADLINE_SECONDS="0.2")

    assert 75 == result.exit_code
    assert "event=bot_unreachable" in result.stdout


def test_a_refused_token_stops_the_lane(bot: FakeBot, run: Run) -> None:
    """Exit 77 from `watch` too: no later poll could succeed."""
    bot.faults = [Fault("claim", "status", status=401, error="bad_token", times=100)]

    result = run("watch")

    assert 77 == result.exit_code
    assert "The bot refuses this device. It was refused. Mend it." == result.stderr.strip()


def test_an_older_bot_is_told_apart(bot: FakeBot, run: Run) -> None:
    """Exit 76 when the bot does not speak this version."""
    bot.faults = [Fault("claim", "status", status=426, error="api_version")]

    assert 76 == run("once").exit_code


def test_a_missing_setting_is_one_line(run: Run) -> None:
    """Exit 78, the setting's name, no traceback, and not the token."""
    result = run("once", SKYWRIGHT_LANE_BOT_URL="")

    assert (78, "SKYWRIGHT_LANE_BOT_URL: Field required\n") == (result.exit_code, result.stderr)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_watching_lane_ends_when_asked(
    bot: FakeBot, start: Callable[..., "subprocess.Popen[str]"], number: signal.Signals
) -> None:
    """Exit 0, and it says that it drains."""
    process = start("watch")
    bot.wait_for(lambda bot: any(call.name == "claim" for call in bot.calls))

    process.send_signal(number)
    out, _ = process.communicate(timeout=30)

    assert 0 == process.returncode
    assert "event=draining" in out
    assert "event=drained" in out


def test_a_watching_lane_builds_what_comes(bot: FakeBot, start: Callable[..., "subprocess.Popen[str]"]) -> None:
    """An ask that arrives later is built, and a bot that was down is waited for."""
    bot.faults = [Fault("claim", "drop_answer", times=2)]
    process = start("watch", SKYWRIGHT_LANE_CALL_DEADLINE_SECONDS="0.2")
    bot.wait_for(lambda bot: any(fault.times == 0 for fault in bot.faults))

    with bot.changed:
        bot.asks = ["a tip splitter for 4 people"]
    bot.wait_for(lambda bot: len(bot.reports) == 1)
    process.terminate()
    process.communicate(timeout=30)

    assert 0 == process.returncode
    assert ["Tip splitter for 4"] == [report["title"] for report in bot.reports.values()]


def test_a_second_signal_releases_all_that_is_at_work(
    bot: FakeBot, start: Callable[..., "subprocess.Popen[str]"]
) -> None:
    """Two documents at a time, neither near its end: their programs are ended, both go back, exit 0."""
    bot.asks = ["a", "b", "c"]
    program = {
        "GRACE_SECONDS": "600",
        "GENERATOR": "command",
        "COMMAND": "sleep 100",
        "COMMAND_ISOLATION": "none",
        "AS_ROOT": "allow",
    }
    settings = {f"SKYWRIGHT_LANE_{name}": value for name, value in program.items()}
    process = start("watch", "--concurrency", "2", **settings)
    bot.wait_for(lambda bot: 2 == len({call.claim_id for call in bot.calls if call.body.get("step") == "generating"}))

    process.send_signal(signal.SIGTERM)
    # A second signal that comes before the first was taken would be none.
    assert process.stdout is not None
    assert any("event=draining" in line for line in iter(process.stdout.readline, ""))
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)

    assert (0, ["c"]) == (process.returncode, bot.asks), out
    assert ["released"] * 2 == [report["outcome"] for report in bot.reports.values()]


def test_version_names_the_api(run: Run) -> None:
    """For a bug report."""
    assert "(lane API 1)" in run("version").stdout


def test_the_lane_knows_no_database_and_no_account() -> None:
    """The whole process is imported, and nothing of the bot, of a database or of the network's SDK came along."""
    program = (
        "import builder.cli, builder.main, sys;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'bot', 'sqlalchemy', 'sqlite3', 'psycopg', 'alembic', 'atproto', 'atproto_client'}))"
    )

    # Without the environment: a coverage run, for one, brings a database of its own.
    result = subprocess.run(
        [sys.executable, "-c", program], env={}, capture_output=True, text=True, timeout=50, check=True
    )

    assert "" == result.stdout.strip()
