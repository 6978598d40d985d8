"""Runs a program that ends with its parent, even a parent that was killed: it stops when its standard input ends."""

import argparse
import os
import pwd
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

GRACE_SECONDS = 10.0


def spawn(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    user: str | None = None,
    stop_signal: signal.Signals = signal.SIGTERM,
    remove: Path | None = None,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
) -> subprocess.Popen[str]:
    """Start `command`, as `user` if given; once it has ended, for whatever reason, the folder `remove` is deleted."""
    # -I -S: neither the environment nor installed packages have a say in what watches over the program.
    watcher: list[str | Path] = [sys.executable, "-I", "-S", __file__, "--signal", stop_signal.name]
    watcher += ["--user", user] if user else []
    watcher += ["--remove", remove] if remove else []
    return subprocess.Popen(
        [*watcher, "--", *command],
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def end(process: subprocess.Popen[str]) -> int:
    """Stop what `spawn` started and wait for it; the program's exit status. Safe to repeat."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    return process.wait(GRACE_SECONDS + 5)


def last_words(log: IO[bytes]) -> str:
    """The end of what a program has written into this file so far, in one line."""
    # pread: to seek would move the place where the program writes, too.
    size = os.fstat(log.fileno()).st_size
    said = os.pread(log.fileno(), 1000, max(0, size - 1000))
    return " | ".join(said.decode(errors="replace").splitlines()) or "it said nothing"


def main() -> int:
    arguments = _arguments()
    account = pwd.getpwnam(arguments.user) if arguments.user else None
    for number in (signal.SIGINT, signal.SIGHUP):  # a runner that ignores them, as under nohup, hands that on
        signal.signal(number, signal.SIG_DFL)
    program = subprocess.Popen(
        arguments.command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        extra_groups=[] if account else None,
    )
    stop_signal = signal.Signals[arguments.signal]
    signal.signal(signal.SIGTERM, lambda *_: program.send_signal(stop_signal))
    threading.Thread(target=_stop_with_parent, args=(program, stop_signal), daemon=True).start()
    try:
        status = program.wait()
        return status if status >= 0 else 128 - status  # by a signal: as a shell tells it
    finally:
        _kill_group(program.pid)
        if arguments.remove:
            shutil.rmtree(arguments.remove, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signal", default="SIGTERM")
    parser.add_argument("--user")
    parser.add_argument("--remove", type=Path)
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def _stop_with_parent(program: subprocess.Popen[bytes], stop_signal: signal.Signals) -> None:
    while os.read(sys.stdin.fileno(), 1):  # not sys.stdin.read(): its lock would break this interpreter's own end
        pass
    program.send_signal(stop_signal)
    try:
        program.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _kill_group(program.pid)


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


if __name__ == "__main__":
    sys.exit(main())
