"""One document in the console, without a browser: what it tells, and what its buttons do, once."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from bot.console import bulk
from bot.console.links import document_path
from bot.console.posts import Piece, beside, pieces
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.transitions import Status
from tests.bot.ledger.steps import (
    build_failed,
    building,
    claim_id_of,
    done,
    held,
    now_of,
    pending,
    received,
    replied,
)
from tests.console.conftest import Served
from tests.console.visitors import Visitor
from tests.mentions import LANE, facet

PNG = b"\x89PNG\r\n\x1a\n and so on"
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202e"
SHOWN = "&lt;img src=x onerror=alert(1)&gt;\\x1b[2J\\u202e"


def path_of(document: Document) -> str:
    return document_path(document.id).removeprefix("/console")


def pressed(visitor: Visitor, document: Document, deed: str, **more: Any) -> httpx.Response:
    """What the button of a deed answers on a page that was drawn of this document."""
    return visitor.post(path_of(document), {"deed": deed, "version": document.version} | more)


def built_with_everything(ledger: Ledger) -> Document:
    """A document that a hostile ask and a hostile lane have left their texts in."""
    claimed = building(ledger, "3khostile", ask=HOSTILE, author_handle=HOSTILE)
    claim = claim_id_of(claimed)
    ledger.hosting.store_screen(LANE, claim, PNG)
    checks = ({"check": "browser", "passed": False, "findings": (HOSTILE,), "warnings": (HOSTILE,)},)
    report = done(title=HOSTILE, description=HOSTILE, checks=checks, log_tail=f"one\n{HOSTILE}", cost_micros=23_000)
    ledger.claims.report(LANE, claim, report)
    return now_of(ledger, claimed.document)


def test_the_page_tells_everything_and_runs_nothing(console: Served, viewer: Visitor) -> None:
    """Whatever others wrote is text; no link leads anywhere but to the web."""
    document = built_with_everything(console.ledger)

    answer = viewer.get(path_of(document))

    assert 200 == answer.status_code
    assert "<img src=x" not in answer.text
    assert "\x1b" not in answer.text
    assert "\u202e" not in answer.text
    assert answer.text.count(SHOWN) >= 8
    assert {"http", "https", "/"} >= {re.split(r"[:/#]", link)[0] or "/" for link in links(answer)}
    for told in ("browser", "$0.02 in all", "finish", "lane-1", "3khostile"):
        assert told in answer.text
    assert 'method="post"' not in answer.text.partition("<main")[2]
    part = viewer.part(path_of(document))
    assert part.text.lstrip().startswith('<div id="document"')


def links(answer: httpx.Response) -> set[str]:
    return {link for link in re.findall(r'(?:href|src|action|data-frame)="([^"]*)"', answer.text) if link != "#main"}


def test_the_picture_of_a_lane_is_a_picture(console: Served, viewer: Visitor, nobody: Visitor) -> None:
    """And nothing that a browser would take for a page; what is no picture is not there."""
    document = built_with_everything(console.ledger)
    path = f"/screens/{document.slug}/1"
    answer = viewer.get(path)

    assert (PNG, "image/png", "nosniff") == (
        answer.content,
        answer.headers["Content-Type"],
        answer.headers["X-Content-Type-Options"],
    )
    assert path in viewer.get(path_of(document)).text
    assert [404, 404, 422] == [
        viewer.get(each).status_code for each in (path[:-1] + "2", "/screens/no/99999999999", "/screens/no/x")
    ]
    assert 303 == nobody.get(path).status_code


def test_a_button_does_it_once(console: Served, operator: Visitor) -> None:
    """Pressed twice, at once or again later, it is done once, and says the same."""
    document = build_failed(console.ledger)
    assert "Retry" in operator.get(path_of(document)).text
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: pressed(operator, document, "retry", action="one-press"), range(4)))

    assert [303] * 4 == [answer.status_code for answer in answers]
    assert document.version + 1 == now_of(console.ledger, document).version
    assert Status.PENDING_BUILD is now_of(console.ledger, document).status
    cookies = {answer.headers["Set-Cookie"].partition(";")[0] for answer in answers}
    assert 1 == len(cookies)


def test_of_two_people_one_is_told_what_it_is_now(console: Served, operator: Visitor) -> None:
    """Nobody's newer state is overwritten."""
    document = held(console.ledger)
    first, second = pressed(operator, document, "approve"), pressed(operator, document, "skip", why="no")

    assert (303, 409) == (first.status_code, second.status_code)
    assert "Changed meanwhile: it is pending-build now. Nothing was done." in second.text
    assert Status.PENDING_BUILD is now_of(console.ledger, document).status


def test_what_the_table_does_not_allow_has_no_button(console: Served, operator: Visitor) -> None:
    """And asked for all the same, it is refused and says why."""
    document = received(console.ledger)
    page = operator.get(path_of(document)).text
    assert set(re.findall(r'name="deed" value="(\w+)"', page)) == {"approve", "skip", "take_down"}

    refused = pressed(operator, document, "retry")

    assert 403 == refused.status_code
    assert document.version == now_of(console.ledger, document).version
    for fields in ({"deed": "fly"}, {"version": "x"}, {"version": "9" * 12}):
        assert 422 == pressed(operator, document, **{"deed": "approve"} | fields).status_code


def test_a_viewer_sees_and_changes_nothing(console: Served, viewer: Visitor) -> None:
    """Neither a button nor a call."""
    document = received(console.ledger)

    assert 'name="deed"' not in viewer.get(path_of(document)).text
    assert 403 == pressed(viewer, document, "approve").status_code
    assert 403 == viewer.post("/bulk", {"on": f"{document.id}@1", "deed": "skip"}).status_code
    assert document.version == now_of(console.ledger, document).version


