"""`skywright devices`: who may claim, steer or watch."""

import secrets
from urllib.parse import urlsplit

import typer

from bot.ledger.views import Device
from bot.settings import LedgerSettings, load_settings
from bot.terminal.failures import Exit, end
from bot.terminal.lines import moment
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.screen import Screen, print_json
from guardrails.access import Role
from guardrails.documents import DeviceId

COLUMNS = ("id", "name", "role", "prefix", "added", "last seen", "revoked")


def add_command(name: str, role: str, prefix: str | None) -> None:
    """Enrol a device; its token alone on standard output, never to be seen again."""
    settings = load_settings(LedgerSettings)
    allowed = _checked(prefix) if prefix is not None else settings.apps_url if role == Role.LANE else ""
    token, device = f"sw_{secrets.token_urlsafe(32)}", DeviceId(f"{role}-{secrets.token_hex(4)}")
    with opened_ledger(settings) as ledger:
        added = ledger.desk.add_device(operator(), device, name, Role(role), allowed, token)
    where = f", which publishes below {added.allowed_prefix}" if added.allowed_prefix else ""
    typer.echo(f"{added.id} is a {added.role.value} device now{where}; this is its token, shown only once:", err=True)
    typer.echo(token)


def list_command(*, as_json: bool) -> None:
    """Print every device, the revoked ones included."""
    with opened_ledger() as ledger:
        devices = ledger.desk.devices()
    if as_json:
        for device in devices:
            print_json(device)
        return
    Screen().rows(COLUMNS, [_row(device) for device in devices])


def revoke_command(device: str) -> None:
    """Make a device's token worthless."""
    with opened_ledger() as ledger:
        if not ledger.desk.revoke_device(operator(), device):
            end(f"there is no live device {device}: `skywright devices list` shows them", Exit.NOT_FOUND)
    typer.echo(f"{device} is revoked", err=True)


def _checked(prefix: str) -> str:
    try:
        parts = urlsplit(prefix)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise typer.BadParameter(f"--prefix {prefix!r} is no http or https address")
    return prefix


def _row(device: Device) -> tuple[str, ...]:
    seen = moment(device.seen_at) if device.seen_at else "never"
    revoked = moment(device.revoked_at) if device.revoked_at else ""
    prefix = device.allowed_prefix
    return (device.id, device.name, device.role.value, prefix, moment(device.created_at), seen, revoked)
