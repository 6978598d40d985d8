"""Calls to the operators' API of a bot: over one connection, within deadlines, the token where nobody can read it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn, TypeVar

import httpx
import typer
from pydantic import TypeAdapter, ValidationError

from bot.errors import BotAway, BotError, BotSilent, LostRace, NoName, NoSuchDocument, NotDone
from bot.hosts import is_loopback
from bot.terminal.answers import object_in
from guardrails.errors import BadRules, NotAllowed
from guardrails.text import clip, visible
from guardrails.wire import API_VERSION

CONNECT_SECONDS, ANSWER_SECONDS = 10.0, 60.0
VERSION_HEADER = "X-Skywright-Api-Version"
_MESSAGE = 2_000
_RAISES: Mapping[str, Callable[[str], Exception]] = {
    "no_such_document": NoSuchDocument,
    "no_name": NoName,
    "lost_race": LostRace,
    "not_done": NotDone,
    "failed": BotError,
    "not_allowed": NotAllowed,
    "bad_token": NotAllowed,
    "wrong_host": NotAllowed,
    "network": BotAway,
    "bad_rules": lambda said: BadRules(said.splitlines()),
}
T = TypeVar("T")


class Wire:
    """Asks one bot. Raises what its Problem says: NoSuchDocument, NotAllowed, LostRace, BotError, …; else BotAway.

    BotSilent is what may be over soon.
    """

    def __init__(self, http: httpx.Client, server: str) -> None:
        self._http = http
        self._server = server
        self._token = str(http.headers.get("Authorization", "")).removeprefix("Bearer ") or "Bearer"

    def get(self, path: str, kind: type[T], /, **query: object) -> T:
        """Look something up; what is None or empty in the query is left out."""
        return self._result(kind, self.answer(path, **query))

    def post(self, path: str, kind: type[T], /, **body: object) -> T:
        """Do something."""
        return self._result(kind, self.answer_to(path, body))

    def answer(self, path: str, /, **query: object) -> dict[str, Any]:
        """The whole answer to a GET."""
        given = {name: value for name, value in query.items() if value is not None and value != []}
        return self._told("GET", path, params=given)

    def answer_to(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """The whole answer to a POST."""
        content = _JSON.dump_json({"api_version": API_VERSION, **body})
        return self._told("POST", path, content=content, headers={"Content-Type": "application/json"})

    def _told(self, method: str, path: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as httpx takes it
        try:
            answer = self._http.request(method, path, **more)
        except httpx.HTTPError as problem:
            perhaps = "" if method == "GET" else "; it may be done all the same: look before you repeat it"
            raise BotSilent(f"no bot answers at {self._server} ({type(problem).__name__}){perhaps}") from None
        told = object_in(answer)
        if not answer.is_success:
            self._refused(answer, told)
        if told.get("api_version") != API_VERSION:
            raise BotAway(f"{self._server} does not answer as a bot of this version: is it the admin listener?")
        return told

    def _refused(self, answer: httpx.Response, told: Mapping[str, Any]) -> NoReturn:
        if answer.is_redirect:
            raise BotAway(f"{self._server} sends elsewhere, which is not followed: name the address itself")
        away = BotSilent if answer.is_server_error else BotAway
        error, message, mend = (str(told.get(name) or "") for name in ("error", "message", "mend"))
        if not error or (answer.status_code == httpx.codes.NOT_FOUND and error not in _RAISES):
            raise away(f"{self._server} answered {answer.status_code}: is it the admin listener, of this version?")
        # Whoever is there may say back what they were told.
        said = "\n".join(part for part in (message, mend) if part).replace(self._token, "…")
        said = clip(said, _MESSAGE, 4 * _MESSAGE)
        raise _RAISES.get(error, BotSilent if answer.is_server_error else BotError)(said)

    def _result(self, kind: type[T], told: Mapping[str, Any]) -> T:
        try:
            result: T = _adapter(kind).validate_python(told.get("result"))  # type: ignore[arg-type] # types are hashable
        except ValidationError as problem:
            where = visible(".".join(map(str, problem.errors(include_input=False)[0]["loc"])))
            raise self.unreadable(where) from None
        return result

    def unreadable(self, where: str) -> BotAway:
        """What is to be raised where an answer is not as it should be."""
        return BotAway(f"the answer of {self._server} cannot be read ({where}): of another version?")


@contextmanager
def opened_wire(server: str, token: str) -> Iterator[Wire]:
    """A connection to the admin listener at this address; typer.BadParameter for one that may not be told a token."""
    address = server_address(server)
    headers = {"Authorization": f"Bearer {token}", VERSION_HEADER: str(API_VERSION)}
    timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    # A proxy that somebody set up sees what is not encrypted, and has no business on the loopback.
    with httpx.Client(
        base_url=address, headers=headers, timeout=timeout, follow_redirects=False, trust_env=address.scheme == "https"
    ) as http:
        yield Wire(http, f"{address.scheme}://{address.netloc.decode('ascii')}")


def server_address(server: str) -> httpx.URL:
    """The address of an admin listener; typer.BadParameter, which quotes nothing, for one that may not get a token."""
    try:
        address = httpx.URL(server)
    except httpx.InvalidURL:
        address = httpx.URL("")
    if address.scheme not in ("http", "https") or not address.host:
        raise typer.BadParameter("--server takes the http or https address of an admin listener")
    if address.userinfo or address.query or address.fragment:
        raise typer.BadParameter("--server takes an address without a user, a query or a fragment")
    if address.scheme == "http" and not is_loopback(address.host):
        raise typer.BadParameter(
            "--server: a token is told over https only, or over http on this machine; "
            "`ssh -L 8102:127.0.0.1:8102 HOST` brings the admin listener here"
        )
    return address


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - a type as it is written
    return TypeAdapter(kind)


_JSON = TypeAdapter(dict[str, Any])
