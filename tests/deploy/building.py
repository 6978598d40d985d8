"""Builds the images without an engine: runs the steps of a container file in clean roots of their own, by bubblewrap.

The system's /usr stands for the base image, read-only, with the interpreter of the tests as its Python; Debian's
packages are looked up and not installed, and what a lock names is linked from the environment of the tests, which is of
that lock; with SKYWRIGHT_TEST_PIP=1 pip fetches it. All else happens as it is written: what is copied, by which paths
and flags.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from tests.deploy.bubblewrap import walled
from tests.deploy.dockerfile import Stage, stages
from tests.deploy.part_lock import ROOT

_ETC = (
    "alternatives",
    "ca-certificates",
    "chromium",
    "chromium.d",
    "fonts",
    "group",
    "gshadow",
    "hosts",
    "ld.so.cache",
    "login.defs",
    "nsswitch.conf",
    "pam.d",
    "passwd",
    "pip.conf",
    "resolv.conf",
    "security",
    "shadow",
    "ssl",
    "xdg",
)
_TEMPORARY = "/tmp"  # noqa: S108  a container's own
_APT = f"{_TEMPORARY}/apt"
# An image of Debian may have them switched off.
_KEPT = "-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin"
_LINKS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_BASE = Path(sys.base_prefix)
# The interpreter of the tests, and its packages.
_OURS = sorted({f"{_BASE}", sys.prefix} - {"/usr"})
_PATH = "/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
REAL_PIP = "SKYWRIGHT_TEST_PIP"
# How packages are fetched here; a setting of ours in the environment is nothing that an image sees.
_PASSED_ON = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT")


class StepFailed(AssertionError):
    """A step of a container file did not work here."""


@dataclass(frozen=True)
class Image:
    """What a stage has made: a root folder, and how it is to be run."""

    root: Path
    stage: Stage
    tools: Path

    @property
    def mounts(self) -> list[str]:
        """Bubblewrap's options for a container of it: nothing can be written outside of /tmp and a volume."""
        told = self._seen("--ro-bind")
        for volume in self.stage.all("VOLUME"):
            told += ["--bind", f"{self.root}{volume}", volume]
        return told

    @property
    def environment(self) -> dict[str, str]:
        """What an engine would set."""
        told = {name: value.replace("$PATH", _PATH) for name, value in self.stage.environment.items()}
        return {"PATH": _PATH, "HOME": self._home(), **told}

    def run(self, command: str, folder: str, extra: list[str], environment: dict[str, str]) -> None:
        """Run a step that builds, as root, who may write to the root folder; StepFailed when it does not end with 0."""
        shell = ["/bin/sh", "-c", command]
        seen = (*self._seen("--bind"), *extra, "--unshare-pid")
        told = walled(shell, *seen, folder=folder, environment=environment)
        done = subprocess.run(told, capture_output=True, text=True, timeout=280, check=False)
        if done.returncode:
            raise StepFailed(f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")

    def _seen(self, how: str) -> list[str]:
        told = [how, f"{self.root}", "/", "--perms", "1777", "--tmpfs", _TEMPORARY]
        told += ["--ro-bind", "/usr", "/usr", "--ro-bind", f"{self.tools}", "/tools"]
        if Path("/usr") != _BASE:
            told += ["--ro-bind", f"{_BASE}", "/usr/local"]
        for folder in _OURS:
            # Where the project is below a folder that is the container's own, others may go there, too.
            for above in reversed(Path(folder).parents):
                told += ["--perms", "0755", "--dir", f"{above}"] if Path(_TEMPORARY) in above.parents else []
            told += ["--ro-bind", folder, folder]
        for folder in ("/etc/apt", "/var/lib/apt", "/var/lib/dpkg"):
            told += ["--ro-bind-try", folder, f"/debian{folder}"]
        return [*told, "--dev", "/dev", "--proc", "/proc"]

    def _home(self) -> str:
        user = self.stage.last("USER").partition(":")[0]
        people = [line.split(":") for line in (self.root / "etc" / "passwd").read_text().splitlines()]
        return next((each[5] for each in people if each[2] == user), "/")


class Engine:
    """Builds in a folder, with what pip has kept in another; what every file needs is there once."""

    def __init__(self, place: Path, pip_cache: Path) -> None:
        self._place = place
        self._pip_cache = pip_cache
        self._tools = _tools(place / "tools")
        self._context = _context(place / "context")
        # Debian's lists, as apt has read them once.
        self._apt = place / "apt"
        self._apt.mkdir()
        pip_cache.mkdir(parents=True, exist_ok=True)

    def built(self, file: Path, *targets: str) -> dict[str, Image]:
        """The images of a file's stages by name, of the last one by none; every stage that they take is built."""
        made: dict[str, Image] = {}
        for name, stage in _needed(stages(file), set(targets)):
            place = self._place / f"{file.stem}-{name or 'last'}"
            image = made[name] = Image(_root(place, made.get(stage.base)), stage, self._tools)
            self._do(image, made)
        return made

    def _do(self, image: Image, made: dict[str, Image]) -> None:
        base = made.get(image.stage.base)
        folder = base.stage.last("WORKDIR") if base is not None else "/"
        for word, rest in image.stage.steps:
            if word == "WORKDIR":
                folder = rest
                (image.root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
            elif word == "COPY":
                self._copy(made, rest.split(), image.root, folder)
            elif word == "RUN":
                extra, command = ["--bind", f"{self._apt}", _APT], rest
                while command.startswith("--mount="):
                    mount, _, command = command.partition(" ")
                    assert mount == "--mount=type=cache,target=/root/.cache/pip", mount
                    extra += ["--bind", f"{self._pip_cache}", "/root/.cache/pip"]
                image.run(command, folder, extra, _environment_of_steps())

    def _copy(self, made: dict[str, Image], names: list[str], root: Path, folder: str) -> None:
        if names[0].startswith("--from="):
            # A stage's files are not written to any more.
            _copied(made[names.pop(0).removeprefix("--from=")].root, names, root, folder, os.link)
        else:
            _copied(self._context, names, root, folder, shutil.copy2)


def _needed(all_stages: dict[str, Stage], coming: set[str]) -> list[tuple[str, Stage]]:
    wanted = set[str]()
    while coming:
        wanted |= coming
        taken = {rest.split()[0].removeprefix("--from=") for each in coming for rest in all_stages[each].all("COPY")}
        coming = ((taken | {all_stages[each].base for each in coming}) & set(all_stages)) - wanted
    return [(name, stage) for name, stage in all_stages.items() if name in wanted]


def _environment_of_steps() -> dict[str, str]:
    told = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    return {**told, "PATH": _PATH, "HOME": "/root", "PIP_ROOT_USER_ACTION": "ignore"}


def _copied(source: Path, told: list[str], root: Path, folder: str, copy: Callable[[str, str], object]) -> None:
    *names, to = told
    target = root / PurePosixPath(folder, to).as_posix().lstrip("/")
    for name in names:
        there = source / name.lstrip("/")
        if not there.exists():
            raise StepFailed(f"COPY {name}: it is not there, or .dockerignore keeps it out")
        if there.is_dir():
            shutil.copytree(there, target, symlinks=True, dirs_exist_ok=True, copy_function=copy)
        else:
            assert len(names) == 1 or to.endswith("/"), told
            copy(f"{there}", f"{target / there.name if to.endswith('/') else target}")


def _root(place: Path, base: Image | None) -> Path:
    """The root folder of a stage: another stage's, or the part of a system that /usr is not."""
    if base is not None:
        shutil.copytree(base.root, place, symlinks=True, copy_function=os.link)
        return place
    # What bubblewrap makes by itself to mount something on is root's alone.
    for folder in ("/etc", "/tools", "/root/.cache/pip", *_OURS):
        (place / folder.lstrip("/")).mkdir(parents=True)
    for name in _LINKS:
        if Path("/", name).is_symlink():
            (place / name).symlink_to(Path("/", name).readlink())
    for name in _ETC:
        there = Path("/etc", name)
        if there.is_dir():
            shutil.copytree(there, place / "etc" / name, symlinks=True)
        elif there.exists():
            shutil.copy(there, place / "etc" / name)
    return place


def _tools(place: Path) -> Path:
    """What the base image has beside the system: pip, and an apt-get that looks up what it would install."""
    place.mkdir()
    if Path("/usr") == _BASE:
        (place / "python").symlink_to(f"/usr/bin/python3.{sys.version_info.minor}")
    debian = f"-o Dir=/debian -o Dir::State::status=/debian/var/lib/dpkg/status -o Dir::Cache={_APT} {_KEPT}"
    simulated = f'[ "$1" = update ] || exec /usr/bin/apt-get {debian} --quiet --quiet --simulate "$@"'
    python = shlex.quote(sys.executable)
    offline = f'case "$*" in *--require-hashes*) exec {python} /tools/pip_offline.py "$@";; esac\n'
    if os.environ.get(REAL_PIP) == "1":
        offline = ""
    shutil.copy(ROOT / "tests" / "deploy" / "pip_offline.py", place)
    for name, script in {"pip": f'{offline}exec {python} -m pip --quiet "$@"', "apt-get": simulated}.items():
        (place / name).write_text(f"#!/bin/sh\n{script}\n")
        (place / name).chmod(0o755)
    return place


def _context(place: Path) -> Path:
    """What git knows or would take on, and .dockerignore lets through."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True).stdout.split("\0")
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for name in filter(None, names):
        if is_sent(name, rules) and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def is_sent(name: str, rules: list[str]) -> bool:
    """Whether .dockerignore lets a file through: the last rule for it, or for a folder that it is in, counts."""
    path, sent = PurePosixPath(name), True
    for rule in rules:
        pattern = rule.strip().removeprefix("!")
        if pattern and not rule.startswith("#") and any(_fits(each, pattern) for each in (path, *path.parents)):
            sent = rule.startswith("!")
    return sent


def _fits(path: PurePosixPath, pattern: str) -> bool:
    inner = pattern.removeprefix("**/")
    if inner != pattern:
        return fnmatchcase(path.name, inner)
    parts, wanted = path.parts, PurePosixPath(pattern).parts
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
