"""A bot elsewhere, asked over HTTP: the port of the operations, as the local ledger offers it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from time import sleep
from typing import Any, TypeVar

from bot.errors import BotSilent
from bot.ledger.alerts import Alert
from bot.ledger.feed import EVERYTHING, Filter
from bot.ledger.selection import Place, Selection
from bot.ledger.views import Device, Document, Moved, Parked, Person, Send
from bot.operations.books import Audited, Cost, Exported
from bot.operations.doing import Act, Outcome, Whole
from bot.operations.enrolling import NewDevice
from bot.operations.moves import move_of_json
from bot.operations.port import Asked, Me, Named, Page, Settling
from bot.operations.present import Counted, Overview, SwitchedOn
from bot.operations.stretches import Every, Figures
from bot.terminal.calling import Wire, opened_wire
from guardrails.documents import AtUri, Did, DocId
from guardrails.facts import Standing
from guardrails.switches import Switch

HANDLES_AT_ONCE = 50
MOVES_AT_ONCE = 500
# What has an action's id is done once, however often it is asked for: a lost answer is asked for again.
AGAIN_AFTER_SECONDS = (0.0, 2.0)
T = TypeVar("T")


class RemoteOperations:
    """Each method is one call; what goes wrong is raised as the local one raises it, or BotAway."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def me(self) -> Me:
        """Who calls, and whom."""
        return self._wire.get("/api/me", Me)

    def overview(self) -> Overview:
        """How the bot is now."""
        return self._wire.get("/api/overview", Overview)

    def page(self, selection: Selection, limit: int, after: Place | None = None) -> Page:
        """Documents, newest first, those after a place."""
        place = {"after_at": after.created_at.isoformat(), "after_id": after.id} if after is not None else {}
        return self._wire.get("/api/documents", Page, **_query(selection), limit=limit, **place)

    def count(self, selection: Selection) -> Counted:
        """How many documents fit, counted up to 10,000."""
        return self._wire.get("/api/documents/count", Counted, **_query(selection))

    def find(self, name: str) -> Document:
        """The document that a text names; NoSuchDocument when none, or more than one, answers to it."""
        return self._wire.get("/api/documents/find", Document, name=name)

    def whole(self, document_id: DocId) -> Whole:
        """One document with all that belongs to it."""
        return self._wire.get("/api/documents/whole", Whole, name=document_id)

    def moves(self, after: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number, oldest first."""
        query = {
            "status": [status.value for status in wanted.statuses],
            "kind": wanted.kind,
            "document": wanted.document_id,
            "author": wanted.author,
            "reason": [reason.value for reason in wanted.reasons],
            "lane": wanted.lane,
        }
        told = self._wire.answer("/api/moves", **query, after=after, limit=min(limit, MOVES_AT_ONCE))
        try:
            return [move_of_json(move) for move in told["moves"]]
        except (ValueError, TypeError, LookupError, AttributeError):
            raise self._wire.unreadable("moves") from None

    def last_move(self) -> int:
        """The highest sequence number so far."""
        return self._wire.get("/api/moves/last", int)

    def move_before(self, moment: datetime) -> int:
        """The highest sequence number from before a moment."""
        return self._wire.get("/api/moves/before", int, moment=moment.isoformat())

    def act(self, acts: Sequence[Act]) -> list[Outcome]:
        """Do so many things, each for itself."""
        return _again(lambda: self._wire.post("/api/acts", list[Outcome], acts=list(acts)))

    def sends(self, *, everything: bool, limit: int) -> list[Send]:
        """The unsettled sends, or the newest of all."""
        return self._wire.get("/api/sends", list[Send], everything=everything, limit=limit)

    def send(self, key: str) -> Send:
        """The newest send of a key."""
        return self._wire.get("/api/sends/find", Send, name=key)

    def record_of(self, key: str, link: str) -> AtUri:
        """The record of the bot's that may be what was to be sent as this key."""
        return AtUri(self._wire.get("/api/sends/record", str, key=key, link=link))

    def settle(self, key: str, settling: Settling, tries: int, uri: AtUri | None = None) -> Send:
        """Decide about a send as it was seen at so many tries."""
        return self._wire.post("/api/sends/settle", Send, key=key, settling=settling, tries=tries, uri=uri)

    def parked(self, limit: int) -> list[Parked]:
        """What came in there and could not be read."""
        return self._wire.get("/api/parked", list[Parked], limit=limit)

    def ask(self, link: str) -> Asked:
        """Put a post before the bot."""
        return self._wire.post("/api/asks", Asked, link=link)

    def switches(self) -> list[SwitchedOn]:
        """The switches that are on."""
        return self._wire.get("/api/switches", list[SwitchedOn])

    def pause(self, switches: Sequence[Switch], why: str, *, now: bool = False) -> list[DocId]:
        """Turn switches on; with `now` builds are taken from their lanes."""
        return self._wire.post("/api/switches/pause", list[DocId], switches=list(switches), why=why, now=now)

    def resume(self, switches: Sequence[Switch]) -> None:
        """Turn switches off."""
        self._wire.post("/api/switches/resume", type(None), switches=list(switches))

    def people(self) -> list[Person]:
        """What is laid down about people."""
        return self._wire.get("/api/people", list[Person])

    def handles(self, dids: Sequence[Did]) -> dict[Did, str]:
        """Under which handle each has last asked there."""
        known: dict[Did, str] = {}
        for start in range(0, len(dids), HANDLES_AT_ONCE):
            some = list(dids[start : start + HANDLES_AT_ONCE])
            known |= self._wire.get("/api/people/handles", dict[Did, str], did=some)
        return known

    def who(self, name: str) -> Named:
        """Whom a DID, a handle or the link of a profile means."""
        return self._wire.get("/api/people/who", Named, name=name)

    def lay_down(self, who: str, standing: Standing, why: str, until: datetime | None = None) -> list[DocId]:
        """Deny, allow or forget somebody."""
        return self._wire.post("/api/people/lay-down", list[DocId], who=who, standing=standing, why=why, until=until)

    def lift(self, who: str) -> bool:
        """Take a deny or an allow back."""
        return self._wire.post("/api/people/lift", bool, who=who)

    def unpublished(self, slug: str) -> bool:
        """Say that an app is gone elsewhere, too."""
        return self._wire.post("/api/apps/unpublished", bool, slug=slug)

    def take_down_author(self, who: str, why: str, action_id: str, *, keep_replies: bool = False) -> list[Outcome]:
        """Take down every app of somebody's."""
        asked = {"who": who, "why": why, "action_id": action_id, "keep_replies": keep_replies}
        return _again(lambda: self._wire.post("/api/people/take-down", list[Outcome], **asked))

    def devices(self) -> list[Device]:
        """Every device."""
        return self._wire.get("/api/devices", list[Device])

    def add_device(self, new: NewDevice) -> tuple[Device, str]:
        """Enrol a device."""
        return self._wire.post("/api/devices", tuple[Device, str], device=new)

    def invite(self, new: NewDevice) -> tuple[datetime, str]:
        """Hold a place for a lane."""
        return self._wire.post("/api/devices/invite", tuple[datetime, str], device=new)

    def revoke_device(self, device: str) -> bool:
        """Make a device's token worthless."""
        return self._wire.post("/api/devices/revoke", bool, device=device)

    def costs(self, since: datetime, by: str) -> list[Cost]:
        """What builds have cost since a moment."""
        return self._wire.get("/api/costs", list[Cost], since=since.isoformat(), by=by)

    def figures(self, since: datetime, until: datetime, every: Every) -> Figures:
        """What happened between two moments."""
        span = {"since": since.isoformat(), "until": until.isoformat(), "every": every.value}
        return self._wire.get("/api/figures", Figures, **span)

    def export(self, after: int, limit: int) -> list[Exported]:
        """The history after a sequence number, with what it is about."""
        return self._wire.get("/api/export", list[Exported], after=after, limit=limit)

    def audit(self, before: int | None, limit: int) -> list[Audited]:
        """The audit log, newest first."""
        return self._wire.get("/api/audit", list[Audited], before=before, limit=limit)

    def alerts(self) -> list[Alert]:
        """What operators are told of."""
        return self._wire.get("/api/alerts", list[Alert])

    def try_alerts(self) -> None:
        """Have that bot send a test to its alert channel."""
        self._wire.answer_to("/api/alerts/try", {})

    def reload_rules(self) -> str:
        """Have that bot read its rules anew."""
        return str(self._wire.answer_to("/api/rules/reload", {}).get("version"))


@contextmanager
def opened_remote(server: str, token: str) -> Iterator[RemoteOperations]:
    """The operations of the bot at an address, over one connection."""
    with opened_wire(server, token) as wire:
        yield RemoteOperations(wire)


def _again(call: Callable[[], T]) -> T:
    """What a call gives that may be repeated, also where the bot is silent for a moment."""
    for seconds in AGAIN_AFTER_SECONDS:
        try:
            return call()
        except BotSilent:
            sleep(seconds)
    return call()


def _query(selection: Selection) -> dict[str, Any]:
    return {
        "status": [status.value for status in selection.statuses],
        "author": selection.author,
        "since": selection.since.isoformat() if selection.since else None,
        "until": selection.until.isoformat() if selection.until else None,
        "text": selection.text,
        "reason": [reason.value for reason in selection.reasons],
        "lane": selection.lane,
        "kind": selection.kind.value if selection.kind else None,
    }
