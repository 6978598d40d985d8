"""The nights that pass without a good backup are counted, and told of; one that fails is none."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.clock import Clock
from bot.jobs.backed_up import USUAL_DAYS, backed_up_once
from bot.ledger.conditions import BACKUP
from bot.ledger.ledger import Ledger
from bot.ledger.marks import BACKED_UP, FIRST_START, put
from tests.bot.ledger.steps import travel
from tests.bot.terminal.prompt import Prompt, findings
from tests.bot.terminal.test_backup import prompt_on

NOBODY = {f"SKYWRIGHT_{name}_URL": "http://127.0.0.1:1" for name in ("ADMIN", "LANE", "APPS")}


@pytest.fixture
def prompt(ledger_url: str) -> Prompt:
    """Somebody with the ledger, PostgreSQL's programs, and no bot that runs."""
    return prompt_on(ledger_url).having(**NOBODY)


def standing(ledger: Ledger, days: float | None = None) -> list[str]:
    """What the bot notes now of backups."""
    backed_up_once(ledger, days)
    return [each.detail for each in ledger.conditions.standing() if each.name == BACKUP]


def test_nights_without_one_are_told_until_one_is_made(
    prompt: Prompt, ledger: Ledger, ledger_clock: Clock, tmp_path: Path
) -> None:
    """Where one was ever made: by the command, whose success the ledger knows of."""
    never = standing(ledger)
    prompt.lines("backup", str(tmp_path / "first"))
    travel(ledger_clock, days=USUAL_DAYS, seconds=-60)
    before = standing(ledger)
    travel(ledger_clock, seconds=120)
    noted, again = standing(ledger), standing(ledger)
    travel(ledger_clock, days=-USUAL_DAYS)
    with ledger.db.write() as connection:
        put(ledger.db, connection, BACKED_UP, ledger.db.time() - timedelta(days=USUAL_DAYS + 1))
    still = standing(ledger)
    prompt.lines("backup", str(tmp_path / "second"))
    over = not ledger.conditions.stands(BACKUP)

    assert ([], [], True, []) == (never, before, over, standing(ledger))
    assert noted == again
    assert [True, True] == [told[0].startswith("the last good one is of ") for told in (noted, still)]


def test_one_that_fails_is_none(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """It is the last good one that counts."""
    (tmp_path / "there").touch()
    failed = prompt.run("backup", str(tmp_path / "there"))

    assert (True, None) == (failed.exit_code != 0, ledger.desk.watermark(BACKED_UP))


@pytest.mark.parametrize(("days", "told"), [(None, []), (1.0, ["none was ever made"])])
def test_where_one_is_to_be_made_and_never_was(
    ledger: Ledger, ledger_clock: Clock, days: float | None, told: list[str]
) -> None:
    """From the ledger's first start on, where the setting says so."""
    ledger.desk.advance(FIRST_START, ledger.db.time())
    soon = standing(ledger, days)
    travel(ledger_clock, days=3)

    assert ([], told) == (soon, standing(ledger, days))


def test_a_clock_that_was_ahead_is_put_right_by_the_next_one(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """Else nothing would be missed until then."""
    with ledger.db.write() as connection:
        put(ledger.db, connection, BACKED_UP, ledger.db.time() + timedelta(days=400))
    prompt.lines("backup", str(tmp_path / "copy"))

    last = ledger.desk.watermark(BACKED_UP)
    assert last is not None
    assert last <= ledger.db.time()


def test_the_doctor_tells_how_old_it_is(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """None yet, on a new ledger; none, on one that is older; a new one, and an old one."""
    fresh = findings(prompt)["backup"]
    ledger.desk.advance(FIRST_START, ledger.db.time() - timedelta(days=9))
    never = findings(prompt)["backup"]
    prompt.lines("backup", str(tmp_path / "copy"))
    good = findings(prompt)["backup"]
    with ledger.db.write() as connection:
        put(ledger.db, connection, BACKED_UP, ledger.db.time() - timedelta(days=9))
    old, patient = findings(prompt)["backup"], findings(prompt.having(SKYWRIGHT_ALERT_BACKUP_DAYS="10"))["backup"]

    assert ["ok", "warn", "ok", "warn", "ok"] == [each["state"] for each in (fresh, never, good, old, patient)]
    assert "skywright backup" in never["mend"]
    assert "9 days ago" in old["told"] or "9d ago" in old["told"]
