"""The doctor's look at what is before PostgreSQL: a pooler that was told of, or one that was not."""

from collections.abc import Iterator

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from bot.errors import NotDurable
from bot.ledger.durability import check_durable, is_behind_a_pooler
from bot.ledger.engine import Database
from bot.terminal.failures import what_the_driver_said
from guardrails.findings import Finding, fail, ok, warn

DIRECT = "SKYWRIGHT_DATABASE_DIRECT_URL"
# The same server since the same start, and the same database in it.
_PLACE = "SELECT pg_postmaster_start_time()::text, oid::text FROM pg_database WHERE datname = current_database()"


def pooler_findings(db: Database) -> Iterator[Finding]:
    """Whether the ways to PostgreSQL are what the settings say; nothing where there is one, and no pooler on it."""
    if db.is_pooled:
        yield _pooled(db)
        yield _direct(db)
    elif is_behind_a_pooler(db.engine):
        told = "there is one before PostgreSQL, which the settings do not know of"
        yield warn("pooler", told, f"in transaction mode set {DIRECT}; in session mode it may stay as it is")


def _pooled(db: Database) -> Finding:
    try:
        check_durable(db)
    except NotDurable as problem:
        return fail("pooler", str(problem), "do that: until then no bot starts")
    if is_behind_a_pooler(db.engine):
        return ok("pooler", "it is before PostgreSQL, and nothing is kept on a connection")
    return ok("pooler", f"none is before PostgreSQL, so that {DIRECT} is not needed")


def _direct(db: Database) -> Finding:
    """The way round has to lead to the same database, and round."""
    name = "direct address"
    try:
        there, here = _place(db.direct), _place(db.engine)
        is_direct = not is_behind_a_pooler(db.direct)
    except DBAPIError as problem:
        told = f"PostgreSQL does not answer there: {what_the_driver_said(problem)}"
        return fail(name, told, f"mend {DIRECT}: without it nothing is migrated, and nobody is woken")
    if there != here:
        return fail(name, "another database answers there", f"let {DIRECT} lead to the one behind the pooler")
    if not is_direct:
        return fail(name, "a pooler is on that way as well", f"let {DIRECT} lead to PostgreSQL itself")
    return ok(name, "it leads to the same database, round the pooler")


def _place(engine: Engine) -> tuple[str, ...]:
    with engine.connect() as connection:
        return tuple(connection.exec_driver_sql(_PLACE).one())
