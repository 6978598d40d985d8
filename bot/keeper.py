"""Keeps the rounds with one of several bots: it renews its lease, or stands by until there is one to take."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bot.ledger.leases import ROUNDS, Leases

# How soon a bot that stands by notices that the rounds are free, and one that could not renew tries again.
LOOK_SECONDS = 1.0
# Of its lease's time a bot uses so much: clocks run apart, and what is begun at the end takes its time.
USED = 0.8
Call = Callable[[], object]
log = structlog.get_logger()


class Turn(Protocol):
    """Whether this process does the rounds."""

    @property
    def holder(self) -> str | None:
        """The name that this process has among the bots of its ledger; None where it can only be alone."""
        ...

    def is_here(self) -> bool:
        """Whether a job of the rounds may begin here now."""
        ...

    def was_last_here(self) -> bool:
        """Whether nobody else is known to have had them since: True also while the ledger cannot be asked."""
        ...

    def start(self, begin: Call, begun: Call) -> None:
        """Each time that the rounds come to this process `begin` is called, before any job may.

        And `begun` when jobs may begin, also again after a pause in which nobody else had them.
        """
        ...

    def stop(self) -> None:
        """Hand the rounds over. When it is called, no job runs any more."""
        ...


def place_of(turn: Turn) -> str:
    """Where the rounds are done, in a word for who watches this process."""
    return "here" if turn.is_here() else "elsewhere"


class Alone:
    """The turn of a bot that holds its ledger's file: there is no other."""

    holder = None

    def is_here(self) -> bool:
        """Always."""
        return True

    def was_last_here(self) -> bool:
        """Always."""
        return True

    def start(self, begin: Call, begun: Call) -> None:
        """The rounds are here from the start."""
        begin()
        begun()

    def stop(self) -> None:
        """Nothing is to be handed over."""


ALONE = Alone()


class Keeper:
    """The turn of a bot beside others: here while its lease stands by this process's own steady clock.

    A process that cannot renew stops beginning jobs before another may take over. A job that runs past that does no
    harm: every write is safe by itself. Nothing is taken any more once the process is `stopping`.
    """

    def __init__(
        self,
        leases: Leases,
        holder: str,
        lasts: float,
        stopping: Callable[[], bool] = lambda: False,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = leases
        self._holder = holder
        self._lasts = lasts
        self._stopping = stopping
        self._steady = steady
        self._begin: Call = lambda: None
        self._begun: Call = lambda: None
        self._ours = False
        self._until: float | None = None
        self._fails = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="keeper", daemon=True)

    @property
    def holder(self) -> str:
        """The name that this process has among the bots of its ledger."""
        return self._holder

    def is_here(self) -> bool:
        """Whether a job of the rounds may begin here now."""
        until = self._until
        return until is not None and self._steady() < until

    def was_last_here(self) -> bool:
        """Whether nobody else is known to have had them since."""
        return self._ours

    def start(self, begin: Call, begun: Call) -> None:
        """Take the rounds if they are free, and keep or wait for them from now on."""
        self._begin, self._begun = begin, begun
        self.look()
        if not self._ours:
            log.info("standing_by", holder=self._holder)
        self._thread.start()

    def stop(self) -> None:
        """Give the lease up, for the next bot to take it at once."""
        self._stop.set()
        self._thread.join()
        self._until = None
        if not self._ours:
            return
        self._ours = False
        try:
            self._leases.give_up(ROUNDS, self._holder)
        except SQLAlchemyError as problem:
            log.warning("rounds_not_handed_over", error=type(problem).__name__)
        else:
            log.info("rounds_handed_over", holder=self._holder)

    def look(self) -> None:
        """Renew the lease, or take it where it is free."""
        if not self._ours and self._stopping():
            return
        # From before the call: by the ledger's clock the lease begins later than that, and so ends later.
        began, lasts = self._steady(), timedelta(seconds=self._lasts)
        try:
            held = (self._leases.renew if self._ours else self._leases.take)(ROUNDS, self._holder, lasts)
            if held and not self._ours:
                self._begin()
        except Exception as problem:
            # Once, and the kind only, since a database's error quotes the statement.
            if not self._fails:
                log.warning("rounds_not_asked_for", error=type(problem).__name__)
            self._fails = True
            return
        self._fails = False
        if held != self._ours:
            log.info("rounds_taken" if held else "rounds_lost", holder=self._holder)
        was_here, self._ours = self.is_here(), held
        self._until = began + USED * self._lasts if held else None
        if held and not was_here:
            self._begun()

    def _keep(self) -> None:
        while not self._stop.wait(self._pause()):
            self.look()

    def _pause(self) -> float:
        third = self._lasts / 3
        return third if self._ours and not self._fails else min(third, LOOK_SECONDS)
