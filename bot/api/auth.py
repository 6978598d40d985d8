"""Who calls: a device token becomes a device, or the call ends there."""

from collections.abc import Callable
from datetime import timedelta

from fastapi import Request

from bot.api.problems import bad_token
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device

LONGEST_TOKEN = 200
# A lane calls every few seconds; that it came by need not be written down each time.
NOTED_EVERY = timedelta(seconds=10)


def device_of(ledger: Ledger) -> Callable[[Request], Device]:
    """A dependency that gives the calling device, and notes that it came by; the same refusal for every bad token."""

    def caller(request: Request) -> Device:
        device = ledger.desk.device_of_token(_token(request))
        if device is None:
            raise bad_token()
        if device.seen_at is None or ledger.db.time() - device.seen_at > NOTED_EVERY:
            ledger.desk.seen(device.id)
        return device

    return caller


def _token(request: Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and len(token) <= LONGEST_TOKEN else ""
