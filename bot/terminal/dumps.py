"""Dumps of a PostgreSQL ledger, by PostgreSQL's own programs."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from bot.errors import BadBackup, NotDone

_REVISION = re.compile(r"^COPY \S+\.alembic_version .*\n(\S+)$", re.MULTILINE)
# What is nobody's to read in a list of processes.
_SECRET = {"password", "sslpassword"}
_NEVER_ASK = "--no-password"


class Address:
    """Where a PostgreSQL ledger is, as its own programs are told: the password by the environment only."""

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        _, given = parsed.get_dialect()().create_connect_args(parsed)
        self._given: Mapping[str, Any] = given

    @property
    def conninfo(self) -> str:
        """All that may be seen."""
        from psycopg.conninfo import make_conninfo  # noqa: PLC0415

        return make_conninfo(**{name: value for name, value in self._given.items() if name not in _SECRET})

    @property
    def environment(self) -> dict[str, str]:
        """The environment with the password; without one, ~/.pgpass and the like are asked."""
        password = self._given.get("password")
        return {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}


def dump(address: Address, to: Path) -> None:
    """Dump a ledger as it is at this moment, though bots run, into a file that is there and empty."""
    told = ["--format=custom", "--no-owner", "--no-privileges", f"--file={to}", f"--dbname={address.conninfo}"]
    _run(["pg_dump", _NEVER_ASK, *told], address.environment, f"pg_dump {_quoted(told)}")


def dumped_revision(file: Path) -> str:
    """The schema of a dump, whose list of contents is whole; BadBackup where it is no dump of a ledger."""
    command = ["pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(file)]
    found = _REVISION.search(_run(command, os.environ, _quoted(command)))
    if found is None:
        raise BadBackup(f"{file} is no dump of a ledger")
    return found[1]


def load(file: Path, address: Address, qualify: Callable[[], None]) -> None:
    """Bring a dump into an empty database. `qualify` mends the functions, which a dump of an older ledger needs."""
    contents = _run(["pg_restore", "--list", str(file)], os.environ, f"pg_restore --list {shlex.quote(str(file))}")
    entries = [line for line in contents.splitlines() if line and not line.startswith(";")]
    functions = [line for line in entries if " FUNCTION " in line]
    _load(file, address, functions)
    qualify()
    _load(file, address, [line for line in entries if line not in functions])


def _load(file: Path, address: Address, entries: Sequence[str]) -> None:
    """Some of a dump, all of them or none."""
    told = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", f"--dbname={address.conninfo}"]
    with tempfile.NamedTemporaryFile("w", suffix=".list") as wanted:
        wanted.write("\n".join(entries))
        wanted.flush()
        command = ["pg_restore", _NEVER_ASK, *told, f"--use-list={wanted.name}", str(file)]
        _run(command, address.environment, f"pg_restore {_quoted([*told, str(file)])}")


def _run(command: Sequence[str], environment: Mapping[str, str], recipe: str) -> str:
    """What it prints; its last words where it fails, and what to run elsewhere where it is missing."""
    program = shutil.which(command[0])
    if program is None:
        raise NotDone(f"{command[0]} is missing here: install PostgreSQL's client, or run where it is\n  {recipe}")
    done = subprocess.run(
        [program, *command[1:]],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise BadBackup(f"{command[0]} failed: {done.stderr.strip() or f'exit status {done.returncode}'}")
    return done.stdout


def _quoted(words: Sequence[str]) -> str:
    return " ".join(shlex.quote(word) for word in words)
