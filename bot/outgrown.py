"""Stops a bot whose ledger was brought to another schema under it, or was moved away."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from bot.errors import LedgerBehind
from bot.ledger.engine import Database
from bot.ledger.schema import check_schema

log = structlog.get_logger()


@contextmanager
def schema_watch(db: Database, stop: threading.Event) -> Iterator[Callable[[], None]]:
    """A look at whether the ledger is still this program's, which stops the process once it is not.

    The block then ends with LedgerBehind: no supervisor mends it by starting the same program again.
    """
    found: list[LedgerBehind] = []

    def look() -> None:
        try:
            check_schema(db)
        except LedgerBehind as problem:
            found.append(problem)
            log.critical("ledger_outgrown", why=str(problem))
            stop.set()

    yield look
    if found:
        raise found[0]
