"""The real Caddy with the Caddyfile that we hand out, in front of the real bot, for which two apps were built."""

import secrets
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import SecretStr

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from builder.client import BotClient
from guardrails.documents import Slug
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome, Report
from tests.bot.stage import sha256, zipped
from tests.deploy.actions import ROOT
from tests.lifeline import end, last_words, spawn
from tests.missing import missing
from tests.scenarios.processes import TOKEN, Machine, environment, free_ports, machine
from tests.waiting import SECONDS, until

CADDYFILE = ROOT / "deploy" / "caddy" / "Caddyfile"
APPS, LANES = "apps.localhost", "localhost"
ASKS = ("make me a to-do list", "make me a pomodoro timer")
APP = b"<!doctype html><html lang=en><title>App</title><h1>An app</h1><script>document.body.append(' runs')</script>"


@dataclass
class Front:
    """What people and lanes reach: one port with TLS, and one that leads there."""

    here: Machine
    port: int
    plain_port: int
    authority: Path
    log: Path
    slugs: tuple[Slug, ...] = ()

    def url(self, host: str = APPS) -> str:
        """The address of a host as people know it."""
        return f"https://{host}:{self.port}"

    def call(
        self,
        host: str,
        path: str = "/",
        method: str = "GET",
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        name: str | None = None,
    ) -> httpx.Response:
        """Call a host through TLS, its certificate checked; `name` is what the call says that it is for, if another."""
        context = ssl.create_default_context(cafile=str(self.authority))
        with httpx.Client(verify=context, trust_env=False, timeout=SECONDS) as http:
            told = {"Host": name or f"{host}:{self.port}", **(headers or {})}
            address = f"https://127.0.0.1:{self.port}{path}"
            return http.request(method, address, headers=told, content=content, extensions={"sni_hostname": host})

    @contextmanager
    def lane(self) -> Iterator[BotClient]:
        """A lane's client, which comes through TLS."""
        context = ssl.create_default_context(cafile=str(self.authority))
        with httpx.Client(base_url=self.url(LANES), verify=context, trust_env=False) as http:
            yield BotClient(http, SecretStr(TOKEN), SECONDS, time.monotonic)

    def is_up(self) -> bool:
        """Whether both hosts that are there from the start have their certificates."""
        try:
            return self.authority.exists() and all(self.call(host, name="nobody").is_error for host in (APPS, LANES))
        except httpx.TransportError:
            return False

    def certificates(self) -> set[str]:
        """The hosts for which there are certificates."""
        return {file.stem for file in self.authority.parents[3].glob("certificates/local/*/*.crt")}


def build(lane: BotClient) -> None:
    """Wait for an ask, and hand in an app for it."""
    claim_id = secrets.token_urlsafe(24)
    until(lambda: lane.claim(claim_id, "template"))
    bundle = zipped({"index.html": APP})
    address = lane.upload(claim_id, bundle).address
    done = Report(
        outcome=BuildOutcome.DONE,
        title="An app",
        description="It runs.",
        generator="template",
        address=address,
        sha256=sha256(bundle),
    )
    lane.report(claim_id, done)


def caddy_program() -> Path:
    """The program; the test is skipped where there is none."""
    beside = Path(sys.executable).with_name("caddy")
    found = beside if beside.exists() else shutil.which("caddy")
    return Path(found) if found else missing("no caddy on PATH, nor beside the interpreter")


def caddy(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command of Caddy to its end."""
    env = caddy_environment(folder, **settings)
    return subprocess.run(
        [caddy_program(), *arguments], env=env, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def caddy_environment(folder: Path, **settings: str) -> dict[str, str]:
    """What Caddy is told: where its own files go, and what the Caddyfile leaves open."""
    places = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    given = {"SKYWRIGHT_APPS_HOST": APPS, "SKYWRIGHT_LANE_HOST": LANES, "SKYWRIGHT_CADDY_TLS": "internal"}
    return {**environment(folder), **places, **given, "SKYWRIGHT_CADDY_ADMIN": "off", **settings}


@contextmanager
def opened_front(folder: Path) -> Iterator[Front]:
    """Everything in a folder; two asks were made, and a lane that came through Caddy has built and reported both."""
    caddy_program()
    with ExitStack() as stack:
        network = SandboxNetwork(Clock())
        for handle in ("wright.test", "alice.test"):
            network.create_account(handle)
        sandbox = stack.enter_context(SandboxServer(network))
        port, plain_port = free_ports(2)
        apps_url, lane_url = f"https://{APPS}:{port}", f"https://{LANES}:{port}"
        settings = {"identifier": "wright.test", "password": "wright.test-pw", "pds_url": sandbox.url}
        settings |= {"plc_url": f"{sandbox.url}/plc", "apps_url": apps_url, "lane_url": lane_url}
        here = stack.enter_context(machine(folder, **settings))
        here.apps_url = apps_url
        front = stack.enter_context(caddy_before(here, port, plain_port))
        here.bot()
        here.enrol()
        posts = [network.say("alice.test", f"@wright.test {ask}") for ask in ASKS]
        with front.lane() as lane:
            for _ in posts:
                build(lane)
        documents = [here.document(post.uri, Status.REPLIED) for post in posts]
        front.slugs = tuple(document.slug for document in documents if document.slug is not None)
        yield front


@contextmanager
def caddy_before(here: Machine, port: int, plain_port: int, *, own: tuple[Path, Path] | None = None) -> Iterator[Front]:
    """Caddy before whatever listens at the ports of a machine, ready for callers; with `own` certificate and key."""
    folder = here.folder / ("caddy" if own is None else "caddy-of-ones-own")
    folder.mkdir()
    settings = {
        "SKYWRIGHT_CADDY_HTTP_PORT": str(plain_port),
        "SKYWRIGHT_CADDY_HTTPS_PORT": str(port),
        "SKYWRIGHT_APPS_LISTEN": f"127.0.0.1:{here.apps_port}",
        "SKYWRIGHT_LANE_LISTEN": f"127.0.0.1:{here.lane_port}",
    }
    authority = folder / "data" / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    if own is not None:
        authority, settings["SKYWRIGHT_CADDY_TLS"] = own[0], " ".join(map(str, own))
    front = Front(here, port, plain_port, authority, folder / "log")
    with front.log.open("w+b") as log:
        program = spawn(
            [caddy_program(), "run", "--config", CADDYFILE, "--adapter", "caddyfile"],
            cwd=folder,
            env=caddy_environment(folder, **settings),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            until(front.is_up, told=lambda: last_words(log))
            yield front
        finally:
            end(program)
