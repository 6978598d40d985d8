"""Who may do what: the whole table of roles and actions, and the fence around a lane's claim."""

import pytest

from guardrails.access import Action, Caller, Held, Role, actor_of, check_access, check_address
from guardrails.documents import ClaimId, DeviceId
from guardrails.errors import NotAllowed
from guardrails.transitions import Actor, Status
from tests.mentions import LANE, OTHER_LANE, VIEWER

ALLOWED = {
    Role.BOT: {
        Action.READ,
        Action.INGEST,
        Action.JUDGE,
        Action.REPLY,
        Action.RESCUE,
        Action.PAUSE,
        Action.FORGET,
    },
    Role.LANE: {Action.CLAIM, Action.HEARTBEAT, Action.UPLOAD, Action.REPORT},
    Role.OPERATOR: {
        Action.READ,
        Action.INGEST,
        Action.DECIDE,
        Action.MANAGE_DEVICES,
        Action.PAUSE,
        Action.RESUME,
        Action.FORGET,
    },
    Role.VIEWER: {Action.READ},
}
HELD = Held(Status.BUILDING, ClaimId("c" * 26), LANE.device)


@pytest.mark.parametrize("action", list(Action))
@pytest.mark.parametrize("role", list(Role))
def test_a_role_may_do_what_the_table_says(role: Role, action: Action) -> None:
    """Every pair of role and action, over a document of the caller's own."""
    caller = Caller(role, LANE.device)
    if action in ALLOWED[role]:
        check_access(caller, action, HELD)
    else:
        with pytest.raises(NotAllowed, match=f"a {role.value} device may not"):
            check_access(caller, action, HELD)


@pytest.mark.parametrize("action", [Action.HEARTBEAT, Action.UPLOAD, Action.REPORT])
@pytest.mark.parametrize(
    ("caller", "held"), [(OTHER_LANE, HELD), (LANE, None), (LANE, Held(Status.PENDING_BUILD, None, None))]
)
def test_a_lane_acts_on_its_own_claim_only(action: Action, caller: Caller, held: Held | None) -> None:
    """Not on another's, and not on what nobody holds."""
    with pytest.raises(NotAllowed, match="belongs to another device"):
        check_access(caller, action, held)


def test_each_role_writes_as_its_actor() -> None:
    """The lane's moves are the builder's; a viewer has none."""
    expected = {Role.BOT: Actor.BOT, Role.LANE: Actor.BUILDER, Role.OPERATOR: Actor.OPERATOR}

    assert expected == {role: actor_of(role) for role in expected}
    with pytest.raises(NotAllowed, match="moves nothing"):
        actor_of(VIEWER.role)


@pytest.mark.parametrize("prefix", ["https://apps.example/", "https://apps.example"])
@pytest.mark.parametrize(
    "address", ["https://apps.example/timer-abc", "https://apps.example/a/b?c#d", "https://apps.example/..a"]
)
def test_an_address_under_the_prefix_may_be_reported(prefix: str, address: str) -> None:
    """With the slash at the prefix's end or without."""
    check_address(prefix, address)


@pytest.mark.parametrize(
    "address",
    [
        "https://apps.example.evil/timer",
        "http://apps.example/timer",
        "https://apps.example",
        "https://apps.example/../other",
        "https://apps.example/x/..",
        "https://apps.example/%2e%2E/other",
        "https://apps.example/.%2e/other",
        "https://apps.example/x\\..\\y",
        "https://apps.example/x\nhttps://evil.example",
        "https://apps.example/x y",
        "https://apps.example/\u202etxet",
        "",
    ],
)
def test_an_address_outside_the_prefix_is_refused(address: str) -> None:
    """Look-alike hosts, ways back up, and what is no address at all."""
    with pytest.raises(NotAllowed, match="outside"):
        check_address("https://apps.example/", address)


def test_a_device_without_a_prefix_may_report_nothing() -> None:
    """An operator's or a viewer's token publishes no app."""
    with pytest.raises(NotAllowed, match="outside"):
        check_address("", "https://apps.example/timer")


def test_the_claim_rule_needs_the_device_not_only_the_role() -> None:
    """Two lanes of one owner are two devices."""
    check_access(LANE, Action.REPORT, HELD)

    with pytest.raises(NotAllowed):
        check_access(Caller(Role.LANE, DeviceId("lane-3")), Action.REPORT, HELD)
