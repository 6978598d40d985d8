"""What operators can see, read from the ledger."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast, get_args

from bot.ledger.feed import EVERYTHING, Filter
from bot.ledger.ledger import Ledger
from bot.ledger.policy import Caps
from bot.ledger.selection import Place, Selection
from bot.ledger.views import Device, Document, Moved, Parked, Person, Send
from bot.operations.port import Named, Page
from guardrails.documents import Did, DocId

# Who lists documents need not wait for the rules, nor for what else there is to see.
if TYPE_CHECKING:
    from bot.ledger.alerts import Alert
    from bot.operations.books import Audited, Cost, Exported
    from bot.operations.doing import Deed, Whole
    from bot.operations.present import Counted, Overview, SwitchedOn
    from bot.operations.stretches import Every, Figures
    from guardrails.rules import Rules

MOST_MOVES = 10_000


@dataclass(frozen=True)
class Around:
    """What reading needs beside the ledger: the bot's settings, its rules as they are now, and who looks handles up.

    `resolve` asks the network for a handle's DID, None when it cannot say. `login_caps` is None where no login is
    counted. `has_channel`: alerts are sent somewhere. `holder`: the name among several of the bot that is asked.
    """

    apps_url: str
    rules: "Callable[[], Rules]"
    resolve: Callable[[str], str | None]
    lane_wait: timedelta
    lane_schedule: timedelta | None = None
    login_caps: Caps | None = None
    has_channel: bool = False
    holder: str | None = None


class Reading:
    """The half of `Operations` that reads; `deeds` tells what the caller can do to a document."""

    def __init__(self, ledger: Ledger, around: Around, deeds: "Callable[[Document], tuple[Deed, ...]]") -> None:
        self._ledger = ledger
        self._around = around
        self._deeds = deeds

    def overview(self) -> "Overview":
        """How the bot is now."""
        from bot.ledger.conditions import ALERTS  # noqa: PLC0415 - few ask for all of it
        from bot.operations.overview import overview, rounds_of  # noqa: PLC0415
        from bot.operations.present import Channel  # noqa: PLC0415

        around = self._around
        found = overview(self._ledger, around.rules(), around.lane_wait, around.lane_schedule, around.login_caps)
        failing = next((each for each in found.conditions if each.name == ALERTS), None)
        channel = Channel(around.has_channel, self._ledger.alerts.taken_at(), failing)
        return replace(found, channel=channel, rounds=rounds_of(self._ledger, around.holder))

    def page(self, selection: Selection, limit: int, after: Place | None = None) -> Page:
        """Documents, newest first, those after a place; at most `limit`, and 500 at most."""
        documents, next_ = self._ledger.pages.page(selection, limit, after)
        return Page(tuple(documents), next_)

    def count(self, selection: Selection) -> "Counted":
        """How many documents fit, counted up to 10,000."""
        from bot.operations.overview import counted  # noqa: PLC0415 - as for `overview`

        return counted(self._ledger.pages.count(selection))

    def find(self, name: str) -> Document:
        """The document that a text names; NoSuchDocument when none, or more than one, answers to it."""
        from bot.operations.naming import find_document  # noqa: PLC0415 - who lists them names none

        return find_document(self._ledger.queries, name, self._around.apps_url, self._around.resolve)

    def whole(self, document_id: DocId) -> "Whole":
        """One document with all that belongs to it; NoSuchDocument when there is none."""
        from bot.operations.doing import Whole  # noqa: PLC0415 - who lists them asks for none whole

        ledger = self._ledger
        document = ledger.queries.document(document_id)
        return Whole(
            document=document,
            attempts=tuple(ledger.queries.attempts(document.id)),
            sends=tuple(ledger.queries.sends(document.id)),
            moves=tuple(ledger.feed.after(0, MOST_MOVES, Filter(document_id=document.id))),
            app=ledger.hosting.app(document.slug) if document.slug is not None else None,
            deeds=self._deeds(document),
        )

    def moves(self, after: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number, oldest first."""
        return self._ledger.feed.after(after, limit, wanted)

    def last_move(self) -> int:
        """The highest sequence number so far."""
        return self._ledger.feed.last()

    def move_before(self, moment: datetime) -> int:
        """The highest sequence number from before a moment, 0 when there is none."""
        return self._ledger.feed.before(moment)

    def sends(self, *, everything: bool, limit: int) -> list[Send]:
        """The unsettled sends, oldest first; with `everything` the newest sends, settled or not."""
        queries = self._ledger.queries
        return queries.newest_sends(limit) if everything else queries.unsettled_sends(limit)

    def send(self, key: str) -> Send:
        """The newest send of a key; NoSuchDocument when there is none."""
        return self._ledger.queries.send(key)

    def parked(self, limit: int) -> list[Parked]:
        """What came in and could not be read, the newest first."""
        return self._ledger.desk.parked(limit)

    def switches(self) -> "list[SwitchedOn]":
        """The switches that are on."""
        from bot.operations.present import SwitchedOn  # noqa: PLC0415 - as for `overview`

        return [SwitchedOn(*row) for row in self._ledger.desk.switches_on()]

    def people(self) -> list[Person]:
        """What is laid down about people."""
        return self._ledger.people.rows()

    def handles(self, dids: Sequence[Did]) -> dict[Did, str]:
        """Under which handle each has last asked here; who never has is left out."""
        return self._ledger.queries.handles_of(dids)

    def who(self, name: str) -> Named:
        """Whom a DID, a handle or the link of a profile means; NoSuchDocument when nobody, or more than one."""
        from bot.operations.persons import named  # noqa: PLC0415 - nor anybody

        return named(self._ledger.queries, name, self._around.resolve)

    def devices(self) -> list[Device]:
        """Every device, the revoked ones included."""
        return self._ledger.desk.devices()

    def costs(self, since: datetime, by: str) -> "list[Cost]":
        """What builds have cost since a moment, by `day`, `author`, `model` or `lane`; a day is UTC."""
        from bot.ledger.figures import By  # noqa: PLC0415 - as for `figures`
        from bot.operations.books import Cost  # noqa: PLC0415

        if by not in get_args(By):
            raise ValueError(f"costs are told by {', '.join(get_args(By))}")
        return [Cost(**asdict(spent)) for spent in self._ledger.figures.spent(since, None, cast(By, by))]

    def figures(self, since: datetime, until: datetime, every: "Every") -> "Figures":
        """What happened between two moments; ValueError for more than 90 days, or more than 14 by the hour."""
        from bot.operations.charts import figures  # noqa: PLC0415 - only the console draws them

        return figures(self._ledger, since, until, every)

    def export(self, after: int, limit: int) -> "list[Exported]":
        """The moves after a sequence number, oldest first, each with what its document was about; 1,000 at most."""
        from bot.operations.exporting import MOST_EXPORTED, exported  # noqa: PLC0415 - only who keeps books asks

        return exported(self._ledger, after, min(limit, MOST_EXPORTED))

    def alerts(self) -> "list[Alert]":
        """What operators are told of: all that is wrong, or whose end is still to be told, the oldest first."""
        return self._ledger.alerts.standing()

    def audit(self, before: int | None, limit: int) -> "list[Audited]":
        """The audit log, newest first, those before a sequence number."""
        from bot.operations.books import Audited  # noqa: PLC0415 - as for `export`

        return [Audited(**asdict(entry)) for entry in self._ledger.audit.rows(before, limit)]
