"""What stands beside the documents: watermarks, parked items, switches, devices."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bot.ledger.conditions import lane_cost_of
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId
from guardrails.errors import NotAllowed
from guardrails.switches import Switch
from tests.bot.ledger.races import at_once
from tests.mentions import BOT, LANE, NOON, OPERATOR, VIEWER

CANARY = "sw_canary-token"
PREFIX = "https://apps.example/"


def add(ledger: Ledger, name: str = "lane-1", role: Role = Role.LANE, token: str = "token") -> Device:
    return ledger.desk.add_device(OPERATOR, DeviceId(name), name, role, PREFIX, token)


def test_a_watermark_never_goes_back(ledger: Ledger) -> None:
    """Whatever the order in which readers come home."""
    assert ledger.desk.watermark("notifications") is None
    for minutes in (0, 5, -60, 5, 4):
        ledger.desk.advance("notifications", NOON + timedelta(minutes=minutes))

    assert NOON + timedelta(minutes=5) == ledger.desk.watermark("notifications")
    assert ledger.desk.watermark("other") is None


def test_readers_that_come_home_at_once_leave_the_furthest(ledger: Ledger) -> None:
    """Nobody's older moment wins."""
    moments = [NOON + timedelta(minutes=minute) for minute in range(8)]
    answers = at_once([partial(ledger.desk.advance, "a", moment) for moment in moments])

    assert [None] * 8 == answers
    assert moments[-1] == ledger.desk.watermark("a")


def test_an_unreadable_item_is_parked_once(ledger: Ledger) -> None:
    """However often it comes, and in whatever order its keys are."""
    item: dict[str, Any] = {"uri": "at://\x00\ud800", "record": {"a": [1, None]}}

    assert ledger.desk.park("notifications", item, "no cid \x00 \ud800")
    assert not ledger.desk.park("notifications", dict(reversed(item.items())), "no cid")
    assert ledger.desk.park("notifications", item | {"uri": "at://other"}, "no cid")
    assert 2 == ledger.desk.parked_count()
    assert {item["uri"], "at://other"} == {parked.raw["uri"] for parked in ledger.desk.parked(10)}
    assert 1 == len(ledger.desk.parked(1))


@pytest.mark.parametrize("did", ["did:plc:al\ud800", "did:plc:al\0", "alice.test"])
def test_an_item_whose_author_is_no_did_is_parked(ledger: Ledger, did: str) -> None:
    """Nobody of that name can be asked for."""
    assert ledger.desk.park("notifications", {"author": {"did": did}}, "no DID")


def test_a_switch_is_on_until_it_is_released(ledger: Ledger) -> None:
    """With who, why and since when; whoever threw it first stays named, and why others would have is added."""
    assert not ledger.desk.is_on(Switch.PAUSE_BUILDS)
    oscar = Caller(Role.OPERATOR, DeviceId("oscar"))
    callers = [(OPERATOR, "too many"), (oscar, "me too"), (oscar, "still"), (OPERATOR, "more"), (BOT, "too fast")]
    news = [ledger.desk.throw(caller, Switch.PAUSE_BUILDS, why) for caller, why in callers]
    ((switch, device, reason, at),) = ledger.desk.switches_on()

    assert (Switch.PAUSE_BUILDS, OPERATOR.device) == (switch, device)
    assert ("too many; oscar: me too; bot: too fast", [True, True, False, False, True]) == (reason, news)
    assert timedelta() <= ledger.db.time() - at < timedelta(minutes=5)
    assert [True, False] == [ledger.desk.is_on(switch) for switch in (Switch.PAUSE_BUILDS, Switch.PAUSE_REPLIES)]
    ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)
    ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)
    assert [] == ledger.desk.switches_on()


