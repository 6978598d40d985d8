"""How a lane becomes a device without a person at its side: by an invitation, or by what its CI says of its run."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, insert, select
from sqlalchemy.exc import IntegrityError

from bot.ledger.audit import note
from bot.ledger.digests import digest_of
from bot.ledger.engine import Database
from bot.ledger.tables import devices, invites, run_logins
from bot.ledger.views import Device, device_of
from guardrails.access import Action, Caller, Role, check_access
from guardrails.documents import DeviceId

# So long the list of devices shows the runs that are over, and what a run has shown is known again.
RUNS_KEPT = timedelta(days=30)


@dataclass(frozen=True)
class Place:
    """What a lane that comes in will be: its name, where it may publish, and how long its claims may stand."""

    name: str
    allowed_prefix: str
    longest_lease_seconds: int | None = None


class Enrolments:
    """Invitations, and the logins of CI runs. Codes and tokens are kept as their SHA-256 only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def invite(self, caller: Caller, place: Place, code: str, lasts: timedelta) -> datetime:
        """Hold a place for whoever brings the code; until when. Invitations that nobody took are swept away."""
        check_access(caller, Action.MANAGE_DEVICES)
        row = {
            **vars(place),
            "code_sha256": digest_of(code),
            "invited_by": caller.device,
            "created_at": self._db.now(),
            "expires_at": self._db.now(lasts),
        }
        with self._db.write() as connection:
            connection.execute(delete(invites).where(invites.c.expires_at <= self._db.now()))
            kept = connection.execute(insert(invites).values(row).returning(invites.c.expires_at))
            note(self._db, connection, caller, "invite", place.allowed_prefix, place.name)
            return kept.scalar_one()  # type: ignore[no-any-return]

    def accept(self, code: str, device: DeviceId, token: str) -> Device | None:
        """Make a lane of whoever brings the code, which is good once; None for one that is wrong, used or too old."""
        this_one = invites.c.code_sha256 == digest_of(code)
        with self._db.read() as connection:
            # Anybody may bring a wrong one, and is not to keep others from writing by it.
            if connection.execute(select(invites.c.name).where(this_one)).one_or_none() is None:
                return None
        with self._db.write() as connection:
            invite = connection.execute(delete(invites).where(this_one).returning(invites)).one_or_none()
            if invite is None or invite.expires_at <= connection.execute(select(self._db.now())).scalar_one():
                return None
            place = Place(invite.name, invite.allowed_prefix, invite.longest_lease_seconds)
            return self._added(connection, device, place, token_sha256=digest_of(token))

    def log_in_run(self, device: DeviceId, place: Place, jti: str, token: str, lasts: timedelta) -> Device | None:
        """Give a CI run a token that ends by itself; each of its jobs may come for one, and all are the same device.

        None when what the run has shown, whose id is `jti`, was shown before, or when an operator has revoked the run.
        """
        shown = digest_of(jti)
        try:
            with self._db.write() as connection:
                self._sweep(connection)
                known = select(run_logins.c.device).where(run_logins.c.jti_sha256 == shown)
                if connection.execute(known).one_or_none() is not None:
                    return None
                run = self._run(connection, device, place, self._db.now(lasts))
                login = {
                    "jti_sha256": shown,
                    "device": device,
                    "token_sha256": digest_of(token),
                    "at": self._db.now(),
                    "expires_at": self._db.now(lasts),
                }
                connection.execute(insert(run_logins).values(login))
        except IntegrityError:
            # The same, twice at once: the other has committed.
            return None
        return run if run.revoked_at is None else None

    def _run(self, connection: Connection, device: DeviceId, place: Place, ends: ColumnElement[datetime]) -> Device:
        """The device of a run, which lasts as long as its latest token."""
        row = self._row(device, place) | {"expires_at": ends}
        made = self._db.insert(devices).values(row)
        longer = {"expires_at": made.excluded.expires_at}
        kept = made.on_conflict_do_update(index_elements=["id"], set_=longer).returning(devices)
        return device_of(connection.execute(kept).one())

    def _added(self, connection: Connection, device: DeviceId, place: Place, **more: Any) -> Device:
        row = self._row(device, place) | more
        return device_of(connection.execute(insert(devices).values(row).returning(devices)).one())

    def _row(self, device: DeviceId, place: Place) -> dict[str, Any]:
        # Who has come in was seen.
        return {
            **vars(place),
            "id": device,
            "role": Role.LANE.value,
            "created_at": self._db.now(),
            "seen_at": self._db.now(),
        }

    def _sweep(self, connection: Connection) -> None:
        """Let go of runs that were over long ago, but for revoked ones: what they did is in the history."""
        over = self._db.now(-RUNS_KEPT)
        connection.execute(delete(run_logins).where(run_logins.c.expires_at < over))
        old = devices.c.token_sha256.is_(None) & devices.c.revoked_at.is_(None) & (devices.c.expires_at < over)
        has_login = exists().where(run_logins.c.device == devices.c.id)
        connection.execute(delete(devices).where(old, ~has_login))
