from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.apphost import apps_app
from guardrails.documents import Slug
from guardrails.switches import Switch
from guardrails.transitions import Reason
from tests.bot.serving import client, served
from tests.bot.stage import BOT, OPERATOR, Stage, staged

FILES = {
    "index.html": b'<!doctype html><title>Timer</title><script src="js/app.js"></script>',
    "js/app.js": b"document.title += 1",
    "data/cities.csv": "Málaga".encode(),
    "dot.png": b"\x89PNG",
}
Get = Callable[..., httpx.Response]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def port(stage: Stage) -> Iterator[int]:
    """The listener of apps.example, which people see behind TLS."""
    contact = "abuse@apps.example"
    with served(lambda _: apps_app(stage.ledger, "https://apps.example", contact=contact)) as port:
        yield port


@pytest.fixture
def page(port: int) -> Iterator[Get]:
    """Asks the host of the pages."""
    with client(port, "apps.example") as http:
        yield http.get


@pytest.fixture
def app_host(port: int) -> Iterator[Callable[[str], httpx.Client]]:
    """A client of an app's own host."""
    clients: list[httpx.Client] = []

    def of(slug: str) -> httpx.Client:
        headers = {"Host": f"{slug}.apps.example"}
        clients.append(httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False))
        return clients[-1]

    yield of
    for http in clients:
        http.close()


AppHost = Callable[[str], httpx.Client]


@pytest.fixture
def slug(stage: Stage) -> Slug:
    """An app that is live."""
    return stage.app(FILES, title="Pomodoro <b>25/5</b>", description='A "timer" & more')


def test_the_page_shows_the_app_and_where_it_comes_from(page: Get, slug: Slug) -> None:
    """The app in its frame, the post, source, report and version, and a card for those who share the link."""
    answer = page(f"/{slug}")

    assert 200 == answer.status_code
    assert f'<iframe src="https://{slug}.apps.example/~1/"' in answer.text
    assert 'href="https://bsky.app/profile/did:plc:alice/post/3k000"' in answer.text
    assert f'href="/{slug}/source"' in answer.text
    assert f'"mailto:abuse@apps.example?subject=Report%3A%20https%3A%2F%2Fapps.example%2F{slug}"' in answer.text
    assert ">v1<" in answer.text
    assert f'<meta property="og:url" content="https://apps.example/{slug}">' in answer.text
    assert '<meta property="og:description" content="A &#34;timer&#34; &amp; more">' in answer.text


def test_text_of_others_is_never_markup(page: Get, slug: Slug) -> None:
    """Neither on the page nor on its source."""
    for path in (f"/{slug}", f"/{slug}/source"):
        assert "<b>" not in page(path).text
        assert "Pomodoro &lt;b&gt;25/5&lt;/b&gt;" in page(path).text


def test_the_page_allows_nothing_but_its_app(page: Get, slug: Slug) -> None:
    """No script, no form, no frame but the one, no framing; the frame may not lead the page away."""
    answer = page(f"/{slug}")
    policy = directives(answer)

    assert ("'none'", f"https://{slug}.apps.example") == (policy["default-src"], policy["frame-src"])
    assert {"'none'"} == {policy[name] for name in ("base-uri", "form-action", "frame-ancestors")}
    assert "script-src" not in policy
    assert "<script" not in answer.text
    assert "top-navigation" not in answer.text
    assert "allow-popups" not in answer.text
    assert "no-cache" == answer.headers["Cache-Control"]
    assert "Set-Cookie" not in answer.headers


def test_the_source_can_be_read(page: Get, stage: Stage) -> None:
    """As text: markup is shown, and what hides from readers is spelled out."""
    slug = stage.app({"index.html": "<script>\n\tif (admin /* \u202e */) {}\r\n</script>".encode()})

    answer = page(f"/{slug}/source")

    assert 200 == answer.status_code
    assert "&lt;script&gt;\n    if (admin /* \\u202e */) {}\n&lt;/script&gt;" in answer.text


def test_every_file_of_the_source_is_named(page: Get, slug: Slug) -> None:
    """The first page first; what is no text is only named."""
    text = page(f"/{slug}/source").text
    places = [text.index(f">{name}<") for name in ("index.html", "data/cities.csv", "dot.png", "js/app.js")]

    assert sorted(places) == places
    assert "Málaga" in text
    assert 1 == text.count("Nothing to read in a file of this kind.")


