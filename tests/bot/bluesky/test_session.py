"""The account stays logged in, and renews its session once at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import SecretStr

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure, SessionConflict
from bot.bluesky.login import LOGIN_SPACING
from bot.bluesky.session import open_account
from guardrails.documents import Did
from tests.bot.bluesky.accounts import DID, PASSWORD, MemoryKeeper, kept_session, scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused, scripted_pds
from tests.clock import Clock

LOGIN = "com.atproto.server.createSession"
REFRESH = "com.atproto.server.refreshSession"
ASK = "app.bsky.actor.getPreferences"
PUT = "com.atproto.repo.putRecord"


def fine(_: Call) -> Answer:
    return answered({"fine": True})


def test_the_login_is_by_did() -> None:
    """A renamed bot still logs in."""
    with scene(fine) as made:
        account = made.open()

    assert [{"identifier": DID, "password": PASSWORD}] == [call.json for call in made.pds.called(LOGIN)]
    assert (DID, "buildbot.test", made.pds.url) == (account.did, account.handle, account.pds_url)


def test_the_session_is_kept_before_its_first_use() -> None:
    """A crash right after the login does not cost another login."""
    with scene(fine) as made:
        made.open()

        assert "access-1" in made.keeper.kept[DID].text


def test_a_kept_session_is_resumed_without_a_login() -> None:
    """Forty restarts are one login."""
    with scene(fine) as made:
        made.open()
        for _ in range(5):
            assert {"fine": True} == made.open().query(ASK)

        assert 1 == len(made.pds.called(LOGIN))


def test_a_kept_session_does_not_decide_where_the_account_lives() -> None:
    """The setting does, also when the session was stored under another PDS."""
    with scene(fine) as made:
        made.tokens.access.add("access-0")
        made.keeper.kept[DID] = kept_session("access-0", "refresh-0")

        assert {"fine": True} == made.open().query(ASK)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "a:::b",
        "x:::did:plc:somebodyelse:::a:::b:::c",
        f"x:::{DID}::::::b:::c",
        f"x:::{DID}:::a:::b\n:::c",
    ],
)
def test_a_kept_session_that_is_not_ours_is_replaced(text: str) -> None:
    """What cannot be read, or is another account's, is logged in over."""
    with scene(fine) as made:
        made.keeper.save(DID, text, None)
        made.open()

        assert 2 == made.keeper.kept[DID].version
        assert "access-1" in made.keeper.kept[DID].text


def test_an_expired_token_is_refreshed_and_the_read_repeated() -> None:
    """Nobody notices the end of an access token."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()

        assert {"fine": True} == account.query(ASK)
        assert 1 == len(made.pds.called(REFRESH))
        assert "access-2" in made.keeper.kept[DID].text


def test_an_expired_token_is_refreshed_and_the_put_repeated() -> None:
    """A call whose token was refused has done nothing, a put included."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        account.procedure(PUT, {"swapRecord": None}, writes=True)

    assert [{"swapRecord": None}] * 2 == [call.json for call in made.pds.called(PUT)]


@pytest.mark.parametrize("error", ["ExpiredToken", "InvalidToken"])
def test_a_refused_refresh_leads_to_one_login(error: str) -> None:
    """A revoked session is replaced, once."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.refresh.clear()
        made.clock.advance(LOGIN_SPACING)

        assert {"fine": True} == account.query(ASK)
        assert (2, 1) == (len(made.pds.called(LOGIN)), len(made.pds.called(REFRESH)))


def test_an_invalid_token_leads_to_a_login_without_a_refresh() -> None:
    """A token that cannot be verified came with a refresh token of the same kind."""
    with scene(lambda call: fine(call) if call.token == "access-1" else refused(400, "InvalidToken")) as made:
        made.tokens.access.add("access-0")
        made.keeper.kept[DID] = kept_session("access-0", "refresh-0")
        account = made.open()

        assert {"fine": True} == account.query(ASK)
        assert (1, 0) == (len(made.pds.called(LOGIN)), len(made.pds.called(REFRESH)))


def test_a_failed_refresh_makes_no_unknown_write() -> None:
    """The put was refused for its token, so it has not happened."""
    answers = {PUT: refused(400, "ExpiredToken"), REFRESH: refused(500, "InternalServerError")}

    def answer(call: Call) -> Answer:
        login = answered({"did": DID, "handle": "b.test", "accessJwt": "a", "refreshJwt": "r"})
        return answers.get(call.nsid, login)

    with scripted_pds(answer) as pds:
        account = open_account(AccountConfig(DID, SecretStr(PASSWORD), pds.url), MemoryKeeper(), Clock())
        with pytest.raises(CallFailed) as caught:
            account.procedure(PUT, {}, writes=True)
        account.close()

    assert Failure.NOT_SENT is caught.value.failure


def test_many_threads_refresh_once() -> None:
    """One refresh serves all who found the token expired."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        together = threading.Barrier(8)

        def ask(_: int) -> object:
            together.wait()
            return account.query(ASK)

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, range(8)))

        assert [{"fine": True}] * 8 == answers
        assert 1 == len(made.pds.called(REFRESH))


def test_a_session_that_another_process_renewed_is_taken_over() -> None:
    """The stored successor is used instead of refreshing an old token."""
    with scene(fine) as made:
        first, second = made.open(), made.open()
        made.tokens.access.clear()
        first.query(ASK)

        assert {"fine": True} == second.query(ASK)
        assert (1, 1) == (len(made.pds.called(LOGIN)), len(made.pds.called(REFRESH)))


def test_a_stored_session_that_has_expired_as_well_is_refreshed() -> None:
    """A process that slept finds a newer session, and that one is old too."""
    with scene(fine) as made:
        first, second = made.open(), made.open()
        made.tokens.access.clear()
        first.query(ASK)
        made.tokens.access.clear()

        assert {"fine": True} == second.query(ASK)
        assert 2 == len(made.pds.called(REFRESH))


def test_a_race_of_two_processes_ends_with_the_session_that_was_stored() -> None:
    """Who comes second to the store follows the first."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        made.tokens.access.add("access-9")

        def overtaken(did: Did, text: str, expected_version: int | None) -> int:
            del made.keeper.save
            made.keeper.kept[DID] = kept_session("access-9", "refresh-9", version=7)
            return made.keeper.save(did, text, expected_version)

        made.keeper.save = overtaken  # type: ignore[method-assign]

        assert {"fine": True} == account.query(ASK)
        assert "access-9" == made.pds.calls[-1].token
        assert 7 == made.keeper.kept[DID].version


def test_a_session_that_cannot_be_kept_is_not_used() -> None:
    """A store that refuses every version leaves us without a session, for now."""

    def never(did: Did, text: str, expected_version: int | None) -> int:
        raise SessionConflict

    with scene(fine) as made:
        made.keeper.save = never  # type: ignore[method-assign]
        with pytest.raises(CallFailed) as caught:
            made.open()

    assert Failure.NOT_SENT is caught.value.failure
