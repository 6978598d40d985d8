"""What a check has noted about one app, each thing once, in sentences that are bounded and safe to store."""

from builder.checks.files import LONGEST_FINDING, MOST_FINDINGS
from guardrails.text import clean

_MOST_KEPT = 4 * MOST_FINDINGS


class Notes:
    """Findings and warnings; what was seen on some devices only is said with them."""

    def __init__(self) -> None:
        self._findings: dict[str, set[str]] = {}
        self._warnings: dict[str, set[str]] = {}

    def finding(self, text: str, device: str = "") -> None:
        """Note what must be mended."""
        _note(self._findings, text, device)

    def warning(self, text: str, device: str = "") -> None:
        """Note what operators should know."""
        _note(self._warnings, text, device)

    @property
    def count(self) -> int:
        """How many different findings there are so far."""
        return len(self._findings)

    def findings(self, devices: int) -> tuple[str, ...]:
        """The findings in order of appearance; `devices` is how many were tried."""
        return _told(self._findings, devices)

    def warnings(self, devices: int) -> tuple[str, ...]:
        """The warnings in order of appearance."""
        return _told(self._warnings, devices)


def _note(kept: dict[str, set[str]], text: str, device: str) -> None:
    # What cannot be stored is replaced before it is cut: half a surrogate pair, a NUL, a line's end.
    whole = text[: 2 * LONGEST_FINDING].encode("utf-8", "replace").decode("utf-8")
    short = clean(whole)[: LONGEST_FINDING - 20]
    if short in kept or len(kept) < _MOST_KEPT:
        kept.setdefault(short, set()).add(device)


def _told(kept: dict[str, set[str]], devices: int) -> tuple[str, ...]:
    shown = []
    for text, seen in list(kept.items())[:MOST_FINDINGS]:
        named = sorted(filter(None, seen))
        shown.append(f"{text} ({', '.join(named)})" if named and len(named) < devices else text)
    return tuple(shown)
