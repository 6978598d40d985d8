"""Draws the pages of our own host name; everything that others wrote is escaped."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from importlib.resources import files
from urllib.parse import quote, urlsplit

from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.elsewhere import origin_of
from bot.ledger.hosting import App
from bot.pages.progress import LONGEST_PASTE, Progress
from bot.pages.source import Source
from bot.pages.standing import BeingBuilt, Gone, Live, Nothing
from guardrails.documents import split_at_uri
from guardrails.policy import DENIED_FEATURES, OPAQUE_SANDBOX, SANDBOX
from guardrails.text import visible

# What an app may do beside drawing and counting: sound, a copy to the clipboard, a screen that stays on.
ALLOWED = "autoplay; clipboard-write; gamepad; screen-wake-lock"
READ = ["GET", "HEAD"]
STATIC = {"page.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml"}
_BUILDING_SECONDS = "10"
_STATIC_CACHE = "public, max-age=3600"


@dataclass(frozen=True)
class Frame:
    """What an app's page shows the app from; the origin is all that the page's policy lets it frame."""

    address: str
    origin: str
    sandbox: str = SANDBOX


def elsewhere(address: str) -> Frame:
    """The frame of an app that a lane has published elsewhere.

    There it shares its origin with other apps: it is taken out of it, and so has no storage that they could see.
    """
    return Frame(address, origin_of(address), OPAQUE_SANDBOX)


class Drawing:
    """The pages as responses. `web_url` is where links to posts lead, `contact` where reports go."""

    def __init__(self, apps_url: str, web_url: str, contact: str) -> None:
        self._apps_url = apps_url
        self._web_url = web_url
        self._contact = contact
        loader = PackageLoader("bot.pages")
        self._environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
        folder = files("bot.pages") / "static"
        self._static = {name: (folder / name).read_bytes() for name in STATIC}

    def front(self, resting_since: datetime | None, *, asks: bool = True, pasted: str = "") -> Response:
        """What this place is, and since when the bot rests if it does; where `asks`, a field for the link of a post.

        `pasted` is what somebody put there that has no page.
        """
        response = self._show(
            "front.html",
            HTTPStatus.NOT_FOUND if pasted else HTTPStatus.OK,
            form_action="'self'" if asks else "'none'",
            web_url=self._web_url,
            resting=_resting(resting_since) if resting_since is not None else "",
            asks=asks,
            pasted=visible(pasted[:LONGEST_PASTE]),
            longest=LONGEST_PASTE,
        )
        return _for_nobody_else(response) if pasted else response

    def progress(self, progress: Progress) -> Response:
        """How an ask stands; the page looks again while it goes on."""
        resting = _resting(progress.resting_since) if progress.resting_since is not None else ""
        url = f"{self._apps_url}/{progress.app.slug}" if progress.app is not None else ""
        response = self._show("progress.html", HTTPStatus.OK, progress=progress, resting=resting, url=url)
        if progress.goes_on:
            response.headers["Refresh"] = _BUILDING_SECONDS
        return _for_nobody_else(response)

    def no_page(self) -> Response:
        """What is said at the address of a page that there is not, or that nobody is to see."""
        text = "There is nothing to see at this address. Was the link copied whole?"
        return _for_nobody_else(self._show("absent.html", HTTPStatus.NOT_FOUND, heading="Nothing here", text=text))

    def page(self, live: Live) -> Response:
        """The page of an app: the app in its frame, and the strip that says where it comes from."""
        own = self._app_origin(live.app)
        frame = Frame(f"{own}/~{live.version}/", own) if live.app.address is None else elsewhere(live.app.address)
        return self._show(
            "page.html",
            HTTPStatus.OK,
            frame_origin=frame.origin,
            app=live.app,
            version=live.version,
            frame=frame.address,
            sandbox=frame.sandbox,
            allowed=ALLOWED,
            url=f"{self._apps_url}/{live.app.slug}",
            post=self._post(live.app),
            report=self._report(live.app),
        )

    def source(self, live: Live, sources: list[Source]) -> Response:
        """What an app is made of."""
        return self._show("source.html", HTTPStatus.OK, app=live.app, version=live.version, files=sources)

    def absent(self, standing: Gone | BeingBuilt | Nothing) -> Response:
        """Why there is no app: 410 with the reason once it is gone, 404 else."""
        match standing:
            case Gone(why):
                return self._show("absent.html", HTTPStatus.GONE, heading="This app is gone", text=why)
            case BeingBuilt(resting_since):
                text = "It will be here once it is finished. This page looks again by itself."
                if resting_since is not None:
                    text = f"{_resting(resting_since)} {text}"
                response = self._show("absent.html", HTTPStatus.NOT_FOUND, heading="Being built", text=text)
                response.headers["Refresh"] = _BUILDING_SECONDS
                return response
            case Nothing():
                text = "No app has this address. Was the link copied whole?"
                return self._show("absent.html", HTTPStatus.NOT_FOUND, heading="Nothing here", text=text)

    def static(self, name: str) -> Response | None:
        """A style or a picture of the pages themselves, None when there is none of that name."""
        if name not in STATIC:
            return None
        headers = {"Content-Type": STATIC[name], "Cache-Control": _STATIC_CACHE, "X-Content-Type-Options": "nosniff"}
        return Response(self._static[name], headers=headers)

    def _show(
        self,
        template: str,
        status: HTTPStatus,
        frame_origin: str = "'none'",
        form_action: str = "'none'",
        **facts: object,
    ) -> Response:
        html = self._environment.get_template(template).render(facts)
        return HTMLResponse(html, status, _headers(frame_origin, form_action))

    def _app_origin(self, app: App) -> str:
        parts = urlsplit(self._apps_url)
        return f"{parts.scheme}://{app.slug}.{parts.netloc}"

    def _post(self, app: App) -> str:
        post = split_at_uri(app.source_uri)
        return f"{self._web_url}/profile/{quote(post.did, safe=':')}/post/{quote(post.rkey, safe='')}"

    def _report(self, app: App) -> str:
        if self._contact.startswith(("https://", "http://")):
            return self._contact
        if "@" not in self._contact:
            return self._post(app)  # Bluesky's own report is one click from there.
        address = self._contact.removeprefix("mailto:")
        return f"mailto:{quote(address, safe='@')}?subject={quote(f'Report: {self._apps_url}/{app.slug}', safe='')}"


def _resting(since: datetime) -> str:
    return f"The bot is resting since {since:%Y-%m-%d %H:%M} UTC; nothing that was asked is lost."


def _for_nobody_else(response: Response) -> Response:
    """Neither a cache nor a search engine is to keep how somebody's ask stood, nor what somebody looked for."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _headers(frame_origin: str, form_action: str) -> dict[str, str]:
    return {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'self'; img-src 'self'; frame-src {frame_origin}; "
            f"base-uri 'none'; form-action {form_action}; frame-ancestors 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": DENIED_FEATURES,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
