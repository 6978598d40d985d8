from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from playwright.sync_api import Frame, Page

from bot.apphost import apps_app
from tests.bot.serving import served
from tests.bot.stage import Stage, staged
from tests.bot.test_apphost_asks import seen

APP = b"<!doctype html><title>App</title><h1>25:00</h1><script>document.body.append(' ticks')</script>"
# A host of two labels below which the apps are, as in production: the page and its apps are of one site.
SITE = "apps.localhost"


class Elsewhere:
    """A server that is not ours, which notes who reaches it."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.pages: dict[str, str] = {}

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.api_route("/{path:path}", methods=["GET", "POST"])
        def note(path: str, request: Request) -> Response:
            if path in self.pages:
                return HTMLResponse(self.pages[path])
            self.calls.append(f"{request.method} /{path}")
            return Response("{}", headers={"Access-Control-Allow-Origin": "*"})

        return app


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def elsewhere_url(elsewhere: Elsewhere) -> Iterator[str]:
    with served(lambda _: elsewhere.app()) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def port(stage: Stage) -> Iterator[int]:
    with served(lambda port: apps_app(stage.ledger, f"http://{SITE}:{port}")) as port:
        yield port


def opened(page: Page, port: int, slug: str, site: str = SITE) -> Frame:
    """The app in its frame on its page."""
    page.goto(f"http://{site}:{port}/{slug}")
    frame = page.frames[-1]
    frame.wait_for_load_state()
    return frame


def test_the_page_shows_the_app(page: Page, port: int, stage: Stage) -> None:
    """Its script runs in the frame; around it stands where it comes from."""
    slug = stage.app({"index.html": APP}, title="Pomodoro 25/5")
    frame = opened(page, port, slug)

    assert "25:00 ticks" == " ".join(frame.inner_text("body").split())
    assert "Pomodoro 25/5" == page.title()
    assert page.get_by_role("heading", name="Pomodoro 25/5").is_visible()
    assert ["Source", "Report"] == page.locator("nav a").all_inner_texts()


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_phone_and_desktop(page: Page, port: int, stage: Stage, width: int, scheme: str) -> None:
    """Nothing runs out of the window, every link can be clicked, and the app has the room that is left."""
    slug = stage.app({"index.html": APP}, title="A very long title that somebody's model thought of " * 3)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 640})
    opened(page, port, slug)

    assert [width, 640] == page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    for link in page.get_by_role("link").all():
        link.click(trial=True)
    frame = page.locator("iframe").bounding_box()
    assert frame is not None
    assert width == frame["width"]
    assert frame["height"] > 560


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_link_is_looked_up_by_keyboard_on_a_phone(page: Page, port: int, stage: Stage, scheme: str) -> None:
    """A wrong one is told in place, the right one leads to the page of the ask; nothing runs out of the window."""
    asked = stage.ask(known=seen())
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"http://{SITE}:{port}/")
    field = page.get_by_role("textbox", name="Paste the link of the post")
    for typed, leads_to in (("nothing", "**/?post=nothing"), (asked.source_uri, f"**/m/{asked.page}")):
        field.focus()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        page.wait_for_url(leads_to)
        assert 320 == page.evaluate("document.documentElement.scrollWidth")
        if typed == "nothing":
            assert page.get_by_role("status").get_by_text("There is nothing to show for this.").is_visible()
            assert (typed, "unknown") == (field.input_value(), field.get_attribute("aria-describedby"))

    assert page.get_by_role("heading", name="Queued").is_visible()


def test_two_apps_share_no_storage(page: Page, port: int, stage: Stage) -> None:
    """What one keeps is there when it is opened again, and nowhere else."""
    first, second = stage.app({"index.html": APP}), stage.app({"index.html": APP})
    keep = """async () => {
        localStorage.setItem('k', 'A');
        await new Promise((done, fail) => { const r = indexedDB.open('kept'); r.onsuccess = done; r.onerror = fail; });
    }"""
    look = "async () => [localStorage.getItem('k'), (await indexedDB.databases()).map((found) => found.name)]"
    opened(page, port, first).evaluate(keep)

    assert [None, []] == opened(page, port, second).evaluate(look)
    assert [None, []] == page.evaluate(look)
    assert ["A", ["kept"]] == opened(page, port, first).evaluate(look)


def test_an_app_cannot_look_into_its_page(page: Page, port: int, stage: Stage) -> None:
    """The page's document belongs to another origin, and the frame may not lead it away."""
    frame = opened(page, port, stage.app({"index.html": APP}))

    assert ["SecurityError", "SecurityError"] == frame.evaluate(
        """() => [() => parent.document, () => { top.location.href = 'about:blank' }].map((attempt) => {
            try { attempt(); return 'done'; } catch (error) { return error.name; }
        })"""
    )


