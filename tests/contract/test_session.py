"""Logging in, staying logged in, and being told why not."""

import json

import pytest
from atproto_client import Session
from pydantic import SecretStr

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.notifications import list_page
from bot.bluesky.profiles import own_labels, own_state
from bot.bluesky.records import put_once, read_back
from bot.bluesky.session import Account
from bot.bluesky.xrpc import Xrpc
from bot.clock import Clock
from guardrails.documents import RecordKey
from guardrails.facts import Label
from tests.contract.conftest import Opener
from tests.contract.target import POST, Person, Target
from tests.contract.wire import Wire, claims_of, expired, tampered

KEY = RecordKey("3kaaaaaaaaaa2")
RECORD = '{"$type": "app.bsky.feed.post", "text": "hello", "createdAt": "2026-03-02T12:00:00.000Z"}'


def works(account: Account) -> bool:
    return list_page(account).items == ()


def failing(opener: Opener, **changes: object) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        opener(**changes)
    return caught.value


def test_the_login_by_did_finds_the_pds_in_the_document(opener: Opener, bot: Person) -> None:
    """Nothing but the DID and the password is needed."""
    account = opener(pds_url=None)

    assert works(account)
    assert (bot.did, bot.handle) == (account.did, account.handle)


@pytest.mark.parametrize("prefix", ["", "@"])
def test_the_login_by_handle_finds_the_did(opener: Opener, bot: Person, prefix: str) -> None:
    """The PDS resolves the handle, and a leading @ does no harm."""
    account = opener(identifier=f"{prefix}{bot.handle}")

    assert works(account)
    assert bot.did == account.did


def test_a_given_pds_is_kept_after_the_login(opener: Opener, target: Target) -> None:
    """The SDK would move to the address in the DID document."""
    elsewhere = target.pds_url.replace("localhost", "127.0.0.1")
    account = opener(pds_url=elsewhere)

    assert works(account)
    assert elsewhere == account.pds_url
    assert elsewhere in opener.keeper.kept[account.did].text


def test_a_wrong_password_is_an_authentication_failure(opener: Opener) -> None:
    """And names itself."""
    caught = failing(opener, password=SecretStr("wrong"))

    assert (Failure.AUTH, 401, "AuthenticationRequired") == (caught.failure, caught.status, caught.error)


def test_a_did_that_is_not_registered_is_refused(opener: Opener) -> None:
    """The directory does not know it."""
    caught = failing(opener, identifier="did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", pds_url=None)

    assert Failure.REFUSED is caught.failure


def test_a_handle_that_nobody_has_is_refused(opener: Opener) -> None:
    """Before any login."""
    caught = failing(opener, identifier="nobody-at-all.test")

    assert (Failure.REFUSED, "HandleNotFound") == (caught.failure, caught.error)


def test_an_expired_access_token_is_refreshed(opener: Opener, bot: Person, wire: Wire, target: Target) -> None:
    """Silently, and the successor is kept."""
    session = wire.log_in(bot)
    opener.keep(bot, expired(session["accessJwt"], target.jwt_secret), session["refreshJwt"])

    assert works(opener())
    assert 2 == opener.kept(bot).version


def test_an_expired_session_is_replaced(opener: Opener, bot: Person, wire: Wire, target: Target) -> None:
    """Both tokens are over: one login."""
    session = wire.log_in(bot)
    access, refresh = (expired(session[token], target.jwt_secret) for token in ("accessJwt", "refreshJwt"))
    opener.keep(bot, access, refresh)

    assert works(opener())
    assert 2 == opener.kept(bot).version


def test_a_revoked_session_is_replaced(opener: Opener, bot: Person, wire: Wire, target: Target) -> None:
    """Logged out elsewhere: the refresh says ExpiredToken as well."""
    session = wire.log_in(bot)
    assert wire.post_raw("com.atproto.server.deleteSession", b"", session["refreshJwt"]).is_success
    opener.keep(bot, expired(session["accessJwt"], target.jwt_secret), session["refreshJwt"])

    assert works(opener())
    assert 2 == opener.kept(bot).version


