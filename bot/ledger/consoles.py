"""Who is signed in to the console: sessions, and the links that begin one once. Secrets are kept as SHA-256 only."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.ledger.audit import note
from bot.ledger.digests import digest_of
from bot.ledger.engine import Database
from bot.ledger.tables import console_links, console_sessions, devices
from bot.ledger.views import Device
from guardrails.access import Action, Caller, Role, check_access
from guardrails.documents import DeviceId

# A session ends when nobody has done anything in it for so long, and in any case after so long.
IDLE = timedelta(hours=12)
LONGEST = timedelta(days=7)
LONGEST_LINK = timedelta(days=1)
# So long the list shows what is over.
KEPT = timedelta(days=30)
# That somebody is there need not be written down with each click.
NOTED_EVERY = timedelta(minutes=1)
_PEOPLE = (Role.OPERATOR, Role.VIEWER)


class Ended(StrEnum):
    """Why a session is over."""

    SIGNED_OUT = "signed_out"
    REVOKED = "revoked"
    DEVICE_REVOKED = "device_revoked"
    DEVICE_OVER = "device_over"
    IDLE = "idle"
    OVER = "over"


@dataclass(frozen=True)
class ConsoleSession:
    """Somebody at a console as of `at`. `device` is None for who came by a link; `ended` is None while it stands."""

    id: str
    role: Role
    holder: str
    device: DeviceId | None
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    ended: Ended | None
    at: datetime

    @property
    def caller(self) -> Caller:
        """Who acts in this session, as the access function knows them."""
        return Caller(self.role, DeviceId(self.holder))


class Consoles:
    """Sessions of the console, by the ledger's clock."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def offer(self, caller: Caller, code: str, role: Role, lasts: timedelta) -> datetime:
        """Let whoever brings the code in, once, as an operator or a viewer; until when."""
        check_access(caller, Action.MANAGE_DEVICES)
        row = {
            "code_sha256": digest_of(code),
            "role": role.value,
            "holder": caller.device,
            "created_at": self._db.now(),
            "expires_at": self._db.now(lasts),
        }
        with self._db.write() as connection:
            connection.execute(delete(console_links).where(console_links.c.expires_at < self._db.now(-KEPT)))
            kept = connection.execute(insert(console_links).values(row).returning(console_links.c.expires_at))
            note(self._db, connection, caller, "console_link", role.value)
            return kept.scalar_one()  # type: ignore[no-any-return]

    def spend(self, code: str, session: str, token: str) -> ConsoleSession | None:
        """Begin a session by a link; None for a code that is wrong, spent or too old."""
        this_one = console_links.c.code_sha256 == digest_of(code)
        with self._db.read() as connection:
            # Anybody may bring a wrong one, and is not to keep others from writing by it.
            if connection.execute(select(console_links.c.role).where(this_one)).one_or_none() is None:
                return None
        unspent = this_one & console_links.c.spent_at.is_(None) & (console_links.c.expires_at > self._db.now())
        with self._db.write() as connection:
            spending = update(console_links).where(unspent).values(spent_at=self._db.now())
            link = connection.execute(spending.returning(console_links.c.role, console_links.c.holder)).one_or_none()
            return self._begun(connection, session, token, link.role, link.holder, None) if link is not None else None

    def sign_in(self, device: Device, session: str, token: str) -> ConsoleSession | None:
        """Begin a session of a device; None when it is a lane's, or revoked or over by now."""
        if device.role not in _PEOPLE:
            return None
        live = (devices.c.id == device.id) & devices.c.revoked_at.is_(None)
        with self._db.write() as connection:
            # Whoever revokes it at the same time comes before, and it is gone; or after, and ends the session too.
            if connection.execute(select(devices.c.id).where(live).with_for_update()).one_or_none() is None:
                return None
            return self._begun(connection, session, token, device.role.value, device.id, device.id)

    def session_of(self, token: str) -> ConsoleSession | None:
        """Whose token this is, be the session over or not; None when nobody's."""
        with self._db.read() as connection:
            return self._one(connection, console_sessions.c.token_sha256 == digest_of(token))

    def how_it_ended(self, session: str) -> Ended | None:
        """Why a session is over by now; None while it stands."""
        with self._db.read() as connection:
            found = self._one(connection, console_sessions.c.id == session)
        return found.ended if found is not None else Ended.OVER

    def seen(self, session: ConsoleSession) -> None:
        """Note that somebody does something in a session, unless that was noted just now."""
        if session.at - session.seen_at < NOTED_EVERY:
            return
        stands = (console_sessions.c.id == session.id) & console_sessions.c.ended_at.is_(None)
        with self._db.write() as connection:
            connection.execute(update(console_sessions).where(stands).values(seen_at=self._db.now()))

    def sign_out(self, session: str) -> bool:
        """End a session by its own wish; False when it was over."""
        with self._db.write() as connection:
            return self._end(connection, session, Ended.SIGNED_OUT)

    def revoke(self, caller: Caller, session: str) -> bool:
        """End somebody's session; False when there is none of that name that stands."""
        check_access(caller, Action.MANAGE_DEVICES)
        with self._db.write() as connection:
            ended = self._end(connection, session, Ended.REVOKED)
            if ended:
                note(self._db, connection, caller, "end_session", session)
            return ended

    def sessions(self) -> list[ConsoleSession]:
        """Every session of late, the newest first, those included that are over."""
        with self._db.read() as connection:
            query = self._query().order_by(console_sessions.c.created_at.desc(), console_sessions.c.id)
            return [_session_of(row) for row in connection.execute(query)]

    def _end(self, connection: Connection, session: str, why: Ended) -> bool:
        found = self._one(connection, console_sessions.c.id == session)
        if found is None or found.ended is not None:
            return False
        stands = (console_sessions.c.id == session) & console_sessions.c.ended_at.is_(None)
        ending = update(console_sessions).where(stands).values(ended_at=self._db.now(), ended_why=why.value)
        return bool(connection.execute(ending).rowcount)

    def _begun(
        self, connection: Connection, session: str, token: str, role: str, holder: str, device: str | None
    ) -> ConsoleSession | None:
        connection.execute(delete(console_sessions).where(console_sessions.c.expires_at < self._db.now(-KEPT)))
        row = {
            "id": session,
            "token_sha256": digest_of(token),
            "role": role,
            "holder": holder,
            "device": device,
            "created_at": self._db.now(),
            "seen_at": self._db.now(),
            "expires_at": self._db.now(LONGEST),
        }
        connection.execute(insert(console_sessions).values(row))
        note(self._db, connection, Caller(Role(role), DeviceId(holder)), "sign_in", session)
        return self._one(connection, console_sessions.c.id == session)

    def _one(self, connection: Connection, which: Any) -> ConsoleSession | None:
        row = connection.execute(self._query().where(which)).one_or_none()
        return _session_of(row) if row is not None else None

    def _query(self) -> Any:
        of_device = (devices.c.revoked_at.label("device_revoked_at"), devices.c.expires_at.label("device_expires_at"))
        joined = console_sessions.outerjoin(devices, devices.c.id == console_sessions.c.device)
        return select(console_sessions, *of_device, self._db.now().label("at")).select_from(joined)


def _session_of(row: Row[Any]) -> ConsoleSession:
    return ConsoleSession(
        id=row.id,
        role=Role(row.role),
        holder=row.holder,
        device=DeviceId(row.device) if row.device is not None else None,
        created_at=row.created_at,
        seen_at=row.seen_at,
        expires_at=row.expires_at,
        ended=_ended(row),
        at=row.at,
    )


def _ended(row: Row[Any]) -> Ended | None:
    if row.ended_why is not None:
        return Ended(row.ended_why)
    if row.device_revoked_at is not None:
        return Ended.DEVICE_REVOKED
    if row.device_expires_at is not None and row.device_expires_at <= row.at:
        return Ended.DEVICE_OVER
    if row.expires_at <= row.at:
        return Ended.OVER
    return Ended.IDLE if row.seen_at + IDLE <= row.at else None
