"""The pages for people, and posting by them."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from guardrails.documents import StrongRef
from tests.clock import Clock


def page_of(ref: StrongRef) -> str:
    """The path of a post's page."""
    _, _, did, _, rkey = ref.uri.split("/")
    return f"/profile/{did}/post/{rkey}"


def words(html: str) -> str:
    """What a reader sees of a page's body."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html[html.index("<main>") :])).split())


def link_facet(text: str, shown: str, uri: str) -> list[dict[str, Any]]:
    """A link over a part of the text."""
    start = text.encode().index(shown.encode())
    index = {"byteStart": start, "byteEnd": start + len(shown.encode())}
    return [{"index": index, "features": [{"$type": "app.bsky.richtext.facet#link", "uri": uri}]}]


def card(uri: str) -> dict[str, Any]:
    """A record with a link card."""
    external = {"uri": uri, "title": "A <timer>", "description": "Counts & rings."}
    return {"embed": {"$type": "app.bsky.embed.external", "external": external}}


def test_a_thread_is_drawn_with_its_parents_and_answers(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """Names, handles, texts in their order, and how long ago."""
    ask = network.post(alice.did, "@buildbot.test a timer", mentions=[bot.did])
    clock.advance(timedelta(minutes=3))
    reply = network.post(bot.did, "Built", reply=ask)
    network.post(alice.did, "Thanks", reply=reply)

    seen = words(http.get(page_of(reply)).text)

    order = ["Alice", "@alice.test", "3m", "a timer", "Build Bot", "Built", "12:03 UTC · Mar 2, 2026", "now", "Thanks"]
    places = [seen.index(part) for part in order]
    assert sorted(places) == places


def test_a_line_leads_only_to_the_first_of_two_answers(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The second branch of a reply starts anew, as on Bluesky."""
    ask = network.post(alice.did, "ask")
    reply = network.post(bot.did, "reply", reply=ask)
    for text in ("first", "second"):
        network.post(alice.did, text, reply=reply)

    drawn = re.findall(r'<article class="([^"]*)">', http.get(page_of(ask)).text)

    assert ["post focus", "post line-below", "post line-above", "post"] == drawn


def test_a_thread_opens_by_handle_and_by_did(
    network: SandboxNetwork, http: httpx.Client, alice: SandboxAccount
) -> None:
    """Both are the same page."""
    path = page_of(network.post(alice.did, "hello"))

    assert http.get(path).text == http.get(path.replace(alice.did, "alice.test")).text


def test_facets_become_links_by_their_bytes(network: SandboxNetwork, http: httpx.Client, alice: SandboxAccount) -> None:
    """Umlauts and emoji before a link do not move it."""
    text = "für 🍅: timer.example, ja"
    post = network.post(alice.did, text, facets=link_facet(text, "timer.example", "https://timer.example/x?a=1&b=2"))

    assert '>für 🍅: <a href="https://timer.example/x?a=1&amp;b=2" rel="nofollow noopener noreferrer">' in (
        html := http.get(page_of(post)).text
    )
    assert "timer.example</a>, ja</p>" in html


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "data:text/html,x", "https:nowhere", "http://[x"])
def test_a_link_that_does_not_lead_to_the_web_is_only_text(
    network: SandboxNetwork, http: httpx.Client, alice: SandboxAccount, uri: str
) -> None:
    """In the text and in a card alike."""
    post = network.post(alice.did, "click here", facets=link_facet("click here", "here", uri), extra=card(uri))
    html = http.get(page_of(post)).text

    assert "click here" in words(html)
    assert f'href="{uri}' not in html
    assert '<div class="card">' in html


