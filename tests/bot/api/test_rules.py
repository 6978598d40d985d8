"""The rules are read anew over the admin listener."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from bot.api.app import admin_app
from bot.jobs.board import JobBoard
from bot.jobs.reload import RULES
from bot.rules import RulesFile
from guardrails.access import Role
from tests.bot.api.lanes import refusal
from tests.bot.serving import client, served
from tests.bot.stage import Stage

PATH = "/api/rules/reload"
SIGNED = {"X-Skywright-Api-Version": "1"}


@pytest.fixture
def rules(tmp_path: Path) -> RulesFile:
    file = tmp_path / "guardrails.toml"
    file.write_text("[caps]\nauthor_per_hour = 2\n")
    return RulesFile(file)


@pytest.fixture
def admin(stage: Stage, rules: RulesFile) -> Iterator[httpx.Client]:
    board = JobBoard(stage.clock)
    with served(lambda _: admin_app(stage.ledger, board, stage.clock, rules)) as port, client(port) as http:
        yield http


def edited(rules: RulesFile, text: str) -> None:
    assert rules.path is not None
    rules.path.write_text(text)


def test_the_rules_are_read_anew(admin: httpx.Client, rules: RulesFile) -> None:
    """The answer and the health page name the version in force."""
    before = rules().version
    edited(rules, "[caps]\nauthor_per_hour = 1\n")

    told = admin.post(PATH, headers=SIGNED).json()

    assert (1, before) == (rules().caps.author_per_hour, told["before"])
    assert rules().version == told["version"] == admin.get("/health").json()["rules"]


def test_bad_rules_are_refused_and_operators_see_it(admin: httpx.Client, rules: RulesFile, stage: Stage) -> None:
    """Each problem in a line of its own; the old rules stay, and a condition stands until the file is mended."""
    before = rules()
    edited(rules, "[caps]\nauthor_per_hour = 0\nper_our = 1\n")

    answer = admin.post(PATH, headers=SIGNED)

    assert (422, "bad_rules") == refusal(answer)
    first, second = answer.json()["message"].splitlines()
    assert (True, True) == ("caps.author_per_hour: " in first, "caps.per_our: no such key" in second)
    assert f"{before.version} stays in force" in answer.json()["mend"]
    assert before is rules()
    (condition,) = stage.ledger.conditions.standing()
    assert (RULES, True) == (condition.name, "caps.per_our" in condition.detail)

    edited(rules, "")
    assert 200 == admin.post(PATH, headers=SIGNED).status_code
    assert [] == stage.ledger.conditions.standing()


@pytest.mark.parametrize(
    ("headers", "refused"), [({}, (422, "invalid")), ({"X-Skywright-Api-Version": "2"}, (426, "api_version"))]
)
def test_a_page_in_an_operators_browser_changes_nothing(
    admin: httpx.Client, rules: RulesFile, headers: dict[str, str], refused: tuple[int, str]
) -> None:
    """A form of somebody else's page has no such header."""
    edited(rules, "[caps]\nauthor_per_hour = 1\n")

    assert refused == refusal(admin.post(PATH, headers=headers))
    assert 2 == rules().caps.author_per_hour


def test_where_others_reach_the_listener_a_reload_takes_an_operators_token(stage: Stage, rules: RulesFile) -> None:
    """Nothing is changed by whoever merely comes by; who did it is in the audit log."""
    operator = stage.device("operator-token", role=Role.OPERATOR)
    stage.device("viewer-token", role=Role.VIEWER)
    app = admin_app(stage.ledger, JobBoard(stage.clock), stage.clock, rules, is_open=True)

    def reloaded(token: str) -> httpx.Response:
        with served(lambda _: app) as port, client(port) as http:
            return http.post(PATH, headers=SIGNED | ({"Authorization": f"Bearer {token}"} if token else {}))

    assert (401, "bad_token") == refusal(reloaded(""))
    assert (403, "not_allowed") == refusal(reloaded("viewer-token"))
    assert "reload_rules" not in {row.action for row in stage.ledger.audit.rows(None, 10)}
    assert 200 == reloaded("operator-token").status_code
    assert [("reload_rules", operator.id)] == [(row.action, row.device) for row in stage.ledger.audit.rows(None, 1)]
