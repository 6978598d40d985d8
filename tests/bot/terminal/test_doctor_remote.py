"""The doctor's look at a bot elsewhere."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from bot.ledger.ledger import Ledger
from bot.settings import Settings
from bot.terminal.server import SERVER
from bot.terminal.token import TOKEN
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.switches import Switch
from tests.bot.ledger.steps import held
from tests.bot.serving import served
from tests.bot.terminal.prompt import Prompt, findings
from tests.bot.terminal.served import elsewhere
from tests.mentions import OPERATOR

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


@pytest.fixture
def settings(host: Prompt) -> Settings:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in host.env.items():
            patch.setenv(name, value)
        return Settings()


@pytest.fixture
def far(ledger: Ledger, settings: Settings) -> Iterator[Prompt]:
    """Somebody elsewhere with an operator's token, and a bot that has just begun."""
    with elsewhere(ledger, settings) as far:
        yield far


@SQLITE
def test_a_bot_elsewhere_is_looked_at_by_what_it_tells(far: Prompt, ledger: Ledger) -> None:
    """Reach, clock, token, version, and how it is; a lane is all that is wanting. Its jobs do not run in a test."""
    lane = ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "a lane", Role.LANE, "http://x", "token")
    ledger.desk.seen(lane.id)

    told = findings(far)

    assert ("fail", True) == (told["server"]["state"], "the jobs have not begun" in told["server"]["told"])
    for name in ("clock", "token", "version", "switches", "conditions", "piles", "lanes", "budgets"):
        assert "ok" == told[name]["state"], told[name]
    assert "operator" in told["token"]["told"]


@SQLITE
def test_what_waits_there_for_a_person(far: Prompt, ledger: Ledger) -> None:
    """Each with the command that shows or settles it, which works from here, too."""
    held(ledger)
    ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "tired")
    ledger.conditions.set("account", "the account is takendown")

    told = findings(far)

    assert ["warn"] * 4 == [told[name]["state"] for name in ("switches", "conditions", "piles", "lanes")]
    assert "`skywright resume builds`" == told["switches"]["mend"]
    assert told["piles"]["mend"].startswith("`skywright ")


@SQLITE
def test_a_token_that_is_none_or_only_sees(ledger: Ledger, settings: Settings) -> None:
    """What it is good for is told; of none, how to come by one."""
    with elsewhere(ledger, settings, role=Role.VIEWER) as far:
        viewer = findings(far)["token"]
        wrong = findings(far.having(SKYWRIGHT_TOKEN="sw_nobody"))["token"]
        none = findings(Prompt({SERVER: far.env[SERVER], "SKYWRIGHT_TOKEN_FILE": "/nowhere"}))["token"]

    assert ("ok", True) == (viewer["state"], "does not act" in viewer["told"])
    assert [("fail", True)] * 2 == [(each["state"], "devices add" in each["mend"]) for each in (wrong, none)]


def test_a_server_that_is_none() -> None:
    """Away, or something else."""
    with served(lambda _: FastAPI(openapi_url=None)) as port:
        told = [
            findings(Prompt({SERVER: address, TOKEN: "sw_x"}))["server"]
            for address in (f"http://127.0.0.1:{port}", "http://127.0.0.1:1")
        ]

    assert [("fail", True), ("fail", False)] == [(each["state"], "not as a bot does" in each["told"]) for each in told]


def test_what_takes_the_ledger_itself_is_not_tried_from_elsewhere() -> None:
    """--write is for the bot's own machine."""
    result = Prompt({SERVER: "http://127.0.0.1:1", TOKEN: "sw_x"}).run("doctor", "--write")

    assert 2 == result.exit_code


@SQLITE
def test_a_bot_of_another_version(settings: Settings) -> None:
    """What it answers cannot be read, or only with care."""
    older = FastAPI(openapi_url=None)

    @older.get("/health")
    def health() -> dict[str, object]:
        return {"database": "ok", "jobs": {}}

    with served(lambda _: older) as port:
        told = findings(Prompt({SERVER: f"http://127.0.0.1:{port}", TOKEN: "sw_x"}))

    assert ("ok", "fail") == (told["server"]["state"], told["version"]["state"])
