"""What is told by how another document stands: an ask's state, what came of a command, the end of the first ask."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.jobs.answers import to_tell
from bot.jobs.notes import LATE, Full, Line
from bot.ledger.claims import Claimed
from bot.ledger.ledger import Ledger
from bot.ledger.sightings import take_down
from bot.ledger.views import Document
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.documents import DocId
from guardrails.facts import Conversation, Label, Look, Profile
from guardrails.judgement import Verdict
from guardrails.outlook import Outlook, View
from guardrails.said import Outcome, skip
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.jobs.saying import joined, judged, says, skipped_as
from tests.bot.ledger.steps import (
    STARTS,
    accept,
    build_failed,
    building,
    built,
    claim,
    claim_id_of,
    done,
    ended,
    frozen,
    now_of,
    pending,
    received,
    ref_of,
    refuse,
    replied,
    travel,
)
from tests.facts import facts_of
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR, judgement

APP = "https://apps.example/x"
READY = Line(Note.IS_READY, address=APP)
NOTHING = Line(Note.IS_NOTHING)
STATES = {
    Status.RECEIVED: Line(Note.IS_WAITING),
    Status.AWAITING_APPROVAL: Line(Note.IS_HELD),
    Status.PENDING_BUILD: Line(Note.IS_QUEUED),
    Status.BUILDING: Line(Note.IS_BUILDING),
    Status.BUILT: READY,
    Status.REPLIED: READY,
    Status.SKIPPED: NOTHING,
    Status.BUILD_FAILED: Line(Note.IS_OVER),
    Status.ERROR: READY,
}


def told(ledger: Ledger, document: Document) -> tuple[str, Line | Full] | None:
    """What is told of a document now, and under which key."""
    line = to_tell(ledger, now_of(ledger, document), ledger.db.time())
    return (line.key, line.line) if line is not None else None


def answer(ledger: Ledger, text: str, to: str | None, rkey: str = "3kword") -> Line | Full:
    """What Alice's command is answered, under a key of its own and as one of so many."""
    command = skipped_as(ledger, says(ledger, text, rkey, to))
    told = to_tell(ledger, command, ledger.db.time())
    assert told is not None
    assert (f"note:{command.id}", True) == (told.key, told.is_answer)
    return told.line


@pytest.mark.parametrize("status", Status)
def test_the_state_of_an_ask_is_told(ledger: Ledger, status: Status) -> None:
    """With a link where there is an app; of what was no ask at all, nothing is known."""
    asked = STARTS[status](ledger)

    assert STATES[status] == answer(ledger, "status", asked.source_uri)


def test_the_state_is_told_as_it_is_by_then(ledger: Ledger) -> None:
    """Not as it was when somebody wanted to know."""
    claimed = building(ledger)
    command = skipped_as(ledger, says(ledger, "status", "3kword", claimed.document.source_uri))
    ledger.claims.report(LANE, claim_id_of(claimed), done())

    assert (f"note:{command.id}", READY) == told(ledger, command)


def test_the_state_of_an_ask_that_joined_another_is_that_ones(ledger: Ledger) -> None:
    """It gets what the other gets."""
    second = joined(ledger, pending(ledger))

    assert Line(Note.IS_QUEUED) == answer(ledger, "status", second.source_uri)


def test_the_state_of_an_ask_that_waits_for_a_cap_names_both(ledger: Ledger) -> None:
    """The cap, and when it begins anew."""
    asked, until = received(ledger), ledger.db.time() + timedelta(hours=1)
    ledger.documents.postpone(BOT, asked, [waiting(until)], until, facts_of(asked.mention))

    assert Full(Cap.AUTHOR_DAY, until, goes_on=True) == answer(ledger, "status", asked.source_uri)


@pytest.mark.parametrize("labels", [(), ("!no-unauthenticated",)])
def test_a_state_links_the_page_where_there_is_one(ledger: Ledger, labels: tuple[str, ...]) -> None:
    """Not for somebody who wants no strangers; the full cap that it waits for is told with it, too."""
    author = Profile(did=ALICE, labels=tuple(Label(src=ALICE, val=label) for label in labels))
    look = Look(outlook=Outlook(View.OPEN, ""), author=author)
    asked, until = accept(ledger, received(ledger), look=look), ledger.db.time() + timedelta(hours=1)
    waits = received(ledger, "3kwaits")
    ledger.documents.postpone(BOT, waits, [waiting(until)], until, facts_of(waits.mention, look=look))
    pages = [f"https://apps.example/m/{document.page}" if not labels else "" for document in (asked, waits)]
    lines = [
        to_tell(ledger, skipped_as(ledger, says(ledger, "status", rkey, to)), ledger.db.time(), "https://apps.example")
        for rkey, to in (("3kone", asked.source_uri), ("3ktwo", waits.source_uri))
    ]

    assert [
        Line(Note.IS_QUEUED, address=pages[0]),
        Full(Cap.AUTHOR_DAY, until, goes_on=True, address=pages[1]),
    ] == [line and line.line for line in lines]
    for line, page in zip(lines, pages, strict=True):
        assert line is not None
        assert [page] * (not labels) == [
            feature["uri"] for facet in line.line.speech("en").facets for feature in facet["features"]
        ]