def test_an_app_reaches_no_network(
    page: Page, port: int, stage: Stage, elsewhere: Elsewhere, elsewhere_url: str
) -> None:
    """Neither its own host nor another, by whatever means a page has."""
    frame = opened(page, port, stage.app({"index.html": APP}))
    outcomes = frame.evaluate(
        """async (url) => {
            const told = (start) => new Promise((done) => {
                try { start(() => done('reached'), () => done('refused')); } catch { done('refused'); }
            });
            const element = (tag, field) => told((yes, no) => {
                const made = document.createElement(tag);
                made.onload = yes; made.onerror = no; made[field] = url + '/' + tag;
                if (tag === 'link') made.rel = 'stylesheet';
                document.body.append(made);
            });
            return {
                own: await told((yes, no) => fetch('/').then(yes, no)),
                fetch: await told((yes, no) => fetch(url + '/fetch').then(yes, no)),
                blind: await told((yes, no) => fetch(url + '/blind', {mode: 'no-cors', method: 'POST'}).then(yes, no)),
                stream: await told((yes, no) => {
                    const s = new EventSource(url + '/stream'); s.onopen = yes; s.onerror = no;
                }),
                socket: await told((yes, no) => {
                    const s = new WebSocket(url.replace('http', 'ws')); s.onopen = yes; s.onerror = no;
                }),
                img: await element('img', 'src'),
                script: await element('script', 'src'),
                link: await element('link', 'href'),
            };
        }""",
        elsewhere_url,
    )
    frame.evaluate("(url) => navigator.sendBeacon(url + '/beacon', 'x')", elsewhere_url)

    assert {"refused"} == set(outcomes.values())
    assert [] == elsewhere.calls


@pytest.mark.parametrize(
    "attempt",
    [
        "(url) => { location.href = url + '/away' }",
        """(url) => {
            const a = document.createElement('a'); a.href = url + '/link';
            document.body.append(a); a.click();
        }""",
        """(url) => {
            const f = document.createElement('form'); f.action = url + '/form'; f.method = 'post';
            document.body.append(f); f.submit();
        }""",
        "(url) => { const f = document.createElement('iframe'); f.src = url + '/frame'; document.body.append(f) }",
    ],
    ids=["address", "link", "form", "frame"],
)
def test_an_app_leads_nobody_away(
    page: Page, port: int, stage: Stage, elsewhere: Elsewhere, elsewhere_url: str, attempt: str
) -> None:
    """A frame that goes elsewhere would carry what was typed into it along."""
    frame = opened(page, port, stage.app({"index.html": APP}))

    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        frame.evaluate(attempt, elsewhere_url)

    assert [] == elsewhere.calls


def test_an_app_opens_no_window(page: Page, port: int, stage: Stage, elsewhere: Elsewhere, elsewhere_url: str) -> None:
    """Not even when somebody clicks."""
    button = b"<!doctype html><button onclick='document.title = window.open(this.value) ? 1 : 0'>Win</button>"
    frame = opened(page, port, stage.app({"index.html": button}))
    frame.evaluate("(url) => { document.querySelector('button').value = url + '/window' }", elsewhere_url)

    frame.click("button")

    assert "0" == frame.title()
    assert [] == elsewhere.calls


def test_an_app_has_no_service_worker(page: Page, port: int, stage: Stage) -> None:
    """Nor any other worker."""
    frame = opened(page, port, stage.app({"index.html": APP, "sw.js": b"self.onfetch = () => {}"}))

    assert "refused" == frame.evaluate(
        "navigator.serviceWorker.register('/sw.js').then(() => 'registered', () => 'refused')"
    )
    assert "refused" == frame.evaluate(
        """new Promise((done) => {
            try { const w = new Worker('/sw.js'); w.onerror = () => done('refused'); } catch { done('refused'); }
        })"""
    )


def test_an_app_that_is_opened_by_itself_leads_to_its_page(page: Page, port: int, stage: Stage) -> None:
    """So the strip that says where it comes from is always there."""
    slug = stage.app({"index.html": APP})

    page.goto(f"http://{slug}.{SITE}:{port}/~1/")

    assert f"http://{SITE}:{port}/{slug}" == page.url


def test_nobody_else_frames_an_app_or_its_page(
    page: Page, port: int, stage: Stage, elsewhere: Elsewhere, elsewhere_url: str
) -> None:
    """A stranger's page shows neither."""
    slug = stage.app({"index.html": APP})
    for framed in (f"http://{slug}.{SITE}:{port}/", f"http://{SITE}:{port}/{slug}"):
        elsewhere.pages["frame"] = f'<iframe src="{framed}"></iframe>'
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            page.goto(f"{elsewhere_url}/frame")


def test_the_demos_addresses_work_as_well(page: Page, stage: Stage, elsewhere: Elsewhere, elsewhere_url: str) -> None:
    """There the page is on localhost itself, and the console on 127.0.0.1 is out of reach."""
    with served(lambda port: apps_app(stage.ledger, f"http://localhost:{port}")) as port:
        frame = opened(page, port, stage.app({"index.html": APP}), "localhost")

        assert "25:00 ticks" == " ".join(frame.inner_text("body").split())
        assert "refused" == frame.evaluate(
            "(url) => fetch(url, {credentials: 'include'}).then(() => 'reached', () => 'refused')", elsewhere_url
        )
        assert [] == elsewhere.calls
