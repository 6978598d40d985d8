"""The images: every step of their files works, and what they make runs as a container has to."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.building import Engine, Image, is_sent
from tests.deploy.composed import WHOLE, environment_of, loaded, mounts_of
from tests.deploy.containing import Network, confined, filtered, network, ran, running
from tests.deploy.dockerfile import words
from tests.deploy.part_lock import LOCKS, ROOT, part_lock
from tests.deploy.small_world import BOT, PASSWORD, PORT
from tests.missing import missing
from tests.waiting import until

# Each question is a container of its own, on a machine that may be busy.
PATIENCE = 100.0
# One worker builds, once.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("images")]
CONTAINERS = ROOT / "deploy" / "containers"
PDS = f"http://127.0.0.1:{PORT}"
NETWORK = {"SKYWRIGHT_PDS_URL": PDS, "SKYWRIGHT_PLC_URL": f"{PDS}/plc"}
# PostgreSQL is left out: it would be another container.
HERE = {
    "SKYWRIGHT_DATABASE_URL": "sqlite:////data/skywright.db",
    "SKYWRIGHT_POLL_SECONDS": "0.3",
    "SKYWRIGHT_TICK_SECONDS": "0.3",
}
# MB of packages; 169 and 308 were measured. The base image, Chromium and PostgreSQL's client are Debian's.
MOST = {"bot": 200, "lane": 360}
COMPILER = re.compile(r"gcc|g\+\+|clang|make|build-essential|rustc|cargo|git|\S+-dev")
# Whoever sets it up, on the machine with the engine.
SOMEBODY = 4321


@dataclass(frozen=True)
class Images:
    bot: Image
    lane: Image
    demo: Image


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    """Both, built in clean roots."""
    if os.geteuid() != 0:
        missing("only root can give files to an image's user")
    for tool in ("bwrap", "nsenter", "setpriv", "apt-get", "useradd"):
        if not shutil.which(tool):
            missing(f"no {tool} on PATH, which the steps of the container files take")
    if not any(Path("/var/lib/apt/lists").glob("*_Packages*")):
        missing("no lists of Debian's packages, which `apt-get update` fetches")
    place, cache = tmp_path_factory.mktemp("images"), Path.home() / ".cache" / "pip"
    # For the users of the images, who are not this one.
    for folder in (place, *place.parents):
        if folder.is_relative_to(tmp_path_factory.getbasetemp().parent):
            folder.chmod(0o755)
    engine = Engine(place, cache)
    of_bot = engine.built(CONTAINERS / "bot.Dockerfile", "", "demo")
    of_lane = engine.built(CONTAINERS / "lane.Dockerfile", "")
    return Images(of_bot[""], of_lane[""], of_bot["demo"])


@dataclass(frozen=True)
class Service:
    """The bot as compose.yaml has it run, with what `skywright init` has left."""

    image: Image
    world: Network
    settings: dict[str, str]
    mounts: list[str]

    def does(self, *command: str) -> str:
        """What a command says in a container of its own, as by `docker compose run`."""
        done = self.asked(*words(self.image.stage.last("ENTRYPOINT")), *command)
        assert 0 == done.returncode, done.stdout + done.stderr
        return done.stdout

    def asked(self, *command: str) -> subprocess.CompletedProcess[str]:
        return ran(self.image, self.world, list(command), *self.mounts, **self.settings)


@pytest.fixture(scope="module")
def service(images: Images, world: Network) -> Service:
    """By the words of compose.yaml; whoever gives them is another user than the container's."""
    place = images.bot.root.parent
    (place / "bot").mkdir()
    os.chown(place / "bot", SOMEBODY, SOMEBODY)
    [init] = re.findall(r"^#     skywright-bot:\S+ (init .*)$", WHOLE.read_text(encoding="utf-8"), re.MULTILINE)
    command = [*words(images.bot.stage.last("ENTRYPOINT")), *init.split(), "--yes", "--handle", BOT]
    command += ["--contact", "you@example.org"]
    told = {"HOME": "/", "SKYWRIGHT_PASSWORD": PASSWORD, **NETWORK}
    mounts, user = ("--bind", f"{place}/bot", "/data"), f"{SOMEBODY}:{SOMEBODY}"
    done = ran(images.bot, world, command, *mounts, user=user, **told)
    assert 0 == done.returncode, done.stdout + done.stderr
    bot = loaded(WHOLE)["services"]["bot"]
    settings = environment_of(bot, place, {"DATABASE_PASSWORD": "of-no-use"}) | HERE
    mounted = mounts_of(bot, place)
    for target in mounted[2::3]:
        # As an engine does.
        (images.bot.root / target.lstrip("/")).mkdir(parents=True, exist_ok=True)
    return Service(images.bot, world, settings, mounted)


@pytest.fixture(scope="module")
def world(images: Images) -> Iterator[Network]:
    with network() as made:
        yield made


