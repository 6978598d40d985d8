"""Money is counted of an author and of all; and what a lost build was taken to cost beyond the estimate goes back."""

from sqlalchemy import Connection, bindparam, select, update

from bot.ledger.engine import Database
from bot.ledger.tables import attempts
from bot.ledger.tally import Change, change
from bot.ledger.views import Document
from guardrails.caps import author_scope
from guardrails.documents import Did

BUILDS = "builds"


def count(db: Database, connection: Connection, author: Did, day: str, more_micros: int) -> None:
    """Count so much more of a day's money, or so much less, whatever there is of it."""
    change(db, connection, [Change(scope, day, cost_micros=more_micros) for scope in (author_scope(author), BUILDS)])


def let_go(db: Database, connection: Connection, document: Document) -> None:
    """Count of what is under way of a document the rules' estimate only: its lane has lost it, and may never report.

    A report that still comes is settled from there. The document is locked.
    """
    claim = {"the_claim": document.claim_id}
    beyond = connection.execute(_BEYOND, claim).one_or_none() if document.claim_id is not None else None
    if beyond is not None:
        connection.execute(_LETTING_GO, claim)
        count(db, connection, document.author_did, beyond.paid_in, -beyond.surplus_micros)


_LOST = (
    (attempts.c.claim_id == bindparam("the_claim")) & attempts.c.ended_at.is_(None) & (attempts.c.surplus_micros > 0)
)
_BEYOND = select(attempts.c.surplus_micros, attempts.c.paid_in).where(_LOST)
_LETTING_GO = (
    update(attempts)
    .where(_LOST)
    .values(estimate_micros=attempts.c.estimate_micros - attempts.c.surplus_micros, surplus_micros=0)
)
