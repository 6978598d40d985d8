"""`skywright devices`: who may claim, steer or watch."""

from datetime import timedelta
from urllib.parse import urlsplit

import typer

from bot.ledger.enrolments import Place
from bot.ledger.views import Device
from bot.operations.enrolling import NewDevice
from bot.terminal.failures import Exit, end
from bot.terminal.lines import moment
from bot.terminal.moments import duration
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json
from guardrails.access import Role
from guardrails.text import visible

COLUMNS = ("id", "name", "role", "prefix", "longest lease", "added", "last seen", "expires", "revoked")
LEAST_LEASE, LONGEST_LEASE = timedelta(seconds=10), timedelta(days=1)
LONGEST_INVITATION = timedelta(days=30)


def add_command(name: str, role: str, prefix: str | None, lease: str | None, ttl: str | None, *, as_json: bool) -> None:
    """Enrol a device; its token alone on standard output, never to be seen again."""
    if lease is not None and role != Role.LANE:
        raise typer.BadParameter("--lease goes with --role lane: nobody else claims")
    longest, lasts = _lease(lease), duration(ttl) if ttl is not None else None
    if lasts is not None and not lasts:
        raise typer.BadParameter("--ttl 0: it would be over at once")
    allowed = _checked(prefix) if prefix is not None else "" if role != Role.LANE else None
    with opened_operations() as operations:
        place = Place(name, operations.me().apps_url if allowed is None else allowed, longest)
        added, token = operations.add_device(NewDevice(place, Role(role), lasts))
    if as_json:
        print_json({"device": added, "token": token})
        return
    where = f", which publishes below {added.allowed_prefix}" if added.allowed_prefix else ""
    told = f"{added.id} is a {added.role.value} device now{where}; this is its token, shown only once:"
    typer.echo(visible(told), err=True)
    typer.echo(visible(token))


def invite_command(name: str, prefix: str | None, lease: str | None, ttl: str, *, as_json: bool) -> None:
    """Hold a place for one lane; the code for it alone on standard output, never to be seen again."""
    allowed, longest, lasts = _checked(prefix) if prefix is not None else None, _lease(lease), duration(ttl)
    if not timedelta() < lasts <= LONGEST_INVITATION:
        raise typer.BadParameter(f"--ttl {ttl}: more than nothing, and {LONGEST_INVITATION.days}d at most")
    with opened_operations() as operations:
        place = Place(name, operations.me().apps_url if allowed is None else allowed, longest)
        until, code = operations.invite(NewDevice(place, Role.LANE, lasts))
    if as_json:
        print_json({"until": until, "prefix": place.allowed_prefix, "code": code})
        return
    told = f"this code is good once, until {moment(until)} UTC, for a lane below {place.allowed_prefix}"
    typer.echo(visible(f"{told}; there: `skywright-builder enrol CODE`"), err=True)
    typer.echo(visible(code))


def list_command(*, as_json: bool) -> None:
    """Print the devices, the revoked ones included; of those whose time is over a table has only the number."""
    with opened_operations() as operations:
        now, devices = operations.me().at, operations.devices()
    if as_json:
        for device in devices:
            print_json(device)
        return
    shown = [device for device in devices if not device.is_over(now)]
    Screen().rows(COLUMNS, [_row(device) for device in shown])
    if left_out := len(devices) - len(shown):
        typer.echo(f"and {left_out} more whose time is over; --json tells them", err=True)


def revoke_command(device: str) -> None:
    """Make a device's token worthless."""
    with opened_operations() as operations:
        if not operations.revoke_device(device):
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


def _lease(lease: str | None) -> int | None:
    if lease is None:
        return None
    longest = duration(lease)
    if not LEAST_LEASE <= longest <= LONGEST_LEASE:
        raise typer.BadParameter(f"--lease {lease}: at least 10s, and 1d at most")
    return round(longest.total_seconds())


def _row(device: Device) -> tuple[str, ...]:
    seen = moment(device.seen_at) if device.seen_at else "never"
    revoked = moment(device.revoked_at) if device.revoked_at else ""
    lease = f"{device.longest_lease_seconds}s" if device.longest_lease_seconds else ""
    expires = moment(device.expires_at) if device.expires_at else ""
    what = (device.id, device.name, device.role.value, device.allowed_prefix, lease)
    return (*what, moment(device.created_at), seen, expires, revoked)
