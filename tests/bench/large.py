"""A ledger of very many documents: a first lot is written from Python, and copied by SQL, further and further back."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, DateTime, String, Table, func, insert, select, type_coerce

from bot.ledger.columns import UtcDateTime
from bot.ledger.ledger import Ledger
from bot.ledger.tables import attempts, documents, moves, sends
from guardrails.tid import ALPHABET, tid_at
from guardrails.transitions import Reason, Status
from tests.mentions import HANDLE, mention

LOT = 10_000
APART = timedelta(seconds=20)
RARE = "xylophone"
SAID = "make build please simple small nice little app page tool counter quiz list game clock notes music colour"
WORDS = SAID.split()
# In a thousand documents so many stand in each status; the rest are answered.
SHARES = {
    Status.SKIPPED: 250,
    Status.BUILD_FAILED: 30,
    Status.ERROR: 10,
    Status.RECEIVED: 2,
    Status.AWAITING_APPROVAL: 1,
    Status.BUILT: 1,
}
REASONS = {
    Status.REPLIED: Reason.SENT,
    Status.SKIPPED: Reason.THANKS,
    Status.BUILD_FAILED: Reason.OUT_OF_TRIES,
    Status.ERROR: Reason.LANE_LOST,
    Status.RECEIVED: Reason.INGESTED,
    Status.AWAITING_APPROVAL: Reason.POLICY,
    Status.BUILT: Reason.BUILT,
}
_OTHERS = [status for status, share in SHARES.items() for _ in range(share)]
STANDINGS = _OTHERS + [Status.REPLIED] * (1000 - len(_OTHERS))
_BODY = mention().model_dump(mode="json")
# A copy has names of its own, so that nobody has more in the large ledger than in the small one, and no rare word.
_NAMES = {"id", "document_id", "author_did", "author_handle", "source_uri", "thread", "claim_id", "key", "uri"}
_COUNTED = {"moves": "seq", "sends": "id"}


def fill(ledger: Ledger, number: int) -> None:
    """Write so many documents, in whole lots, with history, attempts and sends."""
    dice = random.Random(7)
    first = datetime.now(UTC) - LOT * APART
    rows = [_row(n, first + n * APART, dice) for n in range(LOT)]
    with ledger.db.write() as connection:
        _write(connection, rows)
        last_move, last_send = (
            connection.execute(select(func.max(key))).scalar_one() for key in (moves.c.seq, sends.c.id)
        )
    lots = {
        documents: documents.c.created_at >= first,
        moves: moves.c.seq <= last_move,
        attempts: attempts.c.ended_at >= first,
        sends: sends.c.id <= last_send,
    }
    for turn in range(1, number // LOT):
        with ledger.db.write() as connection:
            for table, lot in lots.items():
                _copy(connection, table, lot, turn, is_sqlite=ledger.db.is_sqlite)
    if not ledger.db.is_sqlite:
        with ledger.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM (ANALYZE)")


def _write(connection: Connection, rows: list[dict[str, Any]]) -> None:
    connection.execute(documents.insert(), rows)
    connection.execute(moves.insert(), [move for row in rows for move in _moves(row)])
    tried = [row for row in rows if row["attempt"]]
    connection.execute(attempts.insert(), [_attempt(row) for row in tried])
    connection.execute(sends.insert(), [_send(row) for row in tried])


def _copy(connection: Connection, table: Table, lot: ColumnElement[bool], turn: int, *, is_sqlite: bool) -> None:
    """The first lot of a table once more, so many lots further back."""
    back = turn * LOT * APART
    chosen: dict[str, ColumnElement[Any]] = {}
    for column in table.columns:
        if column.name == _COUNTED.get(table.name):
            continue
        chosen[column.name] = column
        if column.name in _NAMES:
            chosen[column.name] = type_coerce(column, String) + f"k{turn}"
        elif isinstance(column.type, UtcDateTime):
            chosen[column.name] = _earlier(column, back, is_sqlite=is_sqlite)
        elif column.name == "rkey":
            chosen[column.name] = "2" + func.substr(type_coerce(column, String), 2, 10) + _two_signs(turn)
        elif column.name == "body":
            chosen[column.name] = func.replace(type_coerce(column, String), RARE, "page")
    connection.execute(insert(table).from_select(list(chosen), select(*chosen.values()).where(lot)))


def _two_signs(turn: int) -> str:
    """The end of a record key of an older time, which no other turn has."""
    return ALPHABET[turn // len(ALPHABET)] + ALPHABET[turn % len(ALPHABET)]


def _earlier(moment: ColumnElement[Any], by: timedelta, *, is_sqlite: bool) -> ColumnElement[Any]:
    if is_sqlite:
        return func.strftime("%Y-%m-%d %H:%M:%f000", moment, f"-{by.total_seconds()} seconds")
    return type_coerce(moment, DateTime(timezone=True)) - by


def _row(n: int, at: datetime, dice: random.Random) -> dict[str, Any]:
    status = Status.RECEIVED if n == 0 else dice.choice(STANDINGS)
    words = dice.sample(WORDS, 6) + (["timer"] if dice.random() < 0.3 else []) + [f"word{dice.randrange(LOT // 4)}"]
    if n % (LOT // 20) == 7:
        words.append(RARE)
    author, uri = f"a{dice.randrange(LOT // 20)}", f"at://did:plc:x/app.bsky.feed.post/{n}"
    ask = " ".join(words)
    return {
        "id": f"mention:did:plc:x:{n}",
        "kind": "mention",
        "author_did": f"did:plc:{author}",
        "author_handle": f"{author}.test",
        "source_uri": uri,
        "source_cid": "cid",
        "body": _body(uri, author, ask),
        "status": status.value,
        "version": 2,
        "reason": REASONS[status].value,
        "detail": "the lane was not heard of again" if status is Status.ERROR else "",
        "created_at": at,
        "updated_at": at,
        "budget": 3,
        "attempt": int(status in (Status.REPLIED, Status.BUILT, Status.BUILD_FAILED, Status.ERROR)),
        "failures": 0,
        "result": {"title": "An app"} if status in (Status.REPLIED, Status.BUILT) else None,
        "thread": uri,
        "reply_uri": f"at://did:plc:wright/app.bsky.feed.post/{n}" if status is Status.REPLIED else None,
        "reply_seen_at": at if status is Status.REPLIED else None,
    }


def _body(uri: str, author: str, ask: str) -> dict[str, Any]:
    text, post = f"{HANDLE} {ask}", {"uri": uri, "cid": "cid"}
    asked = {"author_did": f"did:plc:{author}", "author_handle": f"{author}.test", "ask": ask, "text": text}
    return _BODY | asked | {"post": post, "root": post, "record": _BODY["record"] | {"text": text}}


def _moves(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    common = {"document_id": row["id"], "kind": "mention", "actor": "bot", "device": "bot", "at": row["created_at"]}
    begun = {"name": "receive", "to_status": "received", "reason": "ingested", "version": 1, "from_status": None}
    ended = {"name": "refuse", "to_status": row["status"], "reason": row["reason"], "version": 2}
    yield common | begun
    yield common | ended | {"from_status": "received"}


def _attempt(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "document_id": row["id"],
        "attempt": 1,
        "claim_id": row["id"],
        "device": f"lane-{int(row['id'].rpartition(':')[2]) % 3}",
        "generator": "template",
        "started_at": row["created_at"],
        "ended_at": row["created_at"],
        "outcome": "done",
        "cost_micros": 1000,
    }


def _send(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": f"reply:{row['id']}",
        "document_id": row["id"],
        "collection": "app.bsky.feed.post",
        "rkey": tid_at(row["created_at"]),
        "state": "answered",
        "record": {},
        "cid": "cid",
        "cids": ["cid"],
        "uri": f"at://did:plc:wright/app.bsky.feed.post/{row['id']}",
        "claimed_at": row["created_at"],
        "settled_at": row["created_at"],
    }
