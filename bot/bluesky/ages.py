"""Since when accounts are there: by the first operation of their DID at the PLC, which their owners cannot date."""

import threading
from collections.abc import Callable, Iterable
from datetime import datetime

from bot.bluesky.errors import CallFailed
from bot.bluesky.identity import IdentityResolver
from bot.bluesky.patience import Patience
from guardrails.documents import Did, is_of_plc

# Of so many it is kept in mind; it never changes.
MOST_KNOWN = 10_000


class Ages:
    """Asks the PLC about each until it has answered, from several threads if need be, and anew once too many are known.

    The resolver is opened when it is first needed.
    """

    def __init__(self, open_resolver: Callable[[], IdentityResolver]) -> None:
        self._open_resolver = open_resolver
        self._resolver: IdentityResolver | None = None
        self._known: dict[Did, datetime] = {}
        self._lock = threading.Lock()

    def entered_at(self, dids: Iterable[Did], over: Callable[[], bool] = lambda: False) -> dict[Did, datetime]:
        """When each was entered; left out is who is not of the PLC, and who could not be asked about.

        Nothing is raised. Once it is `over` nothing more is asked.
        """
        patience, found = Patience(over), {}
        with self._lock:
            for did in dict.fromkeys(filter(is_of_plc, dids)):
                moment = self._known.get(did) or self._asked(did, patience)
                if moment is not None:
                    found[did] = moment
        return found

    def close(self) -> None:
        """Close the connections."""
        if self._resolver is not None:
            self._resolver.close()

    def _asked(self, did: Did, patience: Patience) -> datetime | None:
        if patience.is_over:
            return None
        self._resolver = self._resolver or self._open_resolver()
        try:
            moment = self._resolver.entered_at(did)
        except CallFailed as failed:
            patience.note(failed)
            return None
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[did] = moment
        return moment
