"""Removing by hand what is kept for a time only, and what the doctor says of it."""

import json

import pytest
from sqlalchemy import update

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.tables import documents
from tests.bot.ledger.steps import skipped, travel
from tests.bot.terminal.prompt import Prompt, findings

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
WEEK = {"SKYWRIGHT_KEEP_HISTORY_DAYS": "7", "SKYWRIGHT_KEEP_POSTS_DAYS": "1"}


@pytest.fixture
def old(ledger: Ledger, ledger_clock: Clock, prompt: Prompt) -> Prompt:
    """A host that keeps histories for a week; two are older, one is younger."""
    for rkey, days in (("3kold", -9), ("3kolder", -8), ("3kyoung", -2)):
        travel(ledger_clock, days=days)
        skipped(ledger, rkey)
        travel(ledger_clock, days=-days)
    with ledger.db.write() as connection:
        connection.execute(update(documents).values(note_due=False))
    return prompt.having(**WEEK)


def test_nothing_goes_before_somebody_says_yes(old: Prompt, ledger: Ledger) -> None:
    """What would go is told; without anybody to be asked nothing is done."""
    assert ["would remove 1 post, 2 histories"] == old.lines("prune", "--dry-run")
    assert "say --yes" in old.run("prune").stderr
    assert 4 == old.typing("n\n", "prune").exit_code
    assert ledger.queries.find("3kold").id.endswith(":3kold")

    done = old.typing("y\n", "prune")
    assert "1 post, 2 histories would go for good." in done.stderr
    assert done.stdout.endswith("removed 1 post, 2 histories\n")
    assert ["removed nothing"] == old.lines("prune", "--yes")
    (told,) = map(json.loads, old.lines("prune", "--yes", "--json"))
    assert (0, 0, True) == (told["histories"], told["apps"], told["whole"])


def test_show_says_what_is_left(old: Prompt) -> None:
    """By whatever the ask was known by."""
    old.run("prune", "--yes")
    shown = old.run("show", "mention:did:plc:alice:3kold")

    assert 3 == shown.exit_code
    assert "as skipped (nothing_to_build), and its history was removed on" in shown.stderr


def test_the_doctor_says_what_is_kept_and_whether_it_is_seen_to(host: Prompt, old: Prompt) -> None:
    """Until somebody sees to it, with what does."""
    limited = host.having(**WEEK)
    before = findings(limited)["retention"]
    old.run("prune", "--yes")
    after = findings(limited)["retention"]

    assert ("ok", "everything is kept for ever") == (
        findings(host)["retention"]["state"],
        findings(host)["retention"]["told"],
    )
    assert ("warn", True) == (before["state"], before["told"].endswith("not seen to yet"))
    assert ("ok", True) == (after["state"], "went 2 histories, 1 posts; last seen to" in after["told"])
