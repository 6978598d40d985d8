"""Statements that are made once for all that are alike, and given values: making one takes as long as running it."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    JSON,
    BindParameter,
    ClauseElement,
    Connection,
    CursorResult,
    Dialect,
    Table,
    Text,
    TypeCoerce,
    bindparam,
    cast,
    column,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.sql.base import Executable

from bot.ledger.engine import Database

Computed = tuple[tuple[str, Any], ...]
Finish = Callable[[Any], Any]


def parted(values: Mapping[str, Any]) -> tuple[dict[str, Any], Computed]:
    """What is plain, and what the database is to compute; the process clock's moments are plain."""
    plain, computed = {}, []
    for name, value in values.items():
        if isinstance(value, BindParameter):
            plain[name] = value.value
        elif isinstance(value, ClauseElement):
            computed.append((name, value))
        else:
            plain[name] = value
    return plain, tuple(sorted(computed, key=itemgetter(0)))


def by_clock(computed: Computed) -> bool:
    """Whether all that is computed is a moment by the database's clock: the next one computes the same."""
    return all(isinstance(value, TypeCoerce) for _, value in computed)


def add(connection: Connection, table: Table, values: Mapping[str, Any], *, told: bool = False) -> CursorResult[Any]:
    """Insert a row; with `told` the result is that row."""
    plain, computed = parted(values)
    making = _adding if by_clock(computed) else _adding.__wrapped__
    return connection.execute(making(table, computed, told), plain)


def write(
    connection: Connection, table: Table, key: Mapping[str, Any], values: Mapping[str, Any], *, told: bool = False
) -> CursorResult[Any]:
    """Update the rows whose columns are as the key has them; with `told` the result is those rows."""
    plain, computed = parted(values)
    making = _writing if by_clock(computed) else _writing.__wrapped__
    statement = making(table, tuple(key), tuple(sorted(plain)), computed, told)
    of_key = {f"the_{name}": value for name, value in key.items()}
    return connection.execute(statement, of_key | {f"to_{name}": value for name, value in plain.items()})


def add_all(
    db: Database,
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    computed: Computed = (),
    finish: Finish | None = None,
) -> CursorResult[Any]:
    """Insert rows of the same columns, in their order, with what the database computes for each.

    `finish` adds to the statement what it says of conflicts, and what it tells. PostgreSQL is given the rows as JSON: a
    statement with all their values in it is another one for each number of rows, and takes driver and server long.
    """
    if db.is_sqlite or len(rows) == 1:
        return connection.execute(_adding_all(db.insert, table, computed, finish), rows)
    adding, writers = _adding_json(db.insert, connection.dialect, table, tuple(rows[0]), computed, finish)
    written = [
        {name: row[name] if write is None else write(row[name]) for name, write in writers.items()} for row in rows
    ]
    return connection.execute(adding, {"the_rows": json.dumps(written, default=datetime.isoformat)})


@lru_cache(maxsize=64)
def _adding_all(insert: Callable[[Table], Any], table: Table, computed: Computed, finish: Finish | None) -> Executable:
    adding = insert(table).values(dict(computed)) if computed else insert(table)
    return finish(adding) if finish is not None else adding  # type: ignore[no-any-return]


@lru_cache(maxsize=64)
def _adding_json(
    insert: Callable[[Table], Any],
    dialect: Dialect,
    table: Table,
    names: tuple[str, ...],
    computed: Computed,
    finish: Finish | None,
) -> tuple[Executable, dict[str, Callable[[Any], Any] | None]]:
    """The statement, and how a value of each column is written."""
    types = {name: table.c[name].type for name in names}
    given = func.json_to_recordset(cast(bindparam("the_rows", type_=Text), JSON)).table_valued(
        *(column(name, type_) for name, type_ in types.items()), name="given"
    )
    wanted = select(*given.render_derived(with_types=True).c, *(value for _, value in computed))
    adding = insert(table).from_select([*names, *(name for name, _ in computed)], wanted)
    writers: dict[str, Callable[[Any], Any] | None] = {
        name: type_.bind_processor(dialect) for name, type_ in types.items()
    }
    return finish(adding) if finish is not None else adding, writers


@lru_cache(maxsize=128)
def _adding(table: Table, computed: Computed, told: bool) -> Executable:
    statement = insert(table).values(dict(computed)) if computed else insert(table)
    return statement.returning(table) if told else statement


@lru_cache(maxsize=128)
def _writing(table: Table, key: tuple[str, ...], plain: tuple[str, ...], computed: Computed, told: bool) -> Executable:
    named = [table.c[name] == bindparam(f"the_{name}") for name in key]
    values = {name: bindparam(f"to_{name}") for name in plain} | dict(computed)
    statement = update(table).where(*named).values(values)
    return statement.returning(table) if told else statement
