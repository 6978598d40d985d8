"""The doctor, over a whole bot and over broken ones."""

import ast
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from bot.api.app import admin_app
from bot.api.lane import lane_app
from bot.apphost import apps_app
from bot.clock import Clock
from bot.jobs.board import JobBoard
from bot.ledger.leases import ROUNDS
from bot.ledger.ledger import Ledger
from bot.ledger.usage import Priority
from bot.rules import RulesFile
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import PROFILE, SandboxAccount
from bot.terminal import doctor
from bot.terminal.doctor_network import Answered, clock_finding
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.switches import Switch
from tests.bot.ledger.steps import built, sending
from tests.bot.serving import served
from tests.bot.terminal.prompt import CANARY, Prompt, findings
from tests.mentions import BOT, OPERATOR

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address on which nobody listens, held so that nobody will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def silent(host: Prompt, nowhere: str) -> Prompt:
    """A bot that does not run."""
    return host.having(SKYWRIGHT_ADMIN_URL=nowhere, SKYWRIGHT_LANE_URL=nowhere, SKYWRIGHT_APPS_URL=nowhere)


@pytest.fixture
def running(host: Prompt, ledger: Ledger, wright: SandboxAccount, sandbox: SandboxServer) -> Iterator[Prompt]:
    """A bot to which nothing is wanting: its listeners answer, and a lane has just come by."""
    wright.app_passwords["bot"], wright.password = wright.password, "its own"
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    sandbox.network.put_record(wright.did, PROFILE, "self", {"labels": labels})
    lane = ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "a lane", Role.LANE, "http://x", "token")
    ledger.desk.seen(lane.id)
    ledger.leases.take(ROUNDS, "box:7:ab", timedelta(minutes=5))
    clock = Clock()
    board = JobBoard(clock)
    board.open()
    with ExitStack() as stack:
        admin = stack.enter_context(served(lambda _: admin_app(ledger, board, clock, RulesFile(None))))
        lanes = stack.enter_context(served(lambda _: lane_app(ledger, "http://localhost")))
        apps = stack.enter_context(served(lambda port: apps_app(ledger, f"http://localhost:{port}")))
        yield host.having(
            SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{admin}",
            SKYWRIGHT_LANE_URL=f"http://127.0.0.1:{lanes}",
            SKYWRIGHT_APPS_URL=f"http://localhost:{apps}",
            SKYWRIGHT_ALERT_URL=f"http://127.0.0.1:{apps}/{CANARY}",
        )


def states(prompt: Prompt) -> dict[str, str]:
    return {name: finding["state"] for name, finding in findings(prompt).items()}


def test_all_is_well(running: Prompt) -> None:
    """Each line is ok, on either database, and so is the exit status; the tests' PostgreSQL alone forgets."""
    result = running.run("doctor")

    assert (0, "") == (result.exit_code, result.stderr)
    lines = [line for line in result.stdout.splitlines() if "fsync=off" not in line]
    assert {"ok"} == {line.split()[0] for line in lines}
    for name in (
        *("settings", "setting", "database", "durability", "schema"),
        *("pds", "login", "password", "account", "appview", "labels", "mutes", "notifications", "logins"),
        *("admin listener", "apps listener", "app hosts", "lane listener"),
        *("rules", "purse", "approvals", "switches", "parked", "conditions", "held replies", "sends"),
        *("lanes", "write points", "alerts"),
    ):
        assert f" {name} " in result.stdout, name
    assert CANARY not in result.stdout


