"""Who calls: a device token becomes a device, or the call ends there."""

from collections.abc import Callable
from datetime import datetime, timedelta

from fastapi import Request

from bot.api.problems import bad_token
from bot.ledger.desk import Visit
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device

LONGEST_TOKEN = 200
# A lane calls every few seconds; that it came by need not be written down each time.
NOTED_EVERY = timedelta(minutes=1)


def visit_of(ledger: Ledger) -> Callable[[Request], Visit]:
    """A dependency that gives the calling device, and notes nothing; the same refusal for every bad token."""

    def visit(request: Request) -> Visit:
        found = ledger.desk.visit(_token(request))
        if found is None:
            raise bad_token()
        # For the log line of a call that fails.
        request.state.device = found.device.id
        return found

    return visit


def device_of(ledger: Ledger) -> Callable[[Request], Device]:
    """The same, and that the device came by is noted."""
    visited = visit_of(ledger)

    def caller(request: Request) -> Device:
        visit = visited(request)
        if is_news(visit, visit.device.seen_at):
            ledger.desk.seen(visit.device.id)
        return visit.device

    return caller


def is_news(visit: Visit, noted_at: datetime | None) -> bool:
    """Whether that a device came by is to be noted again."""
    return noted_at is None or visit.at - noted_at > NOTED_EVERY


def _token(request: Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and len(token) <= LONGEST_TOKEN else ""
