"""Logging in and the life of the two tokens."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import SandboxAccount
from tests.bot.sandbox.api import (
    CREATE_SESSION,
    DELETE_SESSION,
    GET_SESSION,
    NOTIFICATIONS,
    REFRESH,
    THREAD,
    Api,
    error,
)
from tests.clock import Clock

BAD_LOGIN = (401, "AuthenticationRequired", "Invalid identifier or password")
EXPIRED = (400, "ExpiredToken", "Token has expired")
REVOKED = (400, "ExpiredToken", "Token has been revoked")
INVALID = (400, "InvalidToken", "Token could not be verified")
MISSING = (401, "AuthMissing", "Authentication Required")
TAKEN_DOWN = (401, "AccountTakedown", "Account has been taken down")
APP_PASSWORD = "com.atproto.server.createAppPassword"


def session(api: Api, account: SandboxAccount) -> dict[str, Any]:
    """A fresh session."""
    answer = api.procedure(CREATE_SESSION, {"identifier": account.did, "password": account.password})
    found: dict[str, Any] = answer.json()
    return found


def claims(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Head and body of a token."""
    head, body = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2])
    return head, body


def test_the_tokens_say_what_a_pds_puts_in_them(api: Api, bot: SandboxAccount, clock: Clock) -> None:
    """Types, scopes, subject and lives of both tokens."""
    found = session(api, bot)
    access, refresh = claims(found["accessJwt"]), claims(found["refreshJwt"])
    now = int(clock().timestamp())

    assert {"typ": "at+jwt", "alg": "HS256"} == access[0]
    assert ("com.atproto.access", bot.did, now + 7200) == (access[1]["scope"], access[1]["sub"], access[1]["exp"])
    assert {"typ": "refresh+jwt", "alg": "HS256"} == refresh[0]
    assert ("com.atproto.refresh", now + 90 * 86400) == (refresh[1]["scope"], refresh[1]["exp"])
    assert refresh[1]["jti"]


@pytest.mark.parametrize("by", ["did", "handle", "HANDLE"])
def test_somebody_logs_in_by_did_or_by_handle_in_any_case(api: Api, bot: SandboxAccount, by: str) -> None:
    """All three name the same account."""
    identifier = {"did": bot.did, "handle": bot.handle, "HANDLE": bot.handle.upper()}[by]

    answer = api.procedure(CREATE_SESSION, {"identifier": identifier, "password": bot.password})

    assert bot.did == answer.json()["did"]


def test_a_bad_login_does_not_say_what_was_wrong(network: SandboxNetwork, api: Api, bot: SandboxAccount) -> None:
    """Wrong password, unknown handle, a leading @ and the handle of before a renaming are one answer."""
    network.rename(bot.did, "renamed.test")

    for identifier, password in (
        (bot.did, "guess"),
        ("nobody.test", bot.password),
        ("@renamed.test", bot.password),
        ("buildbot.test", bot.password),
    ):
        assert BAD_LOGIN == error(api.procedure(CREATE_SESSION, {"identifier": identifier, "password": password}))
    assert (400, "InvalidRequest", 'Missing required key "password" at $') == error(
        api.procedure(CREATE_SESSION, {"identifier": bot.did})
    )


def test_the_session_names_the_sandbox_as_the_home(api: Api, bot: SandboxAccount) -> None:
    """The DID document in every session answer leads to the very server, unless the account lives elsewhere."""
    found = session(api, bot)
    home = found["didDoc"]["service"][0]

    assert ("#atproto_pds", str(api.http.base_url).rstrip("/")) == (home["id"], home["serviceEndpoint"])

    bot.pds_url = "http://elsewhere.test"
    moved = api.bearing(found["accessJwt"]).query(GET_SESSION).json()

    assert "http://elsewhere.test" == moved["didDoc"]["service"][0]["serviceEndpoint"]


