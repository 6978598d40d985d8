"""What the generator `command` is told by its operator, and whether this machine can run it like that."""

import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from builder.errors import BadSettings
from builder.isolation.bounds import Bounds
from builder.isolation.run import Ended, Ending, run
from builder.isolation.walls import Walls, behind_bubblewrap, is_visible, stands_in_the_way, without_walls
from builder.stopping import Stop
from guardrails.bundle import printable
from guardrails.text import clean

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
# Shorter values (a language, a port, "true") may stand in an app by chance.
SHORTEST_SECRET = 16
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SET_BY_THE_LANE = ("HOME", "TMPDIR")
_OURS = "SKYWRIGHT_"
_TRIAL_SECONDS = 20.0
_USER_NAMESPACES = (
    "allow user namespaces: `sysctl -w kernel.unprivileged_userns_clone=1` on Debian, an AppArmor profile for bwrap or "
    "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` on Ubuntu, and in a container a seccomp profile that "
    "permits unshare and mount"
)
_MENDS = (
    ("unknown option", "install bubblewrap 0.8 or newer"),
    ("mount proc", "this container hides parts of /proc: run it with `--security-opt systempaths=unconfined`"),
    ("namespace", _USER_NAMESPACES),
    ("uid map", _USER_NAMESPACES),
    ("loopback", _USER_NAMESPACES),
    ("operation not permitted", _USER_NAMESPACES),
)


class Isolation(StrEnum):
    """How the program is kept apart; NONE has to be asked for, and keeps nothing secret from it."""

    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


@dataclass(frozen=True)
class CommandOptions:
    """A program, and what it may have.

    `argv`: the program and its words; no shell reads them. `environ`: the lane's own environment, of which the program
    gets the variables named in `allowed`. `read_only`: files and folders beside the system's that it may read.
    `private`: files of the lane, such as its token's, that it must not be able to read: they are not shown, and
    `why_not` tells when another option would show them.
    """

    argv: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    allowed: tuple[str, ...] = ()
    isolation: Isolation = Isolation.BUBBLEWRAP
    network: bool = False
    read_only: tuple[Path, ...] = ()
    private: tuple[Path, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def program(self) -> Path | None:
        """Where the program lies on this machine, looked up on the lane's PATH."""
        return _found(self.argv[0], self.environ) if self.argv else None

    @property
    def environment(self) -> dict[str, str]:
        """The program's environment, but for its home and temporary folder."""
        allowed = {name: self.environ[name] for name in self.allowed if name in self.environ}
        return {"PATH": DEFAULT_PATH, "LANG": "C.UTF-8", **allowed}

    @property
    def secrets(self) -> dict[str, str]:
        """The allowed variables whose values are long enough to be looked for in what the program leaves."""
        return {name: value for name, value in self.environment.items() if name != "PATH" and _is_long(value)}

    def walls(self, place: Path, app: Path) -> Walls:
        """What surrounds one run; `place` is an empty folder. BadSettings when bubblewrap is gone."""
        if self.isolation is Isolation.NONE:
            return without_walls(place, app)
        bwrap = _found("bwrap", self.environ)
        if bwrap is None:
            raise BadSettings(_NO_BUBBLEWRAP)
        return behind_bubblewrap(str(bwrap), place, app, self._visible(), network=self.network)

    def _visible(self) -> tuple[Path, ...]:
        program = self.program
        shown = tuple(path.absolute() for path in self.read_only)
        # The program itself, where its folder is not shown: it was named, so it may be read.
        return shown if program is None or is_visible(program, shown) else (*shown, program)


_NO_BUBBLEWRAP = (
    "bubblewrap is not installed; install it (`apt install bubblewrap`), or ask for the isolation `none`, "
    "with which the program can read whatever the lane can"
)


def words(command: str) -> tuple[str, ...]:
    """A command line's words, quotes as in a shell and nothing else of one; BadSettings when a quote is not closed."""
    try:
        return tuple(shlex.split(command))
    except ValueError as problem:
        raise BadSettings(f"the command cannot be read: {problem}") from None


def why_not(options: CommandOptions) -> str | None:
    """Why no program can be run like this, with the mend, in a sentence that quotes no value; None when it can.

    Runs a program that does nothing, to see that its isolation can be set up.
    """
    return next(_problems(options), None) or _trial(options)


def _problems(options: CommandOptions) -> Iterator[str]:
    if sys.platform != "linux":
        yield "the generator `command` needs Linux, whose namespaces and limits it uses"
    if not options.argv:
        yield "there is no command; set the program that builds the apps"
    elif options.program is None:
        yield f"the program {printable(options.argv[0])} is not on the lane's PATH, or cannot be executed; install it"
    yield from _names(options)
    if options.isolation is Isolation.BUBBLEWRAP:
        yield from _paths(options)


def _names(options: CommandOptions) -> Iterator[str]:
    for name in options.allowed:
        if not _NAME.fullmatch(name):
            yield f"{printable(name)} is no name of a variable; list names only, never values"
        elif name.upper().startswith(_OURS):
            yield f"{name} is the lane's own and never given to a program; take it off the list"
        elif name in _SET_BY_THE_LANE:
            yield f"{name} is set by the lane for each run; take it off the list"
        elif name not in options.environ:
            yield f"{name} is on the list of allowed variables but is not set; set it, or take it off the list"


def _paths(options: CommandOptions) -> Iterator[str]:
    for path in options.read_only:
        if not path.exists():
            yield f"{printable(str(path))} is to be shown to the program but is not there"
        elif stands_in_the_way(path):
            yield f"{printable(str(path))} cannot be shown to the program: it would undo its isolation; name less of it"
    for secret in options.private:
        if is_visible(secret, tuple(options.read_only)):
            yield f"the program could read {printable(str(secret))}; move that file, or show less to the program"


def _trial(options: CommandOptions) -> str | None:
    with tempfile.TemporaryDirectory(prefix="skywright-trial-") as folder:
        place, app = Path(folder, "place"), Path(folder, "app")
        place.mkdir()
        app.mkdir()
        try:
            walls = options.walls(place, app)
        except BadSettings as problem:
            return str(problem)
        bounds = Bounds(seconds=_TRIAL_SECONDS)
        ended = run(["true"], walls, {"PATH": DEFAULT_PATH}, bounds, Stop(), time.monotonic)
    if ended.how is Ending.EXITED and ended.status == 0:
        return None
    return _sentence(options.isolation, ended)


def _sentence(isolation: Isolation, ended: Ended) -> str:
    said = clean(f"{ended.problem}: {ended.tail}")[:500]
    mend = next((mend for sign, mend in _MENDS if sign in said.lower()), "see what it says")
    return f"the isolation `{isolation}` cannot be set up here ({said}); {mend}"


def _found(program: str, environ: Mapping[str, str]) -> Path | None:
    found = shutil.which(program, path=environ.get("PATH", DEFAULT_PATH))
    return Path(found).absolute() if found else None


def _is_long(value: str) -> bool:
    return len(value) >= SHORTEST_SECRET