def shut_in(
    images: Images, world: Network, command: list[str], *without: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    """A command of the lane's image with the profile that comes with it, but for some of its calls."""
    with filtered(*without) as descriptor:
        told = confined(images.lane, world, command, descriptor, **settings)
        return subprocess.run(told, capture_output=True, text=True, timeout=120, check=False, pass_fds=[descriptor])


def test_the_lane_s_browser_needs_the_namespaces_that_its_profile_allows(images: Images, world: Network) -> None:
    """Its sandbox is on: without what the profile allows for it alone, it opens nothing."""
    once = [images.lane.stage.command[0], "try", "make a dice roller", "--out", "dice"]
    done = shut_in(images, world, once, "chroot", "unshare")

    assert 0 != done.returncode, done.stdout + done.stderr
    assert "Chromium does not start" in done.stderr


def test_an_ask_is_answered_by_the_two_images(images: Images, service: Service, tmp_path: Path) -> None:
    """Healthy by its own health check, a lane with a token, an app that its Chromium has opened, a clean end.

    The bot goes by the settings and rules that `init` has left, so that the ask waits for a person. With the bot
    stopped, its ledger is put back.
    """
    log = tmp_path / "bot.log"
    with running(images.bot, service.world, log, *service.mounts, **service.settings) as bot:
        until(lambda: '"event": "running"' in log.read_text(), PATIENCE, log.read_text)
        until(lambda: service.asked(*images.bot.stage.health_check).returncode == 0, PATIENCE, log.read_text)
        service.world.say()
        token = _token(service.does("devices", "add", "lane", "--role", "lane", "--json"))
        until(lambda: '"hold"' in log.read_text(), PATIENCE, log.read_text)
        service.does("approve", "--status", "awaiting-approval", "--yes")
        lane = {"SKYWRIGHT_LANE_BOT_URL": "http://127.0.0.1:8101", "SKYWRIGHT_LANE_TOKEN": token}
        for command in (images.lane.stage.health_check, [images.lane.stage.command[0], "once", "--json"]):
            done = shut_in(images, service.world, command, **lane)
            assert 0 == done.returncode, done.stdout + done.stderr
        until(lambda: '"key": "reply:' in log.read_text(), PATIENCE, log.read_text)
        status = bot.stopped(images.bot.stage.last("STOPSIGNAL"))
    service.does("backup", "/data/copy.db")
    service.does("restore", "/data/copy.db")

    assert 0 == status, log.read_text()
    assert "stopped" in log.read_text()
    assert "replied" in service.does("list", "--json")


def test_the_demo_runs_in_its_stage(images: Images) -> None:
    """To its first reply, without a home of its own and with nothing but /tmp to write to."""
    with network() as alone:
        done = ran(images.demo, alone, [*images.demo.stage.command, "--once"])

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "the thread" in done.stdout


@pytest.mark.parametrize(("half", "most"), sorted(MOST.items()))
def test_an_image_is_small(images: Images, half: str, most: int, capsys: pytest.CaptureFixture[str]) -> None:
    """It holds the packages of its lock and the project: no tool of tests, no compiler, no cache, no source."""
    image = {"bot": images.bot, "lane": images.lane}[half]
    [packages] = (image.root / "opt/skywright/lib").glob("python3*/site-packages")
    names = {re.sub(r"[-_.]+", "-", file.name.split("-")[0]).lower() for file in packages.glob("*.dist-info")}
    [ours] = packages.glob("skywright-*.dist-info")
    tops = {line.partition("/")[0] for line in (ours / "RECORD").read_text().splitlines()}
    size = megabytes(packages)
    with capsys.disabled():
        print(f"\n{half}'s image: {size} MB of packages, of {most} at most")

    assert locked(half) | {"skywright"} == names
    assert {"bot", "builder", "guardrails", ours.name, ".."} == tops
    assert size <= most
    assert [] == [file for file in strangers(image) if not re.match("etc/|opt/skywright/|data/", file)]
    assert [] == [word for rest in image.stage.all("RUN") for word in rest.split() if COMPILER.fullmatch(word)]
    assert ["--from=build /opt/skywright /opt/skywright"] == image.stage.all("COPY")


def test_nothing_is_sent_to_an_engine_but_what_an_image_needs() -> None:
    """By name, so that a settings file or a ledger that lies about is in no layer."""
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = ("bot/cli.py", "bot/console/static/x.css", "pyproject.toml", "deploy/containers/bot.lock")
    kept = ("bot.env", "deploy/bot.env", ".git/config", "skywright.db", "bot/__pycache__/x.pyc", "tests/x.py", ".env")

    assert [True] * len(sent) == [is_sent(name, rules) for name in sent]
    assert [False] * len(kept) == [is_sent(name, rules) for name in kept]


def test_the_bot_s_image_installs_what_the_project_has_locked() -> None:
    """Of that what its extra asks for. Anew: `make lock`."""
    lock = LOCKS["bot"].read_text(encoding="utf-8")

    assert part_lock("bot") == lock
    assert {"fastapi", "psycopg", "hatchling"} <= locked("bot")
    assert set() == locked("bot") & {"playwright", "pydantic-ai-slim", "pytest", "zizmor"}


def locked(half: str) -> set[str]:
    """The names of a lock's packages."""
    return set(re.findall(r"^([a-z0-9-]+)==", LOCKS[half].read_text(encoding="utf-8"), re.MULTILINE))


def megabytes(folder: Path) -> int:
    """What is in it, with what it has links to."""
    files = (Path(place) / name for place, _, names in os.walk(folder, followlinks=True) for name in names)
    return round(sum(file.stat().st_size for file in files) / 1_000_000)


def strangers(image: Image) -> list[str]:
    """The files in its root, by their names."""
    places = (Path(place) / name for place, _, names in os.walk(image.root) for name in names)
    return [f"{each.relative_to(image.root)}" for each in places if each.is_file() and not each.is_symlink()]


def _token(told: str) -> str:
    [token] = re.findall(r"sw_[\w-]+", told)
    return str(token)
