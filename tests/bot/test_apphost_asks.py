"""How asks stand, for anybody: by the pasted link of a post, and with no word of it."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.apphost import apps_app
from bot.jobs.commands import first_of
from bot.ledger.views import Document
from bot.pages.why_not import NOT_TAKEN_ON
from bot.public import has_page, page_address
from guardrails.caps import Cap
from guardrails.documents import Did
from guardrails.facts import Label, Look, Profile
from guardrails.judgement import Verdict
from guardrails.outlook import Outlook, View
from guardrails.said import Outcome
from guardrails.switches import Switch
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import ended
from tests.bot.serving import client, served
from tests.bot.stage import BOT, OPERATOR, Stage, staged
from tests.facts import facts_of

ALICE = Did("did:plc:alice")
ASK = "a pomodoro timer"
Get = Callable[..., httpx.Response]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def page(stage: Stage) -> Iterator[Get]:
    """Asks the host of the pages."""
    with served(lambda _: apps_app(stage.ledger, "https://apps.example")) as port, client(port, "apps.example") as http:
        yield http.get


def seen(*labels: str, by: Did = ALICE) -> dict[str, Any]:
    """What the judgement knew of the author: these labels."""
    author = Profile(did=ALICE, labels=tuple(Label(src=by, val=label) for label in labels))
    return {"look": Look(outlook=Outlook(View.OPEN, ""), author=author)}


def asked(stage: Stage, **known: Any) -> Document:
    """An ask that waits for a lane, of somebody without labels."""
    return stage.ask(ASK, known=known or seen())


def path_of(document: Document) -> str:
    address = page_address("", document)
    assert address is not None
    return address


def heading(answer: httpx.Response) -> str:
    assert 200 == answer.status_code
    return answer.text.partition("<h1>")[2].partition("</h1>")[0]


@pytest.mark.parametrize(
    "link",
    [
        "https://bsky.app/profile/alice.test/post/3k000",
        "  https://bsky.app/profile/did:plc:alice/post/3k000/?ref=x#y \n",
        "https://another.example/profile/@ALICE.test/post/3k000",
        "at://did:plc:alice/app.bsky.feed.post/3k000",
        "at://alice.test/app.bsky.feed.post/3k000",
    ],
)
def test_the_link_of_a_post_leads_to_its_page(stage: Stage, page: Get, link: str) -> None:
    """However it is written; the page is named by nothing that is in it."""
    document = asked(stage)

    found = page("/", params={"post": link})

    assert (303, f"https://apps.example{path_of(document)}") == (found.status_code, found.headers["Location"])
    assert "no-store" == found.headers["Cache-Control"]
    assert not any(part in found.headers["Location"] for part in ("alice", "3k000", "pomodoro"))


def test_an_ask_from_its_queue_to_its_app(stage: Stage, page: Get) -> None:
    """The state, and the title with the link once it is built; the page looks again while there is more to come."""
    document = asked(stage)
    queued = page(path_of(document))
    lane = stage.device("lane")
    claim_id = stage.claim(lane)
    building = page(path_of(document))
    stage.ledger.hosting.store(lane.caller, claim_id, "0" * 64, {"index.html": b"<p>tick"})
    done = {"title": "Pomo <b>25</b>", "description": "", "sha256": "0" * 64}
    stage.ledger.claims.report(lane.caller, claim_id, ended(BuildOutcome.DONE, **done))
    built = page(path_of(document))

    assert ["Queued", "Being built", "It is ready"] == [heading(each) for each in (queued, building, built)]
    assert '<a href="https://apps.example/app-1" dir="auto">Pomo &lt;b&gt;25&lt;/b&gt;</a>' in built.text
    for answer in (queued, building, built):
        assert "10" == answer.headers["Refresh"]
        assert ("no-store", "noindex") == (answer.headers["Cache-Control"], answer.headers["X-Robots-Tag"])
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert not any(part in answer.text.lower() for part in ("alice", "3k000", "timer", "did:"))

    stage.ledger.documents.stop(OPERATOR, stage.ledger.queries.document(document.id))
    gone = page(path_of(document))
    assert ("This app is gone", False) == (heading(gone), "Refresh" in gone.headers)
    assert "The people who run this bot have stopped it." in gone.text


def test_a_reply_that_waits_for_a_person_shows_nothing_yet(stage: Stage, page: Get) -> None:
    """Neither title nor link, as on the page of the app."""
    slug = stage.app(title="Pomodoro")
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("UPDATE documents SET facts = ?", (facts_with_look(stage, slug),))
    document = stage.ledger.decisions.hold_reply(BOT, stage.ledger.queries.find(slug), "odd")

    answer = page(path_of(document))

    assert ("Almost ready", "10") == (heading(answer), answer.headers["Refresh"])
    assert not any(part in answer.text for part in ("Pomodoro", slug, "odd"))


def facts_with_look(stage: Stage, slug: str) -> str:
    mention = stage.ledger.queries.find(slug).mention
    return facts_of(mention, **seen()).model_dump_json(exclude={"mention"})


def test_what_nobody_is_to_see_is_as_if_it_were_not_there(stage: Stage, page: Get) -> None:
    """The same answer for a stranger's post, for those who want no strangers, for what is gone, and for no link."""
    ledger = stage.ledger
    unseen = {
        "signed in only": asked(stage, **seen("!no-unauthenticated")),
        "the same by a labeler": asked(stage, **seen("!no-unauthenticated", by=Did("did:plc:labeler"))),
        "not looked at": stage.ask(ASK),
        "deleted": ledger.documents.withdraw(BOT, asked(stage), Reason.DELETED),
        "cancelled": ledger.documents.withdraw(BOT, asked(stage), Reason.CANCELLED),
        "not there": asked(stage),
        "not readable": asked(stage),
        "a command": asked(stage),
    }
    with ledger.db.write() as connection:
        for sets, name in (
            ("absent_since = '2026-03-02 12:00:00.000000'", "not there"),
            ("facts = '{\"look\": 5}'", "not readable"),
            ("status = 'skipped', reason = 'command'", "a command"),
        ):
            connection.exec_driver_sql(f"UPDATE documents SET {sets} WHERE id = ?", (unseen[name].id,))
    unknown = page("/m/" + "0" * 32)
    lost = page("/", params={"post": "https://bsky.app/profile/alice.test/post/3knone"})

    assert (404, 404) == (unknown.status_code, lost.status_code)
    for document in unseen.values():
        assert (unknown.text, 404) == (page(path_of(document)).text, 404)
        link = f"https://bsky.app/profile/alice.test/post/{document.source_uri[-5:]}"
        found = page("/", params={"post": link})
        assert (404, lost.text.replace("3knone", document.source_uri[-5:])) == (found.status_code, found.text)
        assert ("no-store", "noindex") == (found.headers["Cache-Control"], found.headers["X-Robots-Tag"])

    ledger.people.forget(BOT, ALICE)
    forgotten = stage.ledger.queries.document(unseen["not looked at"].id)
    assert unknown.text == page(path_of(forgotten)).text


