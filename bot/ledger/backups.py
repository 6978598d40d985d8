"""Copies of a SQLite ledger: made while a bot runs, looked through before they count, and put in its place."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import BadBackup, LedgerInUse

_PAGES = 2000
_BESIDE = ("-journal", "-wal", "-shm")
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Contents:
    """What a copy of a ledger holds: its schema, its documents, and its last move."""

    revision: str
    documents: int
    last_move: int
    last_at: datetime | None


@dataclass(frozen=True)
class Deed:
    """What an operator did, as the audit log has it."""

    at: datetime
    device: str
    action: str
    target: str


@dataclass(frozen=True)
class Lost:
    """What a ledger knew that was replaced by an older copy: how many moves, and what operators did."""

    moves: int
    deeds: list[Deed]


def copy_ledger(file: Path, to: Path, told: Told) -> None:
    """Copy a ledger into an empty file, as it is at this moment, though others write meanwhile."""
    with _sqlite(file), closing(_opened(file, write=False)) as here, closing(sqlite3.connect(to)) as there:
        # One snapshot for all of it: else the copy would begin anew whenever somebody writes.
        here.execute("BEGIN")
        here.execute("SELECT count(*) FROM sqlite_master").fetchone()
        here.backup(there, pages=_PAGES, progress=lambda _status, left, pages: told(pages - left, pages))
        # So that it is one file, which can be read where nothing can be written.
        there.execute("PRAGMA journal_mode=DELETE").close()


def check_copy(file: Path) -> Contents:
    """What is in a copy, every page and index of which was looked at; BadBackup where something is wrong with it."""
    with _sqlite(file), closing(_opened(file, write=False)) as copy:
        (first, *_) = [str(row[0]) for row in copy.execute("PRAGMA integrity_check(3)")]
        if first != "ok":
            raise BadBackup(f"{file} is damaged: {first}")
        if copy.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise BadBackup(f"{file} is damaged: rows refer to others that are not there")
        revision = copy.execute("SELECT version_num FROM alembic_version").fetchone()
        if revision is None:
            raise BadBackup(f"{file} is no ledger: it has no schema")
        last, at = copy.execute("SELECT coalesce(max(seq), 0), max(at) FROM moves").fetchone()
        documents = copy.execute("SELECT count(*) FROM documents").fetchone()[0]
        return Contents(str(revision[0]), int(documents), int(last), _moment(at) if at else None)


@dataclass(frozen=True)
class SetAside:
    """What a ledger is called now, None where there was none, and the logs that lay beside it."""

    ledger: Path | None
    logs: tuple[Path, ...]

    @property
    def files(self) -> list[Path]:
        """All of it."""
        return [*([self.ledger] if self.ledger is not None else []), *self.logs]


def set_aside(file: Path, moment: datetime) -> SetAside:
    """Give a ledger another name beside its own, under which it stays.

    It keeps its own too, until something takes that: a start in between must not find nothing and begin anew.
    LedgerInUse when some program has it open.
    """
    kept = _free(file.with_name(f"{file.name}.replaced-{moment:%Y%m%dT%H%M%SZ}"))
    if not file.exists():
        return SetAside(None, _set_logs_aside(file, kept))
    logs = _copies_of_logs(file, kept)
    is_damaged = False
    try:
        is_damaged = not _fold_in(file)
    finally:
        if not is_damaged:
            for log in logs:
                log.unlink()
    try:
        os.link(file, kept)
    except OSError:
        shutil.copy2(file, kept)
    if not is_damaged:
        return SetAside(kept, _set_logs_aside(file, kept))
    for log, _ in _logs(file, kept):
        log.unlink(missing_ok=True)
    return SetAside(kept, logs)


def _fold_in(file: Path) -> bool:
    """Write what lies in a ledger's log into it: beside another file the log would be taken for that file's.

    False where it is damaged, which may be why another is to take its place; LedgerInUse.
    """
    try:
        with closing(_opened(file, write=True)) as ledger:
            mode = ledger.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    except sqlite3.DatabaseError as problem:
        if problem.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise _in_use(file) from problem
        return False
    if mode != "delete":
        raise _in_use(file)
    return True


def _copies_of_logs(file: Path, kept: Path) -> tuple[Path, ...]:
    """SQLite deletes the logs of a file that it does not know, and what is in them may be all that is left."""
    return tuple(Path(shutil.copy2(log, _free(name))) for log, name in _logs(file, kept) if log.exists())


def _set_logs_aside(file: Path, kept: Path) -> tuple[Path, ...]:
    """What lies beside a ledger that is gone: SQLite would write it over the one that takes the name."""
    return tuple(log.rename(_free(name)) for log, name in _logs(file, kept) if log.exists())


def _logs(file: Path, kept: Path) -> list[tuple[Path, Path]]:
    """What may lie beside a ledger, and what it is called once that is set aside."""
    return [(file.with_name(file.name + part), kept.with_name(kept.name + part)) for part in _BESIDE]


def lost_since(replaced: Path, restored: Contents) -> Lost | None:
    """What the replaced ledger knew beyond the copy that took its place; None when it cannot tell."""
    since = "SELECT at, device, action, target FROM audit WHERE at > ? ORDER BY seq"
    after = restored.last_at or datetime.min.replace(tzinfo=UTC)
    try:
        with closing(_opened(replaced, write=False)) as ledger:
            moves = ledger.execute("SELECT count(*) FROM moves WHERE seq > ?", (restored.last_move,)).fetchone()[0]
            rows = ledger.execute(since, (after.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f"),)).fetchall()
    except sqlite3.Error:
        return None
    return Lost(int(moves), [Deed(_moment(at), *map(str, rest)) for at, *rest in rows])


@contextmanager
def _sqlite(file: Path) -> Iterator[None]:
    """What SQLite says of a file that is no ledger, or a broken one, is told of the file."""
    try:
        yield
    except sqlite3.DatabaseError as problem:
        raise BadBackup(f"{file} cannot be read as a ledger: {problem}") from problem


def _opened(file: Path, *, write: bool) -> sqlite3.Connection:
    mode = "rw" if write else "ro"
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)


def _in_use(file: Path) -> LedgerInUse:
    return LedgerInUse(f"{file} is open in another program, perhaps a `skywright tail`: end it first")


def _free(name: Path) -> Path:
    found, number = name, 1
    while os.path.lexists(found):
        number += 1
        found = name.with_name(f"{name.name}-{number}")
    return found


def _moment(stored: str) -> datetime:
    return datetime.fromisoformat(stored).replace(tzinfo=UTC)
