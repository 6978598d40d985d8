"""Every way a call can fail lands in one of five classes."""

import json
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import put_once
from bot.bluesky.session import Account
from bot.bluesky.translate import LONGEST_WAIT, SHORT_BACK_OFF, retry_at_from
from guardrails.documents import RecordKey
from tests.bot.bluesky.accounts import DID, resumed, scene
from tests.bot.bluesky.scripted import Answer, answered, raw_server, refused
from tests.clock import NOON

UNKNOWN, NOT_SENT, REFUSED, AUTH, RATE_LIMITED = Failure
KEY = RecordKey("3kaaaaaaaaaa2")

HTML = {"Content-Type": "text/html"}
BROKEN = Answer(200, b'{"uri": "at:', {"Content-Type": "application/json"})

# What the server does, then the class for a write and for a read.
TABLE = {
    "other bytes there": (refused(400, "InvalidSwap", "Record was at bafyaa"), REFUSED, REFUSED),
    "bad request": (refused(400, "InvalidRequest", "Invalid record"), REFUSED, REFUSED),
    "blob missing": (refused(400, "BlobNotFound"), REFUSED, REFUSED),
    "too large, in JSON": (refused(413, "PayloadTooLargeError"), REFUSED, REFUSED),
    "too large, from a proxy": (Answer(413, b"<html>", HTML), REFUSED, REFUSED),
    "no such method": (refused(501, "MethodNotImplemented"), REFUSED, REFUSED),
    "some other account is gone": (refused(400, "AccountTakedown"), REFUSED, REFUSED),
    "our account is deactivated": (refused(401, "AccountDeactivated"), AUTH, AUTH),
    "our account is taken down": (refused(401, "AccountTakedown"), AUTH, AUTH),
    "another's repository": (refused(401, "AuthenticationRequired"), AUTH, AUTH),
    "no token": (refused(401, "AuthMissing"), AUTH, AUTH),
    "an unheard-of 403": (refused(403, "Forbidden"), AUTH, AUTH),
    "rate limit": (refused(429, "RateLimitExceeded"), RATE_LIMITED, RATE_LIMITED),
    "rate limit of a proxy": (Answer(429, b"slow down", HTML), RATE_LIMITED, RATE_LIMITED),
    "rate limit by name only": (refused(400, "RateLimitExceeded"), RATE_LIMITED, RATE_LIMITED),
    "server error": (refused(500, "InternalServerError"), UNKNOWN, NOT_SENT),
    "server error as a bad request": (refused(400, "UpstreamFailure"), UNKNOWN, NOT_SENT),
    "bad gateway in HTML": (Answer(502, b"<html>", HTML), UNKNOWN, NOT_SENT),
    "gateway time-out": (Answer(504, b"", HTML), UNKNOWN, NOT_SENT),
    "unavailable": (refused(503, "NotEnoughResources"), UNKNOWN, NOT_SENT),
    "not found in HTML": (Answer(404, b"<html>", HTML), UNKNOWN, NOT_SENT),
    "forbidden in HTML": (Answer(403, b"<html>", HTML), UNKNOWN, NOT_SENT),
    "a redirect": (Answer(302, b"", {"Location": "/elsewhere"}), UNKNOWN, NOT_SENT),
    "an error that is a list": (answered([1], 400), UNKNOWN, NOT_SENT),
    "an error without a name": (answered({"error": 7}, 400), UNKNOWN, NOT_SENT),
    "cut JSON": (BROKEN, UNKNOWN, NOT_SENT),
    "a page instead of JSON": (Answer(200, b"<html>", HTML), UNKNOWN, NOT_SENT),
    "a list instead of an object": (answered([]), UNKNOWN, NOT_SENT),
    "hung up at once": (Answer(cut_after=-1), UNKNOWN, NOT_SENT),
    "hung up in the body": (Answer(200, b'{"uri": "x"}', cut_after=4), UNKNOWN, NOT_SENT),
}


def write(account: Account) -> None:
    put_once(account, "app.bsky.feed.post", KEY, json.dumps({"text": "hello"}))


def read(account: Account) -> None:
    account.query("app.bsky.actor.getProfile", {"actor": DID})


