"""One XRPC call: its parameters, its body, its caller, and the answers to what is wrong with them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.sandbox.errors import XrpcError, invalid_request
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.schema import BadValue, Check, record
from bot.sandbox.sessions import Caller
from bot.sandbox.tokens import invalid_token


@dataclass(frozen=True)
class XrpcCall:
    """A call as it came in; `url` is the address that the client reached the sandbox by."""

    network: SandboxNetwork
    nsid: str
    params: Mapping[str, list[str]]
    content: bytes
    content_type: str
    authorization: str | None
    url: str

    def bearer(self) -> str:
        """The token that came along."""
        if self.authorization is None:
            raise XrpcError(401, "AuthMissing", "Authentication Required")
        scheme, _, token = self.authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise invalid_token("Unexpected authorization type")
        return token

    def caller(self) -> Caller:
        """Who calls, by the access token."""
        return self.network.sessions.caller(self.bearer())

    def body(self, required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> dict[str, Any]:
        """The JSON body, checked."""
        if not self.content_type:
            raise invalid_request("Request encoding (Content-Type) required but not provided")
        media_type = self.content_type.partition(";")[0].strip()
        if media_type != "application/json":
            raise invalid_request(f"Wrong request encoding (Content-Type): {media_type}")
        try:
            body = json.loads(self.content or b"{}")
        except ValueError as problem:
            raise XrpcError(400, "SyntaxError", str(problem)) from problem
        try:
            record(required, optional)(body, "$")
        except BadValue as problem:
            raise invalid_request(str(problem)) from problem
        return dict(body)

    def param(self, name: str, form: Check) -> str:
        """A parameter that must be there, of this form."""
        value = self.optional(name)
        if value is None:
            raise self._bad_param(f'Missing required key "{name}"')
        return self._checked(value, form)

    def optional(self, name: str) -> str | None:
        """A parameter, or None; an empty one counts as absent."""
        return next(iter(self.params.get(name, [])), None) or None

    def many(self, name: str, form: Check, *, most: int) -> list[str]:
        """A repeated parameter, at least once and at most so often, each of this form."""
        values = self.params.get(name, [])
        if not values:
            raise self._bad_param(f'Missing required key "{name}"')
        if len(values) > most:
            raise self._bad_param(f"array too big (maximum {most}, got {len(values)})")
        return [self._checked(value, form) for value in values]

    def number(self, name: str, *, default: int, least: int, most: int) -> int:
        """A whole number within bounds."""
        text = self.optional(name)
        if text is None:
            return default
        try:
            value = int(text)
        except ValueError:
            raise self._bad_param(f'Expected integer value type (got "{text}")') from None
        if value < least:
            raise self._bad_param(f"integer too small (minimum {least}, got {value})")
        if value > most:
            raise self._bad_param(f"integer too big (maximum {most}, got {value})")
        return value

    def flag(self, name: str) -> bool:
        """A yes or no, no if absent."""
        text = self.optional(name)
        if text not in (None, "true", "false"):
            raise self._bad_param(f'Expected boolean value type (got "{text}")')
        return text == "true"

    def _checked(self, value: str, form: Check) -> str:
        try:
            form(value, "$")
        except BadValue as problem:
            raise self._bad_param(problem.problem) from problem
        return value

    def _bad_param(self, problem: str) -> XrpcError:
        return invalid_request(f"Invalid {self.nsid} params: {problem}")


@dataclass(frozen=True)
class Raw:
    """An answer that is not JSON."""

    content: bytes
    media_type: str


Answer = dict[str, Any] | Raw | None


@dataclass(frozen=True)
class Method:
    """A method of the API: how it is called, and what answers it with the network's lock held."""

    verb: Literal["GET", "POST"]
    run: Callable[[XrpcCall], Answer]


def query(run: Callable[[XrpcCall], Answer]) -> Method:
    """A method that reads."""
    return Method("GET", run)


def procedure(run: Callable[[XrpcCall], Answer]) -> Method:
    """A method that writes."""
    return Method("POST", run)
