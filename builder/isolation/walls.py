"""The two ways to run a program: behind bubblewrap's walls, or with none but an environment and a folder of its own."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from builder.isolation import keeper

# Programs and libraries; on most systems all but the first are links into it.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Of /etc only what programs need to start and to speak TLS: the rest may hold somebody's secrets.
_ETC = (
    "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types",
    "ca-certificates", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/ca-trust/extracted",
)  # fmt: skip
_ETC_NETWORK = ("hosts", "nsswitch.conf", "resolv.conf", "services", "protocols", "gai.conf")
_TEMPORARY = "/tmp"  # noqa: S108  a new and empty one, the program's own
_HOME = f"{_TEMPORARY}/home"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108  new and empty, too
# To show one of these whole, or anything within the last, would undo a wall.
_NEVER_WHOLE = ("/", "/etc", "/home", "/var", _TEMPORARY)
_NEVER = ("/dev", "/proc", "/run", "/sys", "/build")
_USER_ID = "1000"
_ACCOUNTS = f"app:x:{_USER_ID}:{_USER_ID}::{_HOME}:/bin/sh\n"
_SMALL_FILES_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Walls:
    """What goes before a program's own words, and where it finds its home.

    `prefix` takes bubblewrap's options `--json-status-fd` and `--block-fd` behind it. `work` is the program's current
    folder as this machine knows it; `app` lies in it as seen by the program, under that name. Both are all that it can
    write to and leave behind.
    """

    prefix: tuple[str, ...]
    work: Path
    app: Path
    home: str
    temporary: str
    counts_tasks: bool


def behind_bubblewrap(bwrap: str, place: Path, app: Path, visible: Sequence[Path], *, network: bool) -> Walls:
    """Namespaces of its own for everything; the system's folders and `visible` read-only, nothing else of the disk.

    `place` is an empty folder of the lane. With `network` the program has the lane's: the internet, whatever listens
    on this machine, and its abstract sockets too.
    """
    work = place / "work"
    (work / "app").mkdir(parents=True)
    passwd = place / "passwd"
    passwd.write_text(_ACCOUNTS, encoding="ascii")
    # The keeper around it: bubblewrap binds itself to its parent's life a moment too late.
    prefix = [
        *_keeper(),
        "--",
        bwrap,
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        *(["--share-net"] if network else []),
    ]
    # Not root within, even where the lane is: agents refuse to work as root, and rightly.
    prefix += ["--uid", _USER_ID, "--gid", _USER_ID, "--hostname", "app", "--cap-drop", "ALL"]
    prefix += ["--die-with-parent", "--new-session"]
    for folder in _SYSTEM:
        prefix += _as_it_is(folder)
    for name in (*_ETC, *(_ETC_NETWORK if network else ())):
        prefix += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    prefix += ["--ro-bind", os.fspath(passwd), "/etc/passwd", "--proc", "/proc", "--dev", "/dev"]
    for folder in (_SHARED_MEMORY, _TEMPORARY):
        prefix += ["--size", str(_SMALL_FILES_BYTES), "--perms", "1777", "--tmpfs", folder]
    prefix += ["--remount-ro", "/dev", "--dir", _HOME]
    for path in visible:
        prefix += ["--ro-bind", os.fspath(path), os.fspath(path)]
    prefix += ["--bind", os.fspath(work), "/build", "--bind", os.fspath(app), "/build/app"]
    prefix += ["--remount-ro", "/", "--chdir", "/build"]
    return Walls(tuple(prefix), work, app, _HOME, _TEMPORARY, counts_tasks=True)


def without_walls(place: Path, app: Path) -> Walls:
    """The program can do whatever the lane's user can, read the lane's own files and environment too.

    It is ended with all its children, if it does not mean to escape.
    """
    folders = [place / name for name in ("work", "home", "tmp")]
    for folder in folders:
        folder.mkdir()
    work, home, temporary = folders
    (work / "app").symlink_to(app, target_is_directory=True)
    return Walls(_keeper(), work, app, os.fspath(home), os.fspath(temporary), counts_tasks=False)


def is_visible(path: Path, visible: Sequence[Path]) -> bool:
    """Whether a program behind bubblewrap's walls can read what lies there."""
    shown = [*(Path(folder) for folder in _SYSTEM), *(Path("/etc", name) for name in (*_ETC, *_ETC_NETWORK)), *visible]
    return any(path.resolve().is_relative_to(each.resolve()) for each in shown)


def stands_in_the_way(path: Path) -> bool:
    """Whether showing this path would undo a wall."""
    there = path.resolve()
    return os.fspath(there) in _NEVER_WHOLE or any(there.is_relative_to(folder) for folder in _NEVER)


def _keeper() -> tuple[str, ...]:
    return sys.executable, "-I", "-S", keeper.__file__, str(os.getpid())


def _as_it_is(folder: str) -> list[str]:
    path = Path(folder)
    if path.is_symlink():
        return ["--symlink", os.fspath(path.readlink()), folder]
    return ["--ro-bind", folder, folder] if path.is_dir() else []
