"""Every way in which a call can fail, put into the five classes: the XRPC error name decides before the status."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
from atproto_client import exceptions as sdk

from bot.bluesky.errors import CallFailed, Failure

Clock = Callable[[], datetime]

MESSAGE_LENGTH = 300
SHORT_BACK_OFF = timedelta(seconds=60)
LONGEST_WAIT = timedelta(hours=24)

ACCESS_EXPIRED = "ExpiredToken"
ACCESS_INVALID = "InvalidToken"

_AUTH = {
    ACCESS_EXPIRED,
    ACCESS_INVALID,
    "AuthMissing",
    "AuthenticationRequired",
    "AuthFactorTokenRequired",
    "BadAuth",
    "BadJwt",
}
# With status 400 the AppView says this of the account that was asked about, with 401 the PDS says it of ours.
ACCOUNT_STATE = {"AccountDeactivated", "AccountTakedown", "AccountSuspended"}
_PASSING = {"InternalServerError", "NotEnoughResources", "UpstreamFailure", "UpstreamTimeout"}
_RATE_LIMITED = {"RateLimitExceeded", "RateLimited"}
_FOR_GOOD = {"MethodNotImplemented", "XRPCNotSupported"}

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
)


@dataclass(frozen=True)
class Limit:
    """How much is left under one limit of the server, by the name that it has for it, and until when."""

    policy: str
    remaining: int
    resets_at: datetime


def failure_from(problem: Exception, *, writes: bool, now: Clock) -> CallFailed:
    """The class of whatever the SDK or httpx raised; for a write everything unlisted is UNKNOWN."""
    answer = getattr(problem, "response", None) if isinstance(problem, sdk.RequestErrorBase) else None
    if answer is not None:
        error, message = _named(answer.content)
        return failure_of(answer.status_code, answer.headers, error, message, writes=writes, now=now)
    cause = problem.__cause__ if isinstance(problem, sdk.NetworkError) else problem
    if isinstance(cause, _NEVER_SENT):
        return CallFailed(Failure.NOT_SENT, f"no connection ({type(cause).__name__})")
    return CallFailed(passing(writes), f"no usable answer ({type(cause or problem).__name__})")


def failure_of(
    status: int, headers: Mapping[str, str], error: str | None, message: str, *, writes: bool, now: Clock
) -> CallFailed:
    """The class of an error answer, and when to ask again if the server said so."""
    failure = _class_of(status, error, writes)
    retry_at = None
    if failure is Failure.RATE_LIMITED or "retry-after" in headers:
        retry_at = retry_at_from(headers, now())
    return CallFailed(failure, message[:MESSAGE_LENGTH], status=status, error=error, retry_at=retry_at)


def passing(writes: bool) -> Failure:
    """What a failure that may pass means for a write, and for a read."""
    return Failure.UNKNOWN if writes else Failure.NOT_SENT


def retry_at_from(headers: Mapping[str, str], now: datetime) -> datetime:
    """When to ask again, never in the past, at most a day ahead; `ratelimit-reset` is an epoch, not a duration."""
    for moment in (_reset(headers.get("ratelimit-reset")), _retry_after(headers.get("retry-after"), now)):
        if moment is not None and moment > now:
            return min(moment, now + LONGEST_WAIT)
    return now + SHORT_BACK_OFF


def date_from(text: str) -> datetime | None:
    """The moment that a date in a header names; None for what is none, or is in no calendar."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def limit_from(headers: Mapping[str, Any], now: datetime) -> Limit | None:
    """What an answer says of a limit: the tightest of those that its call came under; None when it says nothing."""
    told = {str(name).lower(): str(value) for name, value in headers.items()}
    resets_at = _reset(told.get("ratelimit-reset"))
    try:
        remaining = int(told.get("ratelimit-remaining", ""))
    except ValueError:
        return None
    if resets_at is None:
        return None
    return Limit(told.get("ratelimit-policy", ""), remaining, min(resets_at, now + LONGEST_WAIT))


def _class_of(status: int, error: str | None, writes: bool) -> Failure:
    if status == httpx.codes.TOO_MANY_REQUESTS or error in _RATE_LIMITED:
        return Failure.RATE_LIMITED
    if error in _AUTH or (error in ACCOUNT_STATE and status != httpx.codes.BAD_REQUEST):
        return Failure.AUTH
    if error in _FOR_GOOD or status == httpx.codes.REQUEST_ENTITY_TOO_LARGE:
        return Failure.REFUSED
    # Without a name it is not the PDS that speaks, but something in between.
    if error is None or error in _PASSING or status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return passing(writes)
    if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        return Failure.AUTH
    return Failure.REFUSED if status >= httpx.codes.BAD_REQUEST else passing(writes)


def _named(content: object) -> tuple[str | None, str]:
    """The error name and message of an answer's content, as the SDK hands it over: a model, bytes or anything."""
    error, message = getattr(content, "error", None), getattr(content, "message", None)
    return (error if isinstance(error, str) and error else None), (message if isinstance(message, str) else "")


def _reset(text: str | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(text or ""), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _retry_after(text: str | None, now: datetime) -> datetime | None:
    if text is None:
        return None
    try:
        return now + timedelta(seconds=min(float(text), LONGEST_WAIT.total_seconds()))
    except (ValueError, OverflowError):
        pass
    return date_from(text)