def test_the_app_is_served_on_a_host_of_its_own(app_host: AppHost, slug: Slug) -> None:
    """Every file with its type, and nothing else."""
    http = app_host(slug)

    assert (FILES["index.html"], "text/html; charset=utf-8") == content(http.get("/"))
    assert (FILES["js/app.js"], "text/javascript; charset=utf-8") == content(http.get("/js/app.js"))
    assert (FILES["data/cities.csv"], "text/csv; charset=utf-8") == content(http.get("/data/cities.csv"))
    assert (FILES["dot.png"], "image/png") == content(http.get("/dot.png"))
    assert content(http.get("/js/app.js")) == content(http.get("/~1/js/app.js"))


def test_upper_case_is_the_same_slug(page: Get, app_host: AppHost, slug: Slug) -> None:
    """People type addresses, and browsers fold host names."""
    assert 200 == page(f"/{slug.upper()}").status_code
    assert 200 == app_host(slug.upper()).get("/").status_code


@pytest.mark.parametrize(
    ("console", "from_it"),
    [("http://127.0.0.1:8102", "http://127.0.0.1:8102/"), ("https://Desk.example:443", "https://desk.example/x")],
)
def test_the_console_frames_an_app_as_well(stage: Stage, slug: Slug, console: str, from_it: str) -> None:
    """So that operators can try it where they decide about it; nobody else is told where the console is."""
    app = apps_app(stage.ledger, "https://apps.example", console_url=console)
    with served(lambda _: app) as port, client(port, f"{slug}.apps.example") as http:
        framed = http.get("/", headers={"Referer": from_it})
        others = [
            http.get("/", headers={"Referer": each}) for each in ("", "http://[", "null", f"http://evil.test/{from_it}")
        ]

    assert f"https://apps.example {console}" == directives(framed)["frame-ancestors"]
    assert "Referer" in framed.headers["Vary"]
    assert {"https://apps.example"} == {directives(other)["frame-ancestors"] for other in others}
    assert all(console not in str(other.headers) for other in others)


def test_an_app_reaches_no_network_and_is_framed_by_its_page_only(app_host: AppHost, slug: Slug) -> None:
    """The same for every answer of its host."""
    for path in ("/", "/dot.png", "/~1/js/app.js", "/nothing.js"):
        answer = app_host(slug).get(path)
        policy = directives(answer)

        assert "https://apps.example" == policy["frame-ancestors"]
        assert {"'none'"} == {
            policy[name]
            for name in ("default-src", "connect-src", "worker-src", "frame-src", "form-action", "base-uri")
        }
        assert "http" not in policy["script-src"] + policy["img-src"] + policy["style-src"] + policy["media-src"]
        assert "allow-scripts allow-same-origin" in policy["sandbox"]
        assert ("nosniff", "no-referrer", "same-origin", "?1") == tuple(
            answer.headers[name]
            for name in (
                "X-Content-Type-Options",
                "Referrer-Policy",
                "Cross-Origin-Resource-Policy",
                "Origin-Agent-Cluster",
            )
        )
        assert "Set-Cookie" not in answer.headers
        assert "Service-Worker-Allowed" not in answer.headers


def test_an_app_that_is_opened_as_a_document_leads_to_its_page(app_host: AppHost, slug: Slug) -> None:
    """Whatever the file; in a frame it is the app."""
    http = app_host(slug)
    opened = http.get("/~1/dot.png", headers={"Sec-Fetch-Dest": "document"})

    assert (302, f"https://apps.example/{slug}") == (opened.status_code, opened.headers["Location"])
    assert "Sec-Fetch-Dest" in opened.headers["Vary"]
    assert 200 == http.get("/~1/", headers={"Sec-Fetch-Dest": "iframe"}).status_code


def test_a_service_worker_is_refused(app_host: AppHost, slug: Slug) -> None:
    """A worker would outlive the take-down of its app."""
    assert 403 == app_host(slug).get("/js/app.js", headers={"Service-Worker": "script"}).status_code


def test_what_has_a_version_is_kept_and_the_page_is_not(app_host: AppHost, slug: Slug) -> None:
    """So an app loads fast, and a take-down holds at once."""
    http = app_host(slug)

    assert "public, max-age=31536000, immutable" == http.get("/~1/js/app.js").headers["Cache-Control"]
    assert {"no-cache"} == {http.get(path).headers["Cache-Control"] for path in ("/", "/~1/", "/js/app.js", "/x.js")}


