"""A login that fails is not repeated, is named, and gives no secret away."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import SecretStr

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.login import LOGIN_SPACING
from bot.bluesky.session import Account, open_account
from tests.bot.bluesky.accounts import DID, PASSWORD, MemoryKeeper, scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused, scripted_pds
from tests.clock import Clock

LOGIN = "com.atproto.server.createSession"
REFRESH = "com.atproto.server.refreshSession"
ASK = "app.bsky.actor.getPreferences"

WRONG_PASSWORD = refused(401, "AuthenticationRequired", "Invalid identifier or password")


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address on which nobody listens, held so that nobody will."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def fine(_: Call) -> Answer:
    return answered({"fine": True})


def failing(account: Account) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        account.query(ASK)
    return caught.value


def test_a_call_that_always_refuses_its_token_does_not_use_up_the_logins() -> None:
    """Some other server's trouble with our token is not mended by logging in at every poll."""
    with scene(lambda _: refused(400, "InvalidToken", "Bad token scope")) as made:
        account = made.open()
        failures = [failing(account) for _ in range(20)]

        assert {Failure.AUTH} == {caught.failure for caught in failures}
        assert {"InvalidToken"} == {caught.error for caught in failures}
        assert 1 == len(made.pds.called(LOGIN))

        made.clock.advance(LOGIN_SPACING)
        failing(account)

        assert 2 == len(made.pds.called(LOGIN))


def test_a_token_that_expires_at_once_ends_in_a_failure() -> None:
    """A PDS whose clock is off does not keep us busy for ever."""
    with scene(lambda _: refused(400, "ExpiredToken", "Token has expired")) as made:
        caught = failing(made.open())

        assert (Failure.AUTH, "ExpiredToken") == (caught.failure, caught.error)
        assert 3 == len(made.pds.called(ASK))


def test_a_wrong_password_is_tried_once() -> None:
    """Until somebody looks, no further login is sent."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.tokens.login = WRONG_PASSWORD
        made.clock.advance(LOGIN_SPACING)
        failures = [failing(account) for _ in range(5)]

        assert {Failure.AUTH} == {caught.failure for caught in failures}
        assert {"AuthenticationRequired"} == {caught.error for caught in failures}
        assert 2 == len(made.pds.called(LOGIN))


def test_a_login_is_tried_again_when_told_to() -> None:
    """A person corrected what was wrong."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.tokens.login = WRONG_PASSWORD
        made.clock.advance(LOGIN_SPACING)
        failing(account)
        made.tokens.login = None
        account.retry_login()

        assert {"fine": True} == account.query(ASK)


def test_a_wrong_password_at_the_start_is_an_authentication_failure() -> None:
    """The account does not open, after one try."""
    with scene(fine) as made:
        made.tokens.login = WRONG_PASSWORD
        with pytest.raises(CallFailed) as caught:
            made.open()

        assert Failure.AUTH is caught.value.failure
        assert 1 == len(made.pds.called(LOGIN))


def test_a_limited_login_waits_for_its_time() -> None:
    """The limit on logins is not tested again before it ends."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.tokens.login = refused(429, "RateLimitExceeded", retry_after="3600")
        made.clock.advance(LOGIN_SPACING)
        failures = [failing(account) for _ in range(5)]
        made.tokens.login = None

        assert {(Failure.RATE_LIMITED, made.clock() + timedelta(hours=1))} == {
            (caught.failure, caught.retry_at) for caught in failures
        }
        assert 2 == len(made.pds.called(LOGIN))

        made.clock.advance(timedelta(hours=1))

        assert {"fine": True} == account.query(ASK)


def test_a_login_that_the_pds_could_not_answer_is_tried_again_after_a_while() -> None:
    """Twice the time that it may take; the server has counted it all the same."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.tokens.login = refused(503, "NotEnoughResources")
        made.clock.advance(LOGIN_SPACING)
        failures = [failing(account) for _ in range(5)]

        assert [Failure.NOT_SENT] + [Failure.RATE_LIMITED] * 4 == [caught.failure for caught in failures]
        assert {made.clock() + timedelta(seconds=10)} == {caught.retry_at for caught in failures[1:]}
        assert 2 == len(made.pds.called(LOGIN))
        assert 0 == made.keeper.returned

        made.tokens.login = None
        made.clock.advance(10)

        assert {"fine": True} == account.query(ASK)


def test_a_login_that_reached_nobody_is_not_counted(nowhere: str) -> None:
    """It may be tried as often as wanted, and no pause is kept."""
    keeper = MemoryKeeper()
    for _ in range(3):
        with pytest.raises(CallFailed) as caught:
            open_account(AccountConfig(DID, SecretStr(PASSWORD), nowhere), keeper, Clock())
        assert Failure.NOT_SENT is caught.value.failure

    assert (3, None) == (keeper.returned, keeper.forbidden)


