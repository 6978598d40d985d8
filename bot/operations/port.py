"""What operators can see and do; met by the local ledger and by a bot that is asked over HTTP.

Whoever calls is an operator or a viewer, which the other side knows by itself. What a role may not do is NotAllowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from bot.ledger.feed import EVERYTHING, Filter
from bot.ledger.selection import Place, Selection
from bot.ledger.views import Device, Document, Moved, Parked, Person, Send
from guardrails.access import Role
from guardrails.documents import AtUri, Did, DocId
from guardrails.facts import Standing
from guardrails.switches import Switch

# Each shape takes its time to make, and a command needs a few of them.
if TYPE_CHECKING:
    from bot.ledger.alerts import Alert
    from bot.operations.books import Audited, Cost, Exported
    from bot.operations.doing import Act, Outcome, Whole
    from bot.operations.enrolling import NewDevice
    from bot.operations.present import Counted, Overview, SwitchedOn
    from bot.operations.stretches import Every, Figures


@dataclass(frozen=True)
class Page:
    """A page of documents, newest first, and the place after which the next one begins; None on the last page."""

    documents: tuple[Document, ...]
    next: Place | None


class Settling(StrEnum):
    """What a person decides about a send that does not settle itself."""

    SENT = "sent"
    ABANDON = "abandon"
    AGAIN = "again"


@dataclass(frozen=True)
class Asked:
    """What became of a post that was put before the bot; `told` is a sentence for people."""

    id: DocId
    stored: bool
    told: str


@dataclass(frozen=True)
class Named:
    """Somebody who was named; `told` says where their DID was looked up, empty where it was given."""

    did: Did
    told: str = ""


@dataclass(frozen=True)
class Me:
    """Who calls, as the other side knows it, and when: `at` is the present moment by the ledger's clock."""

    role: Role
    device: str
    version: str
    apps_url: str
    at: datetime
    web_url: str = field(default="https://bsky.app")


class Operations(Protocol):
    """Reads, and the writes of operators. Every write of an operator is in the audit log, in the same transaction."""

    def me(self) -> Me:
        """Who calls, and whom."""
        ...

    def overview(self) -> "Overview":
        """How the bot is now."""
        ...

    def page(self, selection: Selection, limit: int, after: Place | None = None) -> Page:
        """Documents, newest first, those after a place; at most `limit`, and 500 at most."""
        ...

    def count(self, selection: Selection) -> "Counted":
        """How many documents fit, counted up to 10,000."""
        ...

    def find(self, name: str) -> Document:
        """The document that a text names: an id, its end or beginning, an at-uri or link of a post, an app's address.

        NoSuchDocument when none, or more than one, answers to it.
        """
        ...

    def whole(self, document_id: DocId) -> "Whole":
        """One document with all that belongs to it; NoSuchDocument when there is none."""
        ...

    def moves(self, after: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number, oldest first."""
        ...

    def last_move(self) -> int:
        """The highest sequence number so far."""
        ...

    def move_before(self, moment: datetime) -> int:
        """The highest sequence number from before a moment, 0 when there is none."""
        ...

    def act(self, acts: "Sequence[Act]") -> "list[Outcome]":
        """Do so many things, each for itself, and tell how each ended; at most 500 at once."""
        ...

    def sends(self, *, everything: bool, limit: int) -> list[Send]:
        """The unsettled sends, oldest first; with `everything` the newest sends, settled or not."""
        ...

    def send(self, key: str) -> Send:
        """The newest send of a key; NoSuchDocument when there is none."""
        ...

    def record_of(self, key: str, link: str) -> AtUri:
        """The record of ours that a link or an at-uri names, which may be what was to be sent as this key.

        It is looked at on the network: NoSuchDocument when it is not there, BotError when it cannot be the one.
        """
        ...

    def settle(self, key: str, settling: Settling, tries: int, uri: AtUri | None = None) -> Send:
        """Decide about a send as it was seen at so many tries; LostRace when it was tried or settled meanwhile.

        `uri` is the record that is out, where it counts as sent; it is looked at first.
        """
        ...

    def parked(self, limit: int) -> list[Parked]:
        """What came in and could not be read, the newest first."""
        ...

    def ask(self, link: str) -> Asked:
        """Put a post before the bot as if it had mentioned it; NoSuchDocument when it is not shown to us."""
        ...

    def switches(self) -> "list[SwitchedOn]":
        """The switches that are on."""
        ...

    def pause(self, switches: Sequence[Switch], why: str, *, now: bool = False) -> list[DocId]:
        """Turn switches on; with `now` builds are taken from their lanes, and these are given back."""
        ...

    def resume(self, switches: Sequence[Switch]) -> None:
        """Turn switches off."""
        ...

    def people(self) -> list[Person]:
        """What is laid down about people."""
        ...

    def handles(self, dids: Sequence[Did]) -> dict[Did, str]:
        """Under which handle each has last asked here; who never has is left out."""
        ...

    def who(self, name: str) -> Named:
        """Whom a DID, a handle or the link of a profile means; the network is asked for a handle where it can be.

        NoSuchDocument when nobody, or more than one, is meant; NoName when it is no such name.
        """
        ...

    def lay_down(self, who: str, standing: Standing, why: str, until: datetime | None = None) -> list[DocId]:
        """Deny, allow or forget whom `who` knows by that name; gives the documents that this has stopped."""
        ...

    def lift(self, who: str) -> bool:
        """Take a deny or an allow back; False when there was none."""
        ...

    def unpublished(self, slug: str) -> bool:
        """Say that an app of somebody who is forgotten is gone elsewhere, too; False when none is known to be there."""
        ...

    def take_down_author(self, who: str, why: str, action_id: str, *, keep_replies: bool = False) -> "list[Outcome]":
        """Take down every app of a DID or handle, and stop what is open of theirs."""
        ...

    def devices(self) -> list[Device]:
        """Every device, the revoked ones included."""
        ...

    def add_device(self, new: "NewDevice") -> tuple[Device, str]:
        """Enrol a device; its token is given back once and kept nowhere."""
        ...

    def invite(self, new: "NewDevice") -> tuple[datetime, str]:
        """Hold a place for a lane; until when, and the code for it, which is given back once."""
        ...

    def revoke_device(self, device: str) -> bool:
        """Make a device's token, and the sessions that began with it, worthless; False when there is no such device."""
        ...

    def costs(self, since: datetime, by: str) -> "list[Cost]":
        """What builds have cost since a moment, by `day`, `author`, `model` or `lane`; a day is UTC."""
        ...

    def figures(self, since: datetime, until: datetime, every: "Every") -> "Figures":
        """What happened between two moments; ValueError for more than 90 days, or more than 14 by the hour."""
        ...

    def export(self, after: int, limit: int) -> "list[Exported]":
        """The moves after a sequence number, oldest first, each with what its document was about; 1,000 at most."""
        ...

    def audit(self, before: int | None, limit: int) -> "list[Audited]":
        """The audit log, newest first, those before a sequence number."""
        ...

    def alerts(self) -> "list[Alert]":
        """What operators are told of: all that is wrong, or whose end is still to be told, the oldest first."""
        ...

    def try_alerts(self) -> None:
        """Send a message that says that it is a test to the alert channel; NotDone says why it was not taken."""
        ...

    def reload_rules(self) -> str:
        """Read the rules anew; the version that holds from now on. BadRules keeps the old ones."""
        ...
