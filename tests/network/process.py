"""Runs the real AT network: one Node process with a database of its own, stopped with whoever started it."""

import json
import os
import secrets
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote

from tests.lifeline import end, last_words, spawn
from tests.network.install import HERE, Installed
from tests.postgres import PostgresServer

START_SECONDS = 120.0


class NetworkFailed(Exception):
    """The network did not start; the message is what it said last."""


@dataclass(frozen=True)
class Endpoints:
    """Where the parts of a running network are, as URLs without a slash at the end, and who two of them are."""

    pid: int
    pds: str
    appview: str
    plc: str
    ozone: str
    control: str
    ozone_did: str
    appview_did: str


@contextmanager
def running_node(installed: Installed, server: PostgresServer, *, rate_limits: bool = False) -> Iterator[Endpoints]:
    """Start an empty network, wait until it answers, and stop it again; NetworkFailed when it does not start."""
    database = f"network_{secrets.token_hex(4)}"
    server.create_database(database)
    home = Path(tempfile.mkdtemp(prefix="skywright-network-"))
    # A module looks for packages beside itself: so they are here too.
    (home / "node_modules").symlink_to(installed.packages)
    shutil.copy(HERE / "net.mjs", home)
    with tempfile.TemporaryFile() as log:
        process = spawn(
            [installed.node, "--no-warnings", "net.mjs"],
            cwd=home,
            env=_environment(home, server, database, rate_limits),
            remove=home,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        try:
            yield _ready(process, log)
        finally:
            end(process)
            server.drop_database(database)


def _environment(home: Path, server: PostgresServer, database: str, rate_limits: bool) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LOG_ENABLED": "false",
        "DB_POSTGRES_URL": f"postgresql://postgres@{quote(str(server.home), safe='')}/{database}",
        "NET_RATE_LIMITS": "1" if rate_limits else "0",
    }


def _ready(process: subprocess.Popen[str], log: IO[bytes]) -> Endpoints:
    if process.stdout is None:
        raise ValueError("started without a pipe for its output")
    answered, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    line = process.stdout.readline() if answered else ""
    if not line:
        raise NetworkFailed(f"the real AT network did not start within {START_SECONDS:.0f} s: {last_words(log)}")
    return Endpoints(**json.loads(line))
