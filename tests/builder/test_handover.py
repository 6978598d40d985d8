"""One build in two jobs: what the first leaves, and what the second believes of it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from builder.cli import app
from builder.workspace import sha256_of
from tests.builder.conftest import MakeClient
from tests.builder.fake_bot import TOKEN, FakeBot, Fault
from tests.builder.scripted import PICTURE, only_report

CLAIM_ID = "claim-00000000000000000000000001"
ASK = "decision wheel: pizza or sushi"
Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """A command, of whose ends none leaves a temporary folder or says what anyone wrote."""
    work_dir = tmp_path / "work"
    work_dir.mkdir()
    monkeypatch.setenv("SKYWRIGHT_LANE_BROWSER", "off")
    monkeypatch.setenv("SKYWRIGHT_LANE_WORK_DIR", str(work_dir))

    def run(*words: object, **settings: str) -> Result:
        env = {f"SKYWRIGHT_LANE_{name}": value for name, value in settings.items()}
        result = CliRunner().invoke(app, [str(word) for word in words], env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert [] == list(work_dir.iterdir())
        assert not {word for word in ("pizza", "sushi", "wheel") if word in result.output.lower()}
        return result

    return run


@pytest.fixture
def claim(bot: FakeBot, make_client: MakeClient, tmp_path: Path) -> Path:
    """The bot's answer to a claim, in a file as it came."""
    bot.asks = [ASK]
    make_client().claim(CLAIM_ID, "template")
    return keep(bot, tmp_path / "claim.json")


def keep(bot: FakeBot, file: Path) -> Path:
    file.write_text(json.dumps(bot.claims[CLAIM_ID]))
    return file


@pytest.fixture
def built(run: Run, claim: Path, tmp_path: Path) -> Path:
    """What `generate` leaves of a wheel."""
    result = run("generate", "--claim", claim, "--out", tmp_path / "built")
    assert (0, True) == (result.exit_code, CLAIM_ID in result.stdout)
    return tmp_path / "built"


def publish(run: Run, bot: FakeBot, folder: Path, claim: Path, **settings: str) -> Result:
    return run("publish", folder, "--claim", claim, **{"BOT_URL": bot.url, "TOKEN": TOKEN, **settings})


def manifest_of(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def change(folder: Path, **fields: object) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest_of(folder) | fields))


def test_what_one_job_builds_another_publishes(run: Run, bot: FakeBot, claim: Path, built: Path) -> None:
    """The first calls no bot; the second reports what both know, under one claim."""
    calls_before = [call.name for call in bot.calls]
    result = publish(run, bot, built, claim)

    report = only_report(bot)
    assert ["claim"] == calls_before
    assert (0, "done", "Decision wheel: pizza or sushi") == (result.exit_code, report["outcome"], report["title"])
    assert sha256_of(bot.bundles[CLAIM_ID]) == report["sha256"]
    assert ("template", "https://apps.example/app-1") == (report["generator"], report["address"])
    assert "generating" in report["log_tail"]
    assert "publishing" in report["log_tail"]


def test_the_manifest_names_every_file_by_its_hash(built: Path) -> None:
    """And nothing of where it will be published, which the other job says."""
    manifest = manifest_of(built)
    content = (built / "app" / "index.html").read_bytes()

    assert [{"name": "index.html", "size": len(content), "sha256": sha256_of(content)}] == manifest["files"]
    assert (CLAIM_ID, "", None) == (manifest["claim_id"], manifest["report"]["address"], manifest["report"]["sha256"])


def test_a_claim_that_was_lost_between_the_jobs_is_late(run: Run, bot: FakeBot, claim: Path, built: Path) -> None:
    """Exit 0: nothing is wrong with the lane; nothing is published."""
    bot.voided = {CLAIM_ID}

    result = publish(run, bot, built, claim)

    assert (0, {}) == (result.exit_code, bot.reports)
    assert "event=late" in result.stdout