@pytest.mark.parametrize(
    "pasted",
    [
        "hello <b>there</b>",
        "https://bsky.app/profile/alice.test",
        "https://bsky.app/profile/a%00b.test/post/3k000",
        "https://bsky.app/profile/../post/3k000",
        "https://bsky.app/profile/%25/post/3k000",
        "at://did:plc:alice/app.bsky.feed.like/3k000",
        "https://[",
        "\u202e\x00",
        "https://bsky.app/profile/alice.test/post/3k000#" + "x" * 500,
    ],
)
def test_what_is_no_link_of_a_post_is_told_as_kindly(stage: Stage, page: Get, pasted: str) -> None:
    """It stands in the field again, as text and cut."""
    asked(stage)

    answer = page("/", params={"post": pasted})

    assert (404, True) == (answer.status_code, "There is nothing to show for this." in answer.text)
    assert not any(part in answer.text for part in ("<b>", "\u202e", "\x00", "x" * 490))


def test_names_of_pages_that_are_none(page: Get) -> None:
    """Whatever is asked for."""
    for path in ("/m", "/m/", "/m/%00", "/m/x", "/m/" + "0" * 33, "/m/a/b"):
        assert 404 == page(path).status_code, path


def test_the_front_page_takes_a_link_and_needs_no_script(page: Get) -> None:
    """Its form leads to the same host only; so much can be typed."""
    answer = page("/")

    assert (200, True) == (answer.status_code, '<form action="/" method="get"' in answer.text)
    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
    assert 'maxlength="500"' in answer.text
    assert "<script" not in answer.text
    assert page("/", params={"post": "  "}).text == answer.text


