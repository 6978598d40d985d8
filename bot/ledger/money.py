"""What a build costs: its price is taken at its claim, its cost settled at its report; of its author and of all."""

from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from math import ceil
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, ScalarSelect, Select, and_, func, select, text, update

from bot.ledger.engine import Database
from bot.ledger.moves import PRESENT
from bot.ledger.pausing import CLAIMS, paused
from bot.ledger.purse import Purse
from bot.ledger.surplus import BUILDS, count
from bot.ledger.tables import MADE, attempts, documents, usage
from bot.ledger.tally import Change, Span, change, day_of, present
from bot.ledger.views import Document
from guardrails.caps import Cap, author_scope
from guardrails.documents import Did
from guardrails.transitions import Status
from guardrails.wire import Report

USUAL_OF = 50
"""Of so many apps the cost is looked at when a price is to be told."""


class NotNow(Exception):
    """As many builds are under way as may be, or none may be begun; what the claim has taken is undone."""


class PurseEmpty(Exception):
    """The day's money is spent; what the claim has taken is undone."""


def pay_for_author(
    db: Database, connection: Connection, author: Did, day: Span, price_micros: int, most_micros: int
) -> bool:
    """Take the price of a build out of its author's day; False when there is not so much left."""
    price = Change(author_scope(author), day.name, cost_micros=price_micros, most_micros=most_micros)
    return not change(db, connection, [price])


def put_off(connection: Connection, document: Document, now: datetime, day: Span) -> None:
    """Let a document wait until the day is over, and from then on for a lane as long as it would have from now on.

    Its author is told which cap it waits for.
    """
    build_by = (document.build_by or now) + (day.ends - now)
    values = {
        "not_before": day.ends,
        "build_by": build_by,
        "detail": Cap.AUTHOR_MONEY.value,
        "note_due": True,
        "version": document.version + 1,
    }
    connection.execute(update(documents).where(documents.c.id == document.id).values(**values))


def pay(db: Database, connection: Connection, day: Span, price_micros: int, purse: Purse) -> None:
    """Take the price of a build out of the purse, and one of its places; PurseEmpty or NotNow when there is none."""
    price = Change(BUILDS, day.name, n=1, cost_micros=price_micros, most_micros=purse.day_micros)
    if change(db, connection, [price, CLAIMS]):
        raise PurseEmpty(_spent(purse, day))
    live = _live_at(PRESENT if db.is_sqlite else db.now())
    at_work, is_paused = connection.execute(live, {"present": db.moment()}).one()
    if is_paused or at_work >= purse.at_once:
        raise NotNow


@lru_cache(maxsize=64)
def _live_at(present: ColumnElement[datetime]) -> Select[int, bool]:
    c = documents.c
    return select(func.count(), paused()).where(c.status == Status.BUILDING.value, c.lease_until > present)


def settle(db: Database, connection: Connection, author: Did, attempt: Row[Any], cost_micros: int) -> None:
    """Count what an attempt has cost in the stead of its price, in the day in which that was taken."""
    day = attempt.paid_in or day_of(present(db, connection)).name
    count(db, connection, author, day, cost_micros - attempt.estimate_micros)


def settle_late(db: Database, connection: Connection, attempt: Row[Any], report: Report, digest: str) -> bool:
    """Count what an attempt has cost that was lost or taken from its lane; False when it was counted before."""
    late = and_(attempts.c.claim_id == attempt.claim_id, attempts.c.report_sha256.is_(None))
    noted = connection.execute(update(attempts).where(late).values(**used_by(report), report_sha256=digest))
    if not noted.rowcount:
        return False
    author = select(documents.c.author_did).where(documents.c.id == attempt.document_id)
    settle(db, connection, Did(connection.execute(author).scalar_one()), attempt, report.cost_micros)
    return True


def used_by(report: Report) -> dict[str, Any]:
    """What an attempt keeps of what it took: figures, and no words."""
    return report.model_dump(include={"model", "prompt_version", "tokens_in", "tokens_out", "cost_micros"})


def _usual() -> ScalarSelect[Any]:
    newest = select(attempts.c.cost_micros).where(text(MADE))
    last = newest.order_by(attempts.c.ended_at.desc(), attempts.c.claim_id.desc()).limit(USUAL_OF).subquery()
    return select(func.avg(last.c.cost_micros)).scalar_subquery()


USUAL = _usual()
"""What the last apps have cost on average, within a statement; NULL before there is one."""


def whole_micros(usual: float | Decimal | None) -> int:
    """What a statement has found as `USUAL`, in whole millionths of a US dollar, rounded up; 0 for nothing."""
    return ceil(usual or 0)


def usual_price(connection: Connection) -> int:
    """What the last apps have cost on average, in millionths of a US dollar, rounded up; 0 before there is one."""
    return whole_micros(connection.execute(select(USUAL)).scalar_one())


def price_now(db: Database, purse: Purse) -> int:
    """What the next build is taken to cost, in millionths of a US dollar."""
    with db.read() as connection:
        return purse.price_micros(usual_price(connection))


def shortage(db: Database, purse: Purse) -> str | None:
    """What operators are told when one more build could not be paid for today; None when it could."""
    if spent_today(db) + price_now(db, purse) <= purse.day_micros:
        return None
    return _spent(purse, day_of(db.time()))


def _spent(purse: Purse, day: Span) -> str:
    return f"{purse.day_micros / 1_000_000:.2f} USD are spent until {day.ends:%Y-%m-%d %H:%M} UTC"


def spent_today(db: Database) -> int:
    """What builds have cost in the present day, those under way at their price; in millionths of a US dollar."""
    with db.read() as connection:
        today = day_of(present(db, connection)).name
        query = select(usage.c.cost_micros).where(usage.c.scope == BUILDS, usage.c.window == today)
        return connection.execute(query).scalar_one_or_none() or 0
