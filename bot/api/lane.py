"""The lane's API: coming in, claim, heartbeat, uploads, report. Public: all that comes in is checked here again."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, FastAPI, Header
from fastapi.responses import Response
from pydantic import TypeAdapter, ValidationError

from bot.api.auth import device_of, visit_of
from bot.api.bodies import JSON_BYTES, VERSION_HEADER, bounded, check_version, parse
from bot.api.enrolment import Runs, enrolment_routes
from bot.api.inspection import Inspection, Moderate, unmoderated
from bot.api.lane_calls import LaneCalls
from bot.api.problems import HEADERS, answer_problems, no_such_claim
from bot.ledger.desk import Visit
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device
from guardrails.bundle import ZIP_OVERHEAD_PER_FILE
from guardrails.documents import ClaimId
from guardrails.pictures import SCREENSHOT_BYTES
from guardrails.rules import Rules
from guardrails.wire import Answer, ClaimIdText, ClaimRequest, HeartbeatRequest, Limits, Report

LIMITS = Limits()
CLAIM = "/api/lane/claims/{claim_id}"
_CLAIM_ID: TypeAdapter[str] = TypeAdapter(ClaimIdText)


def lane_app(
    ledger: Ledger,
    apps_url: str,
    limits: Limits = LIMITS,
    *,
    rules: Callable[[], Rules] = Rules,
    moderate: Moderate = unmoderated,
    runs: Runs | None = None,
) -> FastAPI:
    """The lane listener: /api/lane and nothing else. `apps_url` is the public address of the apps, without a slash.

    Builds are paid for, and finished apps are judged, by the rules as they are at that moment.
    """
    app = FastAPI(title="Skywright lane API", openapi_url=None, redirect_slashes=False)
    answer_problems(app)
    app.include_router(enrolment_routes(ledger, runs))
    calls = LaneCalls(ledger, apps_url, limits, rules, Inspection(ledger, rules, moderate))

    Caller = Annotated[Device, Depends(device_of(ledger))]
    # Who asks for work is noted by the call itself, with what it would build with.
    Claimant = Annotated[Visit, Depends(visit_of(ledger))]
    Claimed = Annotated[ClaimId, Depends(_claim_of)]
    # Named after the caller in every call, so that a body is read for a known device only.
    Json = Annotated[bytes, Depends(bounded(JSON_BYTES))]
    Zip = Annotated[bytes, Depends(bounded(limits.total_bytes + limits.files * ZIP_OVERHEAD_PER_FILE))]
    Picture = Annotated[bytes, Depends(bounded(SCREENSHOT_BYTES))]
    Version = Annotated[str | None, Header(alias=VERSION_HEADER)]

    @app.post("/api/lane/claim")
    def claim(caller: Claimant, body: Json) -> Response:
        claimed = calls.claim(caller, parse(ClaimRequest, body))
        if claimed is None:
            return Response(status_code=HTTPStatus.NO_CONTENT, headers=dict(HEADERS))
        return _answer(claimed, HTTPStatus.CREATED)

    @app.post(f"{CLAIM}/heartbeat")
    def heartbeat(caller: Caller, claim_id: Claimed, body: Json) -> Response:
        return _answer(calls.heartbeat(caller, claim_id, parse(HeartbeatRequest, body)))

    @app.put(f"{CLAIM}/bundle")
    def upload(caller: Caller, claim_id: Claimed, body: Zip, version: Version = None) -> Response:
        check_version(version)
        return _answer(calls.upload(caller, claim_id, body))

    @app.put(f"{CLAIM}/screenshot")
    def screen(caller: Caller, claim_id: Claimed, body: Picture, version: Version = None) -> Response:
        check_version(version)
        return _answer(calls.screen(caller, claim_id, body))

    @app.post(f"{CLAIM}/report")
    def report(caller: Caller, claim_id: Claimed, body: Json) -> Response:
        return _answer(calls.report(caller, claim_id, parse(Report, body)))

    return app


def _claim_of(claim_id: str) -> ClaimId:
    try:
        return ClaimId(_CLAIM_ID.validate_python(claim_id))
    except ValidationError:
        raise no_such_claim() from None


def _answer(answer: Answer, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(answer.model_dump_json(), status, dict(HEADERS), "application/json")
