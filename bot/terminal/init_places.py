"""What `skywright init` looks at around a bot to be: its account's name, its folder, database, ports and host names."""

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import whereabouts
from bot.clock import Clock
from bot.errors import BotError
from bot.hosts import is_loopback
from bot.ledger.ledger import Ledger
from bot.ledger.schema import current_revision, migrate
from bot.pages.certificates import NO_SLUG
from bot.settings import Settings
from bot.terminal.account import login_mend
from bot.terminal.doctor_database import MOUNTS, REMOTE, database_findings, filesystem_of, room_finding
from bot.terminal.doctor_listeners import ails_of
from bot.terminal.doctor_network import clock_finding, pds_findings
from bot.terminal.failures import what_the_driver_said
from bot.terminal.opening import opened_database, opened_ledger, sqlite_file
from bot.terminal.reaching import LOOK_SECONDS, Away, looked_at
from bot.whole_files import whole_file
from guardrails.documents import Did
from guardrails.findings import Finding, fail, ok, warn

Resolve = Callable[[str], list[str]]


def account_found(settings: Settings, found: Callable[[Did], None]) -> Iterator[Finding]:
    """Whether a handle leads to a DID, that to a document, and this to a PDS that answers; `found` is told the DID."""
    hasty = settings.model_copy(update={"call_deadline_seconds": min(settings.call_deadline_seconds, LOOK_SECONDS)})
    clock = Clock()
    try:
        did, pds_url = whereabouts(hasty.account, clock)
    except CallFailed as failed:
        unknown = failed.failure is Failure.REFUSED
        mend = "look at its spelling, and whether the account is active" if unknown else login_mend(failed)
        yield fail("handle", str(failed), mend)
        return
    found(did)
    yield ok("handle", did if settings.identifier == did else f"{settings.identifier} is {did}")
    pds = yield from pds_findings(hasty.model_copy(update={"identifier": did, "pds_url": pds_url}), clock)
    yield from clock_finding(pds.clock)


def why_no_folder(folder: Path) -> str | None:
    """Why files cannot be made in a folder; None when they can."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as problem:
        return f"{folder} cannot be written to: {problem.strerror}"


def why_no_database(address: str) -> str | None:
    """Why an address is none of a ledger; None when it may be one."""
    try:
        url = make_url(address)
        kind = url.get_backend_name()
    except (ArgumentError, ValueError):
        return "no address of a database: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
    if kind not in ("sqlite", "postgresql") or not url.database:
        return "it is kept in SQLite or PostgreSQL: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
    return None


def ledger_found(address: str, direct_address: str | None) -> Iterator[Finding]:
    """Whether the ledger can be kept there; an empty database gets its tables, a SQLite file is made later."""
    file = sqlite_file(address)
    if file is not None and not file.exists():
        problem = why_no_folder(file.parent)
        if problem is not None:
            yield fail("database", problem, "make the folder, let this user write to it, or name another file")
            return
        kind = filesystem_of(file.resolve(), MOUNTS.read_text()) if MOUNTS.exists() else None
        if kind in REMOTE:
            yield warn("database", f"{file} is on a {kind} filesystem, whose locks may fail", "name a local disk")
        else:
            yield ok("database", f"SQLite, a new file: {file}")
        yield room_finding(file.parent.resolve(), shutil.disk_usage(file.parent).free)
        return
    try:
        with opened_database(address, direct_address) as db:
            if current_revision(db) is None:
                migrate(db)
    except (DBAPIError, NoSuchModuleError) as problem:
        told = f"does not answer: {what_the_driver_said(problem)}"
        yield fail("database", told, "start it, make the database and its user, or mend the address")
    except BotError as problem:
        yield fail("database", str(problem), "name another database, or mend that one first")
    else:
        yield from database_findings(address, direct_address)


@contextmanager
def ledger_to_be(settings: Settings) -> Iterator[tuple[Ledger, Settings]]:
    """The ledger, and the settings that lead to it; a new SQLite file gets its name at the end of the block only."""
    file = sqlite_file(settings.database_url)
    if file is None or file.exists():
        with opened_ledger(settings) as ledger:
            yield ledger, settings
        return
    with whole_file(file) as part:
        there = settings.model_copy(update={"database_url": f"sqlite:///{part}"})
        with opened_database(there.database_url) as db:
            migrate(db)
        with opened_ledger(there) as ledger:
            yield ledger, there


def port_found(listen: str, *, is_ours: bool) -> Iterator[Finding]:
    """Whether a listener can have its port; `is_ours`: the bot that runs has it already."""
    host, _, port = listen.rpartition(":")
    name = "port"
    if is_ours:
        yield ok(name, f"{listen}, on which the bot runs already")
        return
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host.strip("[]"), int(port)), family=family).close()
    except OSError as problem:
        mend = "end what listens there, or take another port"
        yield fail(name, f"{listen} cannot be had: {os.strerror(problem.errno or 0)}", mend)
    else:
        yield ok(name, f"{listen} is free")


def runs_already(settings: Settings) -> bool:
    """Whether a bot answers at the address of the admin listener."""
    answer = looked_at("GET", f"{settings.admin_address}/health")
    return not isinstance(answer, Away) and httpx.codes.is_success(answer.status_code) and ails_of(answer) is not None


def apps_names_found(apps_url: str, resolve: Resolve) -> Iterator[Finding]:
    """Whether DNS knows the apps' domain, and any name below it, as one place."""
    host = urlsplit(apps_url).hostname or ""
    if is_loopback(host):
        yield ok("dns", f"{host} and every name below it are this machine, and nobody else sees the apps")
        return
    own, below = resolve(host), resolve(f"{NO_SLUG}.{host}")
    until = "until then nobody sees an app"
    if not own:
        yield warn("dns", f"{host} has no address", f"make an A (or AAAA) record of {host}; {until}")
    else:
        yield ok("dns", f"{host} is {', '.join(own)}")
    if not below:
        yield warn("dns", f"names below {host} have no address", f"make the same record of *.{host}; {until}")
    elif own and set(own) != set(below):
        told = f"names below {host} are {', '.join(below)}, which is another place"
        yield warn("dns", told, f"let *.{host} lead to where {host} does")
    else:
        yield ok("dns", f"*.{host} is {', '.join(below)}")


def name_found(url: str, resolve: Resolve) -> Iterator[Finding]:
    """Whether DNS knows the name in an address."""
    host = urlsplit(url).hostname or ""
    if is_loopback(host):
        yield ok("dns", f"{host} is this machine")
        return
    found = resolve(host)
    if found:
        yield ok("dns", f"{host} is {', '.join(found)}")
    else:
        yield warn("dns", f"{host} has no address", f"make an A (or AAAA) record of {host}")


def addresses_of(host: str) -> list[str]:
    """What the system's resolver knows of a name; nothing where it knows none."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(address[4][0]) for address in found))
