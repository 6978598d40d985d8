"""What moves, told live to a signed-in browser: server-sent events, resumed by the number of the last move seen."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from bot.console.console import Console
from bot.console.problems import told_why
from bot.console.visits import Door, SignedOut, Visit
from bot.follower import Follower, Subscription
from bot.ledger.consoles import Ended
from bot.ledger.views import Moved

BEAT_SECONDS = 15.0
# How soon a browser comes back by itself when the stream is cut.
RETRY_MS = 2000
# A browser keeps nothing of an event that was cut, so none is long.
MOST_IN_ONE = 100
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
# Whoever is let in gets a call that tells from then on why they are signed out, None while they are not.
Over = Callable[[], Ended | None]


def at_the_door(door: Door) -> Callable[[Request], Over | None]:
    """Lets in who is signed in; None for anybody else."""

    def enter(request: Request) -> Over | None:
        try:
            visit = door.visit(request)
        except SignedOut:
            return None
        return lambda: door.still_in(visit)

    return enter


def stream_routes(
    enter: Callable[[Request], Over | None],
    follower: Follower,
    last: Callable[[], int],
    beat_seconds: float = BEAT_SECONDS,
) -> APIRouter:
    """GET /stream; 204 for whoever is not signed in, so that a browser does not come back. `last`: the last move."""
    routes = APIRouter()

    @routes.get("/stream")
    async def stream(
        request: Request,
        after: Annotated[int, Query(ge=0, lt=2**63)] = 0,
        last_event_id: Annotated[str, Header()] = "",
    ) -> Response:
        over = await run_in_threadpool(enter, request)
        if over is None:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        seen = int(last_event_id) if _NUMBER.fullmatch(last_event_id) else after
        known = await run_in_threadpool(last)
        # A ledger from a backup has fewer moves than its reader has seen, who would take what comes for seen.
        begin = _begun(known if seen > known else None)
        told = _told(follower, min(seen, known), over, beat_seconds, begin)
        return StreamingResponse(told, media_type="text/event-stream", headers=_HEADERS)

    return routes


def last_routes(console: Console) -> APIRouter:
    """GET /last: the number of the last move, for those to whom the stream is cut."""
    routes = APIRouter()

    @routes.get("/last")
    def last_move(visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        return JSONResponse({"last": visit.operations.last_move()}, headers={"Cache-Control": "no-store"})

    return routes


def notice(move: Moved) -> dict[str, object]:
    """A move as a browser is told of it; nothing in it is anybody's text."""
    return {
        "seq": move.seq,
        "id": move.document_id,
        "version": move.version,
        "from": move.from_status.value if move.from_status else None,
        "to": move.to_status.value,
        "reason": move.reason.value,
    }


def _begun(anew: int | None) -> str:
    """How a stream begins; with the number from which its reader goes on after having read all anew, if it has to."""
    return f"retry: {RETRY_MS}\n\n" + ("" if anew is None else _event("resync", {}, anew))


async def _told(follower: Follower, seen: int, over: Over, beat_seconds: float, begin: str) -> AsyncIterator[str]:
    """The events of one stream, until its session ends, its reader leaves or the process stops."""
    loop, woken = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        # The loop may be over before the last of its streams.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(woken.set)

    subscription = follower.subscribe(seen, wake)
    try:
        yield begin
        beat = loop.time() + beat_seconds
        while not subscription.is_closed:
            for event in await run_in_threadpool(_new, subscription):
                yield event
            try:
                async with asyncio.timeout_at(beat):
                    await woken.wait()
            except TimeoutError:
                ended = await run_in_threadpool(over)
                if ended is not None:
                    yield _event("signed-out", {"told": told_why(ended), "why": ended.value})
                    return
                yield _event("alive", {})
                beat = loop.time() + beat_seconds
            woken.clear()
    finally:
        follower.unsubscribe(subscription)


def _new(subscription: Subscription) -> list[str]:
    moves, anew = subscription.take()
    if anew is not None:
        return [_event("resync", {}, anew)]
    return list(_events(moves))


def _events(moves: Sequence[Moved]) -> Iterator[str]:
    for start in range(0, len(moves), MOST_IN_ONE):
        some = moves[start : start + MOST_IN_ONE]
        yield _event("moved", [notice(move) for move in some], some[-1].seq)


def _event(name: str, data: object, seq: int | None = None) -> str:
    """One event; JSON in ASCII has no line break that could end it early."""
    number = "" if seq is None else f"id: {seq}\n"
    return f"{number}event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"
