"""Each secret is changed by the runbook's own commands: the old one opens nothing, the bot works on, nobody is lost.

`make drills` runs it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import psycopg
import pytest
from dotenv import dotenv_values

from bot.sandbox.server import SandboxServer
from guardrails.transitions import Status
from tests.bot.hook import hooked
from tests.drills.conftest import on
from tests.drills.hands import LANE, Box, Hands, box
from tests.drills.saying import PATIENCE, answers, said
from tests.drills.town import NEW, OLD, Town, a_network, opened_town
from tests.missing import missing
from tests.postgres import PostgresServer, PostgresUnavailable, running_postgres
from tests.waiting import SECONDS, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("keys_leaked")]
LOGIN = "com.atproto.server.createSession"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """One for all of it; each test asks as somebody else, or as often as one may."""
    with opened_town(tmp_path_factory.mktemp("town")) as town:
        yield town


def test_app_password(town: Town) -> None:
    """The bot works on with the session that it has, and logs in with the new one; the old one opens nothing."""
    network, account = town.network, town.network.account("wright.test")
    before = town.ask("alice.test", "a pomodoro timer")
    town.answered(before)
    del account.app_passwords["bot"]
    network.sessions.revoke(account.did)
    account.app_passwords["instead"] = NEW
    meanwhile = town.ask("alice.test", "a tip splitter")
    an_hour_later(town.box)
    names = ("SKYWRIGHT_PASSWORD", "SKYWRIGHT_SESSION_KEY")
    town.hands.follow(
        "key-leaked",
        "App password, or the session key",
        lambda said: dict(zip(names, (NEW, said[0].split()[-1]), strict=True)),
    )
    after = town.ask("alice.test", "a dice roller")

    town.answered(before, meanwhile, after)
    assert [OLD, NEW] == [call.body["password"] for call in network.calls_to(LOGIN)]
    assert 401 == logging_in(town.url, OLD)


def test_a_devices_token(town: Town) -> None:
    """The lane builds with the new one."""
    old = str(dotenv_values(town.box.folder / "lane.env")["SKYWRIGHT_LANE_TOKEN"])
    told = town.hands.follow(
        "key-leaked",
        "A device's token",
        lambda said: {"SKYWRIGHT_LANE_TOKEN": said[-1].split()[-1]},
        DEVICE="lane",
        NAME="instead",
    )
    claim = {"Authorization": f"Bearer {old}"}
    refused = httpx.post(f"{town.box.lane_url}/api/lane/claim", headers=claim, json={}, trust_env=False)
    post = town.ask("bob.test", "a countdown")

    town.answered(post)
    assert 401 == refused.status_code
    assert "lane" in told[0]


def test_a_console(town: Town) -> None:
    """Whoever is in is out."""
    link = re.findall(r"http://\S+", said(town.box, "console", "link"))[0]
    console, _, code = link.rpartition("/enter/")
    origin = {"Origin": console.removesuffix("/console")}
    with httpx.Client(headers=origin, trust_env=False, timeout=SECONDS) as browser:
        browser.post(f"{console}/enter", data={"code": code})
        inside = browser.get(f"{console}/").status_code
        (session,) = [json.loads(line)["id"] for line in said(town.box, "console", "sessions", "--json").splitlines()]
        town.hands.follow("key-leaked", "A console", nothing, SESSION=session)
        outside = browser.get(f"{console}/").status_code

    assert (200, False) == (inside, outside == 200)


def test_the_alert_address(town: Town) -> None:
    """The message that tries it comes to the new one."""
    with hooked() as other:
        before = len(town.hook.told)
        town.hands.follow("key-leaked", "The alert address", lambda _: {"SKYWRIGHT_ALERT_URL": other.url})

        assert "test" in [each["event"] for each in other.told]
        assert before == len(town.hook.told)


def test_the_moderation_key(town: Town) -> None:
    """While the service takes no key of ours nothing is decided; then it is."""
    before = len(town.moderation.calls)
    town.moderation.key = NEW
    waiting = town.ask("bob.test", "a unit converter")
    until(lambda: OLD in [call.token for call in town.moderation.calls[before:]], PATIENCE)
    town.box.document(waiting.uri, Status.RECEIVED)
    told = town.hands.follow("key-leaked", "The moderation key", lambda _: {"SKYWRIGHT_MODERATION_KEY": NEW})

    town.answered(waiting)
    assert "ok    moderation" in told[-1]


def test_a_models_key(town: Town) -> None:
    """A lane whose key is refused gives back what it has claimed, and ends; with the new one it is built."""
    town.box.write(
        LANE,
        {
            "SKYWRIGHT_LANE_GENERATOR": "llm",
            "SKYWRIGHT_LANE_LLM_MODELS": "compatible:small",
            "SKYWRIGHT_LANE_LLM_ANSWER": "text",
            "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL": f"{town.models.url}/v1",
            "SKYWRIGHT_LANE_LLM_COMPATIBLE_KEY": OLD,
            "SKYWRIGHT_LANE_LLM_PRICE_IN": "0",
            "SKYWRIGHT_LANE_LLM_PRICE_OUT": "0",
        },
    )
    town.hands.starts_the_lane()
    before = town.ask("carol.test", "dice")
    town.answered(before)
    town.models.key = NEW
    failing = town.ask("carol.test", "dice with eight sides")
    until(lambda: town.hands.lane.has_ended, PATIENCE, told=lambda: town.hands.lane.said)
    town.hands.follow("key-leaked", "A model's key", lambda _: {"SKYWRIGHT_LANE_LLM_COMPATIBLE_KEY": NEW})

    town.answered(before, failing)


def test_the_token_for_github(town: Town) -> None:
    """GitHub takes the new one, as the doctor sees."""
    town.github.key = NEW
    refused = town.box.skywright("doctor")
    refused.status()
    told = town.hands.follow("key-leaked", "The token for GitHub", lambda _: {"SKYWRIGHT_GITHUB_TOKEN": NEW})

    assert "fail  workflow" in refused.said
    assert "ok    workflow" in told[-1]


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of this test's own, at which one role needs its password."""
    try:
        with running_postgres() as server:
            yield server
    except PostgresUnavailable as error:
        missing(str(error))