def test_the_login_goes_by_a_connection_of_its_own() -> None:
    """Whatever ails the one that the last session was used on."""
    with scene(fine) as made:
        account = made.open()
        account.query(ASK)
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.clock.advance(LOGIN_SPACING)
        account.query(ASK)
        logins, others = made.pds.called(LOGIN), [*made.pds.called(ASK), *made.pds.called(REFRESH)]

        assert 2 == len({call.port for call in logins})
        assert set() == {call.port for call in logins} & {call.port for call in others}


def test_a_wrong_password_is_not_tried_by_the_next_process_either() -> None:
    """It says so, in the words of the refusal; a changed one is tried."""
    with scene(fine) as made:
        made.tokens.login = WRONG_PASSWORD
        failures = []
        for _ in range(5):
            with pytest.raises(CallFailed) as caught:
                made.open()
            failures.append(caught.value)
        made.tokens.login = None

        assert {(Failure.AUTH, "AuthenticationRequired")} == {(failed.failure, failed.error) for failed in failures}
        assert "not tried again: Invalid identifier or password" == failures[-1].message
        assert 1 == len(made.pds.called(LOGIN))

        open_account(replace(made.config, password=SecretStr("changed")), made.keeper, made.clock).close()

        assert 2 == len(made.pds.called(LOGIN))


def test_a_refused_password_is_tried_once_more_when_told_to() -> None:
    """By a person who starts it so."""
    with scene(fine) as made:
        made.tokens.login = WRONG_PASSWORD
        with pytest.raises(CallFailed):
            made.open()
        made.tokens.login = None
        open_account(made.config, made.keeper, made.clock, retry=True).close()

        assert 2 == len(made.pds.called(LOGIN))


def test_a_taken_down_account_is_not_logged_in_again() -> None:
    """The refresh says why, and that is what the caller learns."""

    def taken_down(call: Call) -> Answer:
        if call.nsid == LOGIN:
            return answered({"did": DID, "handle": "b.test", "accessJwt": "a", "refreshJwt": "r"})
        return refused(401, "AccountTakedown") if call.nsid == REFRESH else refused(400, "ExpiredToken")

    with scripted_pds(taken_down) as pds:
        account = open_account(AccountConfig(DID, SecretStr(PASSWORD), pds.url), MemoryKeeper(), Clock())
        caught = failing(account)
        account.close()

    assert (Failure.AUTH, "AccountTakedown") == (caught.failure, caught.error)
    assert 1 == len(pds.called(LOGIN))


def test_a_closed_account_is_asked_after_every_quarter_of_an_hour() -> None:
    """The take-down may end without a word to us, and it is no mistake of the password."""
    with scene(fine) as made:
        made.tokens.login = refused(401, "AccountTakedown", "Account has been taken down")
        errors = []
        for _ in range(3):
            with pytest.raises(CallFailed) as caught:
                made.open()
            errors.append((caught.value.failure, caught.value.error))
        made.tokens.login = None
        made.clock.advance(timedelta(minutes=15))

        assert [(Failure.AUTH, "AccountTakedown")] * 3 == errors
        assert 1 == len(made.pds.called(LOGIN))
        assert {"fine": True} == made.open().query(ASK)


def test_a_session_for_somebody_else_is_refused() -> None:
    """A server that logs in another account is not believed, and not asked again."""

    def other(call: Call) -> Answer:
        return answered({"did": "did:plc:mallory", "handle": "m.test", "accessJwt": "a", "refreshJwt": "r"})

    keeper = MemoryKeeper()
    with scripted_pds(other) as pds:
        for _ in range(2):
            with pytest.raises(CallFailed) as caught:
                open_account(AccountConfig(DID, SecretStr(PASSWORD), pds.url), keeper, Clock())

            assert Failure.AUTH is caught.value.failure

    assert 1 == len(pds.called(LOGIN))


NO_TOKENS = {"did": DID, "handle": "b.test", "accessJwt": "", "refreshJwt": "r"}


@pytest.mark.parametrize("body", [{}, {"did": DID}, [], "x", NO_TOKENS])
def test_a_login_that_cannot_be_read_may_pass(body: object) -> None:
    """Half an answer is no login."""
    with scripted_pds(lambda _: answered(body)) as pds, pytest.raises(CallFailed) as caught:
        open_account(AccountConfig(DID, SecretStr(PASSWORD), pds.url), MemoryKeeper(), Clock())

    assert Failure.NOT_SENT is caught.value.failure


def test_the_password_and_the_tokens_are_in_no_text() -> None:
    """Neither failures nor the objects around them show a secret, even if the server echoes it."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.tokens.login = refused(401, "AuthenticationRequired", f"{PASSWORD} is not the password of {DID}")
        made.clock.advance(LOGIN_SPACING)
        caught = failing(account)
        shown = " ".join(map(repr, (caught, caught.__context__, caught.__cause__, account, made.config)))
        shown += f"{caught} {made.keeper.kept[DID]!r}"

    assert "is not the password" in shown
    assert not [secret for secret in (PASSWORD, "access-1", "refresh-1") if secret in shown]
