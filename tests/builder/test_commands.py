"""The commands that need no process of their own: check, try, doctor, enrol, unpublish."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from builder.cli import app
from tests.builder.fake_bot import TOKEN, FakeBot

GOOD = "<!doctype html><html lang=en><title>t</title><h1>Hello</h1>"
BAD = f"{GOOD}<script src=https://cdn.example/x.js></script>"
NO_CHROMIUM = {"BROWSER": "on", "AS_ROOT": "allow", "BROWSER_SANDBOX": "off", "BROWSER_PROGRAM": "/no"}
Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("SKYWRIGHT_LANE_BROWSER", "off")
    monkeypatch.setenv("SKYWRIGHT_LANE_WORK_DIR", str(tmp_path))

    def run(*words: str, **settings: str) -> Result:
        env = {f"SKYWRIGHT_LANE_{name}": value for name, value in settings.items()}
        result = CliRunner().invoke(app, words, env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def folder_with(path: Path, page: str) -> str:
    path.mkdir()
    (path / "index.html").write_text(page)
    return str(path)


def test_check_passes_a_good_folder(run: Run, tmp_path: Path) -> None:
    """Exit 0, a line for each check, no bot and no token."""
    result = run("check", folder_with(tmp_path / "app", GOOD))

    assert (0, True) == (result.exit_code, "files: passed" in result.stdout)


def test_check_names_what_is_wrong(run: Run, tmp_path: Path) -> None:
    """Exit 1; for scripts the very report that a bot would get."""
    folder = folder_with(tmp_path / "app", BAD)

    result, told = run("check", folder), json.loads(run("check", folder, "--json").stdout)

    assert 1 == result.exit_code
    assert "cdn.example" in result.stdout
    assert not told["passed"]
    assert "cdn.example" in str([each["findings"] for each in told["checks"] if not each["passed"]])


def test_check_wants_a_folder(run: Run, tmp_path: Path) -> None:
    """One line, no traceback."""
    assert 1 == run("check", str(tmp_path / "none")).exit_code


def test_a_picture_that_nobody_took_is_no_file(run: Run, tmp_path: Path) -> None:
    """Only the browser check takes one."""
    result = run("check", folder_with(tmp_path / "app", GOOD), "--screenshot", str(tmp_path / "picture.png"))

    assert (1, False) == (result.exit_code, (tmp_path / "picture.png").exists())


def test_try_builds_without_a_bot(run: Run, tmp_path: Path) -> None:
    """The app lies in the folder that was asked for, and checks alone as well."""
    out = str(tmp_path / "out")
    result = run("try", "decision wheel: pizza or sushi", "--out", out)

    assert 0 == result.exit_code
    assert "Decision wheel: pizza or sushi" in result.stdout
    assert 0 == run("check", out).exit_code
    assert ["out"] == [path.name for path in tmp_path.iterdir()]


def test_try_tells_scripts_what_it_took(run: Run, tmp_path: Path) -> None:
    """One object on standard output, the log beside it."""
    result = run("try", "a to-do list", "--out", str(tmp_path / "out"), "--json")

    told = json.loads(result.stdout)
    assert ("passed", 0, 0, str(tmp_path / "out")) == tuple(
        told[key] for key in ("outcome", "repairs", "cost_micros", "folder")
    )
    assert "generating" in result.stderr


def test_try_tells_why_nothing_was_built(run: Run, tmp_path: Path) -> None:
    """Exit 1, and the words that the asker would read."""
    result = run("try", "a multiplayer shooter", "--out", str(tmp_path / "out"))

    assert 1 == result.exit_code
    assert "refused" in result.stdout


def test_try_writes_over_nothing(run: Run, tmp_path: Path) -> None:
    """A folder that is there already is left alone."""
    out = folder_with(tmp_path / "out", GOOD)

    assert 1 == run("try", "a to-do list", "--out", out).exit_code
    assert GOOD == (tmp_path / "out" / "index.html").read_text()


def test_a_lane_that_could_build_nothing_says_so_to_try(run: Run, tmp_path: Path) -> None:
    """Exit 78."""
    result = run("try", "x", "--out", str(tmp_path / "out"), PUBLISHER="folder")

    assert (78, True) == (result.exit_code, "SKYWRIGHT_LANE_PUBLISH_FOLDER" in result.stderr)


def test_enrolling_keeps_the_token_private(run: Run, bot: FakeBot, tmp_path: Path) -> None:
    """In a new file of its owner's, and nowhere else."""
    bot.codes = {"code-1": "lane-7"}
    file = tmp_path / "token"

    result = run("enrol", "code-1", "--token-file", str(file), BOT_URL=bot.url)

    assert (0, f"{TOKEN}\n", 0o600) == (result.exit_code, file.read_text(), file.stat().st_mode & 0o777)
    assert "lane-7" in result.stderr
    assert TOKEN not in result.output
    assert "authorization" not in bot.calls[0].headers


