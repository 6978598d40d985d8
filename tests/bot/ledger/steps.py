"""How a document gets to where a test begins: the ledger's own moves, told shortly."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import count
from typing import Any

from bot.clock import Clock
from bot.ledger.claims import Claimed
from bot.ledger.ledger import Ledger
from bot.ledger.purse import Purse
from bot.ledger.sends import Frozen
from bot.ledger.views import Document, Send
from guardrails.access import Caller
from guardrails.caps import Place
from guardrails.documents import ClaimId, DocId, RecordKey, StrongRef
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, Report
from tests.facts import PURSE, facts_of, seats_of
from tests.mentions import BOT, LANE, OPERATOR, judgement, mention

POSTS = "app.bsky.feed.post"
_numbers: Iterator[int] = count(1)


def new_claim_id() -> ClaimId:
    """A claim id as a lane mints them."""
    return ClaimId(f"{next(_numbers):026}")


def travel(clock: Clock, **by: float) -> None:
    """Move the ledger's clock by `timedelta(**by)`."""
    clock.shift += timedelta(**by)


def now_of(ledger: Ledger, document: Document | DocId) -> Document:
    """The document as it is now."""
    return ledger.queries.document(document if isinstance(document, str) else document.id)


def received(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Document:
    (document,) = ledger.documents.receive(BOT, [mention(rkey, **more)])
    return document


def accept(ledger: Ledger, document: Document, places: Sequence[Place] | None = None, **known: Any) -> Document:
    """All guardrails passed, by facts of which only some matter; without places they are counted only."""
    seats = seats_of(document.mention) if places is None else places
    return ledger.documents.accept(BOT, document, judgement(), facts_of(document.mention, **known), seats)


def hold(ledger: Ledger, document: Document, detail: str = "ask somebody") -> Document:
    verdict = judgement(Outcome.HOLD, Reason.POLICY, detail)
    return ledger.documents.hold(BOT, document, verdict, facts_of(document.mention))


def refuse(ledger: Ledger, document: Document, reason: Reason | None, detail: str = "nothing") -> Document:
    """A guardrail refused; for the same ask again the detail is the id of the first."""
    verdict = judgement(Outcome.SKIP, reason, detail)
    return ledger.documents.refuse(BOT, document, verdict, facts_of(document.mention))


def pending(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Document:
    return accept(ledger, received(ledger, rkey, **more))


def held(ledger: Ledger, rkey: str = "3kfirst") -> Document:
    return hold(ledger, received(ledger, rkey))


def claim(ledger: Ledger, caller: Caller = LANE, claim_id: ClaimId | None = None) -> Claimed:
    claimed = claim_next(ledger, caller, claim_id)
    assert claimed is not None
    return claimed


def claim_next(
    ledger: Ledger, caller: Caller = LANE, claim_id: ClaimId | None = None, purse: Purse = PURSE
) -> Claimed | None:
    """A claim that may find nothing."""
    return ledger.claims.claim_next(caller, claim_id or new_claim_id(), "template", purse)


def claim_id_of(claimed: Claimed) -> ClaimId:
    assert claimed.document.claim_id is not None
    return claimed.document.claim_id


def building(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Claimed:
    pending(ledger, rkey, **more)
    return claim(ledger)


def done(**more: Any) -> Report:
    """A report of success."""
    said = {
        "outcome": BuildOutcome.DONE,
        "title": "Tip splitter",
        "address": "https://apps.example/x",
        "sha256": "a" * 64,
        "generator": "template",
    }
    return Report.model_validate(said | more)


def ended(outcome: BuildOutcome, **more: Any) -> Report:
    """A report of another end."""
    return Report.model_validate({"outcome": outcome, "generator": "template"} | more)


def built(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Document:
    claimed = building(ledger, rkey, **more)
    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(claimed), done())
    return now_of(ledger, claimed.document)


def frozen(rkey: str = "3kreply", cid: str = "cid-1", **record: Any) -> Frozen:
    return Frozen(POSTS, RecordKey(rkey), {"$type": POSTS, "text": "Here it is"} | record, cid)


def sending(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Send:
    return ledger.sends.claim_reply(BOT, built(ledger, rkey, **more), frozen(f"{rkey}r"))


def ref_of(send: Send) -> StrongRef:
    return StrongRef.model_validate({"uri": f"at://did:plc:wright/{send.collection}/{send.rkey}", "cid": send.cid})


def replied(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Document:
    send = sending(ledger, rkey, **more)
    ledger.sends.answered(BOT, send, ref_of(send))
    return now_of(ledger, DocId(str(send.document_id)))


def skipped(ledger: Ledger, rkey: str = "3kfirst", reason: Reason = Reason.NOTHING_TO_BUILD) -> Document:
    return refuse(ledger, received(ledger, rkey), reason)


def build_failed(ledger: Ledger, rkey: str = "3kfirst", **more: Any) -> Document:
    claimed = building(ledger, rkey, **more)
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.REFUSED, reason="no template fits"))
    return now_of(ledger, claimed.document)


def send_refused(ledger: Ledger, rkey: str = "3kfirst") -> Document:
    send = sending(ledger, rkey)
    ledger.sends.refused(BOT, send, "InvalidRequest")
    return now_of(ledger, DocId(str(send.document_id)))


def stopped(ledger: Ledger, rkey: str = "3kfirst") -> Document:
    return ledger.documents.stop(OPERATOR, received(ledger, rkey))


STARTS: Mapping[Status, Any] = {
    Status.RECEIVED: received,
    Status.AWAITING_APPROVAL: held,
    Status.BUILDING: lambda ledger, rkey="3kfirst": building(ledger, rkey).document,
    Status.BUILT: built,
    Status.REPLIED: replied,
    Status.SKIPPED: skipped,
    Status.BUILD_FAILED: build_failed,
    Status.ERROR: send_refused,
    Status.PENDING_BUILD: pending,  # last, since the next to build would take it
}