def test_the_bot_may_trip_a_switch_and_never_turn_one_back(ledger: Ledger) -> None:
    """Where everything goes round in circles it stops; a person says when it goes on."""
    ledger.desk.throw(BOT, Switch.PAUSE_BUILDS, "too much in a minute")
    with pytest.raises(NotAllowed):
        ledger.desk.release(BOT, Switch.PAUSE_BUILDS)

    assert [(Switch.PAUSE_BUILDS, "bot", "too much in a minute")] == [each[:3] for each in ledger.desk.switches_on()]


def test_only_operators_touch_switches_and_devices(ledger: Ledger) -> None:
    """Neither a lane nor a viewer; nor does the bot touch devices."""
    for caller in (LANE, VIEWER):
        with pytest.raises(NotAllowed):
            ledger.desk.throw(caller, Switch.PAUSE_INGEST, "")
    for caller in (BOT, LANE, VIEWER):
        with pytest.raises(NotAllowed):
            ledger.desk.release(caller, Switch.PAUSE_INGEST)
        with pytest.raises(NotAllowed):
            ledger.desk.add_device(caller, DeviceId("x"), "x", Role.OPERATOR, "", "x")
        with pytest.raises(NotAllowed):
            ledger.desk.revoke_device(caller, "x")

    assert ([], []) == (ledger.desk.devices(), ledger.desk.switches_on())


def test_a_device_is_known_by_its_token(ledger: Ledger) -> None:
    """Which nobody can read back."""
    lane = add(ledger)

    assert lane == ledger.desk.device_of_token("token")
    assert LANE == lane.caller
    assert ledger.desk.device_of_token("Token") is None
    assert ledger.desk.device_of_token("") is None
    with ledger.db.read() as connection:
        stored = connection.execute(text("SELECT token_sha256 FROM devices")).scalar_one()
    assert "3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0" == stored


def test_a_revoked_token_is_worthless(ledger: Ledger) -> None:
    """At once and for good; the device stays listed."""
    add(ledger)
    other = add(ledger, "olga", Role.OPERATOR, "other")

    assert ledger.desk.revoke_device(OPERATOR, "lane-1")
    assert not ledger.desk.revoke_device(OPERATOR, "lane-1")
    assert not ledger.desk.revoke_device(OPERATOR, "nobody")
    assert ledger.desk.device_of_token("token") is None
    assert other == ledger.desk.device_of_token("other")
    assert [False, True] == [device.revoked_at is None for device in ledger.desk.devices()]


def test_what_a_revoked_lane_has_spent_stands_no_more(ledger: Ledger) -> None:
    """It will never report that it is cheaper now; another lane's stands."""
    add(ledger)
    for lane in ("lane-1", "lane-11"):
        ledger.conditions.set(lane_cost_of(lane), "6.00 USD on one build")
    ledger.desk.revoke_device(OPERATOR, "lane-1")

    assert ["lane_cost:lane-11"] == [condition.name for condition in ledger.conditions.standing()]


def test_the_ledger_knows_when_a_lane_came_by(ledger: Ledger) -> None:
    """A lane, not an operator."""
    add(ledger)
    add(ledger, "olga", Role.OPERATOR, "other")
    ledger.desk.seen(DeviceId("olga"))
    assert ledger.lanes.visits(None).seen_at is None
    ledger.desk.seen(DeviceId("lane-1"))

    assert ledger.desk.devices()[0].seen_at == ledger.lanes.visits(None).seen_at is not None


def test_no_byte_of_a_token_is_on_the_disk(ledger: Ledger, sqlite_place: Path) -> None:
    """Nor in what SQLite keeps beside its file, nor in any column."""
    add(ledger, token=CANARY)
    with ledger.db.read() as connection:
        rows = connection.execute(text("SELECT * FROM devices")).all()

    assert "canary" not in repr(rows)
    files = [path for path in sqlite_place.parent.iterdir() if path.is_file()]
    assert not ledger.db.is_sqlite or len(files) > 1
    assert [] == [path for path in files if b"canary" in path.read_bytes()]