def test_enrolling_prints_the_token_and_nothing_else(run: Run, bot: FakeBot) -> None:
    """For a script that keeps it elsewhere."""
    bot.codes = {"code-1": "lane-7"}

    assert f"{TOKEN}\n" == run("enrol", "code-1", BOT_URL=bot.url).stdout


def test_a_code_that_is_not_taken_leaves_no_file(run: Run, bot: FakeBot, tmp_path: Path) -> None:
    """Exit 77, and the bot's words."""
    result = run("enrol", "used", "--token-file", str(tmp_path / "token"), BOT_URL=bot.url)

    assert (77, []) == (result.exit_code, list(tmp_path.iterdir()))
    assert "Ask for another one." in result.stderr


def test_a_code_is_not_used_up_for_a_file_that_cannot_be_made(run: Run, bot: FakeBot, tmp_path: Path) -> None:
    """It is there already, or behind a link."""
    (tmp_path / "there").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    for name in ("there", "link"):
        assert 1 == run("enrol", "code-1", "--token-file", str(tmp_path / name), BOT_URL=bot.url).exit_code
    assert ([], "kept") == (bot.calls, (tmp_path / "there").read_text())


def test_what_the_bot_hosts_is_taken_down_by_the_bot(run: Run) -> None:
    """Exit 1, and who does it."""
    result = run("unpublish", "app-1", "--reason", "spam")

    assert (1, True) == (result.exit_code, "taken down there" in result.stderr)


def test_a_folders_app_is_taken_down_here(run: Run, tmp_path: Path) -> None:
    """No bot is asked."""
    settings = {"PUBLISHER": "folder", "PUBLISH_FOLDER": str(tmp_path), "PUBLISH_URL": "https://apps.example"}

    result = run("unpublish", "app-1", "--reason", "spam & worse", **settings)

    assert 0 == result.exit_code
    assert "spam &amp; worse" in (tmp_path / "app-1" / "index.html").read_text()


def findings(result: Result) -> dict[str, list[str]]:
    """The doctor's findings by name: their states and words."""
    found: dict[str, list[str]] = {}
    for each in json.loads(result.stdout)["findings"]:
        found.setdefault(each["name"], []).append(f"{each['state']}: {each['told']}")
    return found


def test_a_lane_that_lacks_nothing_is_told_so(run: Run, bot: FakeBot) -> None:
    """Exit 0: the token is tried without a claim, and the clocks are compared."""
    result = run("doctor", "--json", BOT_URL=bot.url, TOKEN=TOKEN)

    told = findings(result)
    assert 0 == result.exit_code
    assert ["ok: answers, and takes the token"] == told["bot"]
    assert told["clock"][0].startswith("ok: ")
    assert (["ok: template"], ["ok: hosted"]) == (told["generator"], told["publisher"])
    assert ["heartbeat"] == [call.name for call in bot.calls]
    assert TOKEN not in result.output


@pytest.mark.parametrize(
    ("settings", "name", "words"),
    [
        ({"TOKEN": "another"}, "bot", "it refuses this device"),
        ({"BOT_URL": "http://127.0.0.1:9", "CALL_DEADLINE_SECONDS": "1"}, "bot", "cannot be reached"),
        ({"TOKEN": ""}, "settings", "set either SKYWRIGHT_LANE_TOKEN or"),
        ({"TOKEN": "", "TOKEN_FILE": "/no/such"}, "bot", "cannot be read"),
        ({"GENERATOR": "command", "AS_ROOT": "allow", "COMMAND": "no-such-program"}, "generator", "no-such-program"),
        (
            {"BROWSER": "on", "AS_ROOT": "allow", "BROWSER_SANDBOX": "off", "BROWSER_PROGRAM": "/no"},
            "browser",
            "no Chromium",
        ),
        ({"PUBLISHER": "folder"}, "publisher", "SKYWRIGHT_LANE_PUBLISH_FOLDER"),
        ({"WORK_DIR": "/no/such/folder"}, "disk", "no temporary folder"),
    ],
)
def test_what_is_missing_is_a_fail(run: Run, bot: FakeBot, settings: dict[str, str], name: str, words: str) -> None:
    """Exit 1; the rest is looked at all the same."""
    result = run("doctor", "--json", **{"BOT_URL": bot.url, "TOKEN": TOKEN, **settings})

    told = findings(result)
    assert 1 == result.exit_code
    assert any(each.startswith("fail: ") and words in each for each in told[name])
    assert "user" in told


def test_a_place_that_sets_no_headers_is_a_warning(run: Run, bot: FakeBot, tmp_path: Path) -> None:
    """Exit 0, and what it means."""
    place = {"PUBLISHER": "folder", "PUBLISH_FOLDER": str(tmp_path), "PUBLISH_URL": "https://apps.example"}

    result = run("doctor", BOT_URL=bot.url, TOKEN=TOKEN, **place)

    assert 0 == result.exit_code
    assert "content security policy" in result.stdout


def test_root_is_told_what_keeps_it_from_working(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An explicit setting is needed."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert any("SKYWRIGHT_LANE_AS_ROOT" in each for each in findings(run("doctor", "--json", BROWSER="on"))["user"])
