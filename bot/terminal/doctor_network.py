"""The doctor's look at the account, at its PDS and at the bot's own listeners."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx

from bot.bluesky.errors import CallFailed
from bot.bluesky.identity import IdentityResolver, is_did
from bot.bluesky.profiles import own_state
from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.settings import Settings
from bot.terminal.account import login_mend, opened_account
from guardrails.documents import Did
from guardrails.findings import Finding, fail, ok, warn

CALL_SECONDS = 10.0
LARGEST_SKEW = timedelta(seconds=30)
DESCRIBE = "/xrpc/com.atproto.server.describeServer"
START = "start it with `skywright run`, or mend the address"


@dataclass(frozen=True)
class Answered:
    """The PDS's Date header beside our own clock at that moment."""

    theirs: datetime
    ours: datetime


@dataclass(frozen=True)
class LoggedIn:
    """The account that a login reached: who it is, where it lives, and whether it may write."""

    did: Did
    pds_url: str
    active: bool


def account_findings(settings: Settings, ledger: Ledger) -> Generator[Finding, None, LoggedIn | None]:
    """Whether the account can log in and may work; returns it, None when the login failed."""
    try:
        with opened_account(settings, ledger) as account:
            # The first call finds out whether the kept session is still good, and renews it if it is not.
            state = own_state(account)
            yield ok("login", f"{state.handle} ({account.did}) at {account.pds_url}")
            if state.active:
                yield ok("account", "active")
            else:
                yield fail("account", f"not active: {state.status or 'no reason given'}", "look at it in an app")
            return LoggedIn(account.did, account.pds_url, state.active)
    except CallFailed as failed:
        yield fail("login", str(failed), login_mend(failed))
        return None


def pds_findings(settings: Settings, known: str | None, clock: Clock) -> Generator[Finding, None, Answered | None]:
    """Whether the account's PDS describes itself; returns what its clock said."""
    try:
        pds_url = known or settings.pds_url or _published_pds(settings, clock)
        with _client() as client:
            answer = client.get(pds_url + DESCRIBE)
    except CallFailed as failed:
        yield fail("pds", f"it cannot be found: {failed}", "mend SKYWRIGHT_IDENTIFIER, or set SKYWRIGHT_PDS_URL")
        return None
    except httpx.HTTPError as problem:
        yield fail("pds", f"does not answer ({type(problem).__name__})", "wait, or mend SKYWRIGHT_PDS_URL")
        return None
    if answer.is_success and _has_did(answer):
        yield ok("pds", f"{pds_url} answers")
    else:
        mend = "it is no PDS, or something stands before it: mend SKYWRIGHT_PDS_URL"
        yield fail("pds", f"{pds_url} answered {answer.status_code} to describeServer", mend)
    return _date_of(answer, clock)


def clock_finding(answered: Answered | None) -> Iterator[Finding]:
    """How far our clock is from the PDS's, when that said."""
    if answered is None:
        return
    skew = answered.ours - answered.theirs
    if abs(skew) > LARGEST_SKEW:
        how = f"{abs(skew).total_seconds():.0f} s {'ahead of' if skew > timedelta() else 'behind'} the PDS"
        yield warn("clock", f"this machine is {how}", "let it keep time (NTP)")
    else:
        yield ok("clock", f"within {LARGEST_SKEW.total_seconds():.0f} s of the PDS")


def listener_findings(settings: Settings) -> Iterator[Finding]:
    """Whether the three listeners answer where they should."""
    with _client() as client:
        yield _admin(client, f"{settings.admin_address}/health")
        yield _apps(client, f"{settings.apps_url}/health")
        yield _lane(client, f"{settings.lane_address}/api/lane/claim")


def _admin(client: httpx.Client, address: str) -> Finding:
    answer = _asked(client, "GET", address)
    if answer is None:
        return fail("admin listener", f"{address} does not answer", START)
    ails = _ails(answer) if answer.is_success else None
    if ails is None:
        return fail("admin listener", f"{address} answered {answer.status_code}", "something else listens there")
    if ails:
        return fail("admin listener", f"{address}: the bot is not well: {', '.join(ails)}", "look at its log")
    return ok("admin listener", f"{address} answers")


def _apps(client: httpx.Client, address: str) -> Finding:
    answer = _asked(client, "GET", address)
    if answer is None:
        return fail("apps listener", f"{address} does not answer", START)
    if not answer.is_success:
        mend = "something else listens there, or what stands before it leads elsewhere"
        return fail("apps listener", f"{address} answered {answer.status_code}", mend)
    return ok("apps listener", f"{address} answers")


def _lane(client: httpx.Client, address: str) -> Finding:
    answer = _asked(client, "POST", address)
    if answer is None:
        return fail("lane listener", f"{address} does not answer", START)
    if answer.status_code != httpx.codes.UNAUTHORIZED:
        mend = "something else listens there, or what stands before it leads elsewhere"
        return fail("lane listener", f"{address} answered {answer.status_code} to a call without a token", mend)
    return ok("lane listener", f"{address} wants a token")


def _asked(client: httpx.Client, method: str, address: str) -> httpx.Response | None:
    try:
        return client.request(method, address)
    except httpx.HTTPError:
        return None


def _client() -> httpx.Client:
    # No proxy of the environment: most of these addresses are on this machine.
    return httpx.Client(timeout=CALL_SECONDS, trust_env=False)


def _published_pds(settings: Settings, clock: Clock) -> str:
    name = settings.identifier.strip().removeprefix("@")
    resolver = IdentityResolver(settings.plc_url, deadline_seconds=settings.call_deadline_seconds, now=clock)
    try:
        did = Did(name) if is_did(name) else resolver.did_of(name.lower())
        return resolver.identity_of(did).pds_url
    finally:
        resolver.close()


def _has_did(answer: httpx.Response) -> bool:
    try:
        told = answer.json()
    except ValueError:
        return False
    return isinstance(told, dict) and isinstance(told.get("did"), str)


def _date_of(answer: httpx.Response, clock: Clock) -> Answered | None:
    try:
        theirs = parsedate_to_datetime(answer.headers.get("Date", ""))
    except ValueError:
        return None
    return Answered(theirs if theirs.tzinfo else theirs.replace(tzinfo=UTC), clock())


def _ails(answer: httpx.Response) -> list[str] | None:
    """What /health says is wrong; None when that is no answer of a bot."""
    try:
        told = answer.json()
        late = [name for name, job in told["jobs"].items() if job["late"]]
        database = told["database"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    away = [] if database == "ok" else [f"database {database}"]
    return away + ([f"late jobs: {', '.join(late)}"] if late else [])
