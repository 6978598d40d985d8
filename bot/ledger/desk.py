"""What stands beside the documents: watermarks, parked items, switches and devices."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, bindparam, delete, func, or_, select, update

from bot.ledger.audit import note
from bot.ledger.columns import UtcDateTime
from bot.ledger.conditions import lane_cost_of
from bot.ledger.consoles import Ended
from bot.ledger.digests import digest_of
from bot.ledger.engine import Database
from bot.ledger.forgetting import author_in, is_forgotten
from bot.ledger.marks import advance, mark
from bot.ledger.pausing import give_time_again, wait_for_claims
from bot.ledger.tables import conditions, console_sessions, devices, parked, run_logins, switches
from bot.ledger.views import Device, Parked, device_of
from guardrails.access import Action, Caller, Role, check_access
from guardrails.documents import DeviceId
from guardrails.switches import Switch


@dataclass(frozen=True)
class Visit:
    """A device that came by with its token, and when, by the ledger's clock."""

    device: Device
    at: datetime


class Desk:
    """Small rows that the bot keeps for itself and operators set."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def watermark(self, name: str) -> datetime | None:
        """How far something has come; None when it has not begun."""
        with self._db.read() as connection:
            return mark(connection, name)

    def advance(self, name: str, at: datetime) -> None:
        """Move a watermark forward; an older moment changes nothing."""
        with self._db.write() as connection:
            advance(self._db, connection, name, at)

    def park(self, source: str, raw: Mapping[str, Any], problem: str) -> bool:
        """Keep an unreadable item as it came; True when it is the first time that it was seen.

        Of an item of somebody who wants to be forgotten, only that it was seen.
        """
        digest = hashlib.sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()
        row = {"digest": digest, "source": source, "raw": dict(raw), "problem": problem, "at": self._db.now()}
        with self._db.write() as connection:
            author = author_in(raw)
            if author is not None and is_forgotten(connection, author):
                row["raw"] = {}
            kept = self._db.insert(parked).values(row).on_conflict_do_nothing().returning(parked.c.digest)
            return connection.execute(kept).first() is not None

    def parked_count(self) -> int:
        """How many items are parked."""
        with self._db.read() as connection:
            return connection.execute(select(func.count()).select_from(parked)).scalar_one()

    def parked(self, limit: int) -> list[Parked]:
        """What is parked, the newest first."""
        query = select(parked).order_by(parked.c.at.desc(), parked.c.digest).limit(limit)
        with self._db.read() as connection:
            return [Parked(**row._mapping) for row in connection.execute(query)]

    def is_on(self, switch: Switch) -> bool:
        """Whether a switch is on; each job asks its own first, and claims ask inside their transaction."""
        with self._db.read() as connection:
            return (
                connection.execute(select(switches.c.name).where(switches.c.name == switch.value)).first() is not None
            )

    def switches_on(self) -> list[tuple[Switch, str, str, datetime]]:
        """The switches that are on, with who, why and since when."""
        with self._db.read() as connection:
            rows = connection.execute(select(switches).order_by(switches.c.name)).all()
        return [(Switch(row.name), row.device, row.reason, row.at) for row in rows]

    def throw(self, caller: Caller, switch: Switch, reason: str) -> bool:
        """Turn a switch on; True when that is news. Who turned it on first stays named, and why.

        The reason of somebody else, who finds it on, is added to it once. Once builds are paused no claim is made any
        more, not even one that was on its way.
        """
        check_access(caller, Action.PAUSE)
        row = {"name": switch.value, "device": caller.device, "reason": reason, "at": self._db.now()}
        with self._db.write() as connection:
            thrown = self._db.insert(switches).values(row).on_conflict_do_nothing().returning(switches.c.name)
            if connection.execute(thrown).first() is not None:
                if switch is Switch.PAUSE_BUILDS:
                    wait_for_claims(self._db, connection)
                note(self._db, connection, caller, "pause", switch.value, reason)
                return True
            on = switches.c.name == switch.value
            before = connection.execute(select(switches).where(on).with_for_update()).one_or_none()
            added = f"; {caller.device}: "
            if before is None or before.device == caller.device or added in before.reason:
                return False
            connection.execute(update(switches).where(on).values(reason=f"{before.reason}{added}{reason}"))
            note(self._db, connection, caller, "pause", switch.value, reason)
            return True

    def release(self, caller: Caller, switch: Switch) -> None:
        """Turn a switch off; that takes a person. What waits for a lane has the time again that builds were paused."""
        check_access(caller, Action.RESUME)
        releasing = switches.delete().where(switches.c.name == switch.value).returning(switches.c.at)
        with self._db.write() as connection:
            since = connection.execute(releasing).scalar_one_or_none()
            if since is None:
                return
            if switch is Switch.PAUSE_BUILDS:
                give_time_again(self._db, connection, since)
            note(self._db, connection, caller, "resume", switch.value)

    def add_device(
        self,
        caller: Caller,
        device: DeviceId,
        name: str,
        role: Role,
        prefix: str,
        token: str,
        *,
        longest_lease_seconds: int | None = None,
        lasts: timedelta | None = None,
    ) -> Device:
        """Enrol a device, for as long as its token lasts; the token is kept as its SHA-256 only."""
        check_access(caller, Action.MANAGE_DEVICES)
        row = {
            "id": device,
            "name": name,
            "role": role.value,
            "token_sha256": digest_of(token),
            "allowed_prefix": prefix,
            "longest_lease_seconds": longest_lease_seconds,
            "created_at": self._db.now(),
            "expires_at": self._db.now(lasts) if lasts is not None else None,
        }
        with self._db.write() as connection:
            added = device_of(connection.execute(devices.insert().values(row).returning(devices)).one())
            note(self._db, connection, caller, "add_device", device, f"{role.value} {name}".strip())
            return added

    def revoke_device(self, caller: Caller, device: str) -> bool:
        """Make a device's token, and the console sessions that began with it, worthless from now on.

        False when there is no such live device.
        """
        check_access(caller, Action.MANAGE_DEVICES)
        live = (devices.c.id == device) & devices.c.revoked_at.is_(None)
        with self._db.write() as connection:
            revoked = connection.execute(update(devices).where(live).values(revoked_at=self._db.now()))
            if not revoked.rowcount:
                return False
            theirs = (console_sessions.c.device == device) & console_sessions.c.ended_at.is_(None)
            over = {"ended_at": self._db.now(), "ended_why": Ended.DEVICE_REVOKED.value}
            connection.execute(update(console_sessions).where(theirs).values(over))
            # What it has spent is nobody's worry any more; no report of it will ever say so.
            connection.execute(delete(conditions).where(conditions.c.name == lane_cost_of(device)))
            note(self._db, connection, caller, "revoke_device", device)
            return True

    def devices(self) -> list[Device]:
        """Every device, the revoked ones included."""
        with self._db.read() as connection:
            query = select(devices).order_by(devices.c.created_at, devices.c.id)
            return [device_of(row) for row in connection.execute(query)]

    def device_of_token(self, token: str) -> Device | None:
        """Whose token this is, None when nobody's, revoked or over. Compared by its hash, so the time says nothing."""
        visit = self.visit(token)
        return visit.device if visit is not None else None

    def visit(self, token: str) -> Visit | None:
        """The same, with the moment, in the one read that every call begins with."""
        at = self._db.moment()
        query = _whose(self._db.now() if at is None else _NOW)
        values = {"digest": digest_of(token), **({} if at is None else {"now": at})}
        with self._db.read() as connection:
            row = connection.execute(query, values).one_or_none()
        if row is None:
            return None
        return Visit(device_of(row), row.present)

    def seen(self, device: DeviceId) -> None:
        """Note that a device came by."""
        with self._db.write() as connection:
            connection.execute(update(devices).where(devices.c.id == device).values(seen_at=self._db.now()))


_NOW = bindparam("now", type_=UtcDateTime())


@lru_cache(maxsize=8)
def _whose(now: ColumnElement[datetime]) -> Select[Any]:
    """Made once, since every call asks it."""
    digest = bindparam("digest", type_=Text())
    of_a_run = select(run_logins.c.device).where(run_logins.c.token_sha256 == digest, run_logins.c.expires_at > now)
    its_own = or_(devices.c.token_sha256 == digest, devices.c.id.in_(of_a_run))
    live = devices.c.revoked_at.is_(None) & or_(devices.c.expires_at.is_(None), devices.c.expires_at > now)
    return select(devices, now.label("present")).where(its_own, live)
