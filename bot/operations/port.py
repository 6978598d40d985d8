"""What operators can see and do; met by the local ledger and by a bot that is asked over HTTP.

Whoever calls is an operator or a viewer, which the other side knows by itself. What a role may not do is NotAllowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from bot.ledger.alerts import Alert
from bot.ledger.conditions import Condition
from bot.ledger.enrolments import Place as LanePlace
from bot.ledger.feed import EVERYTHING, Filter
from bot.ledger.hosting import App
from bot.ledger.lanes import AtWork, Visits, Waiting
from bot.ledger.selection import Place, Ref, Selection
from bot.ledger.views import Attempt, Device, Document, Moved, Parked, Person, Send
from guardrails.access import Role
from guardrails.documents import AtUri, Did, DocId, Kind, Slug
from guardrails.facts import Standing
from guardrails.switches import Switch
from guardrails.transitions import Actor, Reason, Status


class Deed(StrEnum):
    """What a person can do to one document; `deeds_at` says what is possible where."""

    APPROVE = "approve"
    RELEASE_REPLY = "release_reply"
    SKIP = "skip"
    JUDGE_AGAIN = "judge_again"
    RETRY = "retry"
    SEND_AGAIN = "send_again"
    DELETE = "delete"
    TAKE_DOWN = "take_down"


class Ending(StrEnum):
    """How a deed on one document ended."""

    DONE = "done"
    CHANGED = "changed"
    """Skipped, since the document is at another version by now; nothing was overwritten."""
    NOT_ALLOWED = "not_allowed"
    """The table, the document's reason or the caller's role forbids it."""
    FAILED = "failed"


@dataclass(frozen=True)
class Act:
    """One deed on one document as it was seen. The same `action_id` again repeats the first answer, and does nothing.

    `keep_reply` goes with a take-down: our reply stays. `second_reply` goes with retry and send_again: yes, although a
    reply was abandoned that may be out; without it they are not allowed then.
    """

    deed: Deed
    on: Ref
    action_id: str
    why: str = ""
    keep_reply: bool = False
    second_reply: bool = False


@dataclass(frozen=True)
class Outcome:
    """How an act ended, and where its document stands now; `told` is a sentence for people."""

    id: DocId
    ending: Ending
    told: str
    status: Status | None = None
    version: int | None = None
    reason: Reason | None = None


@dataclass(frozen=True)
class Page:
    """A page of documents, newest first, and the place after which the next one begins; None on the last page."""

    documents: tuple[Document, ...]
    next: Place | None


@dataclass(frozen=True)
class Counted:
    """How many; counted up to a limit only, where `more` says that there are more."""

    n: int
    more: bool = False


@dataclass(frozen=True)
class Pile:
    """Work that wants a person: how much of it (`more`: there is more than was counted), since when the oldest waits.

    `name` is one of `piles.NAMES`; `command` is what shows or settles it in a terminal.
    """

    name: str
    n: int
    oldest: datetime | None
    told: str
    command: str
    more: bool = False

    @property
    def how_many(self) -> str:
        """The number for people, with a plus where there are more than were counted."""
        return f"{self.n:,}{'+' if self.more else ''}"


@dataclass(frozen=True)
class Budget:
    """What is used of what may be used until a moment: writes in points, logins in tries, money in micro-USD."""

    name: str
    used: int
    of: int
    until: datetime


@dataclass(frozen=True)
class SwitchedOn:
    """A switch that is on: who turned it on, why and since when."""

    switch: Switch
    device: str
    why: str
    since: datetime


@dataclass(frozen=True)
class Channel:
    """The alert channel: whether there is one, when it last took a message, and since when and why it takes none."""

    is_set: bool = False
    taken_at: datetime | None = None
    failing: Condition | None = None


@dataclass(frozen=True)
class Rounds:
    """Which of several bots on one ledger does the rounds, and since when; None while none does.

    `here`: it is the one that was asked.
    """

    holder: str | None
    since: datetime | None
    here: bool = False


@dataclass(frozen=True)
class Overview:
    """How the bot is now. `oldest` is the making of the oldest open document of each open status that has any.

    `rounds` is None where a ledger has one bot.
    """

    at: datetime
    last_move: int
    counts: dict[Status, Counted]
    oldest: dict[Status, datetime]
    piles: tuple[Pile, ...]
    conditions: tuple[Condition, ...]
    lanes: tuple[Device, ...]
    at_work: tuple[AtWork, ...]
    waiting: Waiting | None
    visits: Visits
    budgets: tuple[Budget, ...]
    switches: tuple[SwitchedOn, ...]
    channel: Channel = Channel()
    rounds: Rounds | None = None


@dataclass(frozen=True)
class Whole:
    """All that the ledger knows of one document, and what this caller can do to it where it stands."""

    document: Document
    attempts: tuple[Attempt, ...]
    sends: tuple[Send, ...]
    moves: tuple[Moved, ...]
    app: App | None
    deeds: tuple[Deed, ...]


@dataclass(frozen=True)
class Cost:
    """What builds have cost in a day (UTC), of an author, a model or a lane; in millionths of a US dollar."""

    name: str
    builds: int
    apps: int
    tokens_in: int
    tokens_out: int
    cost_micros: int


class Every(StrEnum):
    """How long the stretches of time are that figures are told for; they begin with the hour or the day, in UTC."""

    HOUR = "hour"
    DAY = "day"


@dataclass(frozen=True)
class Spread:
    """How long something took, in seconds: of so many, half took no longer than `p50`, nineteen of twenty than `p95`.

    None for none.
    """

    n: int = 0
    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True)
class Stretch:
    """What happened in one hour or day, beginning with `at`.

    `mentions` came in, `first_try`, `repaired` and `failed` are builds that ended: at once, after a repair or another
    attempt, or without an app; `replies` went out. Times count where they ended: from the coming of an ask, or from
    when it was to be judged anew, until it was let through or held; from then until it was built; from its coming until
    it was answered.
    """

    at: datetime
    mentions: int
    first_try: int
    repaired: int
    failed: int
    replies: int
    to_acknowledge: Spread
    to_build: Spread
    to_reply: Spread
    cost_micros: int


@dataclass(frozen=True)
class Skipped:
    """How often asks were skipped for a reason."""

    reason: Reason
    n: int


@dataclass(frozen=True)
class Figures:
    """What happened between two moments: stretch by stretch without a gap, in all, and why asks were skipped.

    The most frequent reason comes first. `more` says that so much happened that only the latest part is counted. Of
    days before `counted_until` some histories were removed: they are counted as before, but by the hour at their day's
    first one, and how long they took is not told.
    """

    since: datetime
    until: datetime
    every: Every
    stretches: tuple[Stretch, ...]
    in_all: Stretch
    skips: tuple[Skipped, ...]
    more: bool = False
    counted_until: datetime | None = None


@dataclass(frozen=True)
class Exported:
    """A move with what its document was about, for whoever keeps books elsewhere.

    What is said of the document is as it is now: its `status`, `slug`, `reply_uri`, and what its builds have cost.
    """

    seq: int
    at: datetime
    document: DocId
    kind: Kind
    author_did: Did
    author_handle: str
    source_uri: AtUri
    ask: str
    move: str
    source: Status | None
    target: Status
    actor: Actor
    device: str
    reason: Reason
    detail: str
    version: int
    status: Status
    slug: Slug | None
    reply_uri: AtUri | None
    cost_micros: int


@dataclass(frozen=True)
class Audited:
    """One row of the audit log: an operator's action, as it was written with what it changed."""

    seq: int
    at: datetime
    device: str
    action: str
    target: str
    detail: str
    action_id: str | None


