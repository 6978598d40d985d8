"""Reading what a caller sends: never more than the limit, never longer than the deadline, and strictly."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeVar, get_origin

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams

from bot.api.problems import Refused, invalid, other_version, too_large
from guardrails.text import clip, visible
from guardrails.wire import API_VERSION
from guardrails.wire import Request as Shape

S = TypeVar("S", bound=Shape)
Q = TypeVar("Q", bound=BaseModel)

JSON_BYTES = 512_000
BODY_SECONDS = 60.0
VERSION_HEADER = "X-Skywright-Api-Version"
_SHOWN = 5
_THROWN_AWAY = 4_000_000


def bounded(max_bytes: int, within_seconds: float = BODY_SECONDS) -> Callable[[Request], Awaitable[bytes]]:
    """A dependency that gives the body; too many bytes are refused, far too many or slow ones are not read to the end.

    What is a little too large is read and thrown away first: who still writes would miss the answer.
    """

    async def read(request: Request) -> bytes:
        declared = request.headers.get("Content-Length", "")
        if declared.isdigit() and int(declared) > max_bytes + _THROWN_AWAY:
            raise too_large(max_bytes)
        body, seen = bytearray(), 0
        try:
            async with asyncio.timeout(within_seconds):
                async for chunk in request.stream():
                    seen += len(chunk)
                    body += chunk if seen <= max_bytes else b""
                    if seen > max_bytes + _THROWN_AWAY:
                        raise too_large(max_bytes)
        except TimeoutError:
            message = f"the body took longer than {within_seconds:g} seconds"
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, "too_slow", message) from None
        if seen > max_bytes:
            raise too_large(max_bytes)
        return bytes(body)

    return read


def parse(shape: type[S], body: bytes) -> S:
    """The body as a request; what is wrong with it is said without quoting its values."""
    try:
        return shape.model_validate_json(body)
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_context=False)
        told = _told(problem)
    if any(error["loc"] == ("api_version",) and type(error["input"]) is int for error in errors):
        raise other_version()
    raise invalid(told, "The shapes of the calls are in guardrails/wire.py and bot/api/asked.py.")


def parse_query(shape: type[Q], query: QueryParams) -> Q:
    """The query as this shape; what is wrong with it is said without quoting its values."""
    given: dict[str, object] = {}
    for name in query:
        field = shape.model_fields.get(name)
        several = field is not None and get_origin(field.annotation) is list
        given[name] = query.getlist(name) if several else query[name]
    try:
        return shape.model_validate(given)
    except ValidationError as problem:
        told = _told(problem)
    raise invalid(told, "The shapes of the queries are in bot/api/asked.py.")


def check_version(told: str | None) -> None:
    """Return when a version header is absent or names this API; Refused otherwise."""
    if told is None or told == str(API_VERSION):
        return
    raise other_version() if told.isdigit() else invalid(f"{VERSION_HEADER} is not a number")


def _told(problem: ValidationError) -> str:
    errors = problem.errors(include_url=False, include_context=False)
    return "; ".join(f"{_place(error['loc'])}: {error['msg']}" for error in errors[:_SHOWN])


def _place(location: tuple[int | str, ...]) -> str:
    # An unknown key is named, since a misspelt one is what people look for; it is their text, so it is tamed.
    return clip(visible(".".join(map(str, location))), 60, 240) or "body"