@pytest.mark.postgres
def test_the_databases_password(server: PostgresServer, tmp_path: Path) -> None:
    """Whoever has the old one is out, and does not come in; the bot is in with the new one."""
    network = a_network()
    rules = server.home / "data" / "pg_hba.conf"
    rules.write_text(f"local all skywright scram-sha-256\n{rules.read_text()}")
    with psycopg.connect(server.conninfo(), autocommit=True) as owner:
        owner.execute(f"CREATE ROLE skywright LOGIN PASSWORD '{OLD}'")
        owner.execute("CREATE DATABASE skywright OWNER skywright")
        owner.execute("SELECT pg_reload_conf()")

    def url(password: str) -> str:
        return server.url("skywright").replace("postgres@", f"skywright:{password}@")

    def way_in(password: str) -> str:
        return f"host={server.home} user=skywright dbname=skywright password={password}"

    until(lambda: not comes_in(way_in("wrong")))
    with SandboxServer(network) as sandbox, hooked() as hook, psycopg.connect(way_in(OLD)) as thief:
        settings = on(sandbox, hook) | {"password": OLD, "database_url": url(OLD)}
        with box(tmp_path, **settings) as here:
            said(here, "migrate")
            hands = Hands(here, server)
            here.enrol()
            here.lane()
            before = network.say("alice.test", "@wright.test make me a pomodoro timer")
            here.document(before.uri, Status.REPLIED)
            hands.follow(
                "key-leaked", "The database's password", lambda _: {"SKYWRIGHT_DATABASE_URL": url(NEW)}, typed=NEW
            )
            after = network.say("alice.test", "@wright.test make me a tip splitter")
            here.document(after.uri, Status.REPLIED)

            assert {before.uri: 1, after.uri: 1} == answers(network)
            assert [False, True] == [comes_in(way_in(password)) for password in (OLD, NEW)]
            with pytest.raises(psycopg.OperationalError):
                thief.execute("SELECT 1")


def comes_in(way: str) -> bool:
    """Whether the database lets somebody in."""
    try:
        psycopg.connect(way).close()
    except psycopg.OperationalError:
        return False
    return True


def nothing(_: Sequence[str]) -> dict[str, str]:
    """No file is edited."""
    return {}


def an_hour_later(here: Box) -> None:
    """After the last login: sooner a new one waits for its time."""
    with here.ledger() as ledger, ledger.db.write() as connection:
        connection.exec_driver_sql("DELETE FROM logins")


def logging_in(url: str, password: str) -> int:
    """What the PDS answers to somebody who comes with a password."""
    body = {"identifier": "wright.test", "password": password}
    return httpx.post(f"{url}/xrpc/{LOGIN}", json=body, trust_env=False, timeout=SECONDS).status_code
