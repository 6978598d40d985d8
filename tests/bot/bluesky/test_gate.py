"""A limit that was met holds calls back until the moment that the server named."""

from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused

ASK = "app.bsky.actor.getPreferences"
PUT = "com.atproto.repo.putRecord"
UPLOAD = "com.atproto.repo.uploadBlob"
REFRESH = "com.atproto.server.refreshSession"
LIMIT = refused(429, "RateLimitExceeded", "Rate Limit Exceeded", retry_after="600")


class Limits:
    """Answers 429 to the methods that are limited now."""

    def __init__(self) -> None:
        self.limited: set[str] = set()

    def __call__(self, call: Call) -> Answer:
        return LIMIT if call.nsid in self.limited else answered({"fine": True})


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