@pytest.mark.parametrize(
    ("start", "end"), [(4, 2), (3, 3), (40, 50), (0, 99), (1, 3)], ids=["turned", "empty", "beyond", "too long", "cut"]
)
def test_a_broken_facet_leaves_the_text_whole(
    network: SandboxNetwork, http: httpx.Client, alice: SandboxAccount, start: int, end: int
) -> None:
    """Outside the text, turned around, or through the middle of a character."""
    feature = {"$type": "app.bsky.richtext.facet#link", "uri": "https://x.example"}
    facet = {"index": {"byteStart": start, "byteEnd": end}, "features": [feature]}
    post = network.post(alice.did, "üöä whole", facets=[facet])

    assert '<p class="text">üöä whole</p>' in http.get(page_of(post)).text


def test_what_people_write_is_shown_and_never_run(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount
) -> None:
    """Markup in names, texts and cards stays text, and the page may run nothing anyway."""
    mallory = network.create_account("mallory.test", display_name="<img src=x onerror=alert(1)>")
    post = network.post(mallory.did, "<script>alert(1)</script>", extra=card('https://x.example/"onclick=alert(1)'))
    answer = http.get(page_of(post))

    assert "<script" not in answer.text
    assert "<img" not in answer.text
    assert 'href="https://x.example/&#34;onclick=alert(1)"' in answer.text
    assert "<script>alert(1)</script>" in words(answer.text.replace("&lt;", "&amp;lt;")).replace("&lt;", "<")
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_card_shows_title_description_and_host(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount
) -> None:
    """As a link of its own."""
    html = http.get(page_of(network.post(bot.did, "Built", extra=card("http://localhost:8101/k3f9x")))).text

    assert '<a class="card" href="http://localhost:8101/k3f9x"' in html
    assert "A <timer> Counts & rings. localhost:8101" in words(html)


