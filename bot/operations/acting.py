"""What operators can do, done to the ledger."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from bot.errors import LostRace, NoSuchDocument, NotDone
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device, Send
from bot.operations.port import Asked, Named, Settling
from bot.outgoing import Failed
from bot.tokens import new_code, new_device, new_token
from guardrails.access import Action, Caller, Role, check_access
from guardrails.documents import AtUri, DocId, Mention, StrongRef
from guardrails.facts import Standing
from guardrails.switches import Switch
from guardrails.transitions import Reason

# Who only looks does nothing.
if TYPE_CHECKING:
    from bot.operations.doing import Act, Outcome
    from bot.operations.enrolling import NewDevice

MOST_ACTS = 500
LEAST_LEASE, LONGEST_LEASE = timedelta(seconds=10), timedelta(days=1)
LONGEST_INVITATION = timedelta(days=30)


class Network(Protocol):
    """What is looked at on the network for an operator; each raises CallFailed when nobody can be asked."""

    def record(self, send: Send, link: str) -> StrongRef:
        """The record of ours that a link names; NoSuchDocument, NoName or BotError when it cannot be the one."""
        ...

    def ask(self, link: str, is_known: Callable[[DocId], bool], now: datetime) -> tuple[DocId, Mention | None]:
        """The id of a post's document, and what it asks for unless that is known; NoSuchDocument when it is not shown.

        By that moment it counts as indexed.
        """
        ...


@dataclass(frozen=True)
class Means:
    """What acting needs beside the ledger: the network, opened when it is first needed, and who reads the rules anew.

    `reload` gives the version that holds from now on, and notes who wanted it. `web_url` is where posts are read.
    `try_alerts` sends a test to the alert channel.
    """

    network: Callable[[], Network]
    reload: Callable[[Caller], str]
    web_url: str = "https://bsky.app"
    try_alerts: Callable[[], Failed | None] = lambda: Failed("there is none")


class Acting:
    """The half of `Operations` that writes, in a caller's name; `who` tells whom a name means."""

    def __init__(self, ledger: Ledger, caller: Caller, means: Means, who: Callable[[str], Named]) -> None:
        self._ledger = ledger
        self._caller = caller
        self._means = means
        self._who = who

    def act(self, acts: "Sequence[Act]") -> "list[Outcome]":
        """Do so many things, each for itself, and tell how each ended; NotDone for more than 500 at once."""
        from bot.operations.acts import Acts  # noqa: PLC0415 - as above

        check_access(self._caller, Action.DECIDE)
        if len(acts) > MOST_ACTS:
            raise NotDone(f"{len(acts)} at once are too many: {MOST_ACTS} at most")
        return Acts(self._ledger, self._caller).done(acts)

    def record_of(self, key: str, link: str) -> AtUri:
        """The record of ours that a link or an at-uri names, which may be what was to be sent as this key."""
        return self._means.network().record(self._ledger.queries.send(key), link).uri

    def settle(self, key: str, settling: Settling, tries: int, uri: AtUri | None = None) -> Send:
        """Decide about a send as it was seen at so many tries; LostRace when it was tried or settled meanwhile."""
        from bot.ledger.send_rows import CLAIMED  # noqa: PLC0415 - as for `act`

        check_access(self._caller, Action.DECIDE)
        send = self._ledger.queries.send(key)
        if send.state != CLAIMED:
            raise LostRace(f"{key} is settled: {send.state}{f' as {send.uri}' if send.uri else ''}")
        if send.tries != tries:
            raise LostRace(f"{key} was tried meanwhile")
        match settling:
            case Settling.SENT:
                return self._settle_sent(send, uri)
            case Settling.ABANDON:
                return self._ledger.decisions.abandoned(self._caller, send)
            case Settling.AGAIN:
                return self._ledger.decisions.again(self._caller, send)

    def _settle_sent(self, send: Send, uri: AtUri | None) -> Send:
        if uri is None:
            raise NotDone("say which record was sent")
        return self._ledger.decisions.sent(self._caller, send, self._means.network().record(send, uri))

    def ask(self, link: str) -> Asked:
        """Put a post before the bot as if it had mentioned it; NoSuchDocument when it is not shown to us."""
        check_access(self._caller, Action.INGEST)
        ledger = self._ledger
        document_id, mention = self._means.network().ask(link, self._is_known, ledger.db.time())
        if mention is not None and ledger.documents.receive(self._caller, [mention], Reason.ASKED_BY_OPERATOR):
            return Asked(document_id, stored=True, told="stored; the bot judges it next")
        try:
            known = ledger.queries.document(document_id)
        except NoSuchDocument as none:
            is_past = ledger.known.is_past(document_id)
            told = str(none) if is_past else "the bot has answered this post already, before this ledger began"
            return Asked(document_id, stored=False, told=told)
        return Asked(known.id, stored=False, told=f"known already: {known.status.value} ({known.reason.value})")

    def pause(self, switches: Sequence[Switch], why: str, *, now: bool = False) -> list[DocId]:
        """Turn switches on; with `now` builds are taken from their lanes, and these are given back.

        NotDone for `now` where builds are not among what is paused: a lane would only take them again.
        """
        check_access(self._caller, Action.PAUSE)
        if now and Switch.PAUSE_BUILDS not in switches:
            raise NotDone("builds are taken from their lanes only when they are paused")
        # Builds wait for the claims that are being made, of which one may be stuck: all else is paused by then.
        for switch in sorted(switches, key=lambda each: each is Switch.PAUSE_BUILDS):
            self._ledger.desk.throw(self._caller, switch, why)
        return self._voided() if now else []

    def resume(self, switches: Sequence[Switch]) -> None:
        """Turn switches off."""
        for switch in switches:
            self._ledger.desk.release(self._caller, switch)

    def lay_down(self, who: str, standing: Standing, why: str, until: datetime | None = None) -> list[DocId]:
        """Deny, allow or forget whom `who` knows by that name; gives the documents that this has stopped.

        NotDone for a moment until which somebody is forgotten, or one that is over.
        """
        check_access(self._caller, Action.FORGET if standing is Standing.FORGOTTEN else Action.DECIDE)
        if until is not None and until <= self._ledger.db.time():
            raise NotDone("that moment is over")
        did, people = self._who(who).did, self._ledger.people
        match standing:
            case Standing.DENIED:
                return list(people.deny(self._caller, did, why, until))
            case Standing.ALLOWED:
                people.allow(self._caller, did, why, until)
            case Standing.FORGOTTEN if until is not None:
                raise NotDone("who is forgotten is forgotten until they say otherwise")
            case Standing.FORGOTTEN:
                people.forget(self._caller, did)
        return []

    def lift(self, who: str) -> bool:
        """Take a deny or an allow back; False when there was none."""
        check_access(self._caller, Action.DECIDE)
        return self._ledger.people.lift(self._caller, self._who(who).did)

    def unpublished(self, slug: str) -> bool:
        """Say that an app of somebody who is forgotten is gone elsewhere, too; False when none is known to be there."""
        check_access(self._caller, Action.DECIDE)
        return self._ledger.people.unpublished(self._caller, slug)

    def take_down_author(self, who: str, why: str, action_id: str, *, keep_replies: bool = False) -> "list[Outcome]":
        """Take down every app of a DID or handle, and stop what is open of theirs."""
        from bot.operations.authors import taken_down  # noqa: PLC0415 - as for `act`

        check_access(self._caller, Action.DECIDE)
        did = self._who(who).did
        return taken_down(self._ledger, self._caller, did, why, action_id, keep_replies=keep_replies)

    def add_device(self, new: "NewDevice") -> tuple[Device, str]:
        """Enrol a device; its token is given back once and kept nowhere. NotDone for one that could never work."""
        _check(new)
        token = new_token()
        added = self._ledger.desk.add_device(
            self._caller,
            new_device(new.role),
            new.place.name,
            new.role,
            new.place.allowed_prefix,
            token,
            longest_lease_seconds=new.place.longest_lease_seconds,
            lasts=new.lasts,
        )
        return added, token

    def invite(self, new: "NewDevice") -> tuple[datetime, str]:
        """Hold a place for a lane; until when, and the code for it, which is given back once. NotDone as above."""
        _check(new)
        if new.role is not Role.LANE or new.lasts is None or new.lasts > LONGEST_INVITATION:
            raise NotDone(f"an invitation is a lane's, and lasts {LONGEST_INVITATION.days} days at most")
        code = new_code()
        return self._ledger.enrolments.invite(self._caller, new.place, code, new.lasts), code

    def revoke_device(self, device: str) -> bool:
        """Make a device's token, and the sessions that began with it, worthless; False when there is no such device."""
        return self._ledger.desk.revoke_device(self._caller, device)

    def try_alerts(self) -> None:
        """Send a message that says that it is a test to the alert channel; NotDone says why it was not taken."""
        check_access(self._caller, Action.DECIDE)
        failed = self._means.try_alerts()
        self._ledger.audit.add(self._caller, "try_alerts", "alerts", "taken" if failed is None else "not taken")
        if failed is None:
            self._ledger.alerts.tried()
        else:
            raise NotDone(f"the alert channel took no message: {failed.detail}")

    def reload_rules(self) -> str:
        """Read the rules anew; the version that holds from now on. BadRules keeps the old ones."""
        check_access(self._caller, Action.DECIDE)
        return self._means.reload(self._caller)

    def _is_known(self, document_id: DocId) -> bool:
        try:
            self._ledger.queries.document(document_id)
        except NoSuchDocument:
            return False
        return True

    def _voided(self) -> list[DocId]:
        """Take every build from its lane, also one whose claim was just being made; while paused no other follows."""
        voided = []
        while claimed := self._ledger.queries.under_claim():
            for document in claimed:
                # Whoever was faster has moved it: it is looked at once more.
                with suppress(LostRace):
                    voided.append(self._ledger.documents.void(self._caller, document).id)
        return voided


def _check(new: "NewDevice") -> None:
    """Refuse what could never be used."""
    lease = new.place.longest_lease_seconds
    if lease is not None and new.role is not Role.LANE:
        raise NotDone("nobody but a lane claims, so nobody else has a lease")
    if lease is not None and not LEAST_LEASE <= timedelta(seconds=lease) <= LONGEST_LEASE:
        raise NotDone("a lease is ten seconds at least, and a day at most")
    if new.lasts is not None and new.lasts <= timedelta():
        raise NotDone("it would be over at once")
    if new.role not in (Role.LANE, Role.OPERATOR, Role.VIEWER):
        raise NotDone(f"no device is a {new.role.value}")
    if new.role is Role.LANE and not _is_address(new.place.allowed_prefix):
        raise NotDone("where a lane may publish is an http or https address")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
