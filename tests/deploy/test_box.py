"""A box set up by the README's words: its units fit what is there, and their own commands work, shut in as they say."""

import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing

import pytest
from dotenv import dotenv_values

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.deploy.box import PROGRAM, Box, commands
from tests.deploy.shut_in import missing_tools
from tests.deploy.units import FOLDER, Unit
from tests.missing import missing
from tests.scenarios.processes import QUICK, free_ports

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
PASSWORD = "wwww-xxxx-yyyy-zzzz"
SYSTEMD = re.compile(r"skywright[a-z0-9@-]*\.(?:service|timer)(?= |$)")
REFUSED = {
    "a file elsewhere": "open('/usr/x', 'w')",
    "a namespace": "called('unshare', 0x10000000)",
    "code that was written": "mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)",
    "another's process": "called('ptrace', 16, os.getppid(), 0, 0)",
    "a mount": "called('mount', b'x', b'/tmp', b'tmpfs', 0, 0)",
    "another user": "os.setresuid(1, 1, 1)",
    "a packet socket": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
}
TRIES = f"""
import ctypes, errno, mmap, os, socket
def called(name, *words):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*words) == -1:
        raise OSError(ctypes.get_errno(), name)
for what, try_it in {REFUSED!r}.items():
    try:
        exec(try_it)
        print(f"{{what}}: done")
    except OSError as problem:
        said = (errno.EPERM, errno.EROFS, errno.EAFNOSUPPORT)
        print(f"{{what}}: {{'refused' if problem.errno in said else problem}}")
"""
# A program of an operator's, which would read what is the lane's.
BUILDS = (
    "grep -q dice ask.txt && ! cat /var/lib/skywright-lane/*/* && ! touch /usr/x && "
    'echo "<!doctype html><html lang=en><title>Dice</title><h1>no file elsewhere</h1>" > app/index.html'
)
UNITS = sorted(file.name for file in FOLDER.glob("*.service"))


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    network = SandboxNetwork(Clock())
    wright = network.create_account("wright.test")
    wright.app_passwords["bot"] = PASSWORD
    network.create_account("alice.test")
    with SandboxServer(network) as server:
        yield server


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory, server: SandboxServer) -> Iterator[Box]:
    """A box on which every command of the README was given, as far as it goes here."""
    if tools := missing_tools():
        missing(f"no {', '.join(tools)}: Debian's bubblewrap, systemd and libseccomp2 have them")
    network = {"SKYWRIGHT_PDS_URL": server.url, "SKYWRIGHT_PLC_URL": f"{server.url}/plc"}
    apps, lane, admin = free_ports(3)
    listen = [f"--{name}-listen=127.0.0.1:{port}" for name, port in (("apps", apps), ("lane", lane), ("admin", admin))]
    answers = ["--yes", "--handle=wright.test", "--contact=you@example.org", f"--apps-url=http://localhost:{apps}"]
    box = Box(tmp_path_factory.mktemp("box"), {"SKYWRIGHT_PASSWORD": PASSWORD, **network})
    for command in commands():
        if not command.endswith("doctor"):
            box.does(command, *([*answers, *listen] if " init " in command else []))
    with box.path("/etc/skywright/skywright.env").open("a") as settings:
        settings.writelines(
            f"{name}={value}\n" for name, value in {**network, **QUICK, "SKYWRIGHT_LEASE_SECONDS": "60"}.items()
        )
    yield box
    box.close()


def test_what_the_units_name_is_there(box: Box) -> None:
    """Each program, and each file of settings, which nobody else can read."""
    for unit in (Unit(name) for name in UNITS):
        words = unit.command()
        files = [*unit.all("EnvironmentFile"), *(word for word in words if word.startswith("/etc/"))]
        assert box.path(words[0]).exists()
        assert [0o600] * len(files) == [stat.S_IMODE(box.path(file).stat().st_mode) for file in files]


