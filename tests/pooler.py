"""A real pgbouncer for the tests, in transaction mode before a PostgreSQL of theirs; gone with its parent."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psycopg

from tests.lifeline import end, last_words, spawn
from tests.postgres import PostgresServer
from tests.waiting import until

START_SECONDS = 30.0
PORT = 6432
# Fewer connections to the server than there are clients, so that none has one for itself for long.
SERVER_CONNECTIONS = 3
_FOLDERS = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
_SETTINGS = f"""
[databases]
* = host={{server}} user=postgres
[pgbouncer]
unix_socket_dir = {{home}}
listen_port = {PORT}
auth_type = any
pool_mode = transaction
default_pool_size = {SERVER_CONNECTIONS}
max_client_conn = 200
server_round_robin = 1
server_login_retry = {{retry_seconds}}
"""


class PoolerUnavailable(Exception):
    """pgbouncer cannot be started here."""


@dataclass(frozen=True)
class Pooler:
    """A running pgbouncer; its socket is in `home`. What a client sets, the next one of the connection finds."""

    home: Path

    def url(self, dbname: str) -> str:
        """The SQLAlchemy URL of a database of the server behind it."""
        return f"postgresql+psycopg://postgres@/{dbname}?host={self.home}&port={PORT}"

    def conninfo(self, dbname: str = "postgres") -> str:
        """The same for psycopg and libpq."""
        return f"host={self.home} port={PORT} user=postgres dbname={dbname}"


@contextmanager
def running_pooler(server: PostgresServer, retry_seconds: int = 15) -> Iterator[Pooler]:
    """Start a pooler before a server and stop it again; PoolerUnavailable when that cannot be done here.

    So long it turns everybody away, as pgbouncer does, after it has found no server.
    """
    program = shutil.which("pgbouncer", path=_FOLDERS)
    if program is None:
        raise PoolerUnavailable("pgbouncer is missing: it is on no PATH; Debian's package is pgbouncer")
    # As for PostgreSQL: a short path for the socket, and an account that owns nothing where root runs the tests.
    user = "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryFile() as log:
        home = Path(tempfile.mkdtemp(prefix="skywright-pool-", dir="/tmp"))
        settings = home / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(server=server.home, home=home, retry_seconds=retry_seconds))
        if user:
            shutil.chown(home, user)
            shutil.chown(settings, user)
        process = spawn([program, settings], cwd=home, user=user, remove=home, stdout=log, stderr=log)
        try:
            pooler = Pooler(home)
            _wait_until_ready(pooler, process, log)
            yield pooler
        finally:
            end(process)


def _wait_until_ready(pooler: Pooler, process: subprocess.Popen[str], log: IO[bytes]) -> None:
    with suppress(AssertionError):
        until(lambda: process.poll() is not None or _answers(pooler), START_SECONDS)
    if process.poll() is not None or not _answers(pooler):
        raise PoolerUnavailable(f"pgbouncer is missing: it did not start: {last_words(log)}")


def _answers(pooler: Pooler) -> bool:
    try:
        psycopg.connect(pooler.conninfo(), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
