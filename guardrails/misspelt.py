"""Names in an environment that look like settings and are none: one letter wrong, and nobody is told."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

_PROGRAM = "SKYWRIGHT"
_OF_A_LANE = f"{_PROGRAM}_LANE_"
# Bot and lane may share an environment, and neither knows the other's settings: of what begins as the other's do, only
# what is all but a setting is one misspelt.
_NEAR, _ALL_BUT = 0.75, 0.93
# What a cluster puts there for a service that is called as this program is, and what the web server in front reads.
_OF_OTHERS = re.compile(
    rf"{_PROGRAM}_("
    r"(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
    r"|CADDY_\w+|(APPS|LANE)_HOST)"
)
# The one name of a service that could as well be a setting that somebody made up: there a cluster has an address.
_PORT_OF_A_SERVICE, _ITS_ADDRESS = re.compile(rf"{_PROGRAM}_(\w+_)?PORT"), re.compile(r"(tcp|udp|sctp)://\S+")


@dataclass(frozen=True)
class Misspelt:
    """A name that is no setting, and the setting that it may be meant for."""

    name: str
    nearest: str | None

    @property
    def told(self) -> str:
        """In a line for people."""
        return f"{self.name} is no setting" + (f"; {self.nearest} is" if self.nearest else "")

    @property
    def mend(self) -> str:
        """What to do about it."""
        return f"write {self.nearest}, if that is meant" if self.nearest else "take it away"


def misspelt(
    environment: Mapping[str, str], known: Collection[str], beside: Collection[str], *, lane: bool
) -> Iterator[Misspelt]:
    """The names that begin as settings of a bot, or of a lane, do and are none; `beside` are known and no setting."""
    by_end = {_end(name): name for name in known}
    for name, value in sorted(environment.items()):
        folded = name.upper()
        if folded in known or folded in beside or _is_of_others(folded, value) or not _begins_as_ours(folded):
            continue
        is_own = folded.startswith(f"{_PROGRAM}_") and folded.startswith(_OF_A_LANE) == lane
        near = get_close_matches(_end(folded), by_end, 1, _NEAR if is_own else _ALL_BUT)
        if near or is_own:
            yield Misspelt(name, by_end[near[0]] if near else None)


def _is_of_others(name: str, value: str) -> bool:
    if _PORT_OF_A_SERVICE.fullmatch(name) and _ITS_ADDRESS.fullmatch(value):
        return True
    return _OF_OTHERS.fullmatch(name) is not None


def _end(name: str) -> str:
    return name.partition("_")[2]


def _begins_as_ours(name: str) -> bool:
    program, underscore, _ = name.partition("_")
    return bool(underscore) and bool(get_close_matches(program, [_PROGRAM], 1, _NEAR))