def test_a_build_that_was_refused_is_reported_as_it_is(
    run: Run, bot: FakeBot, make_client: MakeClient, tmp_path: Path
) -> None:
    """Exit 0 in both jobs, and the reason for the asker travels."""
    bot.asks = ["a multiplayer shooter"]
    make_client().claim(CLAIM_ID, "template")
    claim = keep(bot, tmp_path / "claim.json")

    generated = run("generate", "--claim", claim, "--out", tmp_path / "built").exit_code
    published = publish(run, bot, tmp_path / "built", claim).exit_code

    assert (0, 0, "refused", {}) == (generated, published, only_report(bot)["outcome"], bot.bundles)
    assert only_report(bot)["reason"]


@pytest.mark.parametrize(
    ("outcome", "field", "value"), [("retry_later", "after_seconds", 90), ("broken", "detail", "cut off")]
)
def test_every_other_end_is_reported_as_it_is(
    run: Run, bot: FakeBot, claim: Path, built: Path, outcome: str, field: str, value: object
) -> None:
    """With what it used."""
    report = manifest_of(built)["report"]
    change(built, report=report | {"outcome": outcome, field: value, "cost_micros": 7, "repairs": 2}, files=[])

    assert 0 == publish(run, bot, built, claim).exit_code
    told = only_report(bot)
    assert (outcome, value, 7, 2) == (told["outcome"], told[field], told["cost_micros"], told["repairs"])


def test_a_job_that_died_is_a_broken_attempt(run: Run, bot: FakeBot, claim: Path, tmp_path: Path) -> None:
    """At once, and not at the lease's end."""
    assert 0 == publish(run, bot, tmp_path / "never", claim).exit_code
    assert "broken" == only_report(bot)["outcome"]
    assert "manifest.json: cannot be read" in only_report(bot)["detail"]


def test_a_lane_that_can_build_nothing_gives_the_document_back(
    run: Run, bot: FakeBot, claim: Path, tmp_path: Path
) -> None:
    """Exit 78 in both jobs; operators read why in the attempt, and nobody in the public log."""
    generated = run("generate", "--claim", claim, "--out", tmp_path / "built", PUBLISHER="folder")
    published = publish(run, bot, tmp_path / "built", claim)

    assert (78, 78, "released") == (generated.exit_code, published.exit_code, only_report(bot)["outcome"])
    assert "SKYWRIGHT_LANE_PUBLISH_FOLDER" in only_report(bot)["detail"]


def other_bytes(folder: Path) -> None:
    page = folder / "app" / "index.html"
    page.write_bytes(page.read_bytes().replace(b"pizza", b"pasta"))


def another_file(folder: Path) -> None:
    (folder / "app" / "package.json").write_text('{"scripts": {"postinstall": "touch /tmp/executed"}}')


def a_link(folder: Path) -> None:
    (folder / "app" / "secret.txt").symlink_to("/etc/hostname")


def app_is_a_link(folder: Path) -> None:
    (folder / "app").rename(folder / "elsewhere")
    (folder / "app").symlink_to(folder / "elsewhere")


