"""Which logins may be tried: a budget, pauses and refused credentials, shared by every process and every restart."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select

from bot.ledger.engine import Database
from bot.ledger.policy import Caps
from bot.ledger.tables import logins
from bot.ledger.usage import give_back, reserve_both

LOGINS_PREFIX = "logins:"


@dataclass(frozen=True)
class NoLogin:
    """Why no login may be tried: not before `until`, or, without it, not with these credentials again."""

    until: datetime | None
    why: str
    error: str | None = None


class Logins:
    """Asked before each login and told what came of it; credentials are kept as a hash under the ledger's key."""

    def __init__(self, db: Database, key: str, caps: Caps) -> None:
        self._db = db
        self._key = key.encode()
        self._caps = caps

    def reserve(self, did: str, password: str) -> NoLogin | None:
        """Take one login of the budget; what forbids it, if something does."""
        with self._db.write() as connection:
            now = connection.execute(select(self._db.now())).scalar_one()
            last = connection.execute(select(logins).where(logins.c.did == did)).one_or_none()
            if last is not None and last.refused == self._digest(did, password):
                return NoLogin(None, last.why, last.error)
            if last is not None and last.not_before is not None and now < last.not_before:
                return NoLogin(last.not_before, last.why, last.error)
            full_until = reserve_both(self._db, connection, _scope(did), 1, self._caps)
        return NoLogin(full_until, "the budget of logins is used up") if full_until else None

    def give_back(self, did: str) -> None:
        """Undo a reservation: nothing was sent."""
        with self._db.write() as connection:
            give_back(self._db, connection, _scope(did), 1, self._caps)

    def pause(self, did: str, until: datetime, why: str, error: str | None) -> None:
        """No login before that moment, whoever asks."""
        self._note({"did": did, "not_before": until, "refused": None, "why": why, "error": error})

    def refuse(self, did: str, password: str, why: str, error: str | None) -> None:
        """No login with these credentials, until they change or a person allows it."""
        refused = self._digest(did, password)
        self._note({"did": did, "not_before": None, "refused": refused, "why": why, "error": error})

    def allow(self, did: str) -> None:
        """Forget that credentials were refused; a pause stands."""
        with self._db.write() as connection:
            connection.execute(delete(logins).where(logins.c.did == did, logins.c.refused.is_not(None)))

    def _note(self, values: dict[str, Any]) -> None:
        row = values | {"at": self._db.now()}
        with self._db.write() as connection:
            noting = self._db.insert(logins).values(row)
            connection.execute(noting.on_conflict_do_update(index_elements=["did"], set_=row))

    def _digest(self, did: str, password: str) -> str:
        return hmac.new(self._key, f"{did}\0{password}".encode(), hashlib.sha256).hexdigest()


def _scope(did: str) -> str:
    return f"{LOGINS_PREFIX}{did}"