def test_a_session_that_is_ended_is_worth_nothing(bot: Person, wire: Wire, target: Target) -> None:
    """As one of the account's own password, which is not to be kept."""
    told = wire.log_in(bot)
    session = Session(bot.handle, bot.did, told["accessJwt"], told["refreshJwt"], target.pds_url)
    xrpc = Xrpc(target.pds_url, deadline_seconds=15, now=Clock())
    xrpc.end_session(session)
    xrpc.close()

    assert 400 == wire.post_raw("com.atproto.server.refreshSession", b"", session.refresh_jwt).status_code


@pytest.mark.parametrize("spoil", [tampered, lambda _: "garbage", lambda _: "a.b.c"], ids=["tampered", "word", "dots"])
def test_an_invalid_token_is_replaced(opener: Opener, bot: Person, wire: Wire, spoil: object) -> None:
    """By a login."""
    session = wire.log_in(bot)
    assert callable(spoil)
    opener.keep(bot, spoil(session["accessJwt"]), session["refreshJwt"])

    assert works(opener())
    assert 2 == opener.kept(bot).version


def test_a_refresh_can_be_repeated(bot: Person, wire: Wire) -> None:
    """An answer that was lost is asked for again, and leads to the same successor."""
    session = wire.log_in(bot)
    first, second = (
        wire.post_raw("com.atproto.server.refreshSession", b"", session["refreshJwt"]).json()["refreshJwt"]
        for _ in range(2)
    )

    assert claims_of(first)["jti"] == claims_of(second)["jti"]
    assert claims_of(session["refreshJwt"])["jti"] != claims_of(first)["jti"]


def test_two_processes_share_a_session(opener: Opener, bot: Person, wire: Wire, target: Target) -> None:
    """The one that comes later takes the other's successor."""
    session = wire.log_in(bot)
    opener.keep(bot, expired(session["accessJwt"], target.jwt_secret), session["refreshJwt"])
    first, second = opener(), opener()

    assert works(first)
    assert works(second)
    assert 2 == opener.kept(bot).version


def test_a_deactivated_account_logs_in_and_cannot_write(opener: Opener, bot: Person, target: Target) -> None:
    """Its state says so, its writes are authentication failures, and nothing is proven absent."""
    target.deactivate(bot.did)
    account = opener()
    state = own_state(account)
    with pytest.raises(CallFailed) as put:
        put_once(account, POST, KEY, RECORD)
    with pytest.raises(CallFailed) as read:
        read_back(account, POST, KEY)

    assert (False, "deactivated") == (state.active, state.status)
    assert (Failure.AUTH, "AccountDeactivated") == (put.value.failure, put.value.error)
    assert (Failure.REFUSED, "InvalidRequest") == (read.value.failure, read.value.error)


def test_a_taken_down_account_reads_on_and_cannot_write(account: Account, bot: Person, target: Target) -> None:
    """An empty page is no proof of health."""
    target.take_down(bot.did)
    state = own_state(account)
    with pytest.raises(CallFailed) as put:
        put_once(account, POST, KEY, RECORD)
    with pytest.raises(CallFailed) as read:
        read_back(account, POST, KEY)

    assert works(account)
    assert (False, "takendown") == (state.active, state.status)
    assert (Failure.AUTH, "AccountTakedown") == (put.value.failure, put.value.error)
    assert (Failure.REFUSED, "InvalidRequest") == (read.value.failure, read.value.error)


def test_a_taken_down_account_cannot_log_in(opener: Opener, bot: Person, target: Target) -> None:
    """The reason is named."""
    target.take_down(bot.did)
    caught = failing(opener)

    assert (Failure.AUTH, "AccountTakedown") == (caught.failure, caught.error)


def test_an_active_account_says_so(account: Account, bot: Person) -> None:
    """With its handle."""
    state = own_state(account)

    assert (True, None, bot.handle) == (state.active, state.status, state.handle)


def test_our_labels_are_seen(account: Account, bot: Person, target: Target) -> None:
    """Our own, and the moderators'."""
    said = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    profile = {"$type": "app.bsky.actor.profile", "labels": said}
    put_once(account, "app.bsky.actor.profile", RecordKey("self"), json.dumps(profile))
    target.process()
    target.label(bot.did, "spam")
    labels = own_labels(account)

    assert Label(src=bot.did, val="bot") in labels
    assert ["spam"] == [label.val for label in labels if label.src != bot.did]