def test_no_link_leads_to_an_app_that_is_gone(ledger: Ledger) -> None:
    """Be it by its author's word, or taken down."""
    one, other = replied(ledger), replied(ledger, "3kother")
    ledger.sightings.withdrawn(one)
    with ledger.db.write() as connection:
        take_down(ledger.db, connection, other, Reason.TAKEN_DOWN)

    assert Line(Note.IS_OVER) == answer(ledger, "status", one.source_uri)
    assert Line(Note.IS_OVER) == answer(ledger, "status", other.source_uri, "3kagain")


def test_a_question_that_is_no_reply_is_about_the_newest_ask(ledger: Ledger, ledger_clock: Clock) -> None:
    """One that was not taken back; commands and thanks are none."""
    build_failed(ledger)
    travel(ledger_clock, minutes=1)
    pending(ledger, "3ksecond", ask="make me something else")
    travel(ledger_clock, minutes=1)
    ledger.documents.withdraw(BOT, pending(ledger, "3kthird", ask="and a third thing"), Reason.CANCELLED)
    refuse(ledger, says(ledger, "thanks", "3kthanks"), Reason.THANKS)
    pending(ledger, "3kbob", author=BOB)

    assert Line(Note.IS_QUEUED) == answer(ledger, "status", None)


def test_of_somebody_who_never_asked_nothing_is_known(ledger: Ledger) -> None:
    """Nor is anything told of what others asked."""
    asked = pending(ledger, author=BOB)

    assert [NOTHING, NOTHING] == [
        answer(ledger, "status", to, f"3k{n}") for n, to in enumerate([None, asked.source_uri])
    ]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("help", Note.HELP),
        ("cancel", Note.TAKEN_BACK),
        ("forget me", Note.FORGOTTEN),
        ("remember me", Note.REMEMBERED),
        ("retry", Note.IS_QUEUED),
    ],
)
def test_what_came_of_a_command_is_told(ledger: Ledger, text: str, note: Note) -> None:
    """In a line of its own."""
    assert Line(note) == answer(ledger, text, pending(ledger).source_uri)


def test_a_cap_that_kept_an_ask_from_being_tried_again_is_told(ledger: Ledger) -> None:
    """It does not go on by itself."""
    command = says(ledger, "retry", "3kword", build_failed(ledger).source_uri)
    until = ledger.db.time() + timedelta(hours=1)
    verdicts = judged(ledger, command, came_of_retry=replace(skip(Reason.CAPPED, Cap.AUTHOR_HOUR), until=until))
    skipped = ledger.documents.refuse(BOT, command, verdicts, facts_of(command.mention))
    line = told(ledger, skipped)

    assert line is not None
    assert isinstance(line[1], Full)
    assert (Cap.AUTHOR_HOUR, False) == (line[1].cap, line[1].goes_on)


def test_a_command_that_is_answered_too_late_is_not_answered(ledger: Ledger, ledger_clock: Clock) -> None:
    """Who asked for a state a day ago has seen it by now."""
    command = skipped_as(ledger, says(ledger, "status", "3kword"))
    travel(ledger_clock, hours=25)

    assert told(ledger, command) is None


def refused(ledger: Ledger, claimed: Claimed) -> None:
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.REFUSED, reason="too big"))


def test_an_ask_that_joined_another_gets_its_link(ledger: Ledger) -> None:
    """Once that is answered, and not before."""
    first = built(ledger)
    second = joined(ledger, first)
    before = (told(ledger, second), ledger.queries.to_tell(10))
    send = ledger.sends.claim_reply(BOT, first, frozen())
    ledger.sends.answered(BOT, send, ref_of(send))

    assert (None, []) == before
    assert (f"note:{second.id}:same", Line(Note.SAME_ASK, address=APP)) == told(ledger, second)
    assert [second.id] == [document.id for document in ledger.queries.to_tell(10)]


