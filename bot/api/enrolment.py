"""How lanes come in without a token: by the code of an invitation, or by what their CI says of the run."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

import structlog
from fastapi import APIRouter, Depends
from fastapi.responses import Response

from bot.api.bodies import bounded, parse
from bot.api.issuer import IssuerAway
from bot.api.oidc import RunRefused, RunTokens
from bot.api.problems import HEADERS, bad_credentials, no_runs, unavailable
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device
from bot.tokens import new_device, new_token
from guardrails.access import Role
from guardrails.wire import DeviceToken, Enrolment, RunLogin

ENROL = "/api/lane/enrol"
RUN = "/api/lane/run"
BODY_BYTES = 20_000
# Whoever has no token yet may wait for the issuer in this many threads, and no more.
AT_ONCE = 4
ISSUER_AWAY_SECONDS = 15
log = structlog.get_logger()


@dataclass(frozen=True)
class Runs:
    """Whose runs are let in, what they become, and for how long."""

    tokens: RunTokens
    place: Place
    lasts: timedelta


def enrolment_routes(ledger: Ledger, runs: Runs | None = None, new_token: Callable[[], str] = new_token) -> APIRouter:
    """POST enrol and POST run: 201 with a device and its token, said once; one and the same 401 for all that is wrong.

    Without `runs` no CI run is let in. Neither a code nor a token is ever logged.
    """
    routes = APIRouter()
    logging_in = threading.BoundedSemaphore(AT_ONCE)
    Small = Annotated[bytes, Depends(bounded(BODY_BYTES))]

    @routes.post(ENROL)
    def enrol(body: Small) -> Response:
        code = parse(Enrolment, body).code
        token = new_token()
        device = ledger.enrolments.accept(code, new_device(Role.LANE), token)
        if device is not None:
            log.info("lane_enrolled", device=device.id)
        return _told(device, token)

    @routes.post(RUN)
    def run(body: Small) -> Response:
        if runs is None:
            raise no_runs()
        shown = parse(RunLogin, body).id_token
        if not logging_in.acquire(blocking=False):
            raise unavailable("too many come in at once", ISSUER_AWAY_SECONDS)
        try:
            return _logged_in(ledger, runs, shown, new_token())
        finally:
            logging_in.release()

    return routes


def _logged_in(ledger: Ledger, runs: Runs, shown: str, token: str) -> Response:
    try:
        run = runs.tokens.run_of(shown)
    except RunRefused as refused:
        if refused.is_signed:
            # Any repository's run can come so far, so it is news for whoever sets this up, and no more.
            log.warning("run_refused", why=str(refused))
        raise bad_credentials() from None
    except IssuerAway as away:
        log.warning("issuer_away", why=str(away))
        raise unavailable("the issuer of that token does not answer", ISSUER_AWAY_SECONDS) from None
    device = ledger.enrolments.log_in_run(run.device, runs.place, run.jti, token, runs.lasts)
    if device is not None:
        log.info("run_logged_in", device=device.id)
    return _told(device, token)


def _told(device: Device | None, token: str) -> Response:
    if device is None:
        raise bad_credentials()
    told = DeviceToken(device=device.id, token=token, expires_at=device.expires_at)
    return Response(told.model_dump_json(), HTTPStatus.CREATED, dict(HEADERS), "application/json")
