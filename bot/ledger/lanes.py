"""What lanes are doing, and what waits for one."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, case, func, select, update

from bot.ledger.engine import Database
from bot.ledger.moves import claimable
from bot.ledger.tables import attempts, devices, documents
from guardrails.access import Role
from guardrails.documents import DeviceId, DocId
from guardrails.transitions import Status


@dataclass(frozen=True)
class AtWork:
    """One claim: whose, to what, since when, at which step, and until when it stands unless it is renewed."""

    device: DeviceId
    document_id: DocId
    attempt: int
    generator: str
    step: str
    since: datetime
    lease_until: datetime


@dataclass(frozen=True)
class Waiting:
    """So many documents could be claimed now, the first of them since then."""

    documents: int
    since: datetime


@dataclass(frozen=True)
class Visits:
    """When a lane last came by, and by how much the next visit is late; None where no schedule or no visit is known."""

    seen_at: datetime | None
    late_by: timedelta | None


class Lanes:
    """Notes and reads about lanes; nothing here moves a document."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def asked(self, device: DeviceId, generator: str) -> None:
        """Note that a lane asks for work, and what it would build with."""
        now = {"seen_at": self._db.now(), "asked_at": self._db.now(), "generator": generator}
        with self._db.write() as connection:
            connection.execute(update(devices).where(devices.c.id == device).values(now))

    def last_asked(self) -> datetime | None:
        """When a lane last asked for work; None for never. By less than a minute it may have been later."""
        query = select(func.max(devices.c.asked_at)).where(devices.c.role == Role.LANE.value)
        with self._db.read() as connection:
            return connection.execute(query).scalar_one_or_none()

    def visits(self, every: timedelta | None) -> Visits:
        """When a lane last came by, and how late the next one is that should come `every` so often."""
        query = select(func.max(devices.c.seen_at), self._db.now()).where(devices.c.role == Role.LANE.value)
        with self._db.read() as connection:
            seen_at, now = connection.execute(query).one()
        known = seen_at is not None and every is not None
        return Visits(seen_at, max(now - seen_at - every, timedelta()) if known else None)

    def waiting(self) -> Waiting | None:
        """What could be claimed now, and since when; None when nothing could."""
        c = documents.c
        # A lease that is over is what a takeover waits for; else a pause after a failure, or the move that let it in.
        due_at = case(
            (c.lease_until.is_not(None), c.lease_until), (c.not_before > c.updated_at, c.not_before), else_=c.updated_at
        )
        open_to_lanes = c.status.in_([Status.PENDING_BUILD.value, Status.BUILDING.value])
        query = select(func.count(), func.min(due_at)).where(and_(open_to_lanes, claimable(self._db.now())))
        with self._db.read() as connection:
            count, since = connection.execute(query).one()
        return Waiting(count, since) if count else None

    def at_work(self) -> list[AtWork]:
        """Every standing claim, be its lease over or not, oldest first."""
        c, a = documents.c, attempts.c
        query = (
            select(c.claim_device, c.id, a.attempt, a.generator, c.step, a.started_at, c.lease_until)
            .join(attempts, a.claim_id == c.claim_id)
            .where(c.status == Status.BUILDING.value)
            .order_by(a.started_at, c.id)
        )
        with self._db.read() as connection:
            return [AtWork(*row) for row in connection.execute(query)]
