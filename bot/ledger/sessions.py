"""The account's session, sealed, with the lease under which one process at a time renews it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from sqlalchemy import Row, or_, select, update

from bot.errors import LostRace
from bot.ledger.engine import Database
from bot.ledger.tables import sessions

# A row that holds a lease and no session yet.
_NOTHING = ""


class SealedSessions:
    """The account's session, sealed with the ledger's key; a write names the version that it started from.

    `mint_holder` makes the names under which leases are held, a new one for each.
    """

    def __init__(self, db: Database, key: str, mint_holder: Callable[[], str]) -> None:
        self._db = db
        self._fernet = Fernet(key)
        self._mint_holder = mint_holder

    def load(self, did: str) -> tuple[str, int] | None:
        """The session's text and version; None when there is none, or when it was sealed with another key."""
        with self._db.read() as connection:
            row = connection.execute(select(sessions).where(sessions.c.did == did)).one_or_none()
        text = self._readable(row)
        return (text, row.version) if row is not None and text is not None else None

    def save(self, did: str, text: str, expected_version: int | None) -> int:
        """Keep a session over the version that it came from, None for over nothing that can be read; its version.

        LostRace when another one is kept meanwhile.
        """
        sealed = self._fernet.encrypt(text.encode()).decode()
        with self._db.write() as connection:
            query = select(sessions).where(sessions.c.did == did).with_for_update()
            present = connection.execute(query).one_or_none()
            if expected_version != (present.version if present and self._readable(present) is not None else None):
                raise LostRace("another session is kept")
            version = (present.version if present else 0) + 1
            row = {"did": did, "sealed": sealed, "version": version, "at": self._db.now()}
            if present is not None:
                connection.execute(update(sessions).where(sessions.c.did == did).values(row))
                return version
            # There was no row to lock: of two who keep the first one, the second finds it here.
            first = self._db.insert(sessions).values(row).on_conflict_do_nothing().returning(sessions.c.version)
            if connection.execute(first).first() is None:
                raise LostRace("another session is kept")
            return version

    @contextmanager
    def lease(self, did: str, seconds: float) -> Iterator[bool]:
        """Whether the session may be renewed inside the block, by nobody else; the time is up after so many seconds.

        A lease that ran out binds nobody: it is `save` that keeps a late renewal from replacing a newer one.
        """
        holder = self._mint_holder()
        taken = self._take(did, holder, timedelta(seconds=seconds))
        try:
            yield taken
        finally:
            if taken:
                self._give_back(did, holder)

    def _take(self, did: str, holder: str, length: timedelta) -> bool:
        lease = {"lease_holder": holder, "lease_until": self._db.now(length)}
        row = {"did": did, "sealed": _NOTHING, "version": 0, "at": self._db.now()} | lease
        free = or_(sessions.c.lease_until.is_(None), sessions.c.lease_until <= self._db.now())
        taking = self._db.insert(sessions).values(row)
        taking = taking.on_conflict_do_update(index_elements=["did"], set_=lease, where=free)
        with self._db.write() as connection:
            return connection.execute(taking.returning(sessions.c.did)).first() is not None

    def _give_back(self, did: str, holder: str) -> None:
        ours = (sessions.c.did == did) & (sessions.c.lease_holder == holder)
        with self._db.write() as connection:
            connection.execute(update(sessions).where(ours).values(lease_holder=None, lease_until=None))

    def _readable(self, row: Row[Any] | None) -> str | None:
        if row is None:
            return None
        try:
            return self._fernet.decrypt(row.sealed.encode()).decode()
        except InvalidToken:
            return None
