"""One app open in the browser on one device: what it does is noted, and nothing that it does holds up the visit."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, Literal, TypeVar

from playwright.async_api import CDPSession, ConsoleMessage, Dialog, Error, Page
from pydantic import BaseModel, ConfigDict, Field

from builder.checks.chromium import BrowserOptions
from builder.checks.engine import Running
from builder.checks.files import MOST_FINDINGS
from builder.checks.notes import Notes
from builder.checks.site import APP, OUTER, Site
from guardrails.bundle import printable

T = TypeVar("T")
Scheme = Literal["dark", "light"]

_LOOKS: Final = (files("builder.checks") / "looks.js").read_text(encoding="utf-8")
_WORLD: Final = "looks"
_CLOSE_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 0.25
_FENCE: Final = (files("builder.checks") / "fence.js").read_text(encoding="utf-8")
_KINDS: Final = {
    "kInlineViolation": "a script or a style that stands in the page",
    "kEvalViolation": "eval",
    "kWasmEvalViolation": "WebAssembly",
}
# Chromium's words for what the sandbox and the policy stopped without a request.
_STOPPED = (
    "Blocked opening '",
    "Unsafe attempt to initiate navigation",
    "Blocked form submission to '",
    "Blocked a connection: ",
)
_DIALOGS = "Blocked dialogs without end"
# Told in other ways, with the address.
_TOLD_OTHERWISE = ("Content Security Policy", "Failed to load resource:")


@dataclass(frozen=True)
class Device:
    """What an app is opened on; `scheme` is the colour scheme that it starts with."""

    name: str
    width: int
    height: int
    is_phone: bool
    scheme: Scheme


class VisitOver(Exception):
    """The visit cannot go on; the message is the finding."""


class BrowserDied(Exception):
    """Chromium itself has gone away."""


class Visit:
    """An open app. `doing` says what the visitor does just now, for the findings."""

    def __init__(
        self, running: Running, page: Page, site: Site, device: Device, notes: Notes, options: BrowserOptions
    ) -> None:
        self.page = page
        self.device = device
        self.notes = notes
        self.doing = "when it is opened"
        self._running = running
        self._site = site
        self._yield_seconds = options.yield_seconds
        self._over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._errors: set[str] = set()
        self._inner: CDPSession | None = None
        self._outer: CDPSession | None = None
        self.width, self.height = device.width, device.height
        page.on("pageerror", self._note_error)
        page.on("console", self._note_console)
        page.on("dialog", self._dismiss)
        page.on("crash", lambda _: self._end("takes more memory than it may, or crashes its process"))

    async def open(self) -> None:
        """Load the app in its frame; VisitOver when it never finishes."""
        await self.within(self.page.goto(f"{OUTER}/", wait_until="load", timeout=0))
        self._outer = await self.within(self.page.context.new_cdp_session(self.page))
        self._inner = await self.within(self.page.context.new_cdp_session(self.page.main_frame.child_frames[0]))
        self._inner.on("Audits.issueAdded", self._note_issue)
        # What was stopped before is told then too.
        await self.within(self._inner.send("Audits.enable"))

    async def look(self, expression: str) -> object:
        """What an expression over `looks` comes to, in a world that the page cannot reach."""
        return await self.within(self._evaluate(f"globalThis.looks || {_LOOKS};looks.{expression}"))

    async def run(self, script: str, expression: str) -> object:
        """Run a script of ours beside the page, and what an expression, maybe a promise, comes to afterwards."""
        await self.within(self._evaluate(f"{script};0"))
        return await self.within(self._evaluate(expression))

    async def show(self, scheme: Scheme) -> None:
        """Change the colour scheme."""
        self.doing = f"in the {scheme} colour scheme"
        await self.within(self.page.emulate_media(color_scheme=scheme))

    async def glance(self, scale: float) -> bytes:
        """A small picture of the page as it is, PNG."""
        clip = {"x": 0, "y": 0, "width": self.width, "height": self.height, "scale": scale}
        assert self._outer is not None  # noqa: S101 - `open` comes first
        asked = {"format": "png", "clip": clip, "optimizeForSpeed": True}
        answer = await self.within(self._outer.send("Page.captureScreenshot", asked))
        return b64decode(answer["data"])

    async def resize(self, height: int) -> None:
        """Give the page another height."""
        self.height = height
        await self.within(self.page.set_viewport_size({"width": self.width, "height": height}))

    async def within(self, work: Coroutine[object, object, T]) -> T:
        """The result of the work; VisitOver as soon as the visit is over, or the page has been busy for too long."""
        task = asyncio.ensure_future(work)
        began = dict(self._running.used)
        try:
            while not task.done() and not self._over.done():
                await asyncio.wait((task, self._over), timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if not task.done() and self._busiest(began) > self._yield_seconds:
                    self._end(f"never yields: its scripts are busy without end {self.doing}")
            if self._over.done():
                raise VisitOver(self._over.result())
            return task.result()
        except Error as problem:
            raise await self._why(problem) from problem
        finally:
            if not task.cancel():
                task.exception()

    def _busiest(self, began: Mapping[int, float]) -> float:
        """The processor's seconds that a page has had meanwhile, which pass more slowly on a machine that is busy.

        Which process is this page's is not known. While another's never yields, this one gets as much as that one, and
        would be done with anything honest long before.
        """
        return max((used - began.get(process, 0.0) for process, used in self._running.used.items()), default=0.0)

    async def _why(self, problem: Error) -> Exception:
        if not self._running.browser.is_connected():
            return BrowserDied(problem.message)
        # The news of a crash comes after the failure of what was under way.
        await asyncio.wait([self._over], timeout=1)
        if self._over.done():
            return VisitOver(self._over.result())
        if not self._running.browser.is_connected():
            return BrowserDied(problem.message)
        return VisitOver(f"cannot be looked at {self.doing}: {problem.message.splitlines()[0]}")

    async def _evaluate(self, program: str) -> object:
        session = self._inner
        assert session is not None  # noqa: S101 - `open` comes first
        tree = await session.send("Page.getFrameTree")
        asked = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": _WORLD}
        world = await session.send("Page.createIsolatedWorld", asked)
        context = {"contextId": world["executionContextId"], "awaitPromise": True, "returnByValue": True}
        answer = await session.send("Runtime.evaluate", {"expression": program, **context})
        if "exceptionDetails" in answer:
            raise VisitOver(f"cannot be looked at {self.doing}: {answer['result'].get('description', '')[:100]}")
        return answer["result"].get("value")

    def _end(self, finding: str) -> None:
        if not self._over.done():
            self._over.set_result(finding)

    def _note_error(self, error: Error) -> None:
        told = _told(error)
        # Once, with what came before it: it may come again with every frame.
        if told not in self._errors and len(self._errors) < MOST_FINDINGS:
            self._errors.add(told)
            self.notes.finding(f"an error {self.doing}: {told}", self.device.name)

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        text = message.text
        if text == _DIALOGS:
            self._end(f"opens dialogs without end {self.doing}")
        elif text.startswith(_STOPPED):
            self.notes.finding(f"the network: {text}", self.device.name)
        elif not any(known in text for known in _TOLD_OTHERWISE):
            self.notes.warning(f"console: {text}", self.device.name)

    def _note_issue(self, event: Mapping[str, Mapping[str, object]]) -> None:
        issue = _Issue.model_validate(event["issue"])
        if issue.code == "QuirksModeIssue":
            self.notes.warning("no <!doctype html>: the page is drawn by old rules")
        blocked = issue.details.blocked
        if issue.code == "ContentSecurityPolicyIssue" and blocked is not None and not blocked.reported_only:
            self._note_blocked(blocked)

    def _note_blocked(self, blocked: "_Blocked") -> None:
        if blocked.url.startswith(("http:", "https:", "ws:", "wss:")) and not blocked.url.startswith(APP):
            self._site.note_outside(blocked.url, f"asks for ({blocked.directive})")
            return
        what = printable(blocked.url.removeprefix(APP)) if blocked.url else _KINDS.get(blocked.kind, "something")
        self.notes.finding(f"the policy of apps stops {what} ({blocked.directive}) {self.doing}", self.device.name)

    async def _dismiss(self, dialog: Dialog) -> None:
        with suppress(Error):
            await dialog.dismiss()


def _told(error: Error) -> str:
    return f"{error.name}: {error.message}" if error.name not in ("", "Error") else error.message


class _Tolerant(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Blocked(_Tolerant):
    """What Chromium tells of a violation of the policy."""

    url: str = Field("", alias="blockedURL")
    directive: str = Field(alias="violatedDirective")
    kind: str = Field(alias="contentSecurityPolicyViolationType")
    reported_only: bool = Field(alias="isReportOnly")


class _Details(_Tolerant):
    blocked: _Blocked | None = Field(None, alias="contentSecurityPolicyIssueDetails")


class _Issue(_Tolerant):
    code: str
    details: _Details


@asynccontextmanager
async def visiting(
    running: Running, app: Mapping[str, bytes], device: Device, notes: Notes, options: BrowserOptions
) -> AsyncIterator[Visit]:
    """A fresh profile for one app on one device, gone at the end whatever the app does."""
    context = await running.browser.new_context(
        viewport={"width": device.width, "height": device.height},
        color_scheme=device.scheme,
        has_touch=device.is_phone,
        is_mobile=device.is_phone,
        accept_downloads=False,
        service_workers="block",
        locale="en-US",
        timezone_id="UTC",
    )
    try:
        await context.add_init_script(_FENCE)
        site = Site(app, notes, device.name)
        await context.route("**/*", site.answer)
        await context.route_web_socket("**/*", site.socket)
        page = await context.new_page()
        yield Visit(running, page, site, device, notes, options)
    finally:
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await context.close()
        except (TimeoutError, Error) as problem:
            raise BrowserDied("a profile could not be closed") from problem
