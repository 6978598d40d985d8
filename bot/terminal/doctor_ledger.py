"""The doctor's look at the ledger and at what waits in it for a person."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sqlalchemy import make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from bot.errors import LedgerBehind
from bot.jobs.catching_up import DEAF
from bot.jobs.ingest import UNREAD
from bot.jobs.reload import RULES
from bot.jobs.sending import PUT_ONCE
from bot.ledger.conditions import ACCOUNT, DISPATCH, LANE_COST, LOOP, NO_LANE, PURSE
from bot.ledger.engine import Database
from bot.ledger.ledger import Ledger
from bot.ledger.schema import check_schema, head_revision
from bot.ledger.send_rows import CLAIMED
from bot.terminal.failures import what_the_driver_said
from bot.terminal.moments import ago
from bot.terminal.opening import check_is_there, opened_database, sqlite_file
from bot.terminal.outbox import state_of
from bot.terminal.switches import short_name
from guardrails.findings import Finding, fail, ok, warn

OLDEST_POSTGRESQL = 140_000
# Where SQLite's locks and shared memory cannot be trusted.
REMOTE = {"9p", "afs", "ceph", "cifs", "drvfs", "fuse.sshfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"}
MOUNTS = Path("/proc/self/mounts")
MENDS = {
    ACCOUNT: "look at the account in an app; until it is well, nothing is said in public",
    LOOP: "look at who asks: `skywright deny` somebody, or `skywright resume builds` if they are paused",
    LANE_COST: "see what that lane runs and what it reports; `skywright devices revoke` stops it",
    NO_LANE: "start a lane, or look at the log of the one that should have come; `skywright lanes` shows them",
    DISPATCH: "mend SKYWRIGHT_GITHUB_TOKEN and its neighbours, or the workflow; the bot tries again by itself",
    PURSE: "wait until the day is over, or raise money.day_usd in the rules and `skywright reload`",
    DEAF: "look at the bot's log; `skywright pause ingest` lets the replies go, unheard what their askers said since",
    UNREAD: "nothing, while it gets less; if it does not, look at the bot's log",
    RULES: "mend the file, then `skywright reload`",
    PUT_ONCE: "nothing: the bot looks before each try; `skywright doctor --write` tries again",
}


def ledger_findings(database_url: str) -> Iterator[Finding]:
    """Whether the database answers, can be trusted with the ledger, and has this program's schema."""
    try:
        check_is_there(database_url)
        with opened_database(database_url) as db:
            yield from _sqlite(db, database_url) if db.is_sqlite else _postgresql(db, database_url)
            yield _schema(db)
    except LedgerBehind as problem:
        yield fail("database", str(problem), "run `skywright migrate`")
    except (ArgumentError, NoSuchModuleError):
        # The address may hold a password, so it is not repeated.
        yield fail("database", "SKYWRIGHT_DATABASE_URL is no address of a database", "write sqlite:///FILE")
    except DBAPIError as problem:
        yield fail("database", f"does not answer: {what_the_driver_said(problem)}", "start it, or mend its address")
    except OSError as problem:
        yield fail("database", f"cannot be opened: {problem.strerror}", "mend SKYWRIGHT_DATABASE_URL or the folder")


def desk_findings(ledger: Ledger) -> Iterator[Finding]:
    """What is paused, what could not be read, and what waits for a person."""
    now = ledger.db.time()
    on = ledger.desk.switches_on()
    if not on:
        yield ok("switches", "nothing is paused")
    for switch, device, why, since in on:
        name = short_name(switch)
        yield warn("switches", f"{name} paused {ago(since, now)} ago by {device}: {why}", f"`skywright resume {name}`")
    parked = ledger.desk.parked_count()
    if parked:
        yield warn("parked", f"{parked} notifications could not be read", "tell the program's authors; nothing is lost")
    else:
        yield ok("parked", "every notification could be read")
    yield from _conditions(ledger, now)
    yield from _sends(ledger, now)


def _conditions(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    standing = ledger.conditions.standing()
    if not standing:
        yield ok("conditions", "none stands")
    for condition in standing:
        mend = MENDS.get(condition.name.partition(":")[0], "look at the bot's log")
        yield warn("conditions", f"{condition.name} for {ago(condition.since, now)}: {condition.detail}", mend)


def _sends(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    """Replies that wait for a person, and sends of which nobody knows; the latter settle themselves, or conflict."""
    held = ledger.queries.held_replies()
    if not held:
        yield ok("held replies", "none waits for a person")
    for document in held:
        mend = f"`skywright approve {document.id}`, or `skip`"
        yield warn("held replies", f"{document.id}: {document.reply_held}", mend)
    unsettled = ledger.queries.unsettled_sends()
    if not unsettled:
        yield ok("sends", "none is unsettled")
    for send in unsettled:
        told = f"{send.key} is {state_of(send)} for {ago(send.unknown_since or send.claimed_at, now)}"
        by_person = send.conflict and send.state == CLAIMED
        mend = f"`skywright resolve {send.key}`" if by_person else "`skywright sends`; it is looked at again"
        if send.conflict and not by_person:
            mend = f"look at {send.collection}/{send.rkey} of the bot: another record stands where this one was to be"
        yield warn("sends", told, mend)


def filesystem_of(file: Path, mounts: str) -> str | None:
    """The kind of filesystem that a file is on, by the system's list of mounts; None when the list does not say."""
    best, kind = -1, None
    for line in mounts.splitlines():
        _, point, found, *_ = [*line.split(" "), "", "", ""]
        place = Path(point.encode().decode("unicode_escape"))
        if file.is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), found
    return kind


def _sqlite(db: Database, database_url: str) -> Iterator[Finding]:
    file = sqlite_file(database_url)
    if file is None:
        yield fail("database", "it is kept in memory only", "set SKYWRIGHT_DATABASE_URL to sqlite:///FILE")
        return
    with db.read() as connection:
        version = connection.execute(text("SELECT sqlite_version()")).scalar_one()
        mode = connection.execute(text("PRAGMA journal_mode")).scalar_one()
    kind = filesystem_of(file.resolve(), MOUNTS.read_text()) if MOUNTS.exists() else None
    if mode != "wal":
        yield fail("database", f"{file} cannot have a write-ahead log", "move it to a local disk")
    elif kind in REMOTE:
        yield warn("database", f"{file} is on a {kind} filesystem, whose locks may fail", "move it to a local disk")
    else:
        yield ok("database", f"SQLite {version}, {file}")


def _postgresql(db: Database, database_url: str) -> Iterator[Finding]:
    with db.read() as connection:
        number = int(connection.execute(text("SHOW server_version_num")).scalar_one())
        version = str(connection.execute(text("SHOW server_version")).scalar_one()).partition(" ")[0]
    where = make_url(database_url)
    told = f"PostgreSQL {version}, {where.database} on {where.host or 'this machine'}"
    if number < OLDEST_POSTGRESQL:
        yield warn("database", f"{told}: it is older than what this program is tested with", "take version 14 or later")
    else:
        yield ok("database", told)


def _schema(db: Database) -> Finding:
    try:
        check_schema(db)
    except LedgerBehind as problem:
        return fail("schema", str(problem), "run the command above, with the bot stopped")
    return ok("schema", f"at {head_revision()}")
