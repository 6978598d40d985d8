"""A program under the lifeline ends with its parent, and nothing of it stays."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.lifeline import end, spawn
from tests.waiting import until

PARENT = """
import sys
from pathlib import Path
from tests.lifeline import spawn
home = Path(sys.argv[1])
spawn([sys.executable, "-c", sys.argv[2], str(home)], cwd=home, remove=home)
sys.stdin.read()
"""
PROGRAM = """
import os, signal, sys
from pathlib import Path
home = Path(sys.argv[1])
(home / "new").write_text(str(os.getpid()))
(home / "new").rename(home / "pid")
while True:
    signal.pause()
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_parent_takes_its_program_and_its_folder_along(tmp_path: Path) -> None:
    """SIGKILL gives the parent no chance to clean up; the program stops all the same."""
    home = tmp_path / "home"
    home.mkdir()
    with subprocess.Popen([sys.executable, "-c", PARENT, home, PROGRAM], stdin=subprocess.PIPE) as parent:
        until((home / "pid").exists)
        program = int((home / "pid").read_text())

        parent.kill()

    until(lambda: not is_running(program) and not home.exists())


def test_the_programs_exit_status_is_passed_on(tmp_path: Path) -> None:
    """A program that fails by itself is seen to have failed."""
    process = spawn([sys.executable, "-c", "raise SystemExit(7)"], cwd=tmp_path)

    process.wait(20)

    assert end(process) == 7


def test_a_program_is_asked_to_end_with_the_signal_of_its_choice(tmp_path: Path) -> None:
    """PostgreSQL, for one, means different things by TERM, INT and QUIT."""
    process = spawn(["sleep", "60"], cwd=tmp_path, stop_signal=signal.SIGINT)

    assert end(process) == 128 + signal.SIGINT