def test_what_is_there_no_more_is_said(console: Served, operator: Visitor) -> None:
    """Badges tell what the status does not; a document that is none is not found."""
    document = replied(console.ledger)
    taken = pressed(operator, document, "take_down", why="it was bad")
    assert 303 == taken.status_code
    page = operator.get(path_of(document)).text

    assert "taken down" in page
    assert "Nobody can open it" in page
    assert 404 == operator.get("/documents/mention:did:plc:alice:nothing").status_code


def test_many_are_done_each_for_itself(console: Served, operator: Visitor) -> None:
    """First a page with how many; what moved since it was ticked is left alone; pressed twice, done once."""
    ledger = console.ledger
    failed, changed, other = build_failed(ledger, "3kone"), build_failed(ledger, "3ktwo"), pending(ledger, "3kthree")
    on = [f"{document.id}@{document.version}" for document in (failed, changed, other)]
    pressed(operator, changed, "retry")
    look = operator.post("/bulk", {"on": on, "deed": "retry", "query": "status=build-failed"})

    assert 200 == look.status_code
    told = " ".join(re.sub(r"<[^>]+>", "", look.text).split())
    assert "3 documents are meant. 1 of them stand where this can be done. 1 do not" in told
    assert "1 has changed since you selected them" in told
    assert "build-failed → pending-build" in told
    [refs] = re.findall(r'name="refs" value="([^"]*)"', look.text)
    press = {"deed": "retry", "refs": refs, "action": "one-press", "query": "status=build-failed"}
    answers = [operator.post("/bulk/done", press) for _ in range(2)]

    sums = re.compile(r'<span class="number">(\d+)</span> ([^<]+)</li>')
    expected = [("1", "Done"), ("1", "Changed meanwhile, and left alone"), ("1", "Not allowed"), ("0", "Failed")]
    assert [expected, expected] == [sums.findall(answer.text) for answer in answers]
    assert 'href="/console/documents?status=build-failed"' in answers[0].text
    assert failed.version + 1 == now_of(ledger, failed).version
    assert changed.version + 1 == now_of(ledger, changed).version
    assert other.version == now_of(ledger, other).version
    for wrong in ({"deed": "fly"}, {"deed": "retry", "refs": "nonsense"}, {"deed": "retry", "refs": "a@1 " * 2001}):
        assert 422 == operator.post("/bulk/done", wrong).status_code
    assert "Nothing is selected." in operator.post("/bulk", {"on": ["nobody@1"], "deed": "skip"}).text


def test_more_than_fit_into_one_go_are_shown_as_that(
    console: Served, operator: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest are meant, and the page says of how many."""
    monkeypatch.setattr(bulk, "MOST", 2)
    for name in ("3kone", "3ktwo", "3kthree"):
        build_failed(console.ledger, name)

    asked = operator.post("/bulk", {"all": "yes", "deed": "retry"})

    assert 200 == asked.status_code
    assert "the newest of 3, since no more than 2 are done in one go" in re.sub(r"\s+", " ", asked.text)
    assert "Retry 2?" in asked.text


def test_a_post_reads_as_on_bluesky() -> None:
    """Its facets are marked; those that overlap, or cut a character, are not."""
    link = {"$type": "app.bsky.richtext.facet#link", "uri": "javascript:alert(1)"}
    record = {
        "text": "é @bot hi",
        "facets": [
            facet(3, 7, "did:plc:bot"),
            facet(1, 2),
            facet(4, 6),
            {"index": {"byteStart": 8, "byteEnd": 10}, "features": [link]},
            "no",
        ],
    }

    assert [
        Piece("é "),
        Piece("@bot", "mention", "did:plc:bot"),
        Piece(" "),
        Piece("hi", "link", "javascript:alert(1)"),
    ] == pieces(record)
    assert [] == pieces({"text": 7, "facets": 7})


def test_what_a_post_shows_beside_its_text() -> None:
    """In a line each, however it is nested; nothing where there is nothing."""
    quoted = {"uri": "at://did:plc:b/app.bsky.feed.post/3k"}

    assert ["Picture: a cat", "Picture: without a description"] == beside({"embed": {"images": [{"alt": "a cat"}, 7]}})
    assert ["Card: T (https://x.test)"] == beside({"embed": {"external": {"uri": "https://x.test", "title": "T"}}})
    assert [f"Quotes {quoted['uri']}"] == beside({"embed": {"record": quoted}})
    nested = {"embed": {"record": {"record": quoted}, "media": {"video": {}, "alt": "a dog"}}}
    assert [f"Quotes {quoted['uri']}", "Video: a dog"] == beside(nested)
    assert [] == beside({"embed": {"unheard": "of"}}) == beside({})


def test_a_post_cannot_hide_behind_how_deep_it_is_nested(console: Served, viewer: Visitor) -> None:
    """Who asks makes their post's record up; a page that cannot be drawn would keep operators from it."""
    embed: dict[str, Any] = {"video": {}}
    for _ in range(200):
        embed = {"record": {"record": {"uri": "at://did:plc:b/app.bsky.feed.post/3k"}}, "media": embed}
    document = received(console.ledger, record={"text": "@bot hi", "embed": embed})

    answer = viewer.get(path_of(document))

    assert (200, 1) == (answer.status_code, answer.text.count("Quotes at://did:plc:b"))
