"""`skywright backup`: a copy of the ledger, made while the bot runs."""

import re
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import typer
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from bot.clock import Clock
from bot.errors import LedgerBehind, NotDone
from bot.ledger.backups import Contents, Told, check_copy, copy_ledger
from bot.ledger.conditions import BACKUP, Conditions
from bot.ledger.fences import fence_of
from bot.ledger.marks import BACKED_UP, put
from bot.settings import LedgerSettings, load_settings
from bot.terminal.dumps import Address, dump, dumped_revision
from bot.terminal.failures import what_the_driver_said
from bot.terminal.opening import check_is_there, opened_database, sqlite_file
from bot.terminal.server import check_is_here
from bot.whole_files import PART, refuse_what_is_there, whole_file

STAMP = "%Y%m%dT%H%M%SZ"
_OURS = re.compile(r"skywright-\d{8}T\d{6}Z\.(db|dump)")
_FOLDER = "backups"
# Nobody writes on a copy for that long; what is older was left by one that was killed.
_LEFT = timedelta(days=1)
_EVERY_SECONDS = 1.0


def backup_command(file: Path | None, folder: Path | None, keep: int | None, *, overwrite: bool) -> None:
    """Make a copy that was looked through, and say where it is; then let the oldest ones in its folder go."""
    check_is_here()
    if file is not None and (folder is not None or keep is not None):
        raise typer.BadParameter("--to and --keep are about a folder of backups: leave them out, or the file")
    settings, now = load_settings(LedgerSettings), Clock()()
    ledger = sqlite_file(settings.database_url)
    check_is_there(settings.database_url)
    # Which tells where it does not answer, or is no ledger that this program can bring back.
    with opened_database(settings.database_url, settings.database_direct_url) as db:
        at = db.time()
    target = file or _named(folder or _folder(ledger), now, "db" if ledger is not None else "dump")
    if file is None:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    elif not file.parent.is_dir():
        raise NotDone(f"there is no folder {file.parent}")
    if ledger is not None:
        typer.echo(_copied(ledger, target, overwrite=overwrite))
    else:
        url = settings.database_direct_url or settings.database_url
        typer.echo(_dumped(url, target, at, overwrite=overwrite))
    _note(settings, at)
    if keep is not None:
        _let_go(target, keep, now)


def progress(what: str) -> Told:
    """Tells how far it is on a terminal, now and then; in a pipe nothing."""
    last = [0.0]

    def told(done: int, whole: int) -> None:
        if not sys.stderr.isatty() or (done < whole and time.monotonic() - last[0] < _EVERY_SECONDS):
            return
        last[0] = time.monotonic()
        share = 100 if whole == 0 else 100 * done // whole
        typer.echo(f"\r{what}: {share} %", nl=done >= whole, err=True)

    return told


def _copied(ledger: Path, target: Path, *, overwrite: bool) -> str:
    if target.exists() and target.samefile(ledger):
        raise NotDone(f"{target} is the ledger itself")
    with whole_file(target, overwrite=overwrite) as part:
        copy_ledger(ledger, part, progress("copied"))
        contents = check_copy(part)
        _check_is_whole(contents.revision)
        size = part.stat().st_size
    return f"{target}: {size / 1_000_000:.1f} MB, {_holds(contents)}; looked through"


def _note(settings: LedgerSettings, at: datetime) -> None:
    """Have the ledger know of it, so that a bot can say when backups are no longer made."""
    try:
        with opened_database(settings.database_url, settings.database_direct_url) as db:
            with db.write() as connection:
                put(db, connection, BACKED_UP, at)
            Conditions(db).clear(BACKUP)
    except SQLAlchemyError as problem:
        # As where its disk is full: the copy is good all the same.
        told = what_the_driver_said(problem)
        typer.echo(f"the backup is good, and the ledger could not be told of it: {told}", err=True)


def _holds(contents: Contents) -> str:
    until = f", up to {contents.last_at:%Y-%m-%d %H:%M:%S} UTC" if contents.last_at else ""
    return f"{contents.documents} documents, schema {contents.revision}{until}"


def _dumped(url: str, target: Path, at: datetime, *, overwrite: bool) -> str:
    with whole_file(target, overwrite=overwrite) as part:
        dump(Address(url), part)
        revision = dumped_revision(part)
        _check_is_whole(revision)
        size = part.stat().st_size
    where = make_url(url)
    told = f"{where.database} on {where.host or where.query.get('host') or 'this machine'}"
    return f"{target}: {size / 1_000_000:.1f} MB, {told}, schema {revision}, as it was at {at:%Y-%m-%d %H:%M:%S} UTC"


def _check_is_whole(revision: str) -> None:
    """A ledger that has moved, or is on its way, is no place to come back to."""
    _, fence = fence_of(revision)
    if fence is not None:
        raise LedgerBehind("this ledger has moved, or is being moved: set SKYWRIGHT_DATABASE_URL to where it is now")


def _folder(ledger: Path | None) -> Path:
    return (ledger.resolve().parent if ledger is not None else Path()) / _FOLDER


def _named(folder: Path, now: datetime, ending: str) -> Path:
    target = folder / f"skywright-{now:{STAMP}}.{ending}"
    refuse_what_is_there(target, overwrite=False)
    return target


def _let_go(made: Path, keep: int, now: datetime) -> None:
    """Delete the oldest backups of this name, and what one that was killed has left.

    The one that was just made is the newest, whatever the clock said when others were.
    """
    folder = made.parent
    others = sorted((each for each in folder.iterdir() if _OURS.fullmatch(each.name) and each != made), reverse=True)
    for old in others[keep - 1 :]:
        old.unlink()
        typer.echo(f"deleted {old}")
    for left in folder.glob(f".skywright-*{PART}*"):
        if now.timestamp() - left.stat().st_mtime > _LEFT.total_seconds():
            left.unlink(missing_ok=True)
