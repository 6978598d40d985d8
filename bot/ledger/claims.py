"""The lane's moves: claim, heartbeat and every end of an attempt; a repeated call gets the answer of the first."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, bindparam, not_, select, update
from sqlalchemy.exc import IntegrityError

from bot.errors import ClaimLost, LostRace
from bot.ledger.conditions import PURSE, Conditions, lane_cost_of
from bot.ledger.engine import Database
from bot.ledger.finishing import Inspected, check_same_bundle, make_live
from bot.ledger.money import (
    USUAL,
    NotNow,
    PurseEmpty,
    pay,
    pay_for_author,
    put_off,
    settle,
    settle_late,
    shortage,
    used_by,
    whole_micros,
)
from bot.ledger.moves import PRESENT, Step, apply, claimable, read_document
from bot.ledger.outcomes import Outcomes
from bot.ledger.pausing import paused
from bot.ledger.policy import LanePolicy
from bot.ledger.prepared import add, write
from bot.ledger.purse import Purse
from bot.ledger.surplus import let_go
from bot.ledger.tables import apps, attempts, documents
from bot.ledger.tally import day_of
from bot.ledger.views import Document, document_of
from guardrails.access import Action, Caller, Held, check_access
from guardrails.caps import is_spent_at_claim
from guardrails.documents import ClaimId, DeviceId, Slug
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, Report


@dataclass(frozen=True)
class Claimed:
    """A document under a claim, the slug and version that the ledger minted for it, and how long each lease is."""

    document: Document
    slug: Slug
    version: int
    lease: timedelta


class Claims:
    """What a lane may write. `mint_slug` makes an unguessable slug for an ask; slugs are never given out twice."""

    def __init__(
        self,
        db: Database,
        policy: LanePolicy,
        mint_slug: Callable[[str], Slug],
        conditions: Conditions,
        approval_window: timedelta,
        keep_apps: timedelta | None = None,
    ) -> None:
        self._db = db
        self._policy = policy
        self._mint_slug = mint_slug
        self._conditions = conditions
        self._keep_apps = keep_apps
        self._outcomes = Outcomes(db, policy.retry_after, approval_window)

    def claim_next(
        self, caller: Caller, claim_id: ClaimId, generator: str, purse: Purse, lease: timedelta | None = None
    ) -> Claimed | None:
        """Take the oldest document that is due, and its price out of the purse; None when there is nothing to be had.

        Nothing is while builds are paused. It stands as long as `lease` says, else as long as the bot's own; so long is
        each renewal. What its author has no money left for waits for the next day. An empty purse is a condition that
        operators see.
        The same claim id again gets the same document, ClaimLost once that claim does not stand any more.
        """
        check_access(caller, Action.CLAIM)
        try:
            claimed = self._claim_next(caller, _New(claim_id, generator, lease), purse)
        except PurseEmpty as empty:
            self._conditions.set(PURSE, str(empty))
            return None
        if self._conditions.stands(PURSE) and shortage(self._db, purse) is None:
            self._conditions.clear(PURSE)
        return claimed

    def _claim_next(self, caller: Caller, new: "_New", purse: Purse) -> Claimed | None:
        """Each document in a transaction of its own, since whoever changes usage holds on to one document."""
        while True:
            try:
                with self._db.write() as connection:
                    if _attempt_of(connection, new.claim_id) is not None:
                        return self._standing(connection, caller, Action.HEARTBEAT, new.claim_id)
                    due = self._oldest_due(connection)
                    if due is None:
                        return None
                    taken = self._try(connection, caller, due, new, purse)
                    if taken is not None:
                        return self._claimed(taken, new.lease)
            except NotNow:
                return None
            except IntegrityError:
                # The same claim id, twice at once: the other call has committed, and this one is its repeat.
                return self.standing(caller, Action.HEARTBEAT, new.claim_id)

    def _try(self, connection: Connection, caller: Caller, found: "_Due", new: "_New", purse: Purse) -> Document | None:
        """The document under its claim; None when it was ended or put off, and another may be due."""
        due = found.document
        spent = due.failures + (due.claim_id is not None)
        if spent >= due.budget:
            self._give_up(connection, caller, due, spent)
            return None
        let_go(self._db, connection, due)
        day, price = day_of(found.at), purse.price_micros(found.usual_micros)
        if not pay_for_author(self._db, connection, due.author_did, day, price, purse.author_day_micros):
            put_off(connection, due, found.at, day)
            return None
        pay(self._db, connection, day, price, purse)
        self._close_lost(connection, due)
        taken = self._take(connection, caller, due, new, spent)
        begun = {
            "document_id": due.id,
            "attempt": taken.attempt,
            "claim_id": new.claim_id,
            "device": caller.device,
            "generator": new.generator,
            "started_at": self._db.now(),
            "estimate_micros": price,
            "surplus_micros": max(price - purse.estimate_micros, 0),
            "paid_in": day.name,
            "lease_seconds": new.lease.total_seconds() if new.lease is not None else None,
        }
        add(connection, attempts, begun)
        return taken

    def heartbeat(self, caller: Caller, claim_id: ClaimId, step: str) -> datetime:
        """Renew the lease and note the step; the new end of the lease. ClaimLost when the claim does not stand."""
        with self._db.write() as connection:
            held = self._standing(connection, caller, Action.HEARTBEAT, claim_id)
            renewed = connection.execute(
                update(documents)
                .where(documents.c.id == held.document.id, documents.c.claim_id == claim_id)
                .values(lease_until=self._db.now(held.lease), step=step)
                .returning(documents.c.lease_until)
            ).one_or_none()
            if renewed is None:
                raise ClaimLost("the claim was voided")
            return renewed.lease_until  # type: ignore[no-any-return]

    def standing(self, caller: Caller, action: Action, claim_id: ClaimId) -> Claimed:
        """The document under a claim; ClaimLost when the claim does not stand, NotAllowed when it is another's."""
        with self._db.read() as connection:
            return self._standing(connection, caller, action, claim_id)

    def report(
        self,
        caller: Caller,
        claim_id: ClaimId,
        report: Report,
        inspected: Inspected | None = None,
        most_micros: int | None = None,
    ) -> Status:
        """End the attempt as lane and inspection saw it; the document's status then, and the same for a repeat.

        ClaimLost when the claim does not stand any more; what the attempt has cost counts all the same, once. A cost of
        more than `most_micros` counts as it is, and is a condition until that device reports one that is not.
        """
        digest = hashlib.sha256(report.model_dump_json().encode()).hexdigest()
        try:
            status = self._report(caller, claim_id, report, digest, inspected)
        except ClaimLost:
            if self._counted_late(caller, claim_id, report, digest):
                self._heed_cost(caller, report, most_micros)
            raise
        self._heed_cost(caller, report, most_micros)
        return status

    def _counted_late(self, caller: Caller, claim_id: ClaimId, report: Report, digest: str) -> bool:
        with self._db.write() as connection:
            _lock_document_of(connection, claim_id)
            lost = _attempt_of(connection, claim_id)
            if lost is None or lost.device != caller.device:
                return False
            return settle_late(self._db, connection, lost, report, digest)

    def _heed_cost(self, caller: Caller, report: Report, most_micros: int | None) -> None:
        name = lane_cost_of(caller.device)
        if most_micros is not None and report.cost_micros > most_micros:
            cost, most = (micros / 1_000_000 for micros in (report.cost_micros, most_micros))
            self._conditions.set(name, f"{caller.device} has spent {cost:.2f} USD on one build, {most:.2f} are allowed")
        elif report.cost_micros and self._conditions.stands(name):
            self._conditions.clear(name)

    def _report(
        self, caller: Caller, claim_id: ClaimId, report: Report, digest: str, inspected: Inspected | None
    ) -> Status:
        with self._db.write() as connection:
            locked = _lock_document_of(connection, claim_id)
            ended = _attempt_of(connection, claim_id)
            if ended is not None and ended.device == caller.device and ended.report_sha256 == digest:
                return _answered_with(ended)
            document = self._standing_of(caller, Action.REPORT, ended, locked).document
            if report.outcome is BuildOutcome.DONE and ended is not None:
                check_same_bundle(ended.upload_sha256, report)
            moved = apply(self._db, connection, document, self._outcomes.step_for(caller, document, report, inspected))
            if moved.status is Status.BUILT:
                kept_until = self._db.now(self._keep_apps) if self._keep_apps is not None else None
                make_live(connection, document, report, inspected, kept_until)
            self._close(connection, document, report, digest, moved.status)
            if ended is not None:
                settle(self._db, connection, document.author_did, ended, report.cost_micros)
            return moved.status

    def _oldest_due(self, connection: Connection) -> "_Due | None":
        """The document, its row locked, and what else its claim goes by."""
        present = PRESENT if self._db.is_sqlite else self._db.now()
        row = connection.execute(_due_at(present), {"present": self._db.moment()}).one_or_none()
        if row is None:
            return None
        return _Due(document_of(row, "at_present", "usual"), row.at_present, whole_micros(row.usual))

    def _take(self, connection: Connection, caller: Caller, due: Document, new: "_New", failures: int) -> Document:
        sets = {
            "claim_id": new.claim_id,
            "claim_device": caller.device,
            "lease_until": self._db.now(new.lease or self._policy.lease),
            "step": "claimed",
            "not_before": None,
            "attempt": due.attempt + 1,
            "failures": failures,
            "slug": due.slug or self._new_app(connection, due),
            "places": [held for held in due.places if not is_spent_at_claim(held["scope"])],
        }
        reason = Reason.LEASE_OVER if due.claim_id is not None else Reason.CLAIMED
        return apply(self._db, connection, due, Step("claim", reason, caller, sets=sets))

    def _give_up(self, connection: Connection, caller: Caller, due: Document, spent: int) -> None:
        step = Step("give_up", Reason.OUT_OF_TRIES, caller, "the lane was lost", {"failures": spent})
        apply(self._db, connection, due, step)
        let_go(self._db, connection, due)
        self._close_lost(connection, due)

    def _new_app(self, connection: Connection, due: Document) -> Slug:
        slug = self._mint_slug(due.mention.ask)
        add(connection, apps, {"slug": slug, "document_id": due.id})
        return slug

    def _close_lost(self, connection: Connection, due: Document) -> None:
        if due.claim_id is not None:
            connection.execute(
                update(attempts)
                .where(attempts.c.claim_id == due.claim_id, attempts.c.ended_at.is_(None))
                .values(outcome="lost", ended_at=self._db.now(), detail="the lease ended without a report")
            )

    def _close(self, connection: Connection, document: Document, report: Report, digest: str, status: Status) -> None:
        told = report.model_dump(mode="json", include={"log_tail", "checks", "repairs"})
        ended = {
            **told,
            **used_by(report),
            "generator": report.generator,
            "outcome": report.outcome.value,
            "detail": "\n".join(filter(None, (report.reason, report.detail))),
            "ended_at": self._db.now(),
            "report_sha256": digest,
            "reported_status": status.value,
        }
        write(connection, attempts, {"claim_id": document.claim_id}, ended)

    def _standing(self, connection: Connection, caller: Caller, action: Action, claim_id: ClaimId) -> Claimed:
        attempt = _attempt_of(connection, claim_id)
        document = read_document(connection, attempt.document_id) if attempt is not None else None
        return self._standing_of(caller, action, attempt, document)

    def _standing_of(
        self, caller: Caller, action: Action, attempt: Row[Any] | None, document: Document | None
    ) -> Claimed:
        if attempt is None:
            raise ClaimLost("no claim of that id was ever made")
        if document is None:
            raise LostRace("the document is gone")
        check_access(caller, action, Held(document.status, attempt.claim_id, DeviceId(attempt.device)))
        if document.claim_id != attempt.claim_id or document.status is not Status.BUILDING:
            raise ClaimLost(f"the claim was voided: the document is {document.status.value}")
        return self._claimed(document, timedelta(seconds=attempt.lease_seconds) if attempt.lease_seconds else None)

    def _claimed(self, document: Document, lease: timedelta | None) -> Claimed:
        if document.slug is None:
            raise LostRace("a claimed document has a slug")
        return Claimed(document, document.slug, document.attempt, lease or self._policy.lease)


