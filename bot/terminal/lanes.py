"""`skywright lanes`: who builds, at what, and what waits for a lane."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import typer

from bot.ledger.lanes import AtWork, Visits, Waiting
from bot.ledger.views import Device
from bot.terminal.lines import short_id
from bot.terminal.moments import ago
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json
from guardrails.access import Role

COLUMNS = ("id", "name", "last seen", "asked", "generator", "builds", "step", "for", "lease")


def lanes_command(*, as_json: bool) -> None:
    """Print every lane that may come by, each claim on a line; then what waits, and how late the schedule is."""
    with opened_operations() as operations:
        overview, devices = operations.overview(), operations.devices()
    now, at_work, waiting, visits = overview.at, overview.at_work, overview.waiting, overview.visits
    busy = {work.device for work in at_work}
    lanes = [device for device in devices if device.id in busy or _may_come(device, now)]
    if as_json:
        print_json(_plain(lanes, at_work, waiting, visits))
        return
    screen = Screen()
    screen.rows(COLUMNS, [row for lane in lanes for row in _rows(lane, at_work, now)])
    for line in _told(waiting, visits, now):
        # Beside the table, so that a pipe gets rows alone.
        typer.echo(line, err=True)


def _may_come(device: Device, now: datetime) -> bool:
    return device.role is Role.LANE and device.revoked_at is None and not device.is_over(now)


def _rows(lane: Device, at_work: Sequence[AtWork], now: datetime) -> Iterator[tuple[str, ...]]:
    seen, asked = (ago(at, now) if at is not None else "never" for at in (lane.seen_at, lane.asked_at))
    known = (lane.id, lane.name, seen, asked, lane.generator or "")
    works = [work for work in at_work if work.device == lane.id]
    if not works:
        yield (*known, "", "", "", "")
    for work in works:
        left = int((work.lease_until - now).total_seconds())
        lease = f"{left}s left" if left > 0 else "over"
        yield (*known, short_id(work.document_id), work.step, ago(work.since, now), lease)


def _told(waiting: Waiting | None, visits: Visits, now: datetime) -> Iterator[str]:
    if waiting is not None:
        yield f"{waiting.documents} waiting for a lane, the first for {ago(waiting.since, now)}"
    if visits.late_by:
        yield f"the schedule is late by {ago(now - visits.late_by, now)}"


def _plain(
    lanes: Sequence[Device], at_work: Sequence[AtWork], waiting: Waiting | None, visits: Visits
) -> dict[str, object]:
    return {
        "lanes": lanes,
        "claims": at_work,
        "waiting": waiting,
        "last_seen": visits.seen_at,
        "late_seconds": visits.late_by.total_seconds() if visits.late_by is not None else None,
    }
