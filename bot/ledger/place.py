"""Holds a SQLite ledger to the file that was opened: what is written to one that was moved or deleted may be lost."""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import OperationalError

GONE = "the ledger's file was moved, deleted or replaced while it is open: put it back"


class Place:
    """One file by its name, and which one that was when it was first opened.

    While another one is there, or none, nothing is read or written; nor is an empty one made in its stead. Connections
    stay open, so that what was deleted is still to be had from the process.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.absolute()
        self._opened: tuple[int, int] | None = None

    def opened(self) -> None:
        """It is there, and open; the first connection counts."""
        self._opened = self._opened or self._found()

    def closed(self) -> None:
        """No connection is open any more: whoever opens it next takes what is there."""
        self._opened = None

    def check_connecting(self) -> None:
        """Raises what the driver raises."""
        if self._opened is not None and self._found() != self._opened:
            raise sqlite3.OperationalError(GONE)

    def check(self) -> None:
        """Raises what SQLAlchemy raises."""
        try:
            self.check_connecting()
        except sqlite3.OperationalError as gone:
            raise OperationalError(None, None, gone) from gone

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
