"""The lane's side of /api/lane: calls that are repeated within a total deadline until the bot has answered them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import httpx
import stamina
from pydantic import BaseModel, SecretStr, ValidationError

from builder.deadline import exchange_within
from builder.errors import BotRefused, BotUnreachable, ClaimLost, NotWelcome
from guardrails.pictures import picture_type
from guardrails.wire import (
    API_VERSION,
    Claim,
    ClaimRequest,
    DeviceToken,
    Enrolment,
    HeartbeatRequest,
    Lease,
    Problem,
    Report,
    Reported,
    Request,
    Screened,
    Uploaded,
)

A = TypeVar("A", bound=BaseModel)
R = TypeVar("R")

CLAIMS = "/api/lane/claims"
MAX_ANSWER_BYTES = 1_000_000
LONGEST_PHASE_SECONDS = 20.0
# For what has no body of its own to say it in.
_VERSION = {"X-Skywright-Api-Version": str(API_VERSION)}


class BotClient:
    """The bot as a lane knows it: a URL and a token, or none yet. Safe to use from any thread.

    Every call raises ClaimLost, NotWelcome, BotRefused or BotUnreachable. Repeats are safe: the lane mints the
    claim id, and the bot answers the same id and body with the same answer.
    """

    def __init__(
        self, http: httpx.Client, token: SecretStr | None, deadline_seconds: float, now: Callable[[], float]
    ) -> None:
        self._http = http
        self._token = token
        self._deadline_seconds = deadline_seconds
        self._now = now
        self.last_date: str | None = None

    def enrol(self, code: str) -> DeviceToken:
        """Exchange an invitation's code for a device token. Made once only: a code whose answer was lost is used up."""
        return self._call(_reader(DeviceToken), "POST", "/api/lane/enrol", _json(Enrolment(code=code)), lambda: True)

    def knock(self, unused_claim_id: str) -> None:
        """See that the bot takes this token: a heartbeat that renews nothing, under a claim id that nobody has had."""
        with suppress(ClaimLost):
            self.heartbeat(unused_claim_id, "claimed")

    def claim(
        self,
        claim_id: str,
        generator: str,
        give_up: Callable[[], bool] = lambda: False,
        lease_seconds: int | None = None,
    ) -> Claim | None:
        """Claim the next document under an id of our own; None when nothing waits. No repeat once `give_up` says so.

        `lease_seconds`: a longer lease, if the device may have one.
        """
        request = ClaimRequest(claim_id=claim_id, generator=generator, lease_seconds=lease_seconds)
        return self._call(_claim_or_none, "POST", "/api/lane/claim", _json(request), give_up)

    def heartbeat(self, claim_id: str, step: str, give_up: Callable[[], bool] = lambda: False) -> Lease:
        """Renew the lease and say what is being done."""
        request = HeartbeatRequest(step=step)
        return self._call(_reader(Lease), "POST", f"{CLAIMS}/{claim_id}/heartbeat", _json(request), give_up)

    def upload(self, claim_id: str, bundle: bytes) -> Uploaded:
        """Store the bundle under the claim."""
        headers = {"Content-Type": "application/zip", **_VERSION}
        return self._call(_reader(Uploaded), "PUT", f"{CLAIMS}/{claim_id}/bundle", _Body(bundle, headers))

    def upload_screenshot(self, claim_id: str, picture: bytes) -> Screened:
        """Store a picture of the app under the claim: a PNG or a JPEG within guardrails/pictures.py."""
        headers = {"Content-Type": picture_type(picture) or "application/octet-stream", **_VERSION}
        return self._call(_reader(Screened), "PUT", f"{CLAIMS}/{claim_id}/screenshot", _Body(picture, headers))

    def report(self, claim_id: str, report: Report) -> Reported:
        """Say how the attempt ended."""
        return self._call(_reader(Reported), "POST", f"{CLAIMS}/{claim_id}/report", _json(report))

    def _call(
        self,
        read: "Callable[[_Answer], R]",
        method: str,
        path: str,
        body: "_Body",
        give_up: Callable[[], bool] = lambda: False,
    ) -> R:
        ends = self._now() + self._deadline_seconds

        def worth_another_try(problem: Exception) -> bool | float:
            if not isinstance(problem, _TryAgain) or give_up():
                return False
            if problem.after_seconds is None:
                return True
            return problem.after_seconds if self._now() + problem.after_seconds < ends else False

        try:
            for attempt in stamina.retry_context(worth_another_try, attempts=None, timeout=self._deadline_seconds):
                with attempt:
                    return read(self._try(method, path, body, ends - self._now()))
        except _TryAgain as problem:
            raise BotUnreachable(str(problem)) from problem
        raise BotUnreachable("no time was left for a try")

    def _try(self, method: str, path: str, body: "_Body", seconds: float) -> "_Answer":
        if seconds <= 0:
            raise _TryAgain("no answer within the deadline", None)
        proof = {} if self._token is None else {"Authorization": f"Bearer {self._token.get_secret_value()}"}
        timeout = min(seconds, LONGEST_PHASE_SECONDS)
        with exchange_within(seconds) as exchange:
            try:
                with self._http.stream(
                    method,
                    path,
                    content=body.content,
                    headers={**proof, **body.headers},
                    timeout=timeout,
                    extensions={"trace": exchange.trace},
                ) as response:
                    self.last_date = response.headers.get("Date")
                    return _judge(response.status_code, response.headers, _read(response))
            except (httpx.TransportError, httpx.DecodingError) as problem:
                why = "no complete answer within the deadline" if exchange.over else type(problem).__name__
                raise _TryAgain(f"the bot cannot be reached ({why})", None) from problem


