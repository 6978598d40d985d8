"""Opens an app as a person would, in the frame and under the policy of the public page, and does what a case says."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, get_args

from playwright.sync_api import Browser, Error, Frame, Locator, Page, Route

from guardrails.bundle import INDEX, content_type
from guardrails.policy import SANDBOX, content_security_policy
from tests.eval.asks import (
    Between,
    Case,
    Click,
    Draw,
    Fill,
    Maybe,
    Now,
    Pass,
    Press,
    Shows,
    Step,
    Toggle,
)
from tests.waiting import until

OURS = "http://page.example/"
THEIRS = "http://app.example/"
NOON = "2030-12-01T12:00:00"
FRAME = f'<iframe sandbox="{SANDBOX}" src="{THEIRS}" style="width:100%;height:1400px;border:0"></iframe>'
# Seconds for a page to open, and for a step to show; what holds is seen at once, on a busy machine too.
OPENING = 30.0
PATIENCE = 4.0
Role = Literal["button", "link", "checkbox", "radio", "gridcell", "img", "switch", "tab", "listitem", "row"]
ROLES: tuple[Role, ...] = get_args(Role)
SHOWN = """() => {
  const fields = [...document.querySelectorAll("input, textarea, output")].filter((each) => each.checkVisibility());
  return [document.title, document.body.innerText, ...fields.map((each) => each.value)].join("\\n");
}"""
NUMBER = re.compile(r"(?<![\w.,])\d{1,6}(?![\w.,]*\d)")


class Untrue(Exception):
    """What a case says is not so; the text says what."""


def judge(browser: Browser, files: Mapping[str, bytes], case: Case) -> None:
    """Nothing when all that the case says is true of the app; Untrue otherwise."""
    troubles: list[str] = []
    try:
        with _opened(browser, files, troubles) as page:
            _go_through(page, case)
    except Error as problem:
        raise Untrue(problem.message.splitlines()[0]) from None
    if troubles:
        raise Untrue("; ".join(troubles[:3]))


def _go_through(page: Page, case: Case) -> None:
    frame = _frame(page)
    before = _shown(frame)
    for pattern in case.says:
        _expect(frame, pattern)
    language = str(frame.evaluate("document.documentElement.lang"))
    if case.lang is not None and not language.lower().startswith(case.lang):
        raise Untrue(f"the page declares the language {language!r}, not {case.lang!r}")
    for step in case.do:
        try:
            _take(page, frame, step, before)
        except Error as problem:
            raise Untrue(f"{step}: {problem.message.splitlines()[0]}") from None


@contextmanager
def _opened(browser: Browser, files: Mapping[str, bytes], troubles: list[str]) -> Iterator[Page]:
    headers = {"content-security-policy": content_security_policy(OURS.rstrip("/"))}

    def answer(route: Route) -> None:
        url = route.request.url.split("?")[0].split("#")[0]
        name = url.removeprefix(THEIRS) or INDEX
        if url == OURS:
            route.fulfill(body=f"<!doctype html><body style=margin:0>{FRAME}", content_type="text/html")
        elif url.startswith(THEIRS) and name in files:
            route.fulfill(body=files[name], headers={**headers, "content-type": content_type(name)})
        else:
            if not url.endswith("/favicon.ico"):
                troubles.append(f"asks for {url[:80]}")
            route.abort()

    with browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce") as context:
        context.set_default_timeout(1000 * PATIENCE)
        context.set_default_navigation_timeout(1000 * OPENING)
        page = context.new_page()
        page.on("console", lambda message: troubles.extend(_refused(message.text)))
        page.on("pageerror", lambda error: troubles.append(f"an error: {error.message[:120]}"))
        page.route("**/*", answer)
        page.clock.install(time=NOON)
        page.goto(OURS)
        yield page


def _refused(said: str) -> list[str]:
    """What the policy kept the page from fetching, as Chromium says it on the console."""
    found = re.search(r"'([^']{1,80})[^']*' violates the following Content Security Policy", said)
    return [f"asks for {found[1]}"] if found else []


def _frame(page: Page) -> Frame:
    frame = page.frames[-1]
    frame.wait_for_load_state()
    return frame


def _take(page: Page, frame: Frame, step: Step, before: str) -> None:
    match step:
        case Fill():
            _field(frame, step.fill).fill(step.typed)
        case Click():
            _control(frame, step.click).click()
        case Maybe():
            _click_if_there(frame, step.maybe)
        case Toggle():
            _toggle(frame, step.toggle)
        case Draw():
            _draw(page, frame)
        case Press():
            page.keyboard.press(step.press)
        case Pass():
            page.clock.run_for(1000 * step.seconds)
        case Shows() | Now() | Between():
            _see(frame, step, before)


def _see(frame: Frame, step: Shows | Now | Between, before: str) -> None:
    match step:
        case Shows():
            _expect(frame, step.shows)
        case Now():
            _expect_anew(frame, step.now, before)
        case Between():
            _between(frame, step.between, before)


def _shown(frame: Frame) -> str:
    return str(frame.evaluate(SHOWN))


def _expect(frame: Frame, pattern: str) -> None:
    wanted = re.compile(pattern, re.IGNORECASE)
    try:
        until(lambda: wanted.search(_shown(frame)), PATIENCE)
    except AssertionError:
        raise Untrue(f"nowhere says /{pattern}/") from None


def _expect_anew(frame: Frame, pattern: str, before: str) -> None:
    """What the page has said from the beginning is no answer to what was done since."""
    old = _said(pattern, before)
    try:
        until(lambda: _said(pattern, _shown(frame)) - old, PATIENCE)
    except AssertionError:
        raise Untrue(f"nothing new says /{pattern}/") from None


def _said(pattern: str, text: str) -> Counter[str]:
    return Counter(found.group().lower() for found in re.finditer(pattern, text, re.IGNORECASE))


def _field(frame: Frame, pattern: str) -> Locator:
    """The field of that label, or the first that is empty still: people call a field what they like."""
    label = re.compile(pattern, re.IGNORECASE)
    for labelled in (frame.get_by_label(label), frame.get_by_placeholder(label)):
        fields = labelled.and_(frame.locator("input, textarea")).filter(visible=True)
        if fields.count():
            return fields.first
    fields = frame.locator("input:not([type=checkbox], [type=radio], [type=range], [type=color]), textarea")
    for field in fields.filter(visible=True).all():
        if not field.input_value():
            return field
    raise Untrue(f"no field is called /{pattern}/")


def _find(frame: Frame, pattern: str) -> Locator | None:
    name = re.compile(pattern, re.IGNORECASE)
    for role in ROLES:
        found = frame.get_by_role(role, name=name).filter(visible=True)
        for control in found.all():
            if control.is_enabled():
                return control
    text = frame.get_by_text(name).filter(visible=True)
    return text.first if text.count() else None


def _control(frame: Frame, pattern: str) -> Locator:
    control = _find(frame, pattern)
    if control is None:
        raise Untrue(f"nothing is called /{pattern}/")
    return control


def _click_if_there(frame: Frame, pattern: str) -> None:
    control = _find(frame, pattern)
    if control is not None:
        control.click()


def _toggle(frame: Frame, pattern: str) -> None:
    name = re.compile(rf"^(?!.*\b(?:remove|delete|edit|löschen)\b).*(?:{pattern})", re.IGNORECASE)
    boxes = frame.get_by_role("checkbox", name=name).filter(visible=True)
    buttons = frame.get_by_role("button", name=name).filter(visible=True)
    enabled = [each for each in (*boxes.all(), *buttons.all()) if each.is_enabled()]
    if not enabled:
        raise Untrue(f"nothing to tick is called /{pattern}/")
    box = enabled[0]
    before = box.evaluate(STATE)
    box.click()
    try:
        until(lambda: box.evaluate(STATE) != before, PATIENCE)
    except AssertionError:
        raise Untrue(f"/{pattern}/ is not ticked by a click") from None


STATE = "box => [box.checked, box.ariaPressed, box.ariaChecked, box.className, box.textContent].join('|')"
PIXELS = "canvas => canvas.toDataURL()"


def _draw(page: Page, frame: Frame) -> None:
    canvas = frame.locator("canvas").filter(visible=True).first
    before = canvas.evaluate(PIXELS)
    box = canvas.bounding_box()
    if box is None:
        raise Untrue("nothing to draw on is in view")
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"], steps=5)
    page.mouse.up()
    if before == canvas.evaluate(PIXELS):
        raise Untrue("a stroke leaves no pixels")


def _between(frame: Frame, bounds: tuple[int, int], before: str) -> None:
    least, most = bounds
    old = NUMBER.findall(before)

    def fresh() -> bool:
        numbers = NUMBER.findall(_shown(frame))
        for number in old:
            if number in numbers:
                numbers.remove(number)
        return any(least <= int(number) <= most for number in numbers)

    try:
        until(fresh, PATIENCE)
    except AssertionError:
        raise Untrue(f"no new number from {least} to {most}") from None
