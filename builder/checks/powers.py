"""Finds what a script tries that the policy of apps forbids, so that the app would be dead or lead away."""

import re
from collections.abc import Iterator
from typing import Final

from builder.checks.outside import is_outside
from builder.checks.scripts import Script

_NO_NETWORK: Final = "apps reach nothing, their own files neither"
_OWN: Final = re.compile(r"(?:window|self|globalThis)\.(?=[A-Za-z])")
_OPENING: Final = frozenset(["window.open", "self.open", "globalThis.open"])
_CALLS: Final = {
    "fetch": f"it calls fetch, and {_NO_NETWORK}: put the data into a script",
    "navigator.sendBeacon": f"it calls sendBeacon, and {_NO_NETWORK}",
    "importScripts": f"it calls importScripts, and {_NO_NETWORK}",
    "eval": "it calls eval, which the policy of apps forbids",
    "Function": "it makes a function of a text, which the policy of apps forbids",
}
_MAKES: Final = {
    **dict.fromkeys(
        ("XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection"),
        f"it opens a connection, and {_NO_NETWORK}",
    ),
    "Worker": "it starts a worker, which the policy of apps forbids",
    "SharedWorker": "it starts a worker, which the policy of apps forbids",
    "Function": _CALLS["Function"],
}
_PLACE: Final = re.compile(r"(?:document\.)?location(?:\.href)?")
_ABOVE: Final = re.compile(r"(?:top|parent)\.location(?:\..+)?")
_LEAVING: Final = re.compile(r"(?:document\.)?location\.(?:assign|replace)")


def power_problems(script: Script) -> Iterator[str]:
    """One sentence for each thing that a script may not do."""
    calls, makes = ({_OWN.sub("", path) for path in paths} - script.declared for paths in (script.calls, script.makes))
    yield from (_CALLS[called] for called in sorted(calls & _CALLS.keys()))
    yield from (_MAKES[made] for made in sorted(makes & _MAKES.keys()))
    if script.calls & _OPENING:
        yield "it opens a window, which the frame of apps forbids"
    if "serviceWorker" in script.names or "serviceWorker" in script.strings:
        yield "a script uses a service worker"
    places = [(_OWN.sub("", place), address) for place, address in script.sets]
    if any(map(_ABOVE.fullmatch, (*calls, *(place for place, _ in places)))):
        yield "it moves the page that it is framed by, which the frame of apps forbids"
    for place, address in places:
        if _PLACE.fullmatch(place) and address is not None and is_outside(address):
            yield f"it leads away to {address[:80]!a}"


def leaves_for_the_unknown(script: Script) -> bool:
    """Whether it goes to an address that is known only when it runs."""
    goes = any(_PLACE.fullmatch(_OWN.sub("", place)) and address is None for place, address in script.sets)
    return goes or any(_LEAVING.fullmatch(_OWN.sub("", called)) for called in script.calls)
