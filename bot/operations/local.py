"""Everything that operators can see and do, over the ledger of this process."""

from typing import TYPE_CHECKING

from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.operations.acting import Acting, Means
from bot.operations.port import Me, Operations
from bot.operations.reading import Around, Reading
from guardrails.access import Caller, Role

# Who lists documents does nothing to them.
if TYPE_CHECKING:
    from bot.operations.doing import Deed


class LocalOperations(Reading, Acting):
    """The operations of one caller, an operator or a viewer."""

    def __init__(self, ledger: Ledger, caller: Caller, around: Around, means: Means) -> None:
        Reading.__init__(self, ledger, around, lambda document: _deeds(document, caller.role))
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


def _deeds(document: Document, role: Role) -> "tuple[Deed, ...]":
    from bot.operations.deeds import deeds_at  # noqa: PLC0415 - as above

    return deeds_at(document, role)
