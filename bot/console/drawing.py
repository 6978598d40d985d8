"""Draws the console's pages. Other people's text is text: escaped, and what cannot be seen in it is spelled out."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from importlib.metadata import version
from urllib.parse import urlsplit

from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from bot.console.statics import Statics
from bot.tokens import new_action
from guardrails.policy import DENIED_FEATURES
from guardrails.text import clip, visible

PAGES = (
    ("/console/", "Now"),
    ("/console/documents", "Documents"),
    ("/console/sends", "Sends"),
    ("/console/charts", "Charts"),
    ("/console/lanes", "Lanes"),
    ("/console/devices", "Devices"),
    ("/console/rules", "Rules"),
    ("/console/audit", "Audit"),
    ("/console/sessions", "Sessions"),
)
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))


class Drawing:
    """The templates, and what each of them may use beside its own facts."""

    def __init__(self, statics: Statics) -> None:
        loader = PackageLoader("bot.console")
        self._environment = Environment(
            loader=loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=shown,
        )
        self._environment.filters.update(moment=moment, ago=_ago, span=span, usd=usd, web=web_link, clip=clipped)
        own = {"static": statics.url, "pages": PAGES, "new_action": new_action, "version": version("skywright")}
        self._environment.globals.update(own)

    def text(self, template: str, facts: Mapping[str, object]) -> str:
        """A template as HTML."""
        return self._environment.get_template(template).render(facts)

    def page(
        self,
        template: str,
        facts: Mapping[str, object],
        status: HTTPStatus = HTTPStatus.OK,
        frame_src: str = "'none'",
    ) -> Response:
        """A template as an answer; `frame_src` are the origins that its frames may show."""
        return HTMLResponse(self.text(template, facts), status, page_headers(frame_src))


def page_headers(frame_src: str = "'none'") -> dict[str, str]:
    """What a page of the console is sent with: scripts and styles are files of ours, and nobody frames it."""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            f"frame-src {frame_src}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": DENIED_FEATURES,
        # Browsers tell forms of a page without any referrer apart from ours no more: they send no origin.
        "Referrer-Policy": "same-origin",
        "X-Frame-Options": "DENY",
    }


def shown(value: object) -> object:
    """A value as a template writes it: control, bidi and zero-width characters in a text are spelled out."""
    return visible(value, keep_newlines=True) if isinstance(value, str) and not isinstance(value, Markup) else value


def moment(at: datetime | None) -> str:
    """A time in UTC, to the second; nothing for none."""
    return f"{at:%Y-%m-%d %H:%M:%S}" if at is not None else ""


def span(length: timedelta) -> str:
    """How long something lasts, in its largest unit: `12s`, `5m`, `3h`, `2d`."""
    seconds = max(int(length.total_seconds()), 0)
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def usd(micros: int) -> str:
    """Millionths of a US dollar as dollars."""
    return f"${micros / 1_000_000:,.2f}"


def web_link(address: str) -> str | None:
    """An address that a link may lead to, None for anything but http and https."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in ("http", "https") and parts.hostname else None


def clipped(text: str, most: int = 200) -> str:
    """The beginning of a text, an ellipsis at its end when it was cut."""
    return clip(text, most, 8 * most)


@pass_context
def _ago(context: Context, at: datetime | None) -> str:
    """How long before the page was drawn."""
    return span(context["at"] - at) if at is not None else ""
