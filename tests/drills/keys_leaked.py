"""Each secret is changed by the runbook's own commands: the old one opens nothing, the bot works on, nobody is lost.

`make drills` runs it.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest
from dotenv import dotenv_values

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.bot.bluesky.scripted import Answer, Call, answered, scripted_pds
from tests.bot.hook import Hook, hooked
from tests.builder.llm.fake_models import PAGE, Fails, FakeModels, Reply, Request, Says, serving
from tests.drills.conftest import on
from tests.drills.hands import LANE, Box, Hands, box
from tests.drills.saying import PATIENCE, answers, said
from tests.missing import missing
from tests.moderation import Service
from tests.postgres import PostgresServer, PostgresUnavailable, running_postgres
from tests.waiting import SECONDS, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("keys_leaked")]
LOGIN = "com.atproto.server.createSession"
OLD, NEW = "old-key-old-key-1", "new-key-new-key-2"


class Models(FakeModels):
    """A provider of models who takes one key only."""

    key = OLD

    def next_reply(self, request: Request) -> Reply:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return Fails(401, body={"error": {"message": "no such key", "type": "invalid_request_error"}})
        return super().next_reply(request)


@dataclass
class Keyed:
    """A service that takes one key only; `calls` are those that came with another, too."""

    answer: Callable[[Call], Answer]
    key: str = OLD
    calls: list[Call] = field(default_factory=list)

    def take(self, call: Call) -> Answer:
        self.calls.append(call)
        return self.answer(call) if call.token == self.key else answered({"message": "bad credentials"}, 401)


@dataclass
class Town:
    """The box, and everybody who has given it a key."""

    hands: Hands
    network: SandboxNetwork
    url: str
    hook: Hook
    moderation: Keyed
    github: Keyed
    models: Models

    @property
    def box(self) -> Box:
        return self.hands.box

    def ask(self, handle: str, text: str) -> StrongRef:
        return self.network.say(handle, f"@wright.test make me {text}")

    def answered(self, *posts: StrongRef) -> None:
        """Each of them is answered, once, and nothing that was answered before is answered again."""
        for post in posts:
            self.box.document(post.uri, Status.REPLIED)
        assert {1} == set(answers(self.network).values())


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("town")
    network, service, models = a_network(), Service(), Models([Says(PAGE)])
    moderation = Keyed(service.answer)
    github = Keyed(lambda call: answered({"state": "active"}) if call.body == b"" else Answer(204, b""))
    with ExitStack() as stack:
        sandbox = stack.enter_context(SandboxServer(network))
        hook = stack.enter_context(hooked())
        stack.enter_context(serving(models))
        places = [stack.enter_context(scripted_pds(each.take)).url for each in (moderation, github)]
        (folder / "rules.toml").write_text(f"[moderation]\nurl = '{places[0]}'\n")
        settings = on(sandbox, hook) | {"password": OLD, "rules": str(folder / "rules.toml"), "moderation_key": OLD}
        settings |= {"github_repository": "olga/lanes", "github_token": OLD, "github_api_url": places[1]}
        here = stack.enter_context(box(folder, **settings))
        hands = Hands(here)
        here.enrol()
        hands.starts_the_lane()
        yield Town(hands, network, sandbox.url, hook, moderation, github, models)


def a_network() -> SandboxNetwork:
    """A bot's account with an app password, and who asks."""
    network = SandboxNetwork(Clock())
    account = network.create_account("wright.test", self_labels=["bot"])
    account.app_passwords["bot"], account.password = OLD, "its own"
    for handle in ("alice.test", "bob.test", "carol.test"):
        network.create_account(handle)
    return network


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
    town.moderation.key = NEW
    waiting = town.ask("bob.test", "a unit converter")
    until(lambda: town.moderation.calls[-1].token == OLD, PATIENCE)
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
