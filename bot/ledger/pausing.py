"""A pause of the builds: no claim is made while it lasts, and what waits for a lane has its time again afterwards."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, bindparam, exists, select, text, update

from bot.ledger.columns import UtcDateTime
from bot.ledger.engine import Database
from bot.ledger.tables import FOR_LANES, documents, switches
from bot.ledger.tally import Change, change, present
from guardrails.switches import Switch

CLAIMS = Change("claims", "ever", n=1)
"""Every claim changes this row after all others: from then on it sees what other claims, or a pause, have left."""
_MORE_TIME = (
    update(documents)
    .where(documents.c.id == bindparam("the_id"))
    .values(build_by=bindparam("later", type_=UtcDateTime()))
)


def paused() -> ColumnElement[bool]:
    """Whether builds are paused, within a statement."""
    return exists().where(switches.c.name == Switch.PAUSE_BUILDS.value)


def wait_for_claims(db: Database, connection: Connection) -> None:
    """Wait for the claims that are being made; whoever comes after them sees what this transaction has written."""
    change(db, connection, [CLAIMS])


def give_time_again(db: Database, connection: Connection, since: datetime) -> None:
    """Put off the end of each wait for a lane by what it had of a pause that began then.

    What was let in, or given back by its lane, in the middle of the pause had that much less of it.
    """
    now = present(db, connection)
    waiting = select(documents.c.id, documents.c.build_by, documents.c.updated_at).where(text(FOR_LANES))
    # Locked oldest first, as by everybody who holds on to several.
    rows = connection.execute(waiting.order_by(documents.c.created_at, documents.c.id).with_for_update()).all()
    lost = [(row, max(now - max(since, row.updated_at), timedelta())) for row in rows]
    if lost:
        connection.execute(_MORE_TIME, [{"the_id": row.id, "later": row.build_by + time} for row, time in lost])
