"""Takes the words of those who want to be forgotten out of the index of the search, for good."""

from itertools import chain, repeat
from typing import Any

from sqlalchemy import Connection

from bot.ledger.engine import Database
from bot.ledger.marks import advance, mark
from bot.ledger.tally import present

_GONE, _PURGED = "search:words_gone", "search:words_purged"
_PAGES_AT_A_TIME = 500


def note_words_gone(db: Database, connection: Connection) -> None:
    """Note, where somebody's words are taken out of a document, that the index is to be purged of them."""
    if db.is_sqlite:
        advance(db, connection, _GONE, present(db, connection))


def purge_words(db: Database) -> None:
    """Purge the index, where there is something to purge it of.

    FTS5 notes what is deleted beside what it had, until the two are merged. That is done in short steps, so that nobody
    waits long for them; a crash between two of them begins anew. PostgreSQL has no need of it.
    """
    with db.read() as connection:
        gone, purged = mark(connection, _GONE), mark(connection, _PURGED)
    if gone is None or (purged is not None and purged >= gone):
        return
    steps = chain([-_PAGES_AT_A_TIME], repeat(_PAGES_AT_A_TIME))
    while _merge(db, next(steps)):
        pass
    with db.write() as connection:
        advance(db, connection, _PURGED, gone)


def _merge(db: Database, pages: int) -> bool:
    """Merge about so much, less than none for all of it from the start; whether there was anything to merge."""
    with db.write() as connection:
        driver: Any = connection.connection.driver_connection
        before = driver.total_changes
        connection.exec_driver_sql("INSERT INTO searched_words (searched_words, rank) VALUES ('merge', ?)", (pages,))
        return bool(driver.total_changes - before > 1)
