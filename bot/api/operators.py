"""How an operator's call is taken and answered: by whom, in which version, and what went wrong."""

from collections.abc import Callable, Coroutine
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Header, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from bot.api.auth import device_of
from bot.api.bodies import VERSION_HEADER, check_version
from bot.api.problems import HEADERS, Refused
from bot.bluesky.errors import CallFailed, NotAPost
from bot.errors import BotError, LostRace, NoName, NoSuchDocument, NotDone
from bot.ledger.ledger import Ledger
from bot.operations.port import Operations
from guardrails.access import Action, Caller, check_access
from guardrails.wire import API_VERSION

OperationsOf = Callable[[Caller], Operations]
Given = Callable[[Request], Operations]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class OperatorsRoute(APIRoute):
    """A route of the operators' API: what the operations say cannot be done is answered as a Problem."""

    def get_route_handler(self) -> Handler:
        """The handler, with its failures told."""
        handle = super().get_route_handler()

        async def answering(request: Request) -> Response:
            try:
                return await handle(request)
            except (BotError, CallFailed, NotAPost) as problem:
                raise refusal_of(problem) from None

        return answering


def given_to(ledger: Ledger, operations_of: OperationsOf, action: Action) -> Given:
    """A dependency that gives the operations to a device whose role may do this; else the call ends there."""
    calling = device_of(ledger)

    def given(request: Request) -> Operations:
        caller = calling(request).caller
        check_access(caller, action)
        return operations_of(caller)

    return given


def in_our_version(version: Annotated[str | None, Header(alias=VERSION_HEADER)] = None) -> None:
    """A dependency that refuses a caller of another version of the API; whoever names none is taken for one of ours."""
    check_version(version)


def told(kind: Any, result: object, status: HTTPStatus = HTTPStatus.OK) -> Response:  # noqa: ANN401 - a type as it is written
    """The answer that holds a result of this type."""
    body = b'{"api_version":%d,"result":%b}' % (API_VERSION, _adapter(kind).dump_json(result))
    return Response(body, status, dict(HEADERS), "application/json")


def refusal_of(problem: Exception) -> Refused:
    """What went wrong in an operation, as an answer; its texts are ours or were made for people."""
    match problem:
        case NoName():
            return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "no_name", str(problem))
        case NoSuchDocument() | NotAPost():
            return Refused(HTTPStatus.NOT_FOUND, "no_such_document", str(problem))
        case LostRace():
            return Refused(HTTPStatus.CONFLICT, "lost_race", str(problem), "Look at it again, and decide anew.")
        case CallFailed():
            return Refused(HTTPStatus.BAD_GATEWAY, "network", str(problem))
        case NotDone():
            return Refused(HTTPStatus.CONFLICT, "not_done", str(problem))
    return Refused(HTTPStatus.CONFLICT, "failed", str(problem))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - a type as it is written
    return TypeAdapter(kind)
