"""The doctor's look at the database: whether it answers, keeps what it was given, has room, and the right schema."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from bot.errors import LedgerBehind, LedgerGone
from bot.jobs.room import LEAST_ROOM, MEND
from bot.ledger.durability import KEEPING
from bot.ledger.engine import Database
from bot.ledger.schema import check_schema, head_revision
from bot.terminal.doctor_pooler import pooler_findings
from bot.terminal.failures import what_the_driver_said
from bot.terminal.opening import check_is_there, opened_database, sqlite_file
from guardrails.findings import Finding, fail, ok, warn

OLDEST_POSTGRESQL = 140_000
# Where SQLite's locks and shared memory cannot be trusted.
REMOTE = {"9p", "afs", "ceph", "cifs", "drvfs", "fuse.sshfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"}
MOUNTS = Path("/proc/self/mounts")
LITTLE_ROOM = 1_000_000_000
LARGE_LOG = 1_000_000_000
FULL = "2"


def database_findings(database_url: str, direct_url: str | None = None) -> Iterator[Finding]:
    """Whether the database answers, can be trusted with the ledger, and has this program's schema.

    By the address round the pooler, too, where there is one.
    """
    try:
        check_is_there(database_url)
        with opened_database(database_url, direct_url) as db:
            yield from _sqlite(db, database_url) if db.is_sqlite else _postgresql(db, database_url)
            yield _schema(db)
    except LedgerGone as problem:
        yield fail("database", problem.message, problem.mend)
    except LedgerBehind as problem:
        yield fail("database", str(problem), "run `skywright migrate`")
    except (ArgumentError, NoSuchModuleError):
        # The address may hold a password, so it is not repeated.
        yield fail("database", "SKYWRIGHT_DATABASE_URL is no address of a database", "write sqlite:///FILE")
    except DBAPIError as problem:
        yield fail("database", f"does not answer: {what_the_driver_said(problem)}", "start it, or mend its address")
    except OSError as problem:
        yield fail("database", f"cannot be opened: {problem.strerror}", "mend SKYWRIGHT_DATABASE_URL or the folder")


def filesystem_of(file: Path, mounts: str) -> str | None:
    """The kind of filesystem that a file is on, by the system's list of mounts; None when the list does not say."""
    best, kind = -1, None
    for line in mounts.splitlines():
        _, point, found, *_ = [*line.split(" "), "", "", ""]
        place = Path(point.encode().decode("unicode_escape"))
        if file.is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), found
    return kind


def room_finding(folder: Path, free: int) -> Finding:
    """Whether the ledger has room to grow."""
    told = f"{_size(free)} free in {folder}"
    if free < LEAST_ROOM:
        return fail("disk", told, MEND)
    return warn("disk", told, MEND) if free < LITTLE_ROOM else ok("disk", told)


def log_finding(file: Path, size: int) -> Finding:
    """Whether SQLite's write-ahead log is folded into its file from time to time."""
    told = f"{_size(size)} in {file.name}"
    if size > LARGE_LOG:
        mend = "look for a program that keeps the ledger open for reading, and end it; the log shrinks then"
        return warn("journal", told, mend)
    return ok("journal", told)


def _sqlite(db: Database, database_url: str) -> Iterator[Finding]:
    file = sqlite_file(database_url)
    if file is None:
        yield fail("database", "it is kept in memory only", "set SKYWRIGHT_DATABASE_URL to sqlite:///FILE")
        return
    with db.read() as connection:
        version = _one(connection, "SELECT sqlite_version()")
        mode, synchronous = _one(connection, "PRAGMA journal_mode"), _one(connection, "PRAGMA synchronous")
    kind = filesystem_of(file.resolve(), MOUNTS.read_text()) if MOUNTS.exists() else None
    if mode != "wal":
        yield fail("database", f"{file} cannot have a write-ahead log", "move it to a local disk")
        return
    if kind in REMOTE:
        yield warn("database", f"{file} is on a {kind} filesystem, whose locks may fail", "move it to a local disk")
    else:
        yield ok("database", f"SQLite {version}, {file}")
    yield _durable([] if synchronous == FULL else [f"synchronous={synchronous}"], "journal_mode=wal, synchronous=full")
    yield room_finding(file.resolve().parent, shutil.disk_usage(file.resolve().parent).free)
    log = file.with_name(f"{file.name}-wal")
    yield log_finding(log, log.stat().st_size if log.exists() else 0)


def _postgresql(db: Database, database_url: str) -> Iterator[Finding]:
    with db.read() as connection:
        number = int(_one(connection, "SHOW server_version_num"))
        version = _one(connection, "SHOW server_version").partition(" ")[0]
        safe = {name: _one(connection, f"SHOW {name}") for name in ("synchronous_commit", "fsync", "full_page_writes")}
    where = make_url(database_url)
    told = f"PostgreSQL {version}, {where.database} on {where.host or 'this machine'}"
    if number < OLDEST_POSTGRESQL:
        yield warn("database", f"{told}: it is older than what this program is tested with", "take version 14 or later")
    else:
        yield ok("database", told)
    wrong = [f"{name}={value}" for name, value in safe.items() if value not in KEEPING]
    yield _durable(wrong, ", ".join(f"{name}={value}" for name, value in safe.items()))
    yield from pooler_findings(db)


def _durable(wrong: list[str], told: str) -> Finding:
    """What a power cut forgets may be said twice."""
    if wrong:
        mend = "turn it on at the server: what a power cut makes it forget may be answered twice"
        return warn("durability", ", ".join(wrong), mend)
    return ok("durability", told)


def _schema(db: Database) -> Finding:
    try:
        check_schema(db)
    except LedgerBehind as problem:
        return fail("schema", str(problem), "run the command above, with the bot stopped")
    return ok("schema", f"at {head_revision()}")


def _one(connection: Connection, statement: str) -> str:
    return str(connection.execute(text(statement)).scalar_one())


def _size(count: int) -> str:
    return f"{count / 1_000_000_000:.1f} GB" if count >= 1_000_000_000 else f"{count // 1_000_000} MB"
