"""Psycopg's cursor, which tells less of a result's columns: to work out all of it for each statement takes long."""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.pq import ExecStatus

_ROWS = frozenset({ExecStatus.TUPLES_OK, ExecStatus.SINGLE_TUPLE, ExecStatus.TUPLES_CHUNK})
_UNTOLD = (None,) * 5


class BriefCursor(psycopg.Cursor[Any]):
    """Tells the names of columns and the numbers of their types, which is all that SQLAlchemy looks at."""

    @property
    def description(self) -> Sequence[Any] | None:  # type: ignore[override]
        """Each column as a plain sequence, as the DB-API has it; None where no rows were asked for."""
        result = self.pgresult
        if result is None or result.status not in _ROWS:
            return None
        return [(_name(result.fname(n)), result.ftype(n), *_UNTOLD) for n in range(result.nfields)]


def _name(told: bytes | None) -> str:
    return (told or b"").decode()
