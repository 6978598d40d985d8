"""Looks for one of many values: on PostgreSQL by one array, so that the statement is the same for any number."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Connection, any_, literal


def among(connection: Connection, column: ColumnElement[Any], values: Collection[Any]) -> ColumnElement[bool]:
    """That a column holds one of these.

    A statement with a parameter for each is made, and read by driver and server, anew for each number of them.
    """
    if connection.dialect.name == "sqlite":
        return column.in_(values)
    return column == any_(literal(list(values), ARRAY(column.type, dimensions=1)))
