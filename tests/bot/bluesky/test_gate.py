"""A limit that was met holds calls back until the moment that the server named."""

from datetime import datetime, timedelta

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.gate import Bucket, Gate
from bot.bluesky.session import Account
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, Call, refused
from tests.clock import NOON

ASK = "app.bsky.actor.getPreferences"
PUT = "com.atproto.repo.putRecord"
UPLOAD = "com.atproto.repo.uploadBlob"
REFRESH = "com.atproto.server.refreshSession"
LIMIT = refused(429, "RateLimitExceeded", "Rate Limit Exceeded", retry_after="600")


class Limits:
    """Answers 429 to the methods that are limited now, and tells of limits in the headers of the others."""

    def __init__(self) -> None:
        self.limited: set[str] = set()
        self.told: dict[str, dict[str, str]] = {}

    def tells(self, nsid: str, remaining: int, resets_at: datetime, policy: str = "5000;w=3600") -> None:
        """Answers to a method name this limit from now on."""
        reset = str(int(resets_at.timestamp()))
        headers = {"RateLimit-Limit": "5000", "RateLimit-Remaining": str(remaining), "RateLimit-Reset": reset}
        self.told[nsid] = headers | {"RateLimit-Policy": policy}

    def __call__(self, call: Call) -> Answer:
        if call.nsid in self.limited:
            return LIMIT
        return Answer(200, b'{"fine": true}', {"Content-Type": "application/json"} | self.told.get(call.nsid, {}))


def test_the_clock_beside_the_servers() -> None:
    """By the last answer that told the time; what is no time tells nothing."""
    gate = Gate(lambda: NOON)
    untold = gate.ahead
    told = []
    beyond = "Mon, 02 Mar 99999999999999999999 12:00:00 GMT"
    for date in ("Mon, 02 Mar 2026 11:59:00 GMT", "yesterday", beyond, "Mon, 02 Mar 2026 12:00:30 -0000"):
        gate.told(Bucket.CALLS, {"date": date})
        told.append(gate.ahead)

    assert untold is None
    assert [*[timedelta(seconds=60)] * 3, timedelta(seconds=-30)] == told


def outcome(account: Account, nsid: str) -> Failure | None:
    """How a call ends."""
    try:
        if nsid == UPLOAD:
            account.upload(nsid, b"picture", "image/png")
        elif nsid == PUT:
            account.procedure(nsid, {}, writes=True)
        else:
            account.query(nsid)
    except CallFailed as failed:
        return failed.failure
    return None


def test_a_limit_on_all_calls_is_not_tested_again_before_its_time() -> None:
    """Neither by reads, nor by writes, nor by uploads; then everything goes on."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        limits.limited = {ASK}
        until = made.clock() + timedelta(seconds=600)
        with pytest.raises(CallFailed) as first:
            account.query(ASK)
        limits.limited = set()
        sent = len(made.pds.calls)
        made.clock.advance(599)
        with pytest.raises(CallFailed) as later:
            account.query(ASK)
        ends = [outcome(account, nsid) for nsid in (ASK, PUT, UPLOAD)]

        assert [Failure.RATE_LIMITED] * 3 == ends
        assert (until, until) == (first.value.retry_at, later.value.retry_at)
        assert (429, "RateLimitExceeded") == (later.value.status, later.value.error)
        assert sent == len(made.pds.calls)
        made.clock.advance(1)
        assert [None] * 3 == [outcome(account, nsid) for nsid in (ASK, PUT, UPLOAD)]


@pytest.mark.parametrize(
    ("limited", "still"),
    [(PUT, [None, Failure.RATE_LIMITED, None]), (UPLOAD, [None, None, Failure.RATE_LIMITED])],
    ids=["writes", "uploads"],
)
def test_a_limit_on_one_kind_of_call_leaves_the_others(limited: str, still: list[Failure | None]) -> None:
    """A day without uploads is no day without reading, nor without replies."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        limits.limited = {limited}
        outcome(account, limited)
        limits.limited = set()

        assert still == [outcome(account, nsid) for nsid in (ASK, PUT, UPLOAD)]


