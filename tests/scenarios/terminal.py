"""A command in a terminal of its own: what it shows, the keys that are typed, and the end of the terminal."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import SECONDS, until

CTRL_C = b"\x03"
# The child makes the terminal its own, so that Ctrl-C and a hang-up reach it as they would from a window, also where
# whoever runs the tests ignores them.
_IN_TERMINAL = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
os.login_tty(0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


class Terminal:
    """A window with one command in it."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self.screen = ""
        self._window, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _IN_TERMINAL, *command], cwd=folder, env=env, stdin=theirs
        )
        os.close(theirs)

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._window, keys)

    def shows(self, text: str, times: int = 1) -> None:
        """Wait until a text has been shown so often."""

        def shown() -> bool:
            has_ended = self._process.poll() is not None
            self._read()
            assert not has_ended or self.screen.count(text) >= times, self.screen
            return self.screen.count(text) >= times

        until(shown, told=lambda: self.screen)

    def asks(self, question: str) -> None:
        """Wait until a question has been shown, and what is typed counts.

        A question that hides the answer throws away what was typed before; the blank behind it comes after that.
        """
        self.shows(question)

        def listens() -> bool:
            self._read()
            return self.screen.endswith(" ")

        until(listens, told=lambda: self.screen)

    def status(self) -> int:
        """Wait for the command's end; its exit status."""

        def has_ended() -> bool:
            self._read()
            return self._process.poll() is not None

        until(has_ended, told=lambda: self.screen)
        return self._process.returncode

    def hang_up(self) -> None:
        """Close the window; the command is told so, and has time to end."""
        if self._window >= 0:
            os.close(self._window)
            self._window = -1
        try:
            self._process.wait(SECONDS)
        finally:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        while self._window >= 0 and select.select([self._window], [], [], 0)[0]:
            try:
                self.screen += os.read(self._window, 65_536).decode(errors="replace")
            except OSError:  # the command has closed its end
                return


@contextmanager
def terminal(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Terminal]:
    """A terminal for the length of the block; its end hangs up."""
    opened = Terminal(command, folder, env)
    try:
        yield opened
    finally:
        opened.hang_up()