@dataclass(frozen=True)
class _Body:
    content: bytes
    headers: dict[str, str]


@dataclass(frozen=True)
class _Answer:
    status: int
    content: bytes


class _TryAgain(Exception):
    def __init__(self, message: str, after_seconds: float | None) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds


def _json(request: Request) -> _Body:
    # Without what is not said, so that a bot that does not know a new wish yet takes the call.
    return _Body(request.model_dump_json(exclude_none=True).encode(), {"Content-Type": "application/json"})


def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > MAX_ANSWER_BYTES:
            raise BotRefused("the answer is far larger than any answer of a bot; is this the lane listener's address?")
    return bytes(content)


def _judge(status: int, headers: httpx.Headers, content: bytes) -> _Answer:
    if 200 <= status < 300:
        return _Answer(status, content)
    problem = _problem(status, content)
    said = f"{problem.message} {problem.mend}".strip()
    if (status, problem.error) in ((404, "no_such_claim"), (409, "claim_lost")):
        raise ClaimLost(said)
    if status in (401, 403):
        raise NotWelcome(said)
    if status in (408, 425, 429) or status >= 500:
        raise _TryAgain(f"the bot answers {status}: {said}", _retry_after(headers))
    raise BotRefused(f"the bot answers {status}: {said}")


def _problem(status: int, content: bytes) -> Problem:
    try:
        return Problem.model_validate_json(content)
    except ValidationError:
        return Problem(error="unreadable", message="not an answer of a bot; is this the lane listener's address?")


def _retry_after(headers: httpx.Headers) -> float | None:
    value = headers.get("Retry-After", "")
    return float(value) if value.isascii() and value.isdigit() and len(value) < 6 else None


def _claim_or_none(answer: _Answer) -> Claim | None:
    return None if answer.status == httpx.codes.NO_CONTENT else _reader(Claim)(answer)


def _reader(shape: type[A]) -> Callable[[_Answer], A]:
    def read(answer: _Answer) -> A:
        try:
            return shape.model_validate_json(answer.content)
        except ValidationError:
            # from None: a validation error quotes its input.
            raise _TryAgain("the answer cannot be read; is this the lane listener's address?", None) from None

    return read