def test_a_refresh_that_is_limited_closes_everything() -> None:
    """It has no limit of its own."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.renewal = LIMIT
        ends = [outcome(account, nsid) for nsid in (ASK, PUT, ASK)]

        assert [Failure.RATE_LIMITED] * 3 == ends
        assert 1 == len(made.pds.called(REFRESH))


def test_each_refusal_is_a_new_exception() -> None:
    """One that is raised again and again would grow by its past."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        limits.limited = {ASK}
        raised = []
        for _ in range(3):
            with pytest.raises(CallFailed) as caught:
                account.query(ASK)
            raised.append(caught.value)

        assert 3 == len({id(failed) for failed in raised})


def test_every_failed_call_is_heard_of() -> None:
    """By whoever opened the account."""
    limits = Limits()
    heard: list[CallFailed] = []
    with scene(limits) as made:
        account = made.open(on_failure=heard.append)
        account.query(ASK)
        limits.limited = {PUT}
        outcome(account, PUT)

    assert [Failure.RATE_LIMITED] == [failed.failure for failed in heard]


def test_writes_wait_when_too_few_points_are_left() -> None:
    """Until the moment that the server named; a delete, of one point, may still go."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        resets_at = (made.clock() + timedelta(minutes=40)).replace(microsecond=0)
        limits.tells(PUT, 2, resets_at)
        outcome(account, PUT)
        enough = account.no_writes_until(2)
        limits.tells(PUT, 1, resets_at)
        outcome(account, PUT)

        assert (None, resets_at, None) == (enough, account.no_writes_until(2), account.no_writes_until(1))
        assert outcome(account, ASK) is None
        made.clock.advance(2401)
        assert account.no_writes_until(2) is None


def test_each_limit_is_known_by_its_name() -> None:
    """An answer tells of one only: the day's points are not forgotten because the hour's are told next."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        hour, day = (made.clock().replace(microsecond=0) + timedelta(hours=hours) for hours in (1, 20))
        for remaining, resets_at, policy in ((1, day, "35000;w=86400"), (4000, hour, "5000;w=3600")):
            limits.tells(PUT, remaining, resets_at, policy)
            outcome(account, PUT)

        assert day == account.no_writes_until(2)
        limits.tells(PUT, 30000, day, "35000;w=86400")
        outcome(account, PUT)
        assert account.no_writes_until(2) is None


@pytest.mark.parametrize(("told_by", "remaining", "waits"), [(ASK, 0, True), (ASK, 1, False), (UPLOAD, 0, False)])
def test_what_other_calls_tell(told_by: str, remaining: int, waits: bool) -> None:
    """The limit of all calls is felt by writes, of which each is one call; that of uploads is not."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        limits.tells(told_by, remaining, made.clock() + timedelta(minutes=4), "3000;w=300")
        outcome(account, told_by)

        assert waits == (account.no_writes_until(2) is not None)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"RateLimit-Remaining": "0"},
        {"RateLimit-Remaining": "none", "RateLimit-Reset": "4000000000"},
        {"RateLimit-Remaining": "0", "RateLimit-Reset": "soon"},
        {"RateLimit-Remaining": "0", "RateLimit-Reset": "1"},
    ],
)
def test_headers_that_tell_nothing_hold_nothing_back(headers: dict[str, str]) -> None:
    """Left out, unreadable, or about what is over."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        limits.told[PUT] = headers
        outcome(account, PUT)

        assert account.no_writes_until(2) is None


def test_a_limit_is_believed_for_a_day_at_most() -> None:
    """Whatever moment the server names."""
    limits = Limits()
    with scene(limits) as made:
        account = made.open()
        limits.tells(PUT, 0, made.clock() + timedelta(days=400))
        outcome(account, PUT)
        until = account.no_writes_until(2)

        assert until is not None
        assert until <= made.clock() + timedelta(hours=24)
