"""Who calls: a device token becomes a device, or the call ends there."""

from collections.abc import Callable
from datetime import datetime, timedelta

from fastapi import Request

from bot.api.problems import bad_token
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device

LONGEST_TOKEN = 200
# A lane calls every few seconds; that it came by need not be written down each time.
NOTED_EVERY = timedelta(minutes=1)


def device_of(ledger: Ledger, *, notes: bool = True) -> Callable[[Request], Device]:
    """A dependency that gives the calling device, and notes that it came by; the same refusal for every bad token."""

    def caller(request: Request) -> Device:
        device = ledger.desk.device_of_token(_token(request))
        if device is None:
            raise bad_token()
        # For the log line of a call that fails.
        request.state.device = device.id
        if notes and is_news(ledger, device.seen_at):
            ledger.desk.seen(device.id)
        return device

    return caller


def is_news(ledger: Ledger, noted_at: datetime | None) -> bool:
    """Whether that a device came by is to be noted again."""
    return noted_at is None or ledger.db.time() - noted_at > NOTED_EVERY


def _token(request: Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and len(token) <= LONGEST_TOKEN else ""
