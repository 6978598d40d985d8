"""Has PostgreSQL's functions of the search name each other by their schema.

A dump is brought back with no search path, and so is a database that pg_upgrade takes to a newer server: what is called
without its schema is not found then, and the table that is searched cannot be made.
"""

import re

from sqlalchemy import Connection, text

_OURS = text(
    "SELECT pg_get_functiondef(pg_proc.oid) AS whole, prosrc AS body FROM pg_proc "
    r"WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'search\_%'"
)
_CALLED = re.compile(r"(?<![\w.])(search_\w+(?=\()|searched\b)")


def qualify_search(connection: Connection) -> None:
    """Write the functions anew where they name something of ours without its schema."""
    schema = connection.execute(text("SELECT current_schema()")).scalar_one()
    named = f"{connection.dialect.identifier_preparer.quote_schema(schema)}."
    for function in connection.execute(_OURS).all():
        body = _CALLED.sub(lambda called: named + called[1], function.body)
        if body != function.body:
            connection.exec_driver_sql(function.whole.replace(function.body, body))
