"""A row of every table at whatever revision a ledger is, with something in every column that may hold it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    select,
)

from bot.ledger.engine import Database

NOON = datetime(2026, 3, 2, 12, 30, 15, 123456, tzinfo=UTC)
LATER = NOON + timedelta(hours=3)
# What the triggers of the search, or Alembic, keep by themselves.
_KEPT = "searched"
ROOT = "at://did:plc:carol/app.bsky.feed.post/3kroot"
Rows = Mapping[str, list[dict[str, Any]]]


def fill(db: Database, tag: str) -> None:
    """Put a row in every table."""
    with db.rebuild() as connection:
        for table in _tables(connection):
            row = {column.name: _value(column, tag) for column in table.columns}
            row |= {name: value for name, value in _special(table.name, tag).items() if name in row}
            if not db.is_sqlite:
                row = {name: _aware(value) for name, value in row.items()}
            connection.execute(table.insert().values({name: value for name, value in row.items() if value is not ...}))


def rows_of(db: Database) -> Rows:
    """Every row of every table as it is kept, in the order of their keys."""
    with db.read() as connection:
        return {
            table.name: [dict(row._mapping) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in _tables(connection)
        }


def _tables(connection: Connection) -> list[Table]:
    """The tables as the database has them, those first to which others refer."""
    found = MetaData()
    found.reflect(connection, only=lambda name, _: not name.startswith((_KEPT, "alembic", "sqlite")))
    return found.sorted_tables


def _value(column: "Column[Any]", tag: str) -> Any:
    if column.primary_key and isinstance(column.type, Integer) and len(column.table.primary_key) == 1:
        return ... if not column.foreign_keys else 1
    match column.type:
        case Boolean():
            return True
        case DateTime():
            return NOON.replace(tzinfo=None)
        case LargeBinary():
            return bytes(range(256))
        case Float():
            return 90.5
        case BigInteger():
            return 2**40
        case Integer():
            return 1
    return f"{column.name}-{tag}"


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def _special(table: str, tag: str) -> dict[str, Any]:
    """What the rules of a table ask for."""
    document, later = f"mention:did:plc:alice:3k{tag}", LATER.replace(tzinfo=None)
    found: dict[str, dict[str, Any]] = {
        "documents": {
            "id": document,
            "kind": "mention",
            "source_uri": f"at://did:plc:alice/app.bsky.feed.post/3k{tag}",
            "body": f'{{"ask":"a kettle \\ud83c\\udf89 {tag}","root":{{"uri":"{ROOT}","cid":"c"}}}}',
            "thread": ROOT,
            "status": "built",
            "reason": "built",
            "attempt": 1,
            "failures": 1,
            "claim_id": None,
            "claim_device": None,
            "lease_until": None,
            "joined_to": None,
            "page": "f" * 32,
            **dict.fromkeys(("verdicts", "places"), "[]"),
            **dict.fromkeys(("result", "facts"), "{}"),
        },
        "moves": {
            "document_id": document,
            "kind": "mention",
            "from_status": None,
            "to_status": "built",
            "actor": "builder",
        },
        "attempts": {"document_id": document, "outcome": "done", "checks": "[]"},
        "sends": {
            "document_id": document,
            "key": f"reply:{document}",
            "op": "put",
            "state": "answered",
            "record": '{"text":"\\u0000"}',
            "cids": "[]",
        },
        "send_blobs": {"send_id": 1},
        "people": {"standing": "denied"},
        "devices": {"role": "lane", "longest_lease_seconds": 60},
        "invites": {"expires_at": later, "longest_lease_seconds": 60},
        "run_logins": {"device": f"id-{tag}", "expires_at": later},
        "dispatches": {},
        "switches": {"name": "pause_replies"},
        "held_asks": {"document_id": document},
        "console_links": {"role": "viewer", "expires_at": later},
        "console_sessions": {"role": "viewer", "expires_at": later, "device": f"id-{tag}", "ended_why": "left"},
        "alerts": {"told": "raised"},
        "logins": {"refused": None},
        "parked": {"raw": "{}"},
        "apps": {"document_id": document},
        "app_files": {"slug": f"slug-{tag}"},
        "app_screens": {"slug": f"slug-{tag}"},
    }
    return found.get(table, {})
