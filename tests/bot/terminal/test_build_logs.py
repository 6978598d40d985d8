"""What lanes wrote while they built, and following it."""

import json

import pytest

from bot.ledger.ledger import Ledger
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import building, claim_id_of, done, ended, received
from tests.bot.terminal.prompt import Prompt
from tests.mentions import LANE

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_each_line_is_marked(prompt: Prompt, ledger: Ledger) -> None:
    """Whatever a lane writes cannot pass for what the ledger says."""
    claimed = building(ledger)
    log = "step one\n1 ends done\x1b[2J\u2028sends"
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.BROKEN, detail="it broke", log_tail=log))

    assert [
        "1 begins template on lane-1",
        "1 | step one",
        "1 | 1 ends done\\x1b[2J\\u2028sends",
        "1 ends broken: it broke",
    ] == prompt.lines("logs", "3kfirst")
    kinds = [json.loads(line)["kind"] for line in prompt.lines("logs", "3kfirst", "--json")]
    assert ["begins", "log", "log", "ends"] == kinds


def test_nothing_was_built_yet(prompt: Prompt, ledger: Ledger) -> None:
    """No line, and no waiting where nothing is under way."""
    received(ledger)

    assert [] == prompt.lines("logs", "3kfirst", "-f")


def test_it_follows_until_it_is_built(prompt: Prompt, ledger: Ledger) -> None:
    """Steps and logs as they come; then it ends by itself."""
    claimed = building(ledger)
    with prompt.started("logs", "3kfirst", "-f") as logs:
        assert logs.stdout is not None
        first = [logs.stdout.readline(), logs.stdout.readline()]
        ledger.claims.heartbeat(LANE, claim_id_of(claimed), "checking")
        step = logs.stdout.readline()
        ledger.claims.report(LANE, claim_id_of(claimed), done(log_tail="all is well"))
        rest, told = logs.communicate(timeout=30)

    assert ["1 begins template on lane-1\n", "1 step claimed\n", "1 step checking\n"] == [*first, step]
    assert (0, "1 | all is well\n1 ends done\n", "") == (logs.returncode, rest, told)