def test_an_ask_that_joins_one_that_was_answered_days_ago_gets_its_link(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its author has asked just now."""
    first = replied(ledger)
    travel(ledger_clock, days=3)
    second = joined(ledger, first)

    assert (f"note:{second.id}:same", Line(Note.SAME_ASK, address=APP)) == told(ledger, second)
    travel(ledger_clock, hours=25)
    assert told(ledger, second) is None


def test_an_ask_that_joined_one_without_an_app_is_told_of_its_end(ledger: Ledger) -> None:
    """In the same words, under its own key."""
    claimed = building(ledger)
    second = joined(ledger, claimed.document)
    refused(ledger, claimed)

    assert (f"note:{second.id}", Line(Note.NOT_BUILT, "too big")) == told(ledger, second)


def test_what_is_told_to_an_author_once_a_day_is_told_once_of_both(ledger: Ledger) -> None:
    """A refusal is the same whatever was asked."""
    first = received(ledger, indexed_at=ledger.db.time())
    second = joined(ledger, first)
    first = refuse(ledger, first, Reason.REFUSED_BY_RULES)
    lines = [told(ledger, first), told(ledger, second)]

    assert lines[0] is not None
    assert lines[0] == lines[1]


def test_an_ask_that_joined_one_that_ended_silently_hears_nothing(ledger: Ledger) -> None:
    """As if it had been asked alone."""
    first = received(ledger)
    second = joined(ledger, first)
    ledger.documents.stop(OPERATOR, first)

    assert told(ledger, second) is None


def test_an_ask_that_joined_one_that_was_withdrawn_hears_nothing(ledger: Ledger) -> None:
    """It is judged afresh: what comes of that is told then."""
    first = replied(ledger)
    second = joined(ledger, first)
    ledger.sightings.withdrawn(first)

    assert told(ledger, second) is None


def test_a_build_that_fails_once_more_after_its_authors_retry_is_told_again(ledger: Ledger) -> None:
    """Somebody who asked for it waits for news; an operator's retry is no news to anybody."""
    failed = build_failed(ledger)
    keys = [told(ledger, failed)]
    for _ in range(2):
        came = answer(ledger, "retry", failed.source_uri, f"3kretry{len(keys)}")
        assert Line(Note.TRIED_AGAIN) == came
        refused(ledger, claim(ledger))
        keys.append(told(ledger, failed))
    ledger.documents.retry(OPERATOR, now_of(ledger, failed))
    refused(ledger, claim(ledger))
    keys.append(told(ledger, failed))

    expected = [f"note:{failed.id}{again}" for again in ("", ":again:1", ":again:2", ":again:2")]
    assert expected == [key[0] for key in keys if key is not None]


def test_late_is_late(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nobody hears a day later how a build ended."""
    failed = build_failed(ledger)
    ledger_clock.shift += LATE + timedelta(minutes=1)

    assert told(ledger, failed) is None


def waiting(until: object) -> Verdict:
    """What the caps say of one ask too many."""
    return Verdict.model_validate(
        {
            "check": "how_much",
            "rules": "1",
            "outcome": Outcome.WAIT,
            "reason": Reason.CAPPED,
            "detail": Cap.AUTHOR_DAY.value,
            "until": until,
            "at": until,
        }
    )


def wish(ledger: Ledger, under: Document, rkey: str, ask: str = "make it blue", *, by_asker: bool = False) -> Document:
    """That something be changed, right under our post about a document."""
    asked = received(ledger, rkey, ask=ask, indexed_at=ledger.db.time())
    conversation = Conversation(answered=under.id, by_asker=by_asker)
    facts = facts_of(asked.mention).model_copy(update={"conversation": conversation})
    return ledger.documents.refuse(BOT, asked, judgement(Outcome.SKIP, Reason.REVISION), facts)


def test_a_wish_for_a_change_is_keyed_by_the_app(ledger: Ledger) -> None:
    """Wherever it stands: under the reply, under a line about it, or under the link of an ask that joined it."""
    first = replied(ledger)
    wishes = [wish(ledger, first, "3kwish")]
    wishes += [wish(ledger, wishes[0], "3kmore"), wish(ledger, joined(ledger, first), "3klink")]
    line = (f"note:{first.id}:revision", Line(Note.REVISION))

    assert [line] * 3 == [told(ledger, each) for each in wishes]


def test_a_command_that_says_of_what_is_told_how_it_is_said(ledger: Ledger) -> None:
    """To who asked for the app; anybody else's would do nothing there."""
    first = replied(ledger)
    asked = wish(ledger, first, "3kwish", "please delete this app", by_asker=True)
    others = wish(ledger, first, "3kothers", "please delete this app")

    assert (f"note:{asked.id}", Line(Note.SAY_ONLY, "delete")) == told(ledger, asked)
    assert None is told(ledger, others)


def test_a_wish_under_what_an_earlier_ledger_answered_is_keyed_by_that(ledger: Ledger) -> None:
    """Its id is all that is known of it."""
    first = received(ledger)
    unknown = replace(first, id=DocId("mention:did:plc:alice:3kbefore"))

    assert ("note:mention:did:plc:alice:3kbefore:revision", Line(Note.REVISION)) == told(
        ledger, wish(ledger, unknown, "3kwish")
    )
