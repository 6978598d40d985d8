"""Statements that are made once for all that are alike, and given values: making one takes as long as running it."""

from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    ClauseElement,
    Connection,
    CursorResult,
    Table,
    TypeCoerce,
    bindparam,
    insert,
    update,
)
from sqlalchemy.sql.base import Executable

Computed = tuple[tuple[str, Any], ...]


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
