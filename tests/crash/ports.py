"""The bot's ports, wrapped from outside: a process that dies at its n-th effect, before it or after it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, Engine, event

from bot.bluesky.transport import DeadlineTransport
from bot.clock import Clock
from bot.ledger.engine import Database

COMMIT, STATEMENT = "commit", "statement"


class Died(BaseException):
    """The process is gone. No handler of the program catches this, as none would catch a power cut."""


class Side(StrEnum):
    """Just before the effect, when the world knows nothing of it, or just after it, when the process does not."""

    BEFORE = "before"
    AFTER = "after"


@dataclass
class Fate:
    """Counts what a process does to the world and ends it at number `at`; the process after it lives on."""

    at: int | None = None
    side: Side = Side.BEFORE
    effects: list[str] = field(default_factory=list)
    deaths: int = 0
    every: int | None = None
    dead: bool = False
    lived: int = 0

    def before(self, effect: str) -> int:
        """Note an effect that is about to happen; its number."""
        self._strike_the_dead()
        number = len(self.effects)
        self.effects.append(effect)
        self.lived += 1
        self._strike(number, Side.BEFORE)
        return number

    def after(self, number: int) -> None:
        """The effect has happened."""
        self._strike(number, Side.AFTER)

    @contextmanager
    def spared(self) -> Iterator[None]:
        """Nobody dies inside the block, and nothing in it is counted."""
        at, every, self.at, self.every = self.at, self.every, None, None
        yield
        self.at, self.every, self.lived = at, every, 0
        self.effects.clear()

    def next_process(self) -> None:
        """Another process takes the dead one's place."""
        self.dead = False
        self.lived = 0

    def _strike(self, number: int, side: Side) -> None:
        if side is self.side and (number == self.at or self.lived == self.every):
            self.dead = True
            self.deaths += 1
            raise Died(f"{side.value} effect {number}, {self.effects[number]}")

    def _strike_the_dead(self) -> None:
        if self.dead:
            raise Died("a dead process does nothing more")


class MortalDatabase(Database):
    """The ledger's database, every commit of which is an effect; what died before it is rolled back."""

    def __init__(self, engine: Engine, clock: Clock, fate: Fate) -> None:
        super().__init__(engine, clock)
        self._fate = fate

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction: dies with all its statements made and none kept, or with all of them kept."""
        with super().write() as connection:
            yield connection
            number = self._fate.before(COMMIT)
        self._fate.after(number)


@contextmanager
def mortal_network(fate: Fate) -> Iterator[None]:
    """Every request of the bot is an effect: not sent, or done by the server and answered to nobody."""
    handle = DeadlineTransport.handle_request

    def handle_request(transport: DeadlineTransport, request: httpx.Request) -> httpx.Response:
        number = fate.before(request.url.path.removeprefix("/xrpc/"))
        try:
            response = handle(transport, request)
        except httpx.TransportError:
            fate.after(number)
            raise
        try:
            fate.after(number)
        except Died:
            response.close()
            raise
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DeadlineTransport, "handle_request", handle_request)
        yield


@contextmanager
def mortal_statements(engine: Engine, fate: Fate) -> Iterator[None]:
    """Every statement of a write transaction is an effect: the process dies in the middle of it."""

    def made(connection: Connection, cursor: Any, *_: Any) -> None:
        if connection.get_execution_options().get("skywright_read"):
            return
        try:
            fate.before(STATEMENT)
        except Died:
            cursor.close()  # as it is when a process goes; one that is open keeps SQLite's transaction open
            raise

    event.listen(engine, "after_cursor_execute", made)
    try:
        yield
    finally:
        event.remove(engine, "after_cursor_execute", made)