def test_where_the_host_wants_none_there_are_no_pages(stage: Stage) -> None:
    """The front page says nothing of them."""
    document = asked(stage)
    build = apps_app(stage.ledger, "https://apps.example", status_pages=False)
    with served(lambda _: build) as port, client(port, "apps.example") as http:
        front = http.get("/", params={"post": document.source_uri})

        assert (200, False) == (front.status_code, "<form" in front.text)
        assert "form-action 'none'" in front.headers["Content-Security-Policy"]
        assert 404 == http.get(path_of(document)).status_code


def test_since_when_the_bot_rests_is_told_where_something_waits(stage: Stage, page: Get) -> None:
    """Why it rests is not public; what has ended does not wait."""
    open_, over = asked(stage), stage.ledger.documents.stop(OPERATOR, asked(stage))
    stage.ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")
    since = stage.ledger.desk.switches_on()[0][3]

    assert f"The bot is resting since {since:%Y-%m-%d %H:%M} UTC" in page(path_of(open_)).text
    assert "incident" not in page(path_of(open_)).text
    assert "resting" not in page(path_of(over)).text


def test_an_ask_that_waits_for_room_says_when_it_goes_on(stage: Stage, page: Get) -> None:
    """Not what there is too much of, which may be the author's own."""
    document = asked(stage)
    until = stage.clock() + timedelta(hours=3)
    waits = Verdict(
        check="how_much",
        rules="1",
        outcome=Outcome.WAIT,
        reason=Reason.CAPPED,
        detail=Cap.AUTHOR_DAY.value,
        until=until,
        at=stage.clock(),
    )
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE documents SET status = 'received', verdicts = ?", (f"[{waits.model_dump_json()}]",)
        )

    answer = page(path_of(document))

    assert "Received" == heading(answer)
    assert f"It waits for room, and goes on after {until:%Y-%m-%d %H:%M} UTC." in answer.text


def test_the_same_ask_again_shows_how_the_first_stands(stage: Stage, page: Get) -> None:
    """And nothing, once the first is nothing to see any more."""
    first = asked(stage)
    again = asked(stage)
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE documents SET status = 'skipped', reason = 'same_ask', joined_to = ?, facts = NULL WHERE id = ?",
            (first.id, again.id),
        )
    shown = heading(page(path_of(again)))
    stage.ledger.documents.withdraw(BOT, first, Reason.CANCELLED)

    assert ("Queued", 404) == (shown, page(path_of(again)).status_code)


def test_a_refusal_is_told_in_one_neutral_sentence(stage: Stage, page: Get) -> None:
    """What a rule or a label said stays with the people who run the bot."""
    document = asked(stage)
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE documents SET status = 'skipped', reason = 'labelled', detail = 'labelled spam by did:plc:x'"
        )

    answer = page(path_of(document))

    assert ("Not built", False) == (heading(answer), "Refresh" in answer.headers)
    assert NOT_TAKEN_ON in answer.text
    assert "spam" not in answer.text


@pytest.mark.parametrize(
    ("status", "reason", "head", "told"),
    [
        ("replied", "sent", "It is ready", "The bot has answered with the link."),
        ("error", "send_refused", "It is ready", "It was built, and the answer could not be given."),
        ("pending-build", "retried", "Queued", "It waits for its turn to be built."),
        ("build-failed", "out_of_tries", "Not built", "It was tried several times"),
    ],
)
def test_an_app_is_said_to_be_answered_once_it_is(
    stage: Stage, page: Get, status: str, reason: str, head: str, told: str
) -> None:
    """Not when the answer was refused, nor when it is built anew after that."""
    slug = stage.app(title="Pomodoro")
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE documents SET status = ?, reason = ?, facts = ?", (status, reason, facts_with_look(stage, slug))
        )
    answer = page(path_of(stage.ledger.queries.find(slug)))

    assert head == heading(answer)
    assert told in answer.text
    assert ("Pomodoro" in answer.text) == (head == "It is ready")


def test_a_document_without_a_page_has_no_address(stage: Stage) -> None:
    """As one from a ledger that was written by an older program would be."""
    document = asked(stage)
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("UPDATE documents SET page = NULL")
    older = stage.ledger.queries.document(document.id)

    assert (None, True) == (page_address("https://x", older), has_page(older, first_of(stage.ledger, older)))
