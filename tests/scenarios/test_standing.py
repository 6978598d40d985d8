"""The account's own state: taken down, deactivated or labelled, it is noted until it is fine again."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed
from bot.ledger.conditions import ACCOUNT
from bot.sandbox.faults import Fault
from guardrails.transitions import Status
from tests.scenarios.world import World

ACCESS_LIFE = timedelta(hours=2)
PROFILE = "app.bsky.actor.getProfile"


def wright(world: World) -> str:
    return world.network.account("wright.test").did


def told(world: World) -> list[str]:
    """What is wrong with the account, as operators see it."""
    return [condition.detail for condition in world.ledger.conditions.standing() if condition.name == ACCOUNT]


def trouble(world: World) -> str | None:
    """What the job finds; it says and notes the same."""
    found = world.bot.standing().trouble
    assert told(world) == ([found] if found else [])
    return found


def test_an_account_that_is_fine_stands_well(world: World) -> None:
    """Its own labels do not count, nor does that it is a bot by another's word."""
    world.network.label(wright(world), "bot")
    world.network.label(wright(world), "!no-promote")
    world.network.label(wright(world), "spam", src=wright(world))

    assert trouble(world) is None
    assert not world.ledger.conditions.stands(ACCOUNT)


@pytest.mark.parametrize("label", ["spam", "!hide", "!suspend", "!warn", "!an-order-of-next-year", "impersonation"])
def test_a_harmful_label_is_noted_until_it_is_gone(world: World, label: str) -> None:
    """The rest goes on meanwhile: asks are taken in and built."""
    world.network.label(wright(world), label)

    assert f"the account is labelled {label}" == trouble(world)
    assert world.ledger.conditions.stands(ACCOUNT)
    post = world.says("alice.test", "@wright.test make me a timer")
    world.bot.ingest()
    world.lane_builds()
    assert Status.BUILT is world.status(post)

    world.network.label(wright(world), label, undo=True)
    assert trouble(world) is None


@pytest.mark.parametrize(("close", "state"), [("takedown", "takendown"), ("deactivate", "deactivated")])
def test_a_closed_account_is_noted_until_it_is_open(world: World, close: str, state: str) -> None:
    """Though its list of notifications is empty without an error."""
    change: Callable[..., None] = getattr(world.network, close)
    change(wright(world))

    assert f"the account is {state}" == trouble(world)
    change(wright(world), undo=True)
    assert trouble(world) is None


def test_a_closed_account_is_noted_though_its_session_is_over(world: World) -> None:
    """The refresh says so; it needs no login."""
    world.network.takedown(wright(world))
    world.clock.shift += ACCESS_LIFE

    assert "the account is takendown" == trouble(world)


def test_a_closed_account_is_noted_by_a_bot_that_cannot_log_in(world: World) -> None:
    """After a start without a session; its handle does not resolve any more, so it has to be known by its DID."""
    world.settings = world.settings.model_copy(update={"identifier": wright(world)})
    world.network.takedown(wright(world))
    world.network.sessions.revoke(wright(world))
    with world.ledger.db.write() as connection:
        connection.exec_driver_sql("DELETE FROM sessions")
        connection.exec_driver_sql("DELETE FROM logins")
    world.restart()

    assert "the account is takendown" == trouble(world)


def test_an_account_that_the_readers_side_has_closed_is_noted(world: World) -> None:
    """Its server still says that it is active."""
    closed = {"error": "AccountTakedown", "message": "Account has been suspended"}
    world.fails("status", PROFILE, status=400, body=closed)

    assert "the account is takendown" == trouble(world)


@pytest.mark.parametrize("nsid", ["com.atproto.server.getSession", PROFILE])
def test_what_cannot_be_asked_changes_nothing(world: World, nsid: str) -> None:
    """Neither for the better nor for the worse; the job fails, and its health page says so."""
    for before in (None, "the account is labelled spam"):
        if before:
            world.network.label(wright(world), "spam")
            assert before == trouble(world)
        world.network.faults.append(Fault(nsid, "status", status=502, html=True, body="<h1>bad gateway</h1>"))
        with pytest.raises(CallFailed):
            world.bot.standing()

        assert ([before] if before else []) == told(world)


def test_a_refused_write_notes_it_at_once(world: World) -> None:
    """Before the next look at the account is due."""
    post = world.says("alice.test", "@wright.test make me a timer")
    world.bot.ingest()
    world.lane_builds()
    world.network.deactivate(wright(world))
    world.bot.reply()

    assert ["the account is deactivated"] == told(world)
    assert Status.BUILT is world.status(post)


def test_somebody_elses_state_is_not_ours(world: World) -> None:
    """The AppView says the same of the account that was asked about."""
    world.network.takedown(world.network.account("bob.test").did)
    with pytest.raises(CallFailed) as caught:
        world.bot.presence.account().query(PROFILE, {"actor": world.network.account("bob.test").did})

    assert "AccountTakedown" == caught.value.error
    assert [] == told(world)
