"""Scripted faults: what the network does to a call, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

FaultKind = Literal[
    "drop_request",  # the connection is cut, nothing was done
    "drop_answer",  # it was done, then the connection is cut
    "close_mid_body",  # it was done, and half of the answer arrives
    "broken_json",  # it was done, and the answer is cut though it calls itself complete
    "delay",  # it was done, and the answer comes `seconds` later
    "error_after_commit",  # it was done, and the answer is a 500
    "status",  # nothing was done; the answer is `status` with `body`
    "rate_limit",  # nothing was done; 429, back in `seconds`
]


@dataclass
class Fault:
    """What happens to the next `times` calls of a method ("*" for any), after `skip` that go well; used up as it plays.

    `collection` narrows it to calls about records of that collection. Faults play in the order of their list.
    """

    nsid: str
    kind: FaultKind
    times: int = 1
    skip: int = 0
    collection: str | None = None
    seconds: float = 1.0
    status: int = 503
    body: str | Mapping[str, Any] | None = None
    html: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def concerns(self, call: "Call") -> bool:
        """Whether this call is one that the fault waits for."""
        return self.nsid in ("*", call.nsid) and self.collection in (None, call.collection)


@dataclass
class Call:
    """One call as it arrived; `status` is what was answered, None when the connection was cut."""

    nsid: str
    method: str
    did: str | None
    at: datetime
    params: Mapping[str, list[str]]
    body: Any = None
    fault: FaultKind | None = None
    status: int | None = None

    @property
    def collection(self) -> str | None:
        """The collection that the call is about, if it names one."""
        named = self.body.get("collection") if isinstance(self.body, dict) else None
        return named if isinstance(named, str) else next(iter(self.params.get("collection", [])), None)


def take_fault(faults: list[Fault], call: Call) -> Fault | None:
    """The fault that hits this call, used up by one; the list is shortened when its last time came."""
    for fault in faults:
        if not fault.concerns(call):
            continue
        if fault.skip > 0:
            fault.skip -= 1
            return None
        fault.times -= 1
        if fault.times <= 0:
            faults.remove(fault)
        return fault
    return None