@dataclass(frozen=True)
class _New:
    """A claim that is to be made."""

    claim_id: ClaimId
    generator: str
    lease: timedelta | None


@dataclass(frozen=True)
class _Due:
    """The document that is next, when it was found by the ledger's clock, and what the last apps have cost."""

    document: Document
    at: datetime
    usual_micros: int


def _lock_document_of(connection: Connection, claim_id: str) -> Document | None:
    """The document of a claim, None for a claim that was never made.

    Whoever writes it is waited for, so that what is read from here on is what they left.
    """
    row = connection.execute(_LOCKING, {"the_claim": claim_id}).one_or_none()
    return document_of(row) if row is not None else None


def _answered_with(ended: Row[Any]) -> Status:
    """The answer that a report got; one that came too late had none."""
    if ended.reported_status is None:
        raise ClaimLost("the claim did not stand any more when this was reported")
    return Status(ended.reported_status)


def _attempt_of(connection: Connection, claim_id: str) -> Row[Any] | None:
    return connection.execute(_ATTEMPT, {"the_claim": claim_id}).one_or_none()


_ATTEMPT = select(attempts).where(attempts.c.claim_id == bindparam("the_claim"))
_OF_CLAIM = select(attempts.c.document_id).where(attempts.c.claim_id == bindparam("the_claim")).scalar_subquery()
_LOCKING = select(documents).where(documents.c.id == _OF_CLAIM).with_for_update()


@lru_cache(maxsize=64)
def _due_at(present: ColumnElement[datetime]) -> Select[Any]:
    open_to_lanes = documents.c.status.in_([Status.PENDING_BUILD.value, Status.BUILDING.value])
    oldest = (
        select(documents.c.id)
        .where(and_(open_to_lanes, claimable(present), not_(paused())))
        .order_by(documents.c.created_at, documents.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    # Only its own row is read whole; locked anew, so that it is read as whoever left it last has written it.
    the_row = documents.c.id == oldest.scalar_subquery()
    return select(documents, present.label("at_present"), USUAL.label("usual")).where(the_row).with_for_update()