def test_nothing_is_wrong_without_a_mend() -> None:
    """Each line of the doctor that is not ok is made by a function that wants one, and none is given an empty one."""
    for file in Path(doctor.__file__).parent.glob("doctor*.py"):
        for call in (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else None
            assert name != "Finding", file
            if name in ("warn", "fail"):
                assert 3 == len(call.args), (file, call.lineno)
                assert not (isinstance(call.args[2], ast.Constant) and not call.args[2].value), (file, call.lineno)


@SQLITE
def test_a_kept_session_is_used_again(silent: Prompt, sandbox: SandboxServer) -> None:
    """Logins are counted by the PDS, so a second look needs none."""
    silent.run("doctor")
    told = findings(silent)

    assert 1 == len(sandbox.network.calls_to("com.atproto.server.createSession"))
    assert ("ok", True) == (told["login"]["state"], "wright.test" in told["login"]["told"])
    assert sandbox.url in told["login"]["told"]


@SQLITE
def test_without_settings_it_does_what_it_can(prompt: Prompt, nowhere: str) -> None:
    """Each missing one is a line with its mend; ledger and listeners are looked at all the same."""
    prompt = prompt.having(SKYWRIGHT_ADMIN_URL=nowhere, SKYWRIGHT_LANE_URL=nowhere, SKYWRIGHT_APPS_URL=nowhere)
    result = prompt.run("doctor")

    assert 1 == result.exit_code
    for name in ("IDENTIFIER", "PASSWORD", "SESSION_KEY"):
        assert f"SKYWRIGHT_{name}: is not set" in result.stdout
    assert {"database": "ok", "login": "warn", "admin listener": "fail"}.items() <= states(prompt).items()


@SQLITE
def test_a_wrong_password(silent: Prompt) -> None:
    """The login fails with its mend; the password is not shown, and the PDS is looked at all the same."""
    prompt = silent.having(SKYWRIGHT_PASSWORD=f"{CANARY}-wrong")

    told = findings(prompt)

    assert ("fail", "ok") == (told["login"]["state"], told["pds"]["state"])
    assert "SKYWRIGHT_PASSWORD" in told["login"]["mend"]
    assert CANARY not in prompt.run("doctor").output


@SQLITE
def test_an_account_that_is_not_active(silent: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """Found by its DID, since its handle resolves no more; it can log in, and may not work."""
    sandbox.network.deactivate(wright.did)

    told = findings(silent.having(SKYWRIGHT_IDENTIFIER=wright.did))

    assert ("fail", True) == (told["account"]["state"], "deactivated" in told["account"]["told"])


@SQLITE
def test_a_pds_that_is_down(silent: Prompt, nowhere: str) -> None:
    """Neither login nor PDS, and the rest is looked at."""
    told = states(silent.having(SKYWRIGHT_PDS_URL=nowhere))

    assert {"login": "fail", "pds": "fail", "database": "ok", "switches": "ok"}.items() <= told.items()
    assert "appview" not in told


@SQLITE
def test_a_bot_that_does_not_run(silent: Prompt) -> None:
    """Each listener is a line with its mend."""
    told = findings(silent)

    for name in ("admin listener", "apps listener", "lane listener"):
        assert ("fail", True) == (told[name]["state"], "skywright run" in told[name]["mend"])


@SQLITE
def test_something_else_listens_there(silent: Prompt) -> None:
    """An answer alone is no proof."""
    with served(lambda _: FastAPI(openapi_url=None)) as port:
        told = states(
            silent.having(
                **{f"SKYWRIGHT_{n}_URL": f"http://127.0.0.1:{port}" for n in ("ADMIN", "LANE", "APPS", "PDS")}
            )
        )

    assert ["fail"] * 4 == [told[name] for name in ("admin listener", "lane listener", "apps listener", "pds")]


@SQLITE
def test_a_bot_that_is_not_well(silent: Prompt) -> None:
    """What its health says is passed on."""
    ailing = FastAPI(openapi_url=None)

    @ailing.get("/health")
    def health() -> JSONResponse:
        return JSONResponse({"database": "ok", "jobs": {"ingest": {"late": True}, "judge": {"late": False}}})

    with served(lambda _: ailing) as port:
        told = findings(silent.having(SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{port}"))["admin listener"]

    assert ("fail", True) == (told["state"], "late jobs: ingest" in told["told"])


@SQLITE
def test_what_waits_for_a_person(silent: Prompt, ledger: Ledger) -> None:
    """Warnings, none of which makes the exit status one by itself."""
    send = sending(ledger)
    ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "tired")
    ledger.desk.park("notifications", {"odd": 1}, "unreadable")

    told = findings(silent)

    assert ["warn"] * 4 == [told[name]["state"] for name in ("switches", "lanes", "parked", "sends")]
    assert "tired" in told["switches"]["told"]
    assert "`skywright resume builds`" == told["switches"]["mend"]
    assert re.fullmatch(rf"{send.key} is unknown for \d+s", told["sends"]["told"])
    assert "`skywright sends`" in told["sends"]["mend"]


@SQLITE
def test_what_only_a_person_can_mend(silent: Prompt, ledger: Ledger) -> None:
    """A conflict, a held reply and a condition each name the command, or the place, that mends them."""
    stuck = ledger.sends.in_conflict(sending(ledger), "another record")
    held = ledger.decisions.hold_reply(BOT, built(ledger, "3kheld"), "30 hours old")
    ledger.conditions.set("account", "the account is takendown")

    told = findings(silent)

    assert f"`skywright resolve {stuck.key}`" == told["sends"]["mend"]
    assert (f"{held.id}: 30 hours old", f"`skywright approve {held.id}`, or `skip`") == (
        told["held replies"]["told"],
        told["held replies"]["mend"],
    )
    assert "warn" == told["conditions"]["state"]
    assert re.fullmatch(r"account for \d+s: the account is takendown", told["conditions"]["told"])


def test_what_was_used_of_the_budgets(silent: Prompt, ledger: Ledger) -> None:
    """Write points and logins, of this hour and of this day, on either database."""
    ledger.pace.spend(2, Priority.REPLY)

    told = findings(silent.having(SKYWRIGHT_LOGINS_PER_DAY="9"))

    assert ("ok", "ok") == (told["write points"]["state"], told["logins"]["state"])
    assert told["write points"]["told"].startswith("2 of 4500 until ")
    assert told["write points"]["told"].endswith(" UTC, 2 of 31500 today")
    assert told["logins"]["told"].startswith("1 of 10 until ")
    assert told["logins"]["told"].endswith(" UTC, 1 of 9 today")


@SQLITE
@pytest.mark.parametrize(("spent", "mend"), [(8, "likes and notes wait"), (10, "replies wait")])
def test_a_budget_near_its_end(silent: Prompt, ledger: Ledger, spent: int, mend: str) -> None:
    """What it means is said; of the logins, what to look for."""
    ledger.pace.spend(spent, Priority.REPLY)
    small = {"SKYWRIGHT_WRITE_POINTS_PER_HOUR": "10", "SKYWRIGHT_LOGINS_PER_HOUR": "1"}

    told = findings(silent.having(**small))

    assert ("warn", "warn") == (told["write points"]["state"], told["logins"]["state"])
    assert mend in told["write points"]["mend"]
    assert "throws the session away" in told["logins"]["mend"]


def test_a_ledger_that_is_not_there(tmp_path: Path, nowhere: str) -> None:
    """It is not made by looking, and `migrate` is named."""
    file = tmp_path / "none.db"
    urls = {f"SKYWRIGHT_{name}_URL": nowhere for name in ("ADMIN", "LANE", "APPS")}

    told = findings(Prompt({**urls, "SKYWRIGHT_DATABASE_URL": f"sqlite:///{file}"}))

    assert ("fail", True) == (told["database"]["state"], "skywright migrate" in told["database"]["mend"])
    assert not file.exists()


def test_a_ledger_of_another_schema(empty_url: str, nowhere: str) -> None:
    """The database answers; its schema does not fit."""
    if empty_url.startswith("sqlite"):
        Path(empty_url.removeprefix("sqlite:///")).touch()
    urls = {f"SKYWRIGHT_{name}_URL": nowhere for name in ("ADMIN", "LANE", "APPS")}

    told = states(Prompt({**urls, "SKYWRIGHT_DATABASE_URL": empty_url}))

    assert ("ok", "fail") == (told["database"], told["schema"])


@pytest.mark.parametrize(("seconds", "expected"), [(0, "ok"), (29, "ok"), (-31, "warn"), (31, "warn")])
def test_the_clock_beside_the_pdss(seconds: int, expected: str) -> None:
    """More than half a minute is told."""
    (finding,) = clock_finding(Answered(NOON, NOON + timedelta(seconds=seconds)))

    assert expected == finding.state


def test_a_pds_that_tells_no_time() -> None:
    """Nothing is said about the clock."""
    assert [] == list(clock_finding(None))