def test_gaps_are_named_and_missing_pages_are_404(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """A deleted parent, a deleted post, an unknown person."""
    ask = network.post(alice.did, "ask")
    reply = network.post(bot.did, "Built", reply=ask)
    network.delete_record(ask.uri)

    assert "Deleted post" in words(http.get(page_of(reply)).text)
    mine = network.post(alice.did, "mine", reply=reply)
    network.block(bot.did, alice.did)
    assert "Blocked post" in words(http.get(page_of(mine)).text)
    for path in (page_of(ask), "/profile/nobody.test", "/profile/nobody.test/post/x", "/profile/did:plc:x/post/y"):
        assert 404 == http.get(path).status_code


def test_somebodys_posts_and_everybodys_are_listed(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount, clock: Clock
) -> None:
    """Newest first."""
    network.post(alice.did, "first")
    clock.advance(1)
    network.post(bot.did, "second")

    assert "second" not in words(http.get("/profile/alice.test").text)
    everything = words(http.get("/").text)
    assert everything.index("second") < everything.index("first")
    assert "Nothing here yet." in words(http.get(f"/profile/{network.create_account('new.test').did}").text)


@pytest.mark.parametrize("path", ["/", "/profile/alice.test", "/profile/nobody.test"])
def test_no_browser_asks_for_an_icon(http: httpx.Client, alice: SandboxAccount, path: str) -> None:
    """Each page has one, which its policy lets it show; without it browsers note a 404 of /favicon.ico."""
    page = http.get(path)

    assert '<link rel="icon" href="data:,">' in page.text
    assert "img-src 'self' data:;" in page.headers["content-security-policy"]


def test_images_are_served_only_when_they_are_images(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount
) -> None:
    """A page uploaded as a thumb is not."""
    as_bot = http.post(
        "/xrpc/com.atproto.server.createSession", json={"identifier": bot.did, "password": bot.password}
    ).json()
    headers = {"authorization": f"Bearer {as_bot['accessJwt']}"}
    statuses = []
    for mime in ("image/png", "text/html", "image/svg+xml"):
        upload = http.post(
            "/xrpc/com.atproto.repo.uploadBlob", content=mime.encode(), headers={**headers, "content-type": mime}
        )
        statuses.append(http.get(f"/sandbox/image/{bot.did}/{upload.json()['blob']['ref']['$link']}").status_code)

    assert [200, 404, 404] == statuses


def test_anybody_can_be_made_to_say_something(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """Handles that exist become mentions, wherever they stand; others, and addresses, stay text."""
    text = "(@Buildbot.test), für @alice.test. Not @nobody.test or me@buildbot.test"
    answer = http.post("/sandbox/post", json={"handle": "alice.test", "text": text})

    record = network.repo(alice.did)[0]
    assert (200, {"uri": record["uri"], "cid": record["cid"]}) == (answer.status_code, answer.json())
    marked = [
        (facet["features"][0]["did"], text.encode()[facet["index"]["byteStart"] : facet["index"]["byteEnd"]].decode())
        for facet in record["value"]["facets"]
    ]
    assert [(bot.did, "@Buildbot.test"), (alice.did, "@alice.test")] == marked
    assert [record["uri"]] == [item["uri"] for item in network.notifications(bot.did)]


def test_what_cannot_be_said_is_refused(http: httpx.Client, alice: SandboxAccount) -> None:
    """Unknown people, too long a text, something else than a post."""

    def status(**body: str) -> int:
        return http.post("/sandbox/post", json=body).status_code

    assert 404 == status(handle="nobody.test", text="hello")
    assert 400 == status(handle="alice.test", text="x" * 301)
    assert 422 == status(handle="alice.test")


def test_the_directory_and_the_handles_host_know_an_account(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The DID document, the well-known address, resolveHandle; unknown and deleted ones are told apart."""
    network.delete_account(alice.did)
    document = http.get(f"/plc/{bot.did}")

    assert "application/did+ld+json" == document.headers["content-type"]
    assert (bot.did, ["at://buildbot.test"]) == (document.json()["id"], document.json()["alsoKnownAs"])
    assert (404, {"message": "DID not registered: did:plc:x"}) == (
        (unknown := http.get("/plc/did:plc:x")).status_code,
        unknown.json(),
    )
    assert 410 == http.get(f"/plc/{alice.did}").status_code
    known = http.get("/.well-known/atproto-did", headers={"host": "buildbot.test"})
    assert (bot.did, 404) == (known.text, http.get("/.well-known/atproto-did").status_code)
    resolve = "/xrpc/com.atproto.identity.resolveHandle"
    assert {"did": bot.did} == http.get(resolve, params={"handle": "buildbot.test"}).json()
    unknown_handles = [http.get(resolve, params={"handle": f"nobody.{domain}"}) for domain in ("test", "example")]
    assert ["HandleNotFound", "InvalidRequest"] == [answer.json()["error"] for answer in unknown_handles]
    assert 400 == http.get(resolve).status_code


def test_the_server_describes_itself_and_its_repositories(
    network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """describeServer, getRepoStatus, health."""
    network.deactivate(alice.did)
    status = "/xrpc/com.atproto.sync.getRepoStatus"

    assert [".test"] == http.get("/xrpc/com.atproto.server.describeServer").json()["availableUserDomains"]
    assert http.get(status, params={"did": bot.did}).json()["active"]
    assert {"did": alice.did, "active": False, "status": "deactivated"} == (
        http.get(status, params={"did": alice.did}).json()
    )
    assert 400 == http.get(status, params={"did": "did:plc:x"}).status_code
    assert 200 == http.get("/xrpc/_health").status_code


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_thread_fits_a_phone_in_both_colours(
    network: SandboxNetwork, server: SandboxServer, bot: SandboxAccount, alice: SandboxAccount, page: Page, scheme: Any
) -> None:
    """Nothing sticks out at 320 pixels, and text and background differ."""
    ask = network.post(alice.did, "Donaudampfschifffahrtsgesellschaft" * 4)
    network.post(bot.did, "Built", reply=ask, extra=card("https://" + "long" * 60 + ".example"))
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 320, "height": 640})

    page.goto(server.url + page_of(ask))

    assert 320 == page.evaluate("document.documentElement.scrollWidth")
    background = page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
    assert {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 22, 30)"}[scheme] == background
