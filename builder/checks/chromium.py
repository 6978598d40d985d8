"""Chromium for the browser check: which one, how it is started, and why it would not be."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Chromium heeds only the last list of features, so that what Playwright switches off is in this one as well.
_OFF_BY_PLAYWRIGHT = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "TcpPortRandomizationWin",
    "ThirdPartyStoragePartitioning",
    "msEdgeUpdateLaunchServicesPreferredVersion",
    "msForceBrowserSignIn",
)
# The list below an address bar, which nobody sees: two pages for every window, half of what a look at an app takes. And
# a process for a page that may come next.
_NOT_NEEDED = ("SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup")
FEATURES_OFF = f"--disable-features={','.join((*_OFF_BY_PLAYWRIGHT, *_NOT_NEEDED))}"

# Nothing of an app's own is needed from outside its files, and nothing of Chromium's own either: no address resolves,
# and what would go to one by number, this machine among them, goes to a proxy that nobody listens as.
_ARGUMENTS = (
    FEATURES_OFF,
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-domain-reliability",
    "--dns-prefetch-disable",
    "--no-pings",
    # The frame of an app has a process of its own, so that one that hangs or swells can be ended alone.
    "--site-per-process",
    # Pages are drawn by the processor: to imitate a graphics card for them takes half as long again.
    "--disable-gpu-compositing",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


@dataclass(frozen=True)
class BrowserOptions:
    """How the browser check works: with which Chromium, and how much an app may take.

    `program`: None for the one on PATH, else Playwright's own. `sandbox`: Chromium's own sandbox, which is given up
    in tests only. `seconds` are those of a whole check, `yield_seconds` those of a processor that a page may be busy at
    a stretch, `memory_bytes` what the process of one page may hold, `parallel` how many apps are open at a time.
    """

    program: Path | None = None
    arguments: tuple[str, ...] = ()
    sandbox: bool = True
    seconds: float = 120.0
    yield_seconds: float = 5.0
    memory_bytes: int = 600_000_000
    parallel: int = 2


def why_not(options: BrowserOptions) -> str | None:
    """Why no app can be opened here, and the mend; None when a start may be tried."""
    if options.sandbox and os.geteuid() == 0:
        return (
            "Chromium's sandbox does not work for root: run the lane as another user, or switch the sandbox off "
            "if nothing else on this machine is worth protecting"
        )
    if program_of(options) is None:
        named = f"no Chromium at {options.program}" if options.program else "no Chromium"
        return f"{named}: install your system's package `chromium`, or run `playwright install chromium`"
    return None


def program_of(options: BrowserOptions) -> Path | None:
    """The program to start: the one that is named, the system's, or Playwright's own; None when there is none."""
    if options.program is not None:
        return options.program if options.program.is_file() else None
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return Path(found) if found else next(iter(_playwrights(os.environ)), None)


def arguments_of(options: BrowserOptions) -> list[str]:
    """What Chromium is started with, the options' own arguments last, where they count."""
    heap = f"--js-flags=--max-old-space-size={options.memory_bytes // 1_000_000}"
    return [*_ARGUMENTS, heap, *options.arguments]


def environment_of(home: Path) -> dict[str, str | float | bool]:
    """An environment with nothing of the lane's in it."""
    path = os.environ.get("PATH", os.defpath)
    return {"PATH": path, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}


def _playwrights(environment: Mapping[str, str]) -> Sequence[Path]:
    place = environment.get("PLAYWRIGHT_BROWSERS_PATH", "")
    folder = Path(place) if place not in ("", "0") else Path.home() / ".cache" / "ms-playwright"
    return sorted(folder.glob("chromium-*/chrome-linux*/chrome"), reverse=True)
