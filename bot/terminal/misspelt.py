"""Names in the environment that look like settings of the bot and are none: one letter wrong, and nobody is told."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from bot.settings import PREFIX, Settings

# What the commands read beside the settings.
BESIDE = frozenset({f"{PREFIX}SERVER", f"{PREFIX}TOKEN", f"{PREFIX}TOKEN_FILE"})
# A lane on the same machine has settings of its own: only what is all but a setting of the bot's is one misspelt.
_OF_A_LANE = f"{PREFIX}LANE_"
_NEAR, _ALL_BUT = 0.75, 0.93
# What a cluster puts there for a service that is called as this program is.
_OF_THE_SYSTEM = re.compile(r"SKYWRIGHT_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP)(_\w+)?)?)")


@dataclass(frozen=True)
class Misspelt:
    """A name that is no setting, and the setting that it may be meant for."""

    name: str
    nearest: str | None

    @property
    def told(self) -> str:
        """In a line for people."""
        return f"{self.name} is no setting" + (f"; {self.nearest} is" if self.nearest else "")


def setting_names() -> dict[str, str]:
    """Each setting of the bot by its name in the environment."""
    return {f"{PREFIX}{field.upper()}": field for field in Settings.model_fields}


def misspelt(environment: Iterable[str]) -> Iterator[Misspelt]:
    """The names that begin as settings of the bot do and are none."""
    known = setting_names()
    ends = [name.removeprefix(PREFIX) for name in known]
    for name in sorted(environment):
        folded = name.upper()
        if not folded.startswith(PREFIX) or folded in known or folded in BESIDE or _OF_THE_SYSTEM.fullmatch(folded):
            continue
        of_a_lane = folded.startswith(_OF_A_LANE)
        near = get_close_matches(folded.removeprefix(PREFIX), ends, 1, _ALL_BUT if of_a_lane else _NEAR)
        if near or not of_a_lane:
            yield Misspelt(name, f"{PREFIX}{near[0]}" if near else None)
