"""Keeps every program, of any age, off a ledger that has moved elsewhere or is not whole yet: by its revision.

A ledger whose revision no program knows is opened by none; what stands behind the number says why.
"""

import re

from sqlalchemy import Connection, text

from bot.errors import LedgerBehind
from bot.ledger.engine import Database

MOVING, MOVED, FILLING = "moving", "moved", "filling"
# The condition that names the move and where it goes.
WHERE = "ledger_moved"
_FENCED = re.compile(rf"(\w+)-({MOVING}|{MOVED}|{FILLING})")
_BACK = "To use this one after all: `skywright migrate-ledger --back`"


def fence_of(revision: str | None) -> tuple[str | None, str | None]:
    """The revision without its fence, and which fence it has."""
    found = _FENCED.fullmatch(revision or "")
    return (found[1], found[2]) if found is not None else (revision, None)


def put_fence(connection: Connection, fence: str | None) -> None:
    """Put a fence around a ledger, another one, or none."""
    present = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    revision, _ = fence_of(present)
    row = {"revision": revision if fence is None else f"{revision}-{fence}"}
    connection.execute(text("UPDATE alembic_version SET version_num = :revision"), row)


def moves_to(db: Database) -> tuple[str, str]:
    """The name of the move that a ledger is in, and the address that it goes to; empty where it is in none."""
    with db.read() as connection:
        query = text("SELECT detail FROM conditions WHERE name = :name")
        detail = connection.execute(query, {"name": WHERE}).scalar_one_or_none() or ""
    name, _, address = str(detail).partition(" ")
    return name, address


def check_no_fence(db: Database, revision: str | None) -> None:
    """Return when the ledger may be opened; LedgerBehind says where it went, or what is to be ended first."""
    _, fence = fence_of(revision)
    if fence is None:
        return
    if fence == FILLING:
        raise LedgerBehind(
            "a ledger is being moved here and is not whole: end that with `skywright migrate-ledger --to` this address "
            "while SKYWRIGHT_DATABASE_URL is the old one"
        )
    _, address = moves_to(db)
    if fence == MOVED:
        raise LedgerBehind(f"this ledger has moved to {address}: set SKYWRIGHT_DATABASE_URL to that. {_BACK}")
    raise LedgerBehind(
        f"this ledger is being moved to {address}: end that with `skywright migrate-ledger --to` that address. {_BACK}"
    )
