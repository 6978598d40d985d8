"""The check `browser`: opens an app in a real Chromium, looks at it and works it."""

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Final, TypeVar

from playwright.async_api import Error

from builder.checks.chromium import BrowserOptions, why_not
from builder.checks.engine import Engine, Running
from builder.checks.notes import Notes
from builder.checks.tour import examine
from builder.checks.visit import BrowserDied
from builder.outcomes import Checked
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.bundle import INDEX
from guardrails.wire import CheckReport, Limits

__all__ = ["BrowserCheck", "BrowserOptions", "why_not"]

T = TypeVar("T")

NAME: Final = "browser"
DEVICES: Final = 2
_STOP_SECONDS: Final = 0.1
_TRIES: Final = 2


class BrowserCheck:
    """One Chromium for every worker of a lane: started with the first app, restarted when it dies, ended by `close`.

    Playwright belongs to the loop of one thread; any thread may call `check`, and waits for that one.
    """

    def __init__(self, options: BrowserOptions) -> None:
        self._options = options
        self._engine = Engine(options)
        self._room = asyncio.Semaphore(options.parallel)
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        """What is wrong with the app when it runs, and its picture; LaneUnfit when no browser can be started."""
        if INDEX not in snapshot.files:
            return _failed(f"there is no {INDEX} to open")
        looked = self._submit(self._look(snapshot.files))
        while not wait({looked}, timeout=_STOP_SECONDS).done:
            if stop.reason is not None:
                looked.cancel()
                return _failed("stopped before its end")
        return looked.result()

    def close(self) -> None:
        """End the browser, and wait for its end; checks that are under way end with it."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._engine.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _submit(self, work: Coroutine[object, object, T]) -> Future[T]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, name="browser", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _look(self, app: Mapping[str, bytes]) -> Checked:
        async with self._room:
            for _ in range(_TRIES):
                async with self._engine.running() as running:
                    try:
                        return await self._look_once(running, app)
                    except (BrowserDied, Error):
                        await self._engine.give_up(running)
        return _failed("takes the browser down with it, twice")

    async def _look_once(self, running: Running, app: Mapping[str, bytes]) -> Checked:
        notes, picture = Notes(), None
        try:
            async with asyncio.timeout(self._options.seconds):
                picture = await examine(running, app, notes, self._options)
        except TimeoutError:
            notes.finding(f"not looked through within {self._options.seconds:g} seconds")
        findings, warnings = notes.findings(DEVICES), notes.warnings(DEVICES)
        return Checked(CheckReport(check=NAME, passed=not findings, findings=findings, warnings=warnings), picture)


def _failed(finding: str) -> Checked:
    return Checked(CheckReport(check=NAME, passed=False, findings=(finding,)))
