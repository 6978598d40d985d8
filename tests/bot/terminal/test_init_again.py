"""`skywright init` run again: what is answered changes, what was not asked stays; and the rules that it finds."""

from pathlib import Path

import pytest
from fastapi import FastAPI

from bot.rules import load_rules
from bot.terminal.init_files import rules_text
from guardrails.rules import Approval, read_rules
from tests.bot.serving import served
from tests.bot.terminal.prompt import CANARY
from tests.bot.terminal.setting_up import Folder, folder

__all__ = ["folder"]


def test_run_again_it_changes_what_is_answered(folder: Folder) -> None:
    """And nothing else: not what was written by hand, not the lane's token, and no login is made."""
    folder.by_flags()
    file, rules = folder.path / "skywright.env", folder.path / "guardrails.toml"
    file.write_text(f"{file.read_text()}# by hand\nSKYWRIGHT_LIKES=no\nOTHER=1\n")
    rules.write_text(rules.read_text().replace('policy = "first_time"', 'policy = "held"'))
    before, lane = file.read_text(), (folder.path / "lane.env").read_text()

    same = folder.prompt.run("init", "--yes")
    unchanged = file.read_text()
    result = folder.prompt.run("init", "--yes", "--contact", "new@wright.example", "--purse", "2.5")

    assert ((0, before), 0) == ((same.exit_code, unchanged), result.exit_code)
    assert before.replace("ops@", "new@") == file.read_text()
    assert (2.5, Approval.HELD) == (load_rules(rules).money.day_usd, load_rules(rules).approval.policy)
    assert (lane, 1) == ((folder.path / "lane.env").read_text(), folder.logins)


def test_run_again_under_a_bot_that_runs(folder: Folder) -> None:
    """Its ports are its own, and it is to be started anew."""
    folder.by_flags()
    running = FastAPI(openapi_url=None)

    @running.get("/health")
    def health() -> dict[str, object]:
        return {"database": "ok", "jobs": {}}

    with served(lambda _: running) as port:
        file = folder.path / "skywright.env"
        before = folder.prompt.env["SKYWRIGHT_ADMIN_LISTEN"]
        file.write_text(file.read_text().replace(before, f"127.0.0.1:{port}"))
        result = folder.prompt.having(SKYWRIGHT_ADMIN_LISTEN="").run("init", "--yes")

    assert (0, 3) == (result.exit_code, result.stdout.count("on which the bot runs already")), result.output
    assert "start it anew" in result.stdout


def test_another_password_is_tried_at_once(folder: Folder) -> None:
    """With a new key, which ends the session of the old one; a wrong one leaves all as it was."""
    folder.by_flags()
    before = folder.settings()
    wrong = folder.by_flags(SKYWRIGHT_PASSWORD=f"{CANARY}-wrong")
    left = folder.settings()
    folder.account.app_passwords["new"] = f"{CANARY}-new"
    secret = folder.path.parent / "new"
    secret.write_text(f"{CANARY}-new")
    result = folder.prompt.run("init", "--yes", "--password-file", str(secret))

    assert (1, before, 0) == (wrong.exit_code, left, result.exit_code)
    assert f"{CANARY}-new" == folder.settings()["SKYWRIGHT_PASSWORD"]
    assert before["SKYWRIGHT_SESSION_KEY"] != folder.settings()["SKYWRIGHT_SESSION_KEY"]
    assert 3 == folder.logins


def test_a_small_purse_lowers_what_may_not_be_more(folder: Folder) -> None:
    """A build, and an author's day."""
    folder.by_flags("--purse", "0.02")
    money = load_rules(folder.path / "guardrails.toml").money

    assert [0.02] * 4 == [money.day_usd, money.author_day_usd, money.build_usd, money.estimate_usd]


def test_rules_that_are_wrong_are_told_and_left(folder: Folder) -> None:
    """Nothing is written at all."""
    (folder.path / "guardrails.toml").write_text("[money]\nday_usd = 'much'\n")

    result = folder.by_flags()

    assert (78, ["guardrails.toml"]) == (result.exit_code, folder.files())
    assert "money.day_usd" in result.stderr


@pytest.mark.parametrize(
    "table", ["[money]", "[money]  # what builds may cost", "[ money ]", "[money] # a\nauthor_day_usd = 1.0"]
)
def test_a_purse_is_written_into_the_table_that_there_is(tmp_path: Path, table: str) -> None:
    """To the cent, however large; there is no second table, and what else is in it stays."""
    file = tmp_path / "guardrails.toml"
    file.write_text(f"{table}\n\n[commands]\nanswers_per_day = 2\n")
    before = read_rules(file.read_text())

    text = rules_text(file, 12345.67) or ""
    after = read_rules(text)

    assert (12345.67, before.money.author_day_usd, 2) == (
        after.money.day_usd,
        after.money.author_day_usd,
        after.commands.answers_per_day,
    )