def swallow(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(65536)
    over.wait(5)


def failure(answer: Answer, call: Callable[[Account], None]) -> CallFailed:
    with scene(lambda _: answer) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            call(account)
    return caught.value


@pytest.mark.parametrize("what", TABLE)
def test_a_failed_write_has_its_class(what: str) -> None:
    """A write that may have happened is unknown, whatever the status."""
    answer, expected, _ = TABLE[what]

    assert expected is failure(answer, write).failure


@pytest.mark.parametrize("what", TABLE)
def test_a_failed_read_has_its_class(what: str) -> None:
    """A read that failed in passing was not sent."""
    answer, _, expected = TABLE[what]

    assert expected is failure(answer, read).failure


@pytest.mark.parametrize("answer", [answered({}), answered({"uri": "at://x/y/z", "cid": "b"}), Answer()])
def test_a_put_that_names_no_record_of_ours_is_unknown(answer: Answer) -> None:
    """A success that cannot be read is no success."""
    assert UNKNOWN is failure(answer, write).failure


def test_a_time_out_after_sending_is_unknown_for_a_write() -> None:
    """The record may be stored although the answer never came."""
    with raw_server(swallow) as url, resumed(url, deadline=0.4) as account, pytest.raises(CallFailed) as caught:
        write(account)

    assert UNKNOWN is caught.value.failure


@pytest.mark.parametrize("call", [write, read])
def test_a_refused_connection_was_not_sent(call: Callable[[Account], None]) -> None:
    """The PDS is down: nothing can have happened."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with resumed(url) as account, pytest.raises(CallFailed) as caught:
        call(account)

    assert NOT_SENT is caught.value.failure


def test_a_failure_keeps_what_the_server_said() -> None:
    """Name, status and message are there for the caller, the message cut short."""
    caught = failure(refused(400, "InvalidRequest", "no " * 1000), write)

    assert (400, "InvalidRequest") == (caught.status, caught.error)
    assert caught.message.startswith("no no")
    assert 300 == len(caught.message)


def test_an_echoed_token_is_hidden() -> None:
    """A server that repeats the token in its error does not get it into our logs."""
    caught = failure(refused(400, "InvalidRequest", "bad header: Bearer access-1"), read)

    assert "access-1" not in f"{caught} {caught!r}"
    assert "[hidden]" in caught.message


def test_a_rate_limit_says_when() -> None:
    """The reset is an epoch, not a duration."""
    reset = str(int((NOON + timedelta(seconds=600)).timestamp()))

    caught = failure(refused(429, "RateLimitExceeded", ratelimit_reset=reset, retry_after="290"), write)

    assert NOON + timedelta(seconds=600) == caught.retry_at


def test_an_unavailable_server_says_when() -> None:
    """Retry-After is heeded on a 503 as well."""
    caught = failure(refused(503, "NotEnoughResources", retry_after="7"), read)

    assert NOON + timedelta(seconds=7) == caught.retry_at


RESET_NOON = str(int(NOON.timestamp()))
HEADERS = {
    "in the past": ({"ratelimit-reset": RESET_NOON}, SHORT_BACK_OFF),
    "in the past, with a duration": ({"ratelimit-reset": "1", "retry-after": "30"}, timedelta(seconds=30)),
    "absurdly far": ({"ratelimit-reset": "4102444800"}, LONGEST_WAIT),
    "beyond all time": ({"ratelimit-reset": "9" * 30}, SHORT_BACK_OFF),
    "no number": ({"ratelimit-reset": "soon"}, SHORT_BACK_OFF),
    "a duration": ({"retry-after": "290"}, timedelta(seconds=290)),
    "an endless duration": ({"retry-after": "1e99"}, LONGEST_WAIT),
    "not a number": ({"retry-after": "nan"}, SHORT_BACK_OFF),
    "a negative duration": ({"retry-after": "-5"}, SHORT_BACK_OFF),
    "a date": ({"retry-after": "Mon, 02 Mar 2026 12:05:00 GMT"}, timedelta(minutes=5)),
    "a date without zone": ({"retry-after": "Mon, 02 Mar 2026 12:05:00 -0000"}, timedelta(minutes=5)),
    "a date beyond all time": ({"retry-after": "Mon, 02 Mar 99999999999999999999 12:05:00 GMT"}, SHORT_BACK_OFF),
    "no date": ({"retry-after": "after lunch"}, SHORT_BACK_OFF),
    "nothing": ({}, SHORT_BACK_OFF),
}


@pytest.mark.parametrize("what", HEADERS)
def test_the_wait_is_bounded(what: str) -> None:
    """No header makes us hammer, sleep for years or fail."""
    headers, expected = HEADERS[what]

    assert NOON + expected == retry_at_from(headers, NOON)


def test_the_clock_of_the_answer_is_aware() -> None:
    """A time to wait for carries its zone."""
    moment = retry_at_from({"ratelimit-reset": "4102444800"}, datetime.now(UTC))

    assert timedelta(0) == moment.utcoffset()
