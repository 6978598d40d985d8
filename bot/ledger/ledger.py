"""The whole ledger behind one name."""

from collections.abc import Callable, Collection

from bot.clock import Clock
from bot.ledger.alerts import Alerts
from bot.ledger.audit import Audit
from bot.ledger.claims import Claims
from bot.ledger.conditions import Conditions
from bot.ledger.consoles import Consoles
from bot.ledger.decisions import Decisions
from bot.ledger.desk import Desk
from bot.ledger.dispatches import Dispatches
from bot.ledger.engine import Database, open_database
from bot.ledger.enrolments import Enrolments
from bot.ledger.feed import Feed
from bot.ledger.figures import Charts
from bot.ledger.gather import gather
from bot.ledger.hosting import Hosting
from bot.ledger.known import Known
from bot.ledger.lanes import Lanes
from bot.ledger.leases import Leases
from bot.ledger.outbox import Outbox
from bot.ledger.pace import Pace
from bot.ledger.pages import Pages
from bot.ledger.people import People
from bot.ledger.piles import Piles
from bot.ledger.policy import LedgerPolicy
from bot.ledger.public import Public
from bot.ledger.queries import Queries
from bot.ledger.sends import Sends
from bot.ledger.sightings import Sightings
from bot.ledger.store import Store
from bot.ledger.takedowns import Takedowns
from bot.ledger.timings import Timings
from bot.ledger.views import Document
from guardrails.documents import Did, DocId, Slug
from guardrails.facts import Facts
from guardrails.rules import Rules


class Ledger:
    """Documents, claims, sends, apps, people, desk, lanes, conditions, reads and the tail, over one database."""

    def __init__(self, db: Database, policy: LedgerPolicy, mint_slug: Callable[[str], Slug]) -> None:
        self.db = db
        self.documents = Store(db, policy.budgets)
        self.conditions = Conditions(db)
        self.claims = Claims(db, policy.lane, mint_slug, self.conditions, policy.budgets.approval_window)
        self.lane_policy = policy.lane
        self.hosting = Hosting(db, self.claims)
        self.sends = Sends(db, policy.try_lease)
        self.outbox = Outbox(db)
        self.pace = Pace(db, policy.write_points)
        self.write_points = policy.write_points
        self.decisions = Decisions(db, policy.budgets.approval_window)
        self.sightings = Sightings(db)
        self.people = People(db)
        self.known = Known(db)
        self.public = Public(db)
        self.desk = Desk(db)
        self.enrolments = Enrolments(db)
        self.consoles = Consoles(db)
        self.lanes = Lanes(db)
        self.leases = Leases(db)
        self.dispatches = Dispatches(db)
        self.audit = Audit(db)
        self.takedowns = Takedowns(db)
        self.queries = Queries(db)
        self.pages = Pages(db)
        self.piles = Piles(db)
        self.figures = Charts(db)
        self.feed = Feed(db)
        self.timings = Timings(db)
        self.alerts = Alerts(db)

    def gather(self, documents: Collection[Document], our_did: Did, rules: Rules) -> dict[DocId, Facts]:
        """What the ledger knows of a batch of asks; one whose body cannot be read is left out."""
        return gather(self.db, documents, our_did, rules)

    def close(self) -> None:
        """Give back every connection."""
        self.db.close()


def open_ledger(
    url: str, clock: Clock, policy: LedgerPolicy, mint_slug: Callable[[str], Slug], direct_url: str | None = None
) -> Ledger:
    """Open the ledger at a database URL, which leads to a pooler where there is a direct one too.

    Its schema is `schema.py`'s business.
    """
    return Ledger(open_database(url, clock, direct_url), policy, mint_slug)
