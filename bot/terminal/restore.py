"""`skywright restore`: puts a backup in the ledger's place; what was there stays beside it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import typer
from sqlalchemy import inspect

from bot.clock import Clock
from bot.errors import BadBackup, LedgerBehind, NotDone
from bot.holding import sole_holder
from bot.ledger.backups import Contents, Lost, check_copy, copy_ledger, lost_since, set_aside
from bot.ledger.fences import fence_of
from bot.ledger.qualified import qualify_search
from bot.ledger.schema import head_revision, migrate, refuse_newer
from bot.settings import LedgerSettings, load_settings
from bot.terminal.backup import progress
from bot.terminal.dumps import Address, dumped_revision, load
from bot.terminal.opening import opened_database, sqlite_file
from bot.terminal.server import check_is_here
from bot.whole_files import whole_file
from guardrails.text import visible

_SHOWN = 20


def restore_command(file: Path) -> None:
    """Bring a backup back, forward to this program's schema, and say what to look at before the bot starts."""
    check_is_here()
    if not file.is_file():
        raise NotDone(f"there is no file {file}")
    settings = load_settings(LedgerSettings)
    ledger = sqlite_file(settings.database_url)
    if ledger is None:
        told = list(_loaded(file, settings))
    else:
        with sole_holder(settings.database_url):
            told = list(_put_back(file, ledger.resolve()))
    for line in told:
        typer.echo(visible(line))


def _put_back(file: Path, ledger: Path) -> Iterator[str]:
    if ledger.exists() and file.samefile(ledger):
        raise NotDone(f"{file} is the ledger itself")
    # Looked through where it is first: what is no backup is not worth a copy.
    contents = check_copy(file)
    _check_revision(contents.revision)
    with whole_file(ledger, overwrite=True) as part:
        copy_ledger(file, part, progress("copied"))
        # Before it has the name: where the migration fails, nothing has changed.
        with opened_database(f"sqlite:///{part}") as db:
            migrate(db)
        check_copy(part)
        _as_it_was(part, ledger)
        replaced = set_aside(ledger, Clock()())
    since = f"{contents.last_at:%Y-%m-%d %H:%M:%S} UTC" if contents.last_at else "its beginning"
    yield f"{ledger} is {file} now, schema {head_revision()}: {contents.documents} documents, up to {since}"
    if replaced.files:
        yield f"what was there is kept as {', '.join(map(str, replaced.files))}"
    if replaced.ledger is not None:
        yield from _told_of(lost_since(replaced.ledger, contents), contents)
    yield from _next()


def _as_it_was(part: Path, ledger: Path) -> None:
    """Have whoever could open the ledger open what takes its place, also where somebody else puts it there."""
    if ledger.exists():
        shutil.copymode(ledger, part)
    owner = (ledger if ledger.exists() else ledger.parent).stat()
    with suppress(PermissionError):
        os.chown(part, owner.st_uid, owner.st_gid)


def _loaded(file: Path, settings: LedgerSettings) -> Iterator[str]:
    revision = dumped_revision(file)
    _check_revision(revision)
    url = settings.database_direct_url or settings.database_url
    with opened_database(url) as db:
        if inspect(db.engine).get_table_names():
            raise NotDone(
                "that database holds something already, which is never deleted: make an empty one (createdb), set "
                "SKYWRIGHT_DATABASE_URL to it, and restore there; stop every bot on the old one first"
            )

        def qualify() -> None:
            with db.write() as connection:
                qualify_search(connection)

        load(file, Address(url), qualify)
        migrate(db)
    yield f"{file} is in the ledger's database now, schema {head_revision()}"
    yield from _next()


def _check_revision(revision: str) -> None:
    _, fence = fence_of(revision)
    if fence is not None:
        raise BadBackup("this is a copy of a ledger that has moved, or was on its way: take one of where it went")
    try:
        refuse_newer(revision)
    except LedgerBehind as problem:
        raise LedgerBehind(f"the backup: {problem}") from problem


def _told_of(lost: Lost | None, contents: Contents) -> Iterator[str]:
    if lost is None:
        yield "it cannot be read, so that nobody can tell what was done since the backup"
        return
    if lost.moves:
        yield f"it knew {lost.moves} moves more, from number {contents.last_move + 1} on"
    if lost.deeds:
        yield "what operators did since, and is undone:"
    for deed in lost.deeds[:_SHOWN]:
        yield f"  {deed.at:%Y-%m-%d %H:%M} {deed.device} {deed.action} {deed.target}".rstrip()
    if len(lost.deeds) > _SHOWN:
        yield f"  and {len(lost.deeds) - _SHOWN} more"


def _next() -> Iterator[str]:
    """What the start sees to by itself, and what only a person can know."""
    yield "At its start the bot looks at its own posts: what was answered since the backup is not answered again."
    yield "Look at, before it starts:"
    yield "  skywright devices list        tokens that were revoked since are good again; new ones are unknown"
    yield "  skywright console sessions    so are sessions that were ended since"
    yield "  skywright people              who was denied, allowed or forgotten since is not"
    yield "  skywright list --status replied  apps that were taken down since are served again"