def test_what_the_readme_starts_is_installed(box: Box) -> None:
    """Under the name that it says; what systemd reads from elsewhere fits, too."""
    installed = {file.name for file in box.path("/etc/systemd/system").iterdir()}
    started = {re.sub("@.+\\.", "@.", word) for line in commands() for word in SYSTEMD.findall(line)}

    assert {"skywright.service", "skywright-builder@.service", "skywright-backup.timer"} == started
    assert started < installed
    assert "skywright-backup.service" in installed
    assert box.path("/etc/systemd/system/caddy.service.d/skywright.conf").exists()
    assert dotenv_values(box.path("/etc/skywright/caddy.env")).keys() >= {"SKYWRIGHT_APPS_HOST", "SKYWRIGHT_CADDY_TLS"}


def test_an_ask_is_built_and_answered_and_backed_up(box: Box, server: SandboxServer) -> None:
    """By the units' own words, in what they leave: the lane opens the app in Chromium, whose sandbox is on."""
    bot = box.starts(Unit("skywright.service"))
    bot.says('"event": "running"')
    server.network.say("alice.test", "@wright.test make me a pomodoro timer")
    bot.says('"hold"')
    box.does(f"{PROGRAM} approve --status awaiting-approval --yes")
    lane = box.starts(Unit("skywright-builder@.service"))
    lane.says("check=browser passed")
    bot.says('"key": "reply:')
    doctor = box.does(next(line for line in commands() if line.endswith("doctor")))
    backup = box.starts(Unit("skywright-backup.service"))

    assert ["alerts"] == [line.split()[1] for line in doctor.splitlines() if not line.startswith("ok ")], doctor
    assert 0 == backup.ends(), backup.said
    [made] = box.path("/var/lib/skywright-backups").glob("*.db")
    with closing(sqlite3.connect(made)) as copy:
        assert [("replied",)] == copy.execute("SELECT status FROM documents").fetchall()
    assert (0o600, 0o700) == (stat.S_IMODE(made.stat().st_mode), stat.S_IMODE(made.parent.stat().st_mode))
    assert "looked through" in backup.said
    assert (0, 0) == (lane.stop(), bot.stop()), bot.said


def test_a_lane_sees_neither_settings_nor_ledger(box: Box) -> None:
    """Not even where its user could."""
    seen = box.starts(Unit("skywright-builder@.service"), "ls", "/etc/skywright", "/var/lib")

    assert 2 == seen.ends()
    assert "cannot access '/etc/skywright'" in seen.said
    assert ["skywright-lane"] == seen.said.split("/var/lib:\n")[1].split()


def test_a_program_builds_within_a_lane_that_may_shut_it_in(box: Box) -> None:
    """The generator `command`, by the unit with the file that is copied for it; without that file the lane refuses."""
    told = {"GENERATOR": "command", "COMMAND": f"/bin/sh -c '{BUILDS}'", "BROWSER": "off"}
    words = ["env", *(f"SKYWRIGHT_LANE_{name}={value}" for name, value in told.items())]
    words += ["/opt/skywright/bin/skywright-builder", "try", "make a dice roller", "--out"]
    without, with_it = (
        box.starts(Unit("skywright-builder@.service", *more), *words, f"app-{len(more)}")
        for more in ((), ("skywright-builder-command.conf",))
    )

    assert 0 == with_it.ends(), with_it.said
    assert "no file elsewhere" in box.path("/var/lib/skywright-lane/1/app-1/index.html").read_text()
    assert 0 != without.ends(), without.said
    assert "bubblewrap" in without.said


def test_what_the_bot_has_no_use_for_is_refused(box: Box) -> None:
    """By the kernel, whatever the program would like."""
    tried = box.starts(Unit("skywright.service"), "python3", "-c", TRIES)

    assert 0 == tried.ends(), tried.said
    assert [f"{what}: refused" for what in REFUSED] == tried.said.splitlines()
