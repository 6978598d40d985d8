"""One round of a lane: claim a document, build it with the heartbeat beside it, report how it ended."""

from collections.abc import Callable

from structlog.typing import FilteringBoundLogger

from builder.build import Build, Tools
from builder.client import BotClient
from builder.errands import Errands, LaneSettings, Surroundings, Worked
from builder.errors import ClaimLost
from builder.stopping import Drain
from guardrails.wire import Claim


class Lane:
    """Works on one document at a time. `now` is a steady clock in seconds."""

    def __init__(
        self,
        client: BotClient,
        tools: Tools,
        drain: Drain,
        log: FilteringBoundLogger,
        settings: LaneSettings,
        new_claim_id: Callable[[], str],
        now: Callable[[], float],
    ) -> None:
        self._client = client
        self._tools = tools
        self._drain = drain
        self._settings = settings
        self._new_claim_id = new_claim_id
        self._now = now
        self._errands = Errands(client, drain, log, settings, now)
        self._unanswered: str | None = None

    def work_once(self) -> Worked:
        """Claim, build and report one document; BotUnreachable, BotRefused or NotWelcome when that cannot be done.

        LaneUnfit, once the document is given back, when no build of this lane can succeed.
        """
        claim = self._claim()
        if claim is None:
            return Worked.NOTHING

        def begin(given: Surroundings) -> Build:
            return Build(claim, self._tools, given.workspace, given.stop, given.step, given.log, self._now)

        return self._errands.see_through(claim, begin)

    def _claim(self) -> Claim | None:
        # An id whose answer was lost is asked for again: the claim may stand in the ledger.
        claim_id = self._unanswered or self._new_claim_id()
        self._unanswered = claim_id
        try:
            claim = self._client.claim(
                claim_id, self._tools.generator.name, lambda: self._drain.begun, self._settings.lease_seconds
            )
        except ClaimLost:
            claim = None
        self._unanswered = None
        return claim
