"""Everything that operators can see and do, over the ledger of this process."""

from bot.ledger.ledger import Ledger
from bot.operations.acting import Acting, Means
from bot.operations.deeds import deeds_at
from bot.operations.port import Me, Operations
from bot.operations.reading import Around, Reading
from guardrails.access import Caller


class LocalOperations(Reading, Acting):
    """The operations of one caller, an operator or a viewer."""

    def __init__(self, ledger: Ledger, caller: Caller, around: Around, means: Means) -> None:
        Reading.__init__(self, ledger, around, lambda document: deeds_at(document, caller.role))
        Acting.__init__(self, ledger, caller, means, self.who)

    def me(self) -> Me:
        """Who calls, and whom."""
        from importlib.metadata import version  # noqa: PLC0415 - takes its time, and few ask

        return Me(
            role=self._caller.role,
            device=self._caller.device,
            version=version("skywright"),
            apps_url=self._around.apps_url,
            at=self._ledger.db.time(),
            web_url=self._means.web_url,
        )


def local_operations(ledger: Ledger, caller: Caller, around: Around, means: Means) -> Operations:
    """The operations of one caller over a ledger."""
    return LocalOperations(ledger, caller, around, means)
