"""What a lane's calls do, without HTTP: the lane is trusted with an outcome, not with its texts or its address."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import structlog

from bot.api.auth import is_news
from bot.api.inspection import Inspection
from bot.api.problems import invalid
from bot.api.reasons import unlinked
from bot.elsewhere import address_problem
from bot.errors import ClaimLost, LostRace
from bot.ledger.claims import Claimed
from bot.ledger.desk import Visit
from bot.ledger.finishing import Inspected
from bot.ledger.ledger import Ledger
from bot.ledger.purse import purse_of
from bot.ledger.views import Device
from bot.logs import about
from bot.speech import as_reason
from guardrails.access import Action, check_access, check_address
from guardrails.bundle import BundleProblems, read_bundle
from guardrails.documents import ClaimId, Context
from guardrails.pictures import picture_type
from guardrails.request import brief
from guardrails.rules import Rules
from guardrails.text import clean, clip
from guardrails.transitions import Status
from guardrails.wire import (
    BuildOutcome,
    Claim,
    ClaimRequest,
    HeartbeatRequest,
    Lease,
    Limits,
    PointedAt,
    Report,
    Reported,
    Screened,
    Uploaded,
)

TITLE_GRAPHEMES = 80
DESCRIPTION_GRAPHEMES = 200
BYTES_PER_GRAPHEME = 8
HEARTBEATS_PER_LEASE = 4
_PROBLEMS_TOLD = 10
log = structlog.get_logger()


class LaneCalls:
    """The five calls. Each repeats its answer, or raises ClaimLost, NotAllowed, LostRace or Refused."""

    def __init__(
        self, ledger: Ledger, apps_url: str, limits: Limits, rules: Callable[[], Rules], inspection: Inspection
    ) -> None:
        self._ledger = ledger
        self._apps_url = apps_url
        self._limits = limits
        self._rules = rules
        self._inspection = inspection

    def claim(self, visit: Visit, request: ClaimRequest) -> Claim | None:
        """The next document under this claim id; None when nothing waits or can be paid for, or builds are paused."""
        device = visit.device
        check_access(device.caller, Action.CLAIM)
        if device.generator != request.generator or is_news(visit, device.asked_at):
            self._ledger.lanes.asked(device.id, request.generator)
        claim_id = ClaimId(request.claim_id)
        purse, lease = purse_of(self._rules()), self._granted(device, request.lease_seconds)
        claimed = self._ledger.claims.claim_next(device.caller, claim_id, request.generator, purse, lease)
        if claimed is None:
            return None
        log.info("claimed", device=device.id, claim=claim_id, document=claimed.document.id)
        return self._offer(claim_id, claimed)

    def heartbeat(self, device: Device, claim_id: ClaimId, request: HeartbeatRequest) -> Lease:
        """The claim's lease, renewed."""
        return Lease(lease_until=self._ledger.claims.heartbeat(device.caller, claim_id, request.step))

    def upload(self, device: Device, claim_id: ClaimId, archive: bytes) -> Uploaded:
        """Keep a bundle under the claim, once it is found to keep every rule."""
        claimed = self._ledger.claims.standing(device.caller, Action.UPLOAD, claim_id)
        bundle = read_bundle(archive, self._limits)
        if isinstance(bundle, BundleProblems):
            raise invalid("; ".join(bundle.problems[:_PROBLEMS_TOLD]), "The rules are in guardrails/bundle.py.")
        sha256 = hashlib.sha256(archive).hexdigest()
        self._ledger.hosting.store(device.caller, claim_id, sha256, bundle.files)
        return Uploaded(sha256=sha256, address=self._address(claimed))

    def screen(self, device: Device, claim_id: ClaimId, picture: bytes) -> Screened:
        """Keep a picture of the app under the claim, for the card of the reply; let go of one that may not go out."""
        if picture_type(picture) is None:
            raise invalid("the screenshot is neither a PNG nor a JPEG")
        claimed = self._ledger.claims.standing(device.caller, Action.UPLOAD, claim_id)
        if self._inspection.may_be_pictured(claimed.document):
            self._ledger.hosting.store_screen(device.caller, claim_id, picture)
        return Screened(sha256=hashlib.sha256(picture).hexdigest())

    def report(self, device: Device, claim_id: ClaimId, report: Report) -> Reported:
        """End the attempt; a finished build must be where this device may publish, be what it uploaded, and be fit.

        A reason that is not fit to be said is kept for operators. A report that comes too late is logged as such.
        """
        with about(device=device.id, claim=claim_id):
            try:
                status = self._reported(device, claim_id, report)
            except ClaimLost:
                log.info("late_report", outcome=report.outcome.value)
                raise
            log.info("reported", outcome=report.outcome.value, status=status.value)
            return Reported(status=status)

    def _reported(self, device: Device, claim_id: ClaimId, report: Report) -> Status:
        cleaned, found = _cleaned(report), None
        if report.outcome is BuildOutcome.DONE:
            found = self._inspected(device, claim_id, cleaned)
        elif report.outcome is BuildOutcome.REFUSED:
            found = Inspected(self._inspection.of_reason(cleaned.reason))
        most = purse_of(self._rules()).build_micros
        return self._ledger.claims.report(device.caller, claim_id, cleaned, found, most)

    def _granted(self, device: Device, wish_seconds: int | None) -> timedelta | None:
        """A longer lease than the bot's own, up to what the device may have; None for the bot's own."""
        granted = timedelta(seconds=min(wish_seconds or 0, device.longest_lease_seconds or 0))
        return granted if granted > self._ledger.lane_policy.lease else None

    def _offer(self, claim_id: ClaimId, claimed: Claimed) -> Claim:
        document, rules = claimed.document, self._rules()
        return Claim(
            claim_id=claim_id,
            document_id=document.id,
            attempt=document.attempt,
            ask=brief(document.mention, rules.ask.max_graphemes).ask,
            langs=document.mention.langs,
            context=tuple(_pointed_at(each) for each in document.mention.context),
            slug=claimed.slug,
            version=claimed.version,
            address=self._address(claimed),
            lease_seconds=claimed.lease.total_seconds(),
            # Also under a longer lease: so soon a lane hears that its claim was voided.
            heartbeat_seconds=self._ledger.lane_policy.lease.total_seconds() / HEARTBEATS_PER_LEASE,
            lease_until=_known(document.lease_until),
            build_by=_known(document.build_by),
            limits=self._limits,
            cost_micros=purse_of(rules).build_micros,
        )

    def _address(self, claimed: Claimed) -> str:
        return f"{self._apps_url}/{claimed.slug}"

    def _inspected(self, device: Device, claim_id: ClaimId, report: Report) -> Inspected | None:
        if not report.title or report.sha256 is None:
            raise invalid("a finished build has a title and the sha256 of its bundle")
        check_address(device.allowed_prefix, report.address)
        elsewhere = not self._is_hosted(report.address)
        try:
            claimed = self._ledger.claims.standing(device.caller, Action.REPORT, claim_id)
        except ClaimLost:
            return None  # The ledger knows whether this is the report that ended the claim, come again.
        page = self._address(claimed)
        if not elsewhere and report.address != page:
            raise invalid("the address is not the one that came with the claim")
        if elsewhere and (problem := address_problem(report.address, page, claimed.slug, claimed.version)) is not None:
            raise invalid(problem)
        uploaded = self._ledger.hosting.uploaded(claim_id)
        if report.sha256 != uploaded.sha256:
            raise invalid("the sha256 is not the one of the bundle that was uploaded under this claim")
        with about(document=claimed.document.id):
            found = self._inspection.inspect(claimed, report, uploaded.files)
        return replace(found, page=page) if elsewhere else found

    def _is_hosted(self, address: str) -> bool:
        ours, theirs = urlsplit(self._apps_url).hostname or "", urlsplit(address).hostname or ""
        return theirs == ours or theirs.endswith(f".{ours}")


def _pointed_at(post: Context) -> PointedAt:
    return PointedAt(author=post.author_handle, quoted=post.quoted, text=post.text, alts=post.alts, card=post.card)


def _cleaned(report: Report) -> Report:
    texts = {
        "title": _line(report.title, TITLE_GRAPHEMES),
        "description": _line(report.description, DESCRIPTION_GRAPHEMES),
        "reason": as_reason(unlinked(clean(report.reason))),
    }
    return report.model_copy(update=texts)


def _line(text: str, most: int) -> str:
    return clip(clean(text), most, most * BYTES_PER_GRAPHEME)


def _known(moment: datetime | None) -> datetime:
    if moment is None:
        raise LostRace("the document is not under this claim any more")
    return moment
