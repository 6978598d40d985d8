"""`skywright tail`: the history as it happens."""

import re
import select
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from threading import Event

import typer

from bot.ledger.feed import EVERYTHING, Filter
from bot.ledger.views import Moved
from bot.operations.moves import move_json
from bot.operations.port import Operations
from bot.terminal.lines import move_line
from bot.terminal.moments import duration
from bot.terminal.opening import opened_operations, woken_by_moves
from bot.terminal.options import Filters
from bot.terminal.patience import Patience
from bot.terminal.screen import Screen, print_json
from bot.terminal.selecting import author_of, says
from bot.terminal.stopping import stop_on_signals

POLL_SECONDS = 0.5
BATCH = 500
SHOWN_FIRST = 10


def tail_command(since: str | None, filters: Filters, kind: str | None, *, as_json: bool, follow: bool) -> None:
    """Print the moves, then what comes, until a signal or the end of the pipe."""
    wanted = Filter(kind, filters.statuses, author=author_of(filters), reasons=filters.reasons, lane=filters.lane)
    waker = woken_by_moves() if follow else nullcontext(Event())
    with stop_on_signals() as stop, opened_operations() as operations, waker as woken:
        seq = starting_point(operations, since)
        tell, patience = _as_json() if as_json else _as_lines(), Patience(stop, lasting=follow)
        while not stop.is_set():
            seen = patience.look(partial(moves_after, operations, seq, wanted, filters.text or ""))
            if seen is None:
                return
            before, (moves, seq) = seq, seen
            if seq < before:
                _tell_of_going_back(seq)
            for move in moves:
                tell(move)
            sys.stdout.flush()
            if seq == before and (not follow or _reader_left(woken)):
                return


def moves_after(operations: Operations, seq: int, wanted: Filter, text: str = "") -> tuple[list[Moved], int]:
    """The next moves that are wanted, and the number to go on from: behind all that is not wanted either.

    It is lower than the one before where the ledger was restored from an older copy: numbers are given anew then.
    """
    # Looked up first: what comes in between is there at the next look.
    last = operations.last_move()
    if seq > last:
        return [], last
    if text.strip():
        return _moves_that_say(operations, seq, wanted, text)
    moves = operations.moves(seq, BATCH, wanted)
    behind = last if wanted != EVERYTHING else seq
    return moves, moves[-1].seq if moves else behind


def _moves_that_say(operations: Operations, seq: int, wanted: Filter, text: str) -> tuple[list[Moved], int]:
    """What a move is about is told by the export: of its next rows, the moves whose words these are."""
    rows = operations.export(seq, BATCH)
    saying = {row.seq for row in rows if says(row, text)}
    moves = operations.moves(min(saying) - 1, len(rows), wanted) if saying else []
    return [move for move in moves if move.seq in saying], rows[-1].seq if rows else seq


def starting_point(operations: Operations, since: str | None) -> int:
    """The sequence number after which to begin: given, for a duration, `all`, or the last few moves."""
    if since is None:
        return max(operations.last_move() - SHOWN_FIRST, 0)
    if since == "all":
        return 0
    if re.fullmatch(r"\d{1,18}", since):
        return int(since)
    try:
        return operations.move_before(operations.me().at - duration(since))
    except typer.BadParameter:
        raise typer.BadParameter(f"--since {since!r}: write a sequence number, 10m, 2h, 3d or all") from None


def _tell_of_going_back(seq: int) -> None:
    told = f"the ledger has {seq} moves only: it was restored from an older copy, and its numbers are given anew"
    typer.echo(told, err=True)


def _as_lines() -> Callable[[Moved], None]:
    screen = Screen()
    return lambda move: screen.print(move_line(move))


def _as_json() -> Callable[[Moved], None]:
    return lambda move: print_json(move_json(move))


def _reader_left(woken: Event) -> bool:
    """Wait for the next look, which comes at once when something moves; whether our reader has gone meanwhile."""
    woken.wait(POLL_SECONDS)
    woken.clear()
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
    except (OSError, ValueError):
        return False
    return any(happened & select.POLLERR for _, happened in poll.poll(0))
