"""The unit files as they stand: what systemd says of them, and that they go by what the programs promise."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.listeners import GRACE_SECONDS
from bot.main import STUCK
from bot.settings import Settings as BotSettings
from bot.terminal.failures import Exit
from builder.settings import Settings as LaneSettings
from builder.terminal.failures import Exit as LaneExit
from tests.deploy.box import README
from tests.deploy.units import FOLDER, Unit
from tests.missing import missing

BOT, BACKUP, LANE, COMMAND = (
    "skywright.service",
    "skywright-backup.service",
    "skywright-builder@.service",
    "skywright-builder-command.conf",
)
EXPOSURE = re.compile(r"exposure level for \S+: ([0-9.]+)")
SYSTEM = Path("/usr/lib/systemd/system")


@pytest.fixture
def systemd() -> None:
    """The test is skipped where there is none."""
    if shutil.which("systemd-analyze") is None:
        missing("no systemd-analyze: install your system's package `systemd`")


def analyzed(*words: str) -> str:
    """What systemd-analyze says, all of it."""
    done = subprocess.run(
        ["systemd-analyze", "--no-pager", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.usefixtures("systemd")
def test_systemd_reads_every_line(tmp_path: Path) -> None:
    """On a machine where all that they start is there; a misspelt word would be told."""
    units, programs = tmp_path / "etc/systemd/system", tmp_path / "opt/skywright/bin"
    for folder in (units, programs, tmp_path / "bin", tmp_path / "usr/lib/systemd"):
        folder.mkdir(parents=True)
    for program in (programs / "skywright", programs / "skywright-builder", tmp_path / "bin/kill"):
        program.touch(mode=0o755)
    shutil.copytree(SYSTEM, tmp_path / SYSTEM.relative_to("/"), symlinks=True)
    for name in (BOT, BACKUP, LANE, "skywright-backup.timer"):
        shutil.copy(FOLDER / name, units)
    beside = {f"{LANE}.d": COMMAND, "caddy.service.d": "caddy.conf"}
    for name, file in beside.items():
        (units / name).mkdir()
        shutil.copy(FOLDER / file, units / name)
    (units / "caddy.service").write_text("[Service]\nExecStart=/bin/kill\n")
    started = (BOT, BACKUP, LANE.replace("@", "@1"), "skywright-backup.timer", "caddy.service")

    assert "" == analyzed("verify", f"--root={tmp_path}", "--man=no", *started)


@pytest.mark.usefixtures("systemd")
@pytest.mark.parametrize(
    ("unit", "more", "most"), [(BOT, (), 1.5), (BACKUP, (), 1.5), (LANE, (), 2.5), (LANE, (COMMAND,), 2.9)]
)
def test_little_is_exposed(tmp_path: Path, unit: str, more: tuple[str, ...], most: float) -> None:
    """And the README says how much."""
    whole = tmp_path / "unit.service"
    whole.write_text("".join((FOLDER / name).read_text() for name in (unit, *more)))
    found = EXPOSURE.search(analyzed("security", "--offline=true", str(whole)))

    assert found is not None
    assert float(found[1]) < most
    assert f"| {'the same with `command.conf`' if more else f'`{unit}`'} | {found[1]} |" in README.read_text()


def test_what_only_a_person_can_mend_is_not_tried_again() -> None:
    """All else is, for as long as it takes; an end that was asked for is none."""
    for unit, exits in (
        (BOT, {Exit.USAGE, Exit.CONFIGURATION}),
        (LANE, {Exit.USAGE, LaneExit.PROTOCOL, LaneExit.NOT_WELCOME, LaneExit.CONFIGURATION}),
    ):
        left_alone = set(map(int, Unit(unit).words("RestartPreventExitStatus")))
        assert exits == left_alone
        assert not left_alone & {STUCK, Exit.NETWORK, LaneExit.TRY_AGAIN}
        assert ("on-failure", "0") == (Unit(unit).one("Restart"), Unit(unit).one("StartLimitIntervalSec", "Unit"))


def test_a_stop_leaves_time_to_drain() -> None:
    """For the calls that are under way, and for what a lane may still finish and then has to give back."""
    call = BotSettings.model_fields["call_deadline_seconds"].default
    grace, back = (LaneSettings.model_fields[name].default for name in ("grace_seconds", "call_deadline_seconds"))

    assert 2 * call + GRACE_SECONDS < float(Unit(BOT).one("TimeoutStopSec"))
    assert grace + back < float(Unit(LANE).one("TimeoutStopSec"))


def test_nothing_is_kept_for_others_to_read() -> None:
    """What a unit writes is its user's alone, and each user sees the settings of the other not at all."""
    for unit in map(Unit, (BOT, BACKUP, LANE)):
        assert ("0077", "0700") == (unit.one("UMask"), unit.one("StateDirectoryMode"))
    assert Unit(BOT).one("User") == Unit(BACKUP).one("User") != Unit(LANE).one("User")
    assert "-/etc/skywright" in Unit(LANE).words("InaccessiblePaths")
