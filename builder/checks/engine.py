"""The one Chromium of a lane: started when it is needed, watched for memory, started again when it has died."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.async_api import Browser, CDPSession, Error, Playwright, async_playwright

from builder.checks.chromium import BrowserOptions, arguments_of, environment_of, program_of
from builder.errors import LaneUnfit

_WATCH_SECONDS: Final = 0.25
_END_SECONDS: Final = 10.0


@dataclass(frozen=True)
class Running:
    """A browser that runs, and how many seconds of a processor each of its pages' processes has used so far."""

    browser: Browser
    used: dict[int, float] = field(default_factory=dict)


class Engine:
    """A running Chromium, and the watch over its processes; belongs to one event loop."""

    def __init__(self, options: BrowserOptions) -> None:
        self._options = options
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._running: Running | None = None
        self._home: TemporaryDirectory[str] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._users = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Running]:
        """A browser that runs; LaneUnfit when none can be started."""
        async with self._starting:
            running = self._running
            if running is None or not running.browser.is_connected():
                await self._end()
                running = await self._start()
        self._users += 1
        try:
            yield running
        finally:
            self._users -= 1

    async def give_up(self, running: Running) -> None:
        """End a browser that no longer serves, for all that use it; the next that asks gets a new one."""
        async with self._starting:
            if running is self._running:
                await self._end()

    async def close(self) -> None:
        """End everything."""
        async with self._starting:
            await self._end()

    async def _end(self) -> None:
        watch, running, playwright, home = self._watch, self._running, self._playwright, self._home
        self._watch = self._running = self._playwright = self._home = None
        if watch is not None:
            watch.cancel()
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                if running is not None:
                    await running.browser.close()
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                # The driver takes with it what is left of the browser.
                if playwright is not None:
                    await playwright.stop()
        if home is not None:
            home.cleanup()

    async def _start(self) -> Running:
        self._home = TemporaryDirectory(prefix="skywright-browser-", ignore_cleanup_errors=True)
        self._playwright = await async_playwright().start()
        try:
            browser = await self._playwright.chromium.launch(
                executable_path=program_of(self._options),
                args=arguments_of(self._options),
                env=environment_of(Path(self._home.name)),
                chromium_sandbox=self._options.sandbox,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            self._running = running = Running(browser)
            session = await browser.new_browser_cdp_session()
        except Error as problem:
            await self._end()
            raise LaneUnfit(f"Chromium does not start: {problem.message.splitlines()[0]}") from problem
        self._watch = asyncio.create_task(self._keep_watch(running, session))
        return running

    async def _keep_watch(self, running: Running, session: CDPSession) -> None:
        """See what the pages' processes use, and end each that holds more memory than it may.

        The visit of a page whose process is ended is told of a crash.
        """
        with suppress(Error):
            while running.browser.is_connected():
                await asyncio.sleep(_WATCH_SECONDS)
                if not self._users:
                    continue
                told = await session.send("SystemInfo.getProcessInfo")
                pages = {each["id"]: each["cpuTime"] for each in told["processInfo"] if each["type"] == "renderer"}
                running.used.clear()
                running.used.update(pages)
                for process in pages:
                    if _memory_of(process) > self._options.memory_bytes:
                        with suppress(ProcessLookupError):
                            os.kill(process, signal.SIGKILL)


def _memory_of(process: int) -> int:
    """The bytes that a process alone holds; 0 when it is gone, and where the system does not tell."""
    with suppress(OSError, ValueError):
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines()
        held = (line.split()[1] for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
        return 1024 * sum(map(int, held))
    return 0
