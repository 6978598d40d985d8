"""What the browser check looks at in an open app: is it painted, does it fit, does it bear being worked."""

import asyncio
from collections.abc import Mapping
from importlib.resources import files
from typing import Final, Literal

from pydantic import BaseModel, TypeAdapter

from builder.checks.chromium import BrowserOptions
from builder.checks.engine import Running
from builder.checks.notes import Notes
from builder.checks.pixels import is_painted
from builder.checks.visit import Device, Visit, VisitOver, visiting
from guardrails.pictures import SCREENSHOT_BYTES

CARD_WIDTH, CARD_HEIGHT = 1200, 630
PHONE: Final = Device("phone", 390, 844, is_phone=True, scheme="dark")
DESKTOP: Final = Device("desktop", CARD_WIDTH, CARD_HEIGHT, is_phone=False, scheme="light")
_DESKTOP_HEIGHT: Final = 800
MOST_CONTROLS: Final = 14
_KEYS: Final = ("ArrowRight", "Space", "Escape")
# Every word leaves a trace at half the size.
_GLANCE_SCALE: Final = 0.5
_GLANCES: Final = 24
_GLANCE_SECONDS: Final = 0.125
# What moves for ever is not waited for longer.
_GLANCES_WHEN_PAINTED: Final = 5
_AXE: Final = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_RUN_AXE: Final = """
axe.run(document, {resultTypes: ["violations"], iframes: false, preload: false}).then((result) => result.violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .slice(0, 20)
  .map((each) => `${each.impact}: ${each.help} (${each.id}), as in ${each.nodes[0]?.html.slice(0, 80)}`))
"""
_TEXTS: Final = TypeAdapter(list[str])


class _Control(BaseModel):
    kind: Literal["press", "type", "count", "choose", "set", "slide"]
    told: str


class _Place(BaseModel):
    x: float
    y: float


_CONTROLS: Final = TypeAdapter(list[_Control])
_PLACE: Final = TypeAdapter(_Place | None)


async def examine(running: Running, app: Mapping[str, bytes], notes: Notes, options: BrowserOptions) -> bytes | None:
    """Open the app on a phone and on a desktop and note what is wrong; its picture, where it came so far."""
    try:
        async with visiting(running, app, PHONE, notes, options) as visit:
            await _on_a_phone(visit)
        async with visiting(running, app, DESKTOP, notes, options) as visit:
            return await _on_a_desktop(visit)
    except VisitOver as over:
        notes.finding(str(over))
        return None


async def _on_a_phone(visit: Visit) -> None:
    await visit.open()
    await _look(visit)
    await visit.show("light")
    await _look(visit)
    visit.doing = "when its accessibility is looked at"
    for told in _TEXTS.validate_python(await visit.run(_AXE, _RUN_AXE)):
        visit.notes.warning(f"accessibility, {told}")
    await _work(visit)
    await _look_for_secrets(visit)


async def _on_a_desktop(visit: Visit) -> bytes:
    await visit.open()
    await _settle(visit)
    picture = await _picture(visit)
    await visit.resize(_DESKTOP_HEIGHT)
    await _look(visit)
    await visit.show("dark")
    await _look(visit)
    return picture


async def _look(visit: Visit) -> None:
    if not await _settle(visit):
        unseen = ": its text has the colour of its ground" if await visit.look("text()") else ""
        raise VisitOver(f"blank: nothing is painted {visit.doing}{unseen}")
    outside = _TEXTS.validate_python(await visit.look("outside()"))
    if outside and visit.device.is_phone:
        visit.notes.finding(f"wider than a phone of {visit.width} pixels: {', '.join(outside)}")
    elif outside:
        visit.notes.warning(f"wider than {visit.width} pixels: {', '.join(outside)}")
    await _look_for_secrets(visit)


async def _look_for_secrets(visit: Visit) -> None:
    for told in _TEXTS.validate_python(await visit.look("secrets()")):
        visit.notes.finding(f"a field for a password or a card: {told}")


async def _settle(visit: Visit) -> bool:
    """Wait until the page is painted and keeps still; whether anything is painted at all."""
    before, painted = b"", 0
    for _ in range(_GLANCES):
        now = await visit.glance(_GLANCE_SCALE)
        painted += now != before and is_painted(now)
        if painted and (now == before or painted >= _GLANCES_WHEN_PAINTED):
            return True
        before = now
        await asyncio.sleep(_GLANCE_SECONDS)
    return painted > 0


async def _picture(visit: Visit) -> bytes:
    picture = await visit.within(visit.page.screenshot(type="png", scale="css", timeout=0))
    if len(picture) <= SCREENSHOT_BYTES:
        return picture
    return await visit.within(visit.page.screenshot(type="jpeg", quality=80, scale="css", timeout=0))


async def _work(visit: Visit) -> None:
    """Press, fill in and choose what there is, then what appears by that."""
    left = MOST_CONTROLS
    while left > 0:
        controls = _CONTROLS.validate_python(await visit.look(f"controls({left})"))
        if not controls:
            break
        left -= len(controls)
        for index, control in enumerate(controls):
            await _use(visit, index, control)
    await visit.within(visit.page.focus("iframe"))
    for key in _KEYS:
        visit.doing = f"after the key {key}"
        await visit.within(visit.page.keyboard.press(key))
        await visit.look("frame()")


async def _use(visit: Visit, index: int, control: _Control) -> None:
    place = _PLACE.validate_python(await visit.look(f"place({index})"))
    if place is None:
        return
    page = visit.page
    verb = {"type": "typing into", "count": "typing into", "choose": "choosing in", "set": "setting"}
    visit.doing = f"after {verb.get(control.kind, 'a press on')} {control.told}"
    if control.kind in ("choose", "set"):
        await visit.look(f"set({index})")
    else:
        await visit.within(page.touchscreen.tap(place.x, place.y))
    match control.kind:
        case "type" | "count":
            await visit.within(page.keyboard.insert_text("12" if control.kind == "count" else "Tea"))
            await visit.within(page.keyboard.press("Enter"))
        case "slide":
            await visit.within(page.keyboard.press("ArrowRight"))
        case _:
            pass
    await visit.look("frame()")