def manifest_is_a_pipe(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")


def manifest_is_huge(folder: Path) -> None:
    (folder / "manifest.json").write_bytes(b" " * 600_000)


def an_unknown_key(folder: Path) -> None:
    change(folder, run="rm -rf /")


def a_name_that_steps_out(folder: Path) -> None:
    change(folder, files=[{**manifest_of(folder)["files"][0], "name": "../index.html"}])


def of_another_claim(folder: Path) -> None:
    change(folder, claim_id="claim-00000000000000000000000002")


def no_picture(folder: Path) -> None:
    (folder / "screenshot.png").write_bytes(b"GIF89a")
    change(folder, screenshot=sha256_of(b"GIF89a"))


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (other_bytes, "not the bytes"),
        (another_file, "not the files"),
        (a_link, "a symbolic link"),
        (app_is_a_link, "app: cannot be read"),
        (manifest_is_a_pipe, "no plain file"),
        (manifest_is_huge, "far too large"),
        (an_unknown_key, "not a manifest (run)"),
        (a_name_that_steps_out, "not the files"),
        (of_another_claim, "of another claim"),
        (no_picture, "not the picture"),
    ],
)
def test_what_is_not_as_the_manifest_says_is_not_published(
    run: Run, bot: FakeBot, claim: Path, built: Path, tamper: Callable[[Path], None], words: str
) -> None:
    """A broken attempt that says so; nothing is uploaded."""
    tamper(built)

    assert 0 == publish(run, bot, built, claim).exit_code
    assert ("broken", {}, {}) == (only_report(bot)["outcome"], bot.bundles, bot.screenshots)
    assert words in only_report(bot)["detail"]


def test_the_static_checks_are_made_again(run: Run, bot: FakeBot, claim: Path, built: Path) -> None:
    """A first job that was talked into anything cannot pass a page that the checks refuse."""
    page = b"<!doctype html><html lang=en><title>t</title><h1>Hi</h1><script src=https://evil.example/x.js></script>"
    (built / "app" / "index.html").write_bytes(page)
    change(built, files=[{"name": "index.html", "size": len(page), "sha256": sha256_of(page)}])

    assert 0 == publish(run, bot, built, claim).exit_code
    assert ("broken", {}) == (only_report(bot)["outcome"], bot.bundles)
    assert "evil.example" in only_report(bot)["detail"]


def test_words_from_the_other_job_are_cleaned(run: Run, bot: FakeBot, claim: Path, built: Path) -> None:
    """A line break, a terminal's escape, a turned direction: none reaches a log or a reply."""
    report = manifest_of(built)["report"]
    change(built, report=report | {"title": "x\nPATH=/evil\u001b[31m\u202egnp", "generator": "llm\n::add-mask::"})

    result = publish(run, bot, built, claim)

    assert ("x PATH=/evil[31mgnp", "llm ::add-mask::") == (only_report(bot)["title"], only_report(bot)["generator"])
    assert not {word for word in ("PATH=/evil", "add-mask", "\x1b") if word in result.output}


def test_the_picture_travels(run: Run, bot: FakeBot, claim: Path, built: Path) -> None:
    """By its hash, as the app does."""
    (built / "screenshot.png").write_bytes(PICTURE)
    change(built, screenshot=sha256_of(PICTURE))

    publish(run, bot, built, claim)

    assert {CLAIM_ID: PICTURE} == bot.screenshots


def test_a_report_that_cannot_be_delivered_is_an_error(run: Run, bot: FakeBot, claim: Path, built: Path) -> None:
    """Exit 75, and the job may be run again: the same claim and the same bytes."""
    bot.faults = [Fault("report", "status", status=503, times=4)]

    first = publish(run, bot, built, claim, REPORT_PATIENCE_SECONDS="0.001").exit_code
    second = publish(run, bot, built, claim).exit_code

    assert (75, 0, "done") == (first, second, only_report(bot)["outcome"])


@pytest.mark.parametrize("content", ["", "[]", '{"claim_id": "x"}'])
def test_a_file_that_is_no_claim_is_refused(run: Run, tmp_path: Path, content: str) -> None:
    """In one line that quotes nothing of it."""
    file = tmp_path / "claim.json"
    file.write_text(content)

    result = run("generate", "--claim", file, "--out", tmp_path / "built")

    assert (1, "claim.json: not a bot's answer to a claim\n") == (result.exit_code, result.stderr)
    assert not (tmp_path / "built").exists()


def test_a_folder_that_is_there_is_not_written_into(run: Run, claim: Path, built: Path) -> None:
    """Files of another build would be handed over with it."""
    assert 1 == run("generate", "--claim", claim, "--out", built).exit_code
