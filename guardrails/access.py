"""The access function: which device role may do what to which document."""

import re
from dataclasses import dataclass
from enum import StrEnum

from guardrails.documents import ClaimId, DeviceId
from guardrails.errors import NotAllowed
from guardrails.transitions import Actor, Status


class Role(StrEnum):
    """What a device token is good for. `bot` is the process itself and is never given to a device."""

    BOT = "bot"
    LANE = "lane"
    OPERATOR = "operator"
    VIEWER = "viewer"


class Action(StrEnum):
    """What somebody wants to do."""

    READ = "read"
    INGEST = "ingest"
    JUDGE = "judge"
    REPLY = "reply"
    RESCUE = "rescue"
    CLAIM = "claim"
    HEARTBEAT = "heartbeat"
    UPLOAD = "upload"
    REPORT = "report"
    DECIDE = "decide"
    MANAGE_DEVICES = "manage_devices"
    PAUSE = "pause"
    RESUME = "resume"
    FORGET = "forget"


@dataclass(frozen=True)
class Caller:
    """Who asks: a role, and the device behind it.

    `action_id` names what an operator is doing, so that it is done once, however often it is asked for.
    """

    role: Role
    device: DeviceId
    action_id: str | None = None


@dataclass(frozen=True)
class Held:
    """What the rule has to know of a document under claim: its status, and who holds which claim."""

    status: Status
    claim: ClaimId | None
    device: DeviceId | None


# What an address may consist of: seen characters of ASCII, without the backslash that browsers read as a slash.
_PLAIN = re.compile(r"[!-\[\]-~]+")
_LANE_ON_CLAIM = frozenset({Action.HEARTBEAT, Action.UPLOAD, Action.REPORT})
_ALLOWED: dict[Role, frozenset[Action]] = {
    # The bot may trip a switch and never turn one back: that takes a person.
    Role.BOT: frozenset(
        {Action.READ, Action.INGEST, Action.JUDGE, Action.REPLY, Action.RESCUE, Action.PAUSE, Action.FORGET}
    ),
    Role.LANE: frozenset({Action.CLAIM, *_LANE_ON_CLAIM}),
    Role.OPERATOR: frozenset(
        {
            Action.READ,
            Action.INGEST,
            Action.DECIDE,
            Action.MANAGE_DEVICES,
            Action.PAUSE,
            Action.RESUME,
            Action.FORGET,
        }
    ),
    Role.VIEWER: frozenset({Action.READ}),
}
_ACTOR = {Role.BOT: Actor.BOT, Role.LANE: Actor.BUILDER, Role.OPERATOR: Actor.OPERATOR}


def check_access(caller: Caller, action: Action, document: Held | None = None) -> None:
    """Return when the caller may do this, to this document where one is meant; else NotAllowed with the reason.

    A lane acts only on what it holds a claim to, and sees nothing else.
    """
    if action not in _ALLOWED[caller.role]:
        raise NotAllowed(f"a {caller.role.value} device may not {action.value.replace('_', ' ')}")
    if action in _LANE_ON_CLAIM and (document is None or document.device != caller.device):
        raise NotAllowed("the claim belongs to another device")


def actor_of(role: Role) -> Actor:
    """The actor whose moves a role may write; NotAllowed for a viewer, who writes none."""
    if role not in _ACTOR:
        raise NotAllowed(f"a {role.value} device moves nothing")
    return _ACTOR[role]


def check_address(allowed_prefix: str, address: str) -> None:
    """Return when a device may report an app at this address; NotAllowed when it lies outside its prefix.

    The prefix ends at a boundary: `https://apps.example/` does not allow `https://apps.example.evil/`.
    """
    prefix = allowed_prefix if allowed_prefix.endswith("/") else allowed_prefix + "/"
    steps = address.lower().replace("%2e", ".").split("/")
    if not address.startswith(prefix) or not _PLAIN.fullmatch(address) or ".." in steps:
        raise NotAllowed("the address lies outside what this device may publish to")
