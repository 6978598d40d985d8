"""One renewal of a session at a time, over all processes that share it."""

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import LEASE_ROUNDS, Account, open_account
from tests.bot.bluesky.accounts import DID, Scene, kept_session, scene
from tests.bot.bluesky.scripted import Answer, Call, answered

LOGIN = "com.atproto.server.createSession"
REFRESH = "com.atproto.server.refreshSession"
ASK = "app.bsky.actor.getPreferences"


def fine(_: Call) -> Answer:
    return answered({"fine": True})


class Waiting:
    """What another process does while this one waits: it is told of each pause, and sleeps none of them."""

    def __init__(self, made: Scene, after: int) -> None:
        self.made = made
        self.after = after
        self.pauses = 0

    def __call__(self, seconds: float) -> None:
        self.pauses += 1
        if self.pauses == self.after:
            self.made.tokens.access.add("access-9")
            self.made.keeper.kept[DID] = kept_session("access-9", "refresh-9", version=9)


def opened(made: Scene, waiting: Waiting) -> Account:
    account = open_account(made.config, made.keeper, made.clock, pause=waiting)
    made.opened.append(account)
    return account


def test_who_has_no_lease_waits_for_the_session_of_its_holder() -> None:
    """And does not refresh."""
    with scene(fine) as made:
        waiting = Waiting(made, after=3)
        account = opened(made, waiting)
        made.tokens.access.clear()
        with made.keeper.lease(DID, 60):
            assert {"fine": True} == account.query(ASK)

        assert (3, 0, "access-9") == (waiting.pauses, len(made.pds.called(REFRESH)), made.pds.calls[-1].token)


def test_who_starts_while_another_logs_in_waits_for_its_session() -> None:
    """Two bots that are started together are one login."""
    with scene(fine) as made, made.keeper.lease(DID, 60):
        assert {"fine": True} == opened(made, Waiting(made, after=2)).query(ASK)
        assert [] == made.pds.called(LOGIN)


def test_nobody_waits_for_ever() -> None:
    """The holder was killed: the call fails, has done nothing, and the next one tries again."""
    with scene(fine) as made:
        waiting = Waiting(made, after=10_000)
        account = opened(made, waiting)
        made.tokens.access.clear()
        with made.keeper.lease(DID, 60), pytest.raises(CallFailed) as caught:
            account.procedure("com.atproto.repo.putRecord", {}, writes=True)

        assert (Failure.NOT_SENT, LEASE_ROUNDS) == (caught.value.failure, waiting.pauses)
        assert {"fine": True} == account.query(ASK)


def test_the_lease_is_free_again_after_a_failure() -> None:
    """A refresh that failed keeps nobody from the next one."""
    with scene(fine) as made:
        account = made.open()
        made.tokens.access.clear()
        good, made.tokens.refresh = made.tokens.refresh, set()
        with pytest.raises(CallFailed):
            account.query(ASK)
        made.tokens.refresh = good

        assert not made.keeper.leased
        assert {"fine": True} == account.query(ASK)