def test_an_unchanged_file_is_not_sent_again(app_host: AppHost, slug: Slug) -> None:
    """The browser asks with the tag of what it has."""
    http = app_host(slug)
    tag = http.get("/").headers["ETag"]

    again = http.get("/", headers={"If-None-Match": f'"other", W/{tag}'})

    assert (304, b"", tag) == (again.status_code, again.content, again.headers["ETag"])
    assert 200 == http.get("/", headers={"If-None-Match": '"other"'}).status_code
    assert http.get("/js/app.js").headers["ETag"] != tag


@pytest.mark.parametrize(
    "path",
    [
        "/nothing.html",
        "/js/",
        "/js",
        "/~2/",
        "/~0/index.html",
        "/~1",
        "/~1/~1/",
        "/~x/",
        "/%00",
        "/..%2f",
        "/~1//index.html",
        "/%ff",
        "/INDEX.HTML",
    ],
)
def test_a_file_that_is_not_there_is_not_found(app_host: AppHost, slug: Slug, path: str) -> None:
    """Whatever is asked for."""
    assert 404 == app_host(slug).get(path).status_code


def test_only_reading_is_answered(page: Get, app_host: AppHost, slug: Slug, port: int) -> None:
    """There is nothing to write to here."""
    with client(port, "apps.example") as site:
        for http, path in ((site, f"/{slug}"), (app_host(slug), "/")):
            assert [405] * 4 == [
                http.request(method, path).status_code for method in ("POST", "PUT", "DELETE", "OPTIONS")
            ]
            head = http.head(path)
            assert (200, b"", http.get(path).headers["Content-Length"]) == (
                head.status_code,
                head.content,
                head.headers["Content-Length"],
            )


def test_an_upload_is_not_public_before_its_report(page: Get, app_host: AppHost, stage: Stage) -> None:
    """The page says that it is being built and looks again; the files are not there."""
    asked = stage.ask()
    lane = stage.device("lane")
    claim_id = stage.claim(lane)
    stage.ledger.hosting.store(lane.caller, claim_id, "0" * 64, FILES)
    slug = stage.ledger.queries.document(asked.id).slug or ""

    answer = page(f"/{slug}")

    assert (404, "10") == (answer.status_code, answer.headers["Refresh"])
    assert "Being built" in answer.text
    assert [404, 404] == [app_host(slug).get(path).status_code for path in ("/", "/~1/")]


def test_an_app_that_was_withdrawn_is_gone(page: Get, app_host: AppHost, stage: Stage, slug: Slug) -> None:
    """With the reason, on all its addresses, and at once."""
    stage.ledger.documents.withdraw(BOT, stage.ledger.queries.find(slug), Reason.DELETED)

    answer = page(f"/{slug}")

    assert 410 == answer.status_code
    assert "The post that asked for it was deleted." in answer.text
    assert [410] * 4 == [
        page(f"/{slug}/source").status_code,
        page(f"/{slug}/").status_code,
        app_host(slug).get("/").status_code,
        app_host(slug).get("/~1/js/app.js").status_code,
    ]


def test_an_app_that_was_stopped_is_gone_and_may_come_back(page: Get, stage: Stage, slug: Slug) -> None:
    """Who stopped it is said; the answer follows the document."""
    stopped = stage.ledger.documents.stop(OPERATOR, stage.ledger.queries.find(slug))
    assert "The people who run this bot have stopped it." in page(f"/{slug}").text

    stage.ledger.documents.judge_again(OPERATOR, stopped)
    assert 200 == page(f"/{slug}").status_code


def test_an_app_is_not_served_before_its_reply_is_released(
    page: Get, app_host: AppHost, stage: Stage, slug: Slug
) -> None:
    """A person has to look at it first; if nobody does in time, it is gone."""
    document = stage.ledger.queries.find(slug)
    held = stage.ledger.decisions.hold_reply(BOT, document, "odd")
    waiting = [page(f"/{slug}").status_code, page(f"/{slug}/source").status_code, app_host(slug).get("/").status_code]
    stage.ledger.decisions.release_reply(OPERATOR, held)
    released = page(f"/{slug}").status_code
    stage.ledger.decisions.hold_reply(BOT, stage.ledger.queries.find(slug), "odd again")
    stage.clock.shift += timedelta(hours=73)
    stage.ledger.documents.expire(BOT, stage.ledger.queries.find(slug))

    assert ([404] * 3, 200) == (waiting, released)
    assert "Nobody has looked at it in time." in page(f"/{slug}").text


def test_a_take_down_of_the_app_alone_counts_too(page: Get, stage: Stage, slug: Slug) -> None:
    """Its reason is an operator's text, and only text."""
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE apps SET gone_at = '2026-03-02 12:00:00.000000', gone_reason = 'a notice by <b>X</b>'"
        )

    answer = page(f"/{slug}")

    assert 410 == answer.status_code
    assert "a notice by &lt;b&gt;X&lt;/b&gt;" in answer.text


