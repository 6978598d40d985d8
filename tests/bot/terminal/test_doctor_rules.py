"""The doctor's look at rules, purse and approvals."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from bot.ledger.ledger import Ledger
from guardrails.rules import Rules
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import building, claim_id_of, ended, held
from tests.bot.serving import served
from tests.bot.terminal.prompt import Prompt, findings
from tests.mentions import LANE

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
NOBODY = "http://127.0.0.1:1"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "guardrails.toml"
    path.write_text("[money]\nestimate_usd = 0.5\nday_usd = 1\n")
    return path


@pytest.fixture
def ruled(prompt: Prompt, file: Path) -> Prompt:
    """Somebody with a ledger and a file of rules, and no bot that runs."""
    return prompt.having(
        SKYWRIGHT_RULES=str(file), **{f"SKYWRIGHT_{name}_URL": NOBODY for name in ("ADMIN", "LANE", "APPS")}
    )


@pytest.fixture
def bot_in_force() -> Iterator[str]:
    """The address of a bot that goes by the built-in rules."""
    app = FastAPI(openapi_url=None)

    @app.get("/health")
    def health() -> dict[str, object]:
        return {"database": "ok", "jobs": {}, "rules": Rules().version}

    with served(lambda _: app) as port:
        yield f"http://127.0.0.1:{port}"


def test_good_rules_and_a_full_purse(ruled: Prompt, file: Path, ledger: Ledger) -> None:
    """With the file, and what may still be spent."""
    told = findings(ruled)

    assert ["ok"] * 3 == [told[name]["state"] for name in ("rules", "purse", "approvals")]
    assert told["rules"]["told"].endswith(f", from {file}")
    assert told["purse"]["told"].startswith("0.00 of 1.00 USD until ")


def test_each_bad_rule_is_a_fail(ruled: Prompt, file: Path, ledger: Ledger) -> None:
    """With its key and the mend."""
    file.write_text("[money]\nday_usd = -1\n")

    told = findings(ruled)

    assert ("fail", True) == (told["rules"]["state"], "money.day_usd" in told["rules"]["told"])
    assert "guardrails.example.toml" in told["rules"]["mend"]
    assert ("ok", False) == (told["approvals"]["state"], "purse" in told)


def test_rules_that_are_not_in_force_yet(ruled: Prompt, bot_in_force: str, ledger: Ledger) -> None:
    """The running bot has read another file, or an earlier one."""
    told = findings(ruled.having(SKYWRIGHT_ADMIN_URL=bot_in_force))["rules"]

    assert ("warn", "`skywright reload`") == (told["state"], told["mend"])
    assert Rules().version in told["told"]


def test_an_empty_purse_and_who_waits(ruled: Prompt, ledger: Ledger) -> None:
    """What mends either is named."""
    claimed = building(ledger)
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.REFUSED, reason="no", cost_micros=600_000))
    held(ledger, "3kheld")

    told = findings(ruled)

    assert ("warn", True) == (told["purse"]["state"], told["purse"]["told"].startswith("0.60 of 1.00 USD until "))
    assert "money.day_usd" in told["purse"]["mend"]
    assert ("warn", "asks that wait for a person: 1") == (told["approvals"]["state"], told["approvals"]["told"])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"results": [{"flagged": False, "categories": {}}]}, "ok"),
        ({"results": [{"flagged": True, "categories": {"hate": True}}]}, "warn"),
        ({"hello": "world"}, "warn"),
    ],
)
def test_a_moderation_service_is_tried(
    host: Prompt, file: Path, ledger: Ledger, answer: dict[str, object], expected: str
) -> None:
    """On something harmless."""
    service = FastAPI(openapi_url=None)

    @service.post("/v1/moderations")
    def moderations() -> dict[str, object]:
        return answer

    with served(lambda _: service) as port:
        file.write_text(f"[moderation]\nurl = 'http://127.0.0.1:{port}'\n")
        told = findings(host.having(SKYWRIGHT_RULES=str(file)))

    assert expected == told["moderation"]["state"]
