"""The page of the devices: who may claim, steer or watch."""

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.drawing import web_link
from bot.console.visits import Change, Visit, misused
from bot.ledger.enrolments import Place
from bot.operations.enrolling import NewDevice
from guardrails.access import Role

ROLES = (Role.LANE, Role.OPERATOR, Role.VIEWER)
LASTS = {
    "": None,
    "1h": timedelta(hours=1),
    "1d": timedelta(days=1),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
    "365d": timedelta(days=365),
}
"""How long a token may be good; the empty one until it is revoked."""
INVITED = {name: lasts for name, lasts in LASTS.items() if lasts is not None and lasts <= timedelta(days=30)}
LEASES = {"": None, "2m": 120, "10m": 600, "30m": 1_800, "2h": 7_200}
_LONGEST_NAME = 100
T = TypeVar("T")


def devices_routes(console: Console) -> APIRouter:
    """GET /devices, POST /devices/add and /devices/invite, whose secret is shown once, POST /devices/revoke."""
    routes = APIRouter()
    Changing = Annotated[Change, Depends(console.change)]

    @routes.get("/devices")
    def devices(request: Request, visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        found = visit.operations.devices()
        return console.show(
            request,
            visit,
            "devices.html",
            devices=sorted(found, key=lambda device: device.revoked_at is not None or device.is_over(visit.at)),
            roles=ROLES,
            lasts=LASTS,
            leases=LEASES,
            invited=INVITED,
            apps_url=visit.operations.me().apps_url,
        )

    @routes.post("/devices/add")
    def add(request: Request, change: Changing) -> Response:
        role = change.form.text("role")
        if role not in ROLES:
            raise misused("there is no such role")
        new = NewDevice(_place(change, Role(role)), Role(role), _chosen(change, "lasts", LASTS))
        device, token = change.operations.add_device(new)
        told = f"{device.id} is a {device.role.value} device now. This is its token:"
        return _secret(console, request, change, told, token)

    @routes.post("/devices/invite")
    def invite(request: Request, change: Changing) -> Response:
        lasts = _chosen(change, "lasts", INVITED)
        until, code = change.operations.invite(NewDevice(_place(change, Role.LANE), Role.LANE, lasts))
        told = f"This code lets one lane in until {until:%Y-%m-%d %H:%M} UTC, by `skywright-builder enrol CODE`:"
        return _secret(console, request, change, told, code)

    @routes.post("/devices/revoke")
    def revoke(request: Request, change: Changing) -> Response:
        name = change.form.text("device")
        revoked = change.operations.revoke_device(name)
        told = f"{name} is revoked." if revoked else f"There is no live device {name}."
        return console.back(request, "/devices", told)

    return routes


def _secret(console: Console, request: Request, change: Change, told: str, secret: str) -> Response:
    """The only page that shows a secret; no cache keeps it."""
    return console.show(request, change.visit, "secret.html", status=HTTPStatus.CREATED, told=told, secret=secret)


def _place(change: Change, role: Role) -> Place:
    name, prefix = change.form.text("name"), change.form.text("prefix")
    if not name or len(name) > _LONGEST_NAME:
        raise misused(f"a device needs a name, of {_LONGEST_NAME} characters at most")
    if role is not Role.LANE:
        return Place(name, "")
    if web_link(prefix) is None:
        raise misused("what a lane may publish below is an http or https address")
    return Place(name, prefix, _chosen(change, "lease", LEASES))


def _chosen(change: Change, field: str, choices: dict[str, T]) -> T:
    name = change.form.text(field)
    if name not in choices:
        raise misused(f"there is no such choice for {field}")
    return choices[name]