@pytest.mark.parametrize(
    "path", ["/nothing", "/nothing/source", "/a/b/c", "/%00", "/-/page.py", "/-/..%2fpage.css", "/app-1//"]
)
def test_an_address_of_nothing_is_not_found(page: Get, path: str) -> None:
    """A page says so, in whatever form it was asked for."""
    answer = page(path)

    assert 404 == answer.status_code
    assert "Nothing here" in answer.text


def test_a_final_slash_leads_to_the_page(page: Get, slug: Slug) -> None:
    """Some programs add one to a link."""
    answer = page(f"/{slug}/")

    assert (308, f"https://apps.example/{slug}") == (answer.status_code, answer.headers["Location"])


@pytest.mark.parametrize(
    "host", ["evil.example", "apps.example.evil.example", "notapps.example", "127.0.0.1", "x y", ""]
)
def test_other_names_get_nothing(port: int, slug: Slug, host: str) -> None:
    """But the health, which load balancers ask for by address."""
    with client(port) as http:
        assert 421 == http.get(f"/{slug}", headers={"Host": host}).status_code
        assert {"status": "ok"} == http.get("/health", headers={"Host": host}).json()


@pytest.mark.parametrize("host", ["other.apps.example", "a.b.apps.example", ".apps.example", "-.apps.example"])
def test_a_host_of_no_app_has_no_file(port: int, slug: Slug, host: str) -> None:
    """Nor health or pages."""
    with client(port) as http:
        assert {404, 421} >= {http.get(path, headers={"Host": host}).status_code for path in ("/", f"/{slug}")}
        assert host == ".apps.example" or 404 == http.get("/health", headers={"Host": host}).status_code


def test_an_absent_database_is_told(page: Get, app_host: AppHost, stage: Stage, slug: Slug) -> None:
    """Nothing of what it said is shown."""
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE apps RENAME TO elsewhere")

    for answer in (page(f"/{slug}"), app_host(slug).get("/")):
        assert (503, "5") == (answer.status_code, answer.headers["Retry-After"])
        assert "SELECT" not in answer.text


def test_front_page_styles_and_icon_are_there(page: Get) -> None:
    """What the pages refer to exists."""
    assert (200, 200, 200) == tuple(page(path).status_code for path in ("/", "/-/page.css", "/-/icon.svg"))
    assert "image/svg+xml" == page("/-/icon.svg").headers["Content-Type"]


def test_people_see_since_when_the_bot_rests(page: Get, stage: Stage) -> None:
    """From the first thing that was paused on, on the front page and where an app is waited for; why is not public."""
    stage.ask()
    stage.claim(stage.device("lane"))
    stage.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "an incident")
    stage.clock.shift = timedelta(hours=2)
    stage.ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")
    since = min(at for _, _, _, at in stage.ledger.desk.switches_on())

    for answer in (page("/"), page("/app-1")):
        assert f"The bot is resting since {since:%Y-%m-%d %H:%M} UTC" in answer.text
        assert "incident" not in answer.text

    for switch in Switch:
        stage.ledger.desk.release(OPERATOR, switch)
    assert "resting" not in page("/").text + page("/app-1").text


@pytest.mark.parametrize(
    ("contact", "href"),
    [
        ("https://apps.example/report", "https://apps.example/report"),
        ("mailto:me@x.example", "mailto:me@x.example?subject=Report"),
        ("", "https://social.example/profile/did:plc:alice/post/3k000"),
        ("javascript:alert(1)", "https://social.example/profile/did:plc:alice/post/3k000"),
    ],
)
def test_a_report_goes_where_the_host_wants_it(stage: Stage, slug: Slug, contact: str, href: str) -> None:
    """To a link, to a mailbox, or else to the post, where Bluesky's own report is."""
    build = apps_app(stage.ledger, "https://apps.example", web_url="https://social.example", contact=contact)
    with served(lambda _: build) as port, client(port, "apps.example") as http:
        assert f'<a href="{href}' in http.get(f"/{slug}").text.split(">Source</a>")[1]


def directives(answer: httpx.Response) -> dict[str, str]:
    """The content security policy of an answer."""
    parts = answer.headers["Content-Security-Policy"].split("; ")
    return {name: value for name, _, value in (part.partition(" ") for part in parts)}


def content(answer: httpx.Response) -> tuple[bytes, str]:
    assert 200 == answer.status_code
    return answer.content, answer.headers["Content-Type"]