class Settling(StrEnum):
    """What a person decides about a send that does not settle itself."""

    SENT = "sent"
    ABANDON = "abandon"
    AGAIN = "again"


@dataclass(frozen=True)
class NewDevice:
    """A device to be enrolled, or invited; `place` says where a lane may publish and how long its leases are."""

    place: LanePlace
    role: Role = Role.LANE
    lasts: timedelta | None = None


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

    def overview(self) -> Overview:
        """How the bot is now."""
        ...

    def page(self, selection: Selection, limit: int, after: Place | None = None) -> Page:
        """Documents, newest first, those after a place; at most `limit`, and 500 at most."""
        ...

    def count(self, selection: Selection) -> Counted:
        """How many documents fit, counted up to 10,000."""
        ...

    def find(self, name: str) -> Document:
        """The document that a text names: an id, its end or beginning, an at-uri or link of a post, an app's address.

        NoSuchDocument when none, or more than one, answers to it.
        """
        ...

    def whole(self, document_id: DocId) -> Whole:
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

    def act(self, acts: Sequence[Act]) -> list[Outcome]:
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

    def switches(self) -> list[SwitchedOn]:
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

    def take_down_author(self, who: str, why: str, action_id: str, *, keep_replies: bool = False) -> list[Outcome]:
        """Take down every app of a DID or handle, and stop what is open of theirs."""
        ...

    def devices(self) -> list[Device]:
        """Every device, the revoked ones included."""
        ...

    def add_device(self, new: NewDevice) -> tuple[Device, str]:
        """Enrol a device; its token is given back once and kept nowhere."""
        ...

    def invite(self, new: NewDevice) -> tuple[datetime, str]:
        """Hold a place for a lane; until when, and the code for it, which is given back once."""
        ...

    def revoke_device(self, device: str) -> bool:
        """Make a device's token, and the sessions that began with it, worthless; False when there is no such device."""
        ...

    def costs(self, since: datetime, by: str) -> list[Cost]:
        """What builds have cost since a moment, by `day`, `author`, `model` or `lane`; a day is UTC."""
        ...

    def figures(self, since: datetime, until: datetime, every: Every) -> Figures:
        """What happened between two moments; ValueError for more than 90 days, or more than 14 by the hour."""
        ...

    def export(self, after: int, limit: int) -> list[Exported]:
        """The moves after a sequence number, oldest first, each with what its document was about; 1,000 at most."""
        ...

    def audit(self, before: int | None, limit: int) -> list[Audited]:
        """The audit log, newest first, those before a sequence number."""
        ...

    def alerts(self) -> list[Alert]:
        """What operators are told of: all that is wrong, or whose end is still to be told, the oldest first."""
        ...

    def try_alerts(self) -> None:
        """Send a message that says that it is a test to the alert channel; NotDone says why it was not taken."""
        ...

    def reload_rules(self) -> str:
        """Read the rules anew; the version that holds from now on. BadRules keeps the old ones."""
        ...