def test_an_access_token_lives_for_two_hours(api: Api, bot: SandboxAccount, clock: Clock) -> None:
    """One second less is enough, then it is ExpiredToken with status 400."""
    as_bot = api.log_in(bot)

    clock.advance(7199)
    assert 200 == as_bot.query(GET_SESSION).status_code

    clock.advance(1)
    assert EXPIRED == error(as_bot.query(GET_SESSION)) == error(as_bot.query(NOTIFICATIONS))


@pytest.mark.parametrize("token", ["garbage", "a.b.c", "..", "tampered", "refresh"])
def test_any_other_token_is_invalid(api: Api, bot: SandboxAccount, token: str) -> None:
    """Garbage, a changed signature, and a refresh token used as an access token."""
    found = session(api, bot)
    access = found["accessJwt"]
    broken = {"tampered": access[:-4] + ("AAAA" if access[-4:] != "AAAA" else "BBBB"), "refresh": found["refreshJwt"]}

    assert INVALID == error(api.bearing(broken.get(token, token)).query(GET_SESSION))


def test_an_access_token_does_not_refresh(api: Api, bot: SandboxAccount) -> None:
    """Nor does no token at all."""
    assert INVALID == error(api.log_in(bot).procedure(REFRESH))
    assert MISSING == error(api.procedure(REFRESH))


def test_every_method_of_a_person_wants_a_token(api: Api) -> None:
    """Without one it is AuthMissing, the only 401 about tokens; another scheme is an invalid token."""
    assert MISSING == error(api.query(NOTIFICATIONS)) == error(api.query(GET_SESSION)) == error(api.query(THREAD))
    basic = api.http.get(f"/xrpc/{GET_SESSION}", headers={"authorization": "Basic eDp5"})

    assert (400, "InvalidToken") == error(basic)[:2]


def test_a_refresh_gives_a_new_pair_and_the_old_access_token_lives_on(api: Api, bot: SandboxAccount) -> None:
    """Both access tokens work afterwards."""
    first = session(api, bot)
    second = api.bearing(first["refreshJwt"]).procedure(REFRESH).json()

    assert first["refreshJwt"] != second["refreshJwt"]
    for found in (first, second):
        assert 200 == api.bearing(found["accessJwt"]).query(GET_SESSION).status_code


def test_a_refresh_whose_answer_was_lost_can_be_repeated_for_two_hours(
    api: Api, bot: SandboxAccount, clock: Clock
) -> None:
    """The same successor each time, also after the successor was used; then the token is spent."""
    refresh = api.bearing(session(api, bot)["refreshJwt"])

    first = refresh.procedure(REFRESH).json()
    api.bearing(first["refreshJwt"]).procedure(REFRESH)
    clock.advance(timedelta(hours=1, minutes=59))
    again = refresh.procedure(REFRESH).json()

    assert claims(first["refreshJwt"])[1]["jti"] == claims(again["refreshJwt"])[1]["jti"]
    clock.advance(timedelta(minutes=1))
    assert REVOKED == error(refresh.procedure(REFRESH))


def test_a_refresh_token_lives_for_ninety_days(api: Api, bot: SandboxAccount, clock: Clock) -> None:
    """After that it has expired, which reads like an expired access token."""
    refresh = api.bearing(session(api, bot)["refreshJwt"])
    clock.advance(timedelta(days=90))

    assert EXPIRED == error(refresh.procedure(REFRESH))


def test_logging_out_ends_the_refresh_token_only(api: Api, bot: SandboxAccount) -> None:
    """Twice is once; the access token works on until it expires."""
    found = session(api, bot)
    refresh = api.bearing(found["refreshJwt"])

    for _ in range(2):
        assert (200, b"") == ((answer := refresh.procedure(DELETE_SESSION)).status_code, answer.content)
    assert REVOKED == error(refresh.procedure(REFRESH))
    assert 200 == api.bearing(found["accessJwt"]).query(GET_SESSION).status_code


