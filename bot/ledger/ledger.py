"""The whole ledger behind one name; each part of it is loaded when it is first used."""

# ruff: noqa: PLC0415

from collections.abc import Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING

from bot.clock import Clock
from bot.ledger.engine import Database, open_database
from bot.ledger.policy import LedgerPolicy
from guardrails.documents import Did, DocId, Slug

# A command that only looks need not wait for what writes.
if TYPE_CHECKING:
    from bot.ledger.alerts import Alerts
    from bot.ledger.audit import Audit
    from bot.ledger.claims import Claims
    from bot.ledger.conditions import Conditions
    from bot.ledger.consoles import Consoles
    from bot.ledger.decisions import Decisions
    from bot.ledger.desk import Desk
    from bot.ledger.dispatches import Dispatches
    from bot.ledger.enrolments import Enrolments
    from bot.ledger.feed import Feed
    from bot.ledger.figures import Charts
    from bot.ledger.hosting import Hosting
    from bot.ledger.known import Known
    from bot.ledger.lanes import Lanes
    from bot.ledger.leases import Leases
    from bot.ledger.outbox import Outbox
    from bot.ledger.pace import Pace
    from bot.ledger.pages import Pages
    from bot.ledger.people import People
    from bot.ledger.piles import Piles
    from bot.ledger.public import Public
    from bot.ledger.queries import Queries
    from bot.ledger.retention import Retention
    from bot.ledger.sends import Sends
    from bot.ledger.sightings import Sightings
    from bot.ledger.sources import Sources
    from bot.ledger.store import Store
    from bot.ledger.takedowns import Takedowns
    from bot.ledger.timings import Timings
    from bot.ledger.views import Document
    from guardrails.facts import Facts
    from guardrails.rules import Rules


class Ledger:
    """Documents, claims, sends, apps, people, desk, lanes, conditions, reads and the tail, over one database.

    No part keeps anything of its own: which thread makes one first does not matter.
    """

    def __init__(self, db: Database, policy: LedgerPolicy, mint_slug: Callable[[str], Slug]) -> None:
        self.db = db
        self.lane_policy = policy.lane
        self.write_points = policy.write_points
        self._policy = policy
        self._mint_slug = mint_slug

    @cached_property
    def documents(self) -> "Store":
        """What bot and operators write of documents."""
        from bot.ledger.store import Store

        return Store(self.db, self._policy.budgets)

    @cached_property
    def conditions(self) -> "Conditions":
        """What is wrong now."""
        from bot.ledger.conditions import Conditions

        return Conditions(self.db)

    @cached_property
    def claims(self) -> "Claims":
        """What a lane writes."""
        from bot.ledger.claims import Claims

        window, keep_apps = self._policy.budgets.approval_window, self._policy.keep_apps
        return Claims(self.db, self.lane_policy, self._mint_slug, self.conditions, window, keep_apps)

    @cached_property
    def hosting(self) -> "Hosting":
        """The apps, and their files."""
        from bot.ledger.hosting import Hosting

        return Hosting(self.db, self.claims)

    @cached_property
    def sends(self) -> "Sends":
        """What the bot says in public."""
        from bot.ledger.sends import Sends

        return Sends(self.db, self._policy.try_lease)

    @cached_property
    def outbox(self) -> "Outbox":
        """The sends that are to be made."""
        from bot.ledger.outbox import Outbox

        return Outbox(self.db)

    @cached_property
    def pace(self) -> "Pace":
        """How much of the account's write points is used."""
        from bot.ledger.pace import Pace

        return Pace(self.db, self.write_points)

    @cached_property
    def decisions(self) -> "Decisions":
        """What a person decides about sends."""
        from bot.ledger.decisions import Decisions

        return Decisions(self.db, self._policy.budgets.approval_window)

    @cached_property
    def sightings(self) -> "Sightings":
        """What became of our replies and the posts that they answer."""
        from bot.ledger.sightings import Sightings

        return Sightings(self.db)

    @cached_property
    def sources(self) -> "Sources":
        """By which source mentions were found."""
        from bot.ledger.sources import Sources

        return Sources(self.db)

    @cached_property
    def people(self) -> "People":
        """What is laid down about people."""
        from bot.ledger.people import People

        return People(self.db)

    @cached_property
    def known(self) -> "Known":
        """Ids that are known as answered without a document."""
        from bot.ledger.known import Known

        return Known(self.db)

    @cached_property
    def public(self) -> "Public":
        """What anybody may see."""
        from bot.ledger.public import Public

        return Public(self.db)

    @cached_property
    def desk(self) -> "Desk":
        """Switches and devices."""
        from bot.ledger.desk import Desk

        return Desk(self.db)

    @cached_property
    def enrolments(self) -> "Enrolments":
        """Invitations, and logins of CI runs."""
        from bot.ledger.enrolments import Enrolments

        return Enrolments(self.db)

    @cached_property
    def consoles(self) -> "Consoles":
        """Links into the console, and who is in it."""
        from bot.ledger.consoles import Consoles

        return Consoles(self.db)

    @cached_property
    def lanes(self) -> "Lanes":
        """When lanes came by, and what waits for one."""
        from bot.ledger.lanes import Lanes

        return Lanes(self.db)

    @cached_property
    def leases(self) -> "Leases":
        """Which of several bots does something."""
        from bot.ledger.leases import Leases

        return Leases(self.db)

    @cached_property
    def dispatches(self) -> "Dispatches":
        """Calls of workflows."""
        from bot.ledger.dispatches import Dispatches

        return Dispatches(self.db)

    @cached_property
    def audit(self) -> "Audit":
        """What operators did."""
        from bot.ledger.audit import Audit

        return Audit(self.db)

    @cached_property
    def takedowns(self) -> "Takedowns":
        """Apps that are taken down."""
        from bot.ledger.takedowns import Takedowns

        return Takedowns(self.db)

    @cached_property
    def queries(self) -> "Queries":
        """Documents, attempts and sends, by name."""
        from bot.ledger.queries import Queries

        return Queries(self.db)

    @cached_property
    def pages(self) -> "Pages":
        """Documents by filters, page by page."""
        from bot.ledger.pages import Pages

        return Pages(self.db)

    @cached_property
    def piles(self) -> "Piles":
        """The work that wants a person."""
        from bot.ledger.piles import Piles

        return Piles(self.db)

    @cached_property
    def figures(self) -> "Charts":
        """What happened over time."""
        from bot.ledger.figures import Charts

        return Charts(self.db)

    @cached_property
    def feed(self) -> "Feed":
        """The history as it happens."""
        from bot.ledger.feed import Feed

        return Feed(self.db)

    @cached_property
    def timings(self) -> "Timings":
        """How long things take."""
        from bot.ledger.timings import Timings

        return Timings(self.db)

    @cached_property
    def retention(self) -> "Retention":
        """What goes once it need not be kept any more."""
        from bot.ledger.retention import Retention

        return Retention(self.db)

    @cached_property
    def alerts(self) -> "Alerts":
        """What operators are told of."""
        from bot.ledger.alerts import Alerts

        return Alerts(self.db)

    def gather(self, documents: "Collection[Document]", our_did: Did, rules: "Rules") -> "dict[DocId, Facts]":
        """What the ledger knows of a batch of asks; one whose body cannot be read is left out."""
        from bot.ledger.gather import gather

        return gather(self.db, documents, our_did, rules)

    def load(self) -> None:
        """Load every part now: what runs for days keeps the program that it began with, also when that is replaced."""
        for name, part in vars(Ledger).items():
            if isinstance(part, cached_property):
                getattr(self, name)
        import bot.ledger.gather  # noqa: F401

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