def test_an_app_password_writes_but_makes_no_further_ones(api: Api, bot: SandboxAccount) -> None:
    """Its tokens carry the narrower scope; the same name twice is a 500."""
    as_bot = api.log_in(bot)
    made = as_bot.procedure(APP_PASSWORD, {"name": "bot"}).json()
    found = api.procedure(CREATE_SESSION, {"identifier": bot.did, "password": made["password"]}).json()
    with_app_password = api.bearing(found["accessJwt"])

    assert "com.atproto.appPass" == claims(found["accessJwt"])[1]["scope"]
    assert 200 == with_app_password.query(NOTIFICATIONS).status_code
    assert (400, "InvalidToken", "Bad token scope") == error(with_app_password.procedure(APP_PASSWORD, {"name": "b"}))
    assert 500 == as_bot.procedure(APP_PASSWORD, {"name": "bot"}).status_code


def test_a_deactivated_account_may_look_but_not_write(network: SandboxNetwork, api: Api, bot: SandboxAccount) -> None:
    """Logging in says so; reading gives nothing; writing is refused until it is back."""
    network.deactivate(bot.did)
    found = session(api, bot)
    as_bot = api.bearing(found["accessJwt"])
    record = {"text": "", "createdAt": "2026-11-29T11:00:00Z"}

    assert (False, "deactivated") == (found["active"], found["status"])
    assert [] == as_bot.query(NOTIFICATIONS).json()["notifications"]
    assert (401, "AccountDeactivated", "Account is deactivated") == error(as_bot.create(bot.did, record))

    network.deactivate(bot.did, undo=True)
    assert 200 == as_bot.create(bot.did, record).status_code


def test_a_taken_down_account_is_out_though_its_token_still_reads(
    network: SandboxNetwork, api: Api, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """An empty page is no proof of health: only the session and the writes tell."""
    found = session(api, bot)
    as_bot = api.bearing(found["accessJwt"])
    network.post(alice.did, "@buildbot.test hello", mentions=[bot.did])
    network.takedown(bot.did)

    assert [] == as_bot.query(NOTIFICATIONS).json()["notifications"]
    assert (400, "InvalidRequest") == error(as_bot.query(GET_SESSION))[:2]
    for refused in (
        api.procedure(CREATE_SESSION, {"identifier": bot.did, "password": bot.password}),
        api.bearing(found["refreshJwt"]).procedure(REFRESH),
        as_bot.create(bot.did, {"text": "", "createdAt": "2026-11-29T11:00:00Z"}),
    ):
        assert TAKEN_DOWN == error(refused)


def test_a_deleted_accounts_tokens_are_worth_nothing(network: SandboxNetwork, api: Api, alice: SandboxAccount) -> None:
    """Neither the access nor the refresh token."""
    found = session(api, alice)
    network.delete_account(alice.did)

    assert INVALID == error(api.bearing(found["accessJwt"]).query(GET_SESSION))
    assert REVOKED == error(api.bearing(found["refreshJwt"]).procedure(REFRESH))


def test_logins_are_rationed_when_asked_for(
    network: SandboxNetwork, api: Api, bot: SandboxAccount, clock: Clock
) -> None:
    """Failures count as well; the 31st within five minutes is told when to come back."""
    network.sessions.logins_per_window = 30
    for attempt in range(30):
        api.procedure(CREATE_SESSION, {"identifier": bot.did, "password": bot.password if attempt % 2 else "guess"})
        clock.advance(1)

    refused = api.procedure(CREATE_SESSION, {"identifier": bot.did, "password": bot.password})

    assert (429, "RateLimitExceeded", "Rate Limit Exceeded") == error(refused)
    headers = {key: refused.headers[key] for key in refused.headers if key.startswith("rate") or key == "retry-after"}
    assert {
        "ratelimit-limit": "30",
        "ratelimit-reset": str(int(clock().timestamp()) + 270),
        "ratelimit-remaining": "0",
        "ratelimit-policy": "30;w=300",
        "retry-after": "270",
    } == headers
    clock.advance(270)
    assert session(api, bot)["active"]
