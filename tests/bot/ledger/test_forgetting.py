"""Who wants to be forgotten: open work ends, words and apps go, ids and statuses stay, and only the DID is kept."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import inspect, text

from bot.clock import Clock
from bot.errors import ClaimLost, LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.access import Caller
from guardrails.documents import AtUri, Context, Did, DocId, StrongRef
from guardrails.errors import NotAllowed
from guardrails.facts import Label, Look, Profile, Standing
from guardrails.outlook import Outlook as Seen
from guardrails.outlook import View
from guardrails.said import Outcome
from guardrails.slugs import burnt
from guardrails.transitions import Reason, Status
from guardrails.wire import CheckReport
from tests.bot.ledger.steps import (
    POSTS,
    STARTS,
    accept,
    build_failed,
    building,
    built,
    claim,
    claim_id_of,
    done,
    frozen,
    held,
    hold,
    now_of,
    pending,
    received,
    ref_of,
    refuse,
    replied,
    sending,
)
from tests.facts import facts_of
from tests.mentions import ALICE, BOB, BOT, HANDLE, LANE, NOON, OPERATOR, VIEWER, judgement, post

# Whole histories each: a second or two of `make test-fast` for one file.
pytestmark = pytest.mark.slow

CAROL = Did("did:plc:carol")
SECRET = "marzipan"
OPEN = [Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT]


def words(ledger: Ledger) -> set[tuple[str, str]]:
    """Every table and column in which the secret word is found, whatever the ledger thinks of it."""
    found = set()
    with ledger.db.read() as connection:
        for table, column in columns(ledger):
            for value in connection.execute(text(f'SELECT "{column}" FROM "{table}"')).scalars():
                if SECRET in str(value):
                    found.add((table, column))
    return found


def columns(ledger: Ledger) -> Iterator[tuple[str, str]]:
    tables = inspect(ledger.db.engine)
    for table in tables.get_table_names():
        for column in tables.get_columns(table):
            yield table, column["name"]


def secret(rkey: str, **more: Any) -> dict[str, Any]:
    """A mention's fields, full of the secret word."""
    return {"ask": f"an app about {SECRET}", "author_handle": f"{SECRET}.test", "rkey": rkey} | more


def a_life(ledger: Ledger) -> Document:
    """A document with everything that can be known of one: an app, a reply, a failed attempt, what the lane said."""
    pending(ledger, **secret("3klife"))
    first = claim(ledger)
    ledger.hosting.store(LANE, claim_id_of(first), "a" * 64, {"index.html": SECRET.encode()})
    ledger.hosting.store_screen(LANE, claim_id_of(first), b"\x89PNG")
    checks = (CheckReport(check="files", passed=True, findings=(SECRET,)),)
    report = done(title=SECRET, description=SECRET, log_tail=SECRET, detail=SECRET, checks=checks)
    ledger.claims.report(LANE, claim_id_of(first), report)
    send = ledger.sends.claim_reply(BOT, now_of(ledger, first.document), frozen("3kreply", text=SECRET))
    ledger.sends.answered(BOT, send, ref_of(send))
    return now_of(ledger, first.document)


def test_no_word_is_left(ledger: Ledger) -> None:
    """Looked for in every column of every table; what others have asked is as it was."""
    document = a_life(ledger)
    bobs = now_of(ledger, replied(ledger, "3kbob", author=BOB))
    before = words(ledger)
    ledger.people.forget(BOT, ALICE)
    after = now_of(ledger, document)

    assert {("documents", "body"), ("documents", "result"), ("attempts", "log_tail"), ("sends", "record")} < before
    assert set() == words(ledger)
    assert bobs == now_of(ledger, bobs)
    assert (document.id, Status.REPLIED, document.source_uri) == (after.id, after.status, after.source_uri)
    assert (ALICE, "", "", ()) == (after.author_did, after.author_handle, after.mention.ask, after.mention.context)
    assert after.is_blank


def test_an_app_is_gone_for_good(ledger: Ledger) -> None:
    """Its files and its picture are deleted, and its address says why there is nothing."""
    document = a_life(ledger)
    ledger.people.forget(BOT, ALICE)
    ledger.people.forget(OPERATOR, ALICE)
    app, after = ledger.hosting.app(str(document.slug)), now_of(ledger, document)

    assert app is not None
    assert ("forgotten", "", "") == (app.gone_reason, app.title, app.description)
    assert ([], None) == (ledger.hosting.files(app.slug, 1), ledger.sightings.screen(app.slug, 1))
    assert (app.slug, app) == (after.slug, ledger.hosting.app(app.slug))
    assert after.result is not None
    assert document.slug not in (app.slug, after.result.address)


def test_an_app_elsewhere_is_kept_in_mind_until_it_is_gone_there(ledger: Ledger) -> None:
    """The bot cannot reach it: address and slug are told among what is wrong, and are nowhere else."""
    document = a_life(ledger)
    address = f"https://{SECRET}.example/{document.slug}/1/index.html"
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE apps SET address = :address"), {"address": address})
    ledger.people.forget(BOT, ALICE)
    ledger.people.forget(OPERATOR, ALICE)
    (condition,) = ledger.conditions.standing()

    assert {("conditions", "detail")} == words(ledger)
    assert ("elsewhere", f"elsewhere:{burnt(str(document.slug))}") == (condition.kind, condition.name)
    assert condition.detail.startswith(f"at {address} stands an app")
    assert f"`skywright-builder unpublish {document.slug} --reason WHY`" in condition.detail
    assert [True, False] == [ledger.people.unpublished(OPERATOR, str(document.slug)) for _ in range(2)]
    assert (set(), []) == (words(ledger), ledger.conditions.standing())
    assert [burnt(str(document.slug))] == [row.target for row in ledger.audit.rows(None, 1)]


def test_our_reply_is_to_be_taken_back(ledger: Ledger) -> None:
    """As when its author deletes the mention."""
    document = a_life(ledger)
    ledger.people.forget(BOT, ALICE)

    assert [document.id] == [each.id for each in ledger.sightings.to_take_back(9)]


def test_our_lines_under_their_posts_are_taken_back(ledger: Ledger) -> None:
    """Those said before, also one that is settled later; what confirms the forgetting stays, a like has no words."""
    asks = received(ledger, **secret("3kforget"))
    first, other = build_failed(ledger, "3kfirst"), received(ledger, "3kbob", author=BOB)
    told = said_aside(ledger, "note:a", first, "3ka")
    said_aside(ledger, "note:b", other, "3kb")
    said_aside(ledger, "like:c", first, "3kc", "app.bsky.feed.like")
    late = ledger.sends.claim_aside(BOT, "note:d", first, frozen("3kd", text=SECRET))
    ledger.people.forget(BOT, ALICE, keep=asks.id)
    refused = refuse(ledger, now_of(ledger, asks), Reason.COMMAND)
    said_aside(ledger, "note:e", refused, "3ke")
    ledger.sightings.told(refused)
    before = [send.key for send in ledger.outbox.due(9, "delete:", "delete")]
    ledger.sends.answered(BOT, late, ref_of(late))
    ledger.people.tidy(BOT)
    ledger.people.tidy(BOT)
    after = [send.key for send in ledger.outbox.due(9, "delete:", "delete")]
    with ledger.db.read() as connection:
        left = connection.execute(text("SELECT key FROM sends WHERE record <> '{}' ORDER BY key")).scalars().all()

    assert [f"delete:{told.uri}"] == before
    assert [f"delete:{told.uri}", f"delete:{ref_of(late).uri}"] == after
    assert ["note:b"] == left


def said_aside(ledger: Ledger, key: str, document: Document, rkey: str, collection: str = POSTS) -> StrongRef:
    """Something that the bot has said about a document."""
    send = ledger.sends.claim_aside(BOT, key, document, replace(frozen(rkey, text=SECRET), collection=collection))
    ledger.sends.answered(BOT, send, ref_of(send))
    return ref_of(send)


def test_what_is_stored_just_after_it_is_blanked_too(ledger: Ledger) -> None:
    """Somebody had read their standing before; whoever is remembered keeps what they say from then on."""
    ledger.people.forget(BOT, ALICE)
    late = refuse(ledger, received(ledger, **secret("3klate")), Reason.OPTED_OUT)
    ledger.people.tidy(BOT)
    ledger.people.remember(BOT, ALICE, ledger.db.time())
    back = refuse(ledger, received(ledger, **secret("3kback")), Reason.OPTED_OUT)
    ledger.people.tidy(BOT)

    assert now_of(ledger, late).is_blank
    assert back == now_of(ledger, back)


def test_what_is_parked_just_after_it_is_blanked_too(ledger: Ledger) -> None:
    """By a process that did not know; else nothing of it is kept but that it was seen."""
    theirs = {"author": {"did": ALICE}, "record": {"text": SECRET}}
    ledger.people.forget(BOT, ALICE)
    parked = [ledger.desk.park("notifications", theirs, "unreadable") for _ in range(2)]
    at_once = words(ledger)
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE parked SET raw = :raw"), {"raw": json.dumps(theirs)})
    ledger.people.tidy(BOT)

    assert ([True, False], set(), set()) == (parked, at_once, words(ledger))


def test_replies_without_a_document_are_to_be_taken_back_too(ledger: Ledger) -> None:
    """The ledger was lost; another's stay."""
    for author in (ALICE, BOB):
        uri = f"at://did:plc:wright/app.bsky.feed.post/3k{author[-3:]}"
        ledger.sends.adopt(BOT, DocId(f"mention:{author}:3klost"), frozen(uri[-5:]), uri)
    ledger.people.forget(OPERATOR, ALICE)
    due = ledger.outbox.due(9, "delete:", "delete")

    assert ["delete:at://did:plc:wright/app.bsky.feed.post/3kice"] == [send.key for send in due]


@pytest.mark.parametrize("caller", [BOT, OPERATOR])
@pytest.mark.parametrize("status", OPEN)
def test_open_work_is_withdrawn(ledger: Ledger, status: Status, caller: Caller) -> None:
    """By its author's own word or by an operator, whose device the history names; it is never opened again."""
    document = STARTS[status](ledger)
    ledger.people.forget(caller, ALICE)
    after, told = now_of(ledger, document), ledger.feed.after(0, 99)[-1]

    assert (Status.SKIPPED, Reason.FORGOTTEN, [], None) == (
        after.status,
        after.reason,
        after.places[4:],
        after.claim_id,
    )
    assert ("withdraw", "bot", caller.device) == (told.name, told.actor, told.device)
    with pytest.raises(LostRace):
        ledger.documents.judge_again(OPERATOR, after)


def test_a_lane_that_has_it_hears_that_it_has_no_claim(ledger: Ledger) -> None:
    """Nothing comes back by an upload or a report."""
    pending(ledger)
    first = claim(ledger)
    ledger.people.forget(BOT, ALICE)

    with pytest.raises(ClaimLost):
        ledger.hosting.store(LANE, claim_id_of(first), "a" * 64, {"index.html": b"x"})
    with pytest.raises(ClaimLost):
        ledger.claims.report(LANE, claim_id_of(first), done())


@pytest.mark.parametrize("status", [Status.SKIPPED, Status.BUILD_FAILED, Status.ERROR])
def test_what_has_no_words_is_not_opened_by_a_person(ledger: Ledger, status: Status) -> None:
    """There is nothing to be judged, built or said; the asker may be remembered by then."""
    document = STARTS[status](ledger)
    ledger.people.forget(BOT, ALICE)
    ledger.people.remember(BOT, ALICE, ledger.db.time())
    after = now_of(ledger, document)
    opened: dict[Status, list[Callable[[], object]]] = {
        Status.SKIPPED: [lambda: ledger.documents.judge_again(OPERATOR, after)],
        Status.BUILD_FAILED: [
            lambda: ledger.documents.retry(OPERATOR, after),
            lambda: ledger.documents.ask_again(BOT, after, ()),
        ],
        Status.ERROR: [
            lambda: ledger.documents.retry(OPERATOR, after),
            lambda: ledger.documents.send_again(OPERATOR, after),
        ],
    }
    for call in opened[status]:
        with pytest.raises(LostRace, match="was forgotten"):
            call()


def test_a_reading_from_before_brings_nothing_back(ledger: Ledger) -> None:
    """Whoever has read the words writes over a version that is gone."""
    document = received(ledger)
    failed = build_failed(ledger, "3kfailed")
    ledger.people.forget(BOT, ALICE)

    with pytest.raises(LostRace):
        ledger.documents.reread(BOT, document, document.mention)
    with pytest.raises(LostRace):
        ledger.documents.retry(OPERATOR, failed)


def test_a_reply_on_its_way_keeps_its_text_until_it_is_settled(ledger: Ledger) -> None:
    """Only its bytes tell what became of it; then they go as well, and the reply is taken back."""
    send = sending(ledger, author_handle=f"{SECRET}.test")
    ledger.people.forget(BOT, ALICE)
    ledger.people.tidy(BOT)
    under_way = ledger.queries.sends(DocId(str(send.document_id)))
    ledger.sends.answered(BOT, send, ref_of(send))
    ledger.people.tidy(BOT)
    (settled,) = ledger.queries.sends(DocId(str(send.document_id)))

    assert [send.record] == [each.record for each in under_way]
    assert ({}, send.cids, "answered") == (settled.record, settled.cids, settled.state)
    assert [send.document_id] == [each.id for each in ledger.sightings.to_take_back(9)]


def test_the_document_that_asks_for_it_ends_as_a_command(ledger: Ledger) -> None:
    """Its author is still to be told; once that is said, it is blanked like the others."""
    asks = received(ledger, **secret("3kforget"))
    ledger.people.forget(BOT, ALICE, keep=asks.id)
    told = refuse(ledger, now_of(ledger, asks), Reason.COMMAND, "forget me")
    nothing_yet = ledger.people.tidy(BOT)
    ledger.sightings.told(told)

    assert (asks.mention, Reason.COMMAND, 0) == (told.mention, told.reason, nothing_yet)
    assert [1, 0] == [ledger.people.tidy(BOT) for _ in range(2)]
    assert set() == words(ledger)
    assert Status.SKIPPED is now_of(ledger, asks).status


def test_what_is_said_after_it_is_left_to_be_judged(ledger: Ledger) -> None:
    """It may be the wish to be remembered."""
    ledger.people.forget(BOT, ALICE)
    later = received(ledger, "3klater", ask="remember me")

    assert 0 == ledger.people.tidy(BOT)
    assert later == now_of(ledger, later)


def test_the_words_go_from_what_others_asked_about_them(ledger: Ledger) -> None:
    """Their asks stay theirs, also those under way."""
    said = said_by(ALICE)
    other = said.model_copy(update={"author_did": BOB, "author_handle": "bob.test", "text": "bread"})
    bobs = received(ledger, "3kbob", author=BOB, context=(said, other))
    plain = received(ledger, "3kplain", author=BOB)
    ledger.people.forget(BOT, ALICE)

    assert (other,) == now_of(ledger, bobs).mention.context
    assert (bobs.mention.ask, Status.RECEIVED) == ((after := now_of(ledger, bobs)).mention.ask, after.status)
    assert plain == now_of(ledger, plain)
    assert set() == words(ledger)


@pytest.mark.parametrize("late", [False, True])
def test_what_was_known_of_them_goes_from_what_others_asked(ledger: Ledger, late: bool) -> None:
    """Their profile, where the ask had no word of theirs; also one that was written just after. Others' stays."""
    about = Look(outlook=Seen(View.OPEN), author=Profile(did=BOB), involved=(seen_of(ALICE), seen_of(CAROL)))
    ended, waiting = (received(ledger, rkey, author=BOB) for rkey in ("3kended", "3kwaiting"))
    facts = facts_of(ended.mention, look=about)
    if late:
        ledger.people.forget(BOT, ALICE)
    ledger.documents.refuse(BOT, ended, judgement(Outcome.SKIP, Reason.DENIED), facts)
    ledger.documents.postpone(BOT, waiting, (), ledger.db.time(), facts)
    before = words(ledger)
    if late:
        ledger.people.tidy(BOT)
    else:
        ledger.people.forget(BOT, ALICE)
    left = [now_of(ledger, each).facts for each in (ended, waiting)]

    assert {("documents", "facts")} == before
    assert [(seen_of(CAROL),)] * 2 == [kept.look.involved for kept in left if kept and kept.look]


@pytest.mark.parametrize(("hours", "blanked"), [(0.5, (True, True)), (1.5, (False, True)), (2.5, (False, False))])
def test_what_was_known_is_looked_for_while_it_may_still_be_written(
    ledger: Ledger, ledger_clock: Clock, hours: float, blanked: tuple[bool, bool]
) -> None:
    """Of what has ended and of what is open; later nothing is read for it, every few seconds."""
    about = Look(outlook=Seen(View.OPEN), author=Profile(did=BOB), involved=(seen_of(ALICE),))
    ended, waiting = (received(ledger, rkey, author=BOB) for rkey in ("3kended", "3kwaiting"))
    facts = facts_of(ended.mention, look=about)
    ledger.people.forget(BOT, ALICE)
    ledger_clock.shift += timedelta(hours=hours)
    ledger.documents.refuse(BOT, ended, judgement(Outcome.SKIP, Reason.DENIED), facts)
    ledger.documents.postpone(BOT, waiting, (), ledger.db.time(), facts)
    ledger.people.tidy(BOT)
    left = [now_of(ledger, each).facts for each in (ended, waiting)]

    assert blanked == tuple(not kept.look.involved for kept in left if kept and kept.look)


def seen_of(who: Did) -> Profile:
    """What the network shows of somebody."""
    return Profile(did=who, labels=(Label(src=who, val=SECRET if who == ALICE else "cook"),), followers=4321)


def quoting(who: Did, rkey: str = "3kbob", **more: Any) -> dict[str, Any]:
    """Fields of a mention of Bob's that quotes a post of somebody's."""
    uri = f"at://{who}/app.bsky.feed.post/3kpost"
    record = post(f"{HANDLE} build this") | {"embed": {"record": {"uri": uri, "cid": "cid"}}}
    return {"rkey": rkey, "author": BOB, "record": record} | more


@pytest.mark.parametrize("caller", [BOT, OPERATOR])
@pytest.mark.parametrize("start", [held, pending, building, built])
def test_what_others_asked_about_their_posts_ends(ledger: Ledger, start: Callable[..., Any], caller: Caller) -> None:
    """Before there is an answer: a claim is void, places come back but for a built one, and an app goes."""
    if start is held:
        document = hold(ledger, received(ledger, **quoting(ALICE)))
    else:
        document = getattr(made := start(ledger, **quoting(ALICE)), "document", made)
    ledger.people.forget(caller, ALICE)
    after = now_of(ledger, document)
    app = ledger.hosting.app(str(document.slug))

    assert (Status.SKIPPED, Reason.OPTED_OUT, None) == (after.status, after.reason, after.claim_id)
    assert after.withdrawn_at is not None
    assert app is None or app.gone_reason == "taken_down"
    assert BOB == after.author_did != after.author_handle != ""


def test_what_others_asked_and_were_told_stays(ledger: Ledger) -> None:
    """So does what only names them, what is on its way, and what was not judged yet, which is judged by that."""
    answered = replied(ledger, **quoting(ALICE, "3kanswered"))
    under_way = now_of(ledger, DocId(str(sending(ledger, **quoting(ALICE, "3ksending")).document_id)))
    naming = pending(ledger, "3knaming", author=BOB, ask=f"link at://{ALICE}/app.bsky.feed.post/3kpost")
    waiting = received(ledger, **quoting(ALICE, "3kwaiting"))
    before = [answered, under_way, naming, waiting]
    ledger.people.forget(BOT, ALICE)

    assert before == [now_of(ledger, each) for each in before]


@pytest.mark.parametrize("who", [ALICE, BOB])
def test_whoever_is_forgotten_while_it_is_judged_is_left_alone(ledger: Ledger, who: Did) -> None:
    """Its author, or whose post it is about; nothing of it is written, nor is it taken on or opened by a person."""
    failed = build_failed(ledger, **quoting(ALICE, "3kd", author=CAROL))
    waiting, rereading = (received(ledger, **quoting(ALICE, rkey)) for rkey in ("3ka", "3kb"))
    edited = pending(ledger, **quoting(CAROL, "3kc"))
    with ledger.db.write() as connection:
        statement = "INSERT INTO people (did, standing, reason, device, at) VALUES (:did, 'forgotten', '', 'x', :at)"
        connection.execute(text(statement), {"did": who, "at": NOON.replace(tzinfo=None)})
    words = rereading.mention.model_copy(update={"context": (said_by(who),)})
    calls: list[Callable[[], object]] = [
        lambda: accept(ledger, waiting),
        lambda: ledger.documents.reread(BOT, rereading, words),
        lambda: ledger.documents.reopen_edited(BOT, edited, words),
    ]
    if who == ALICE:
        calls.append(lambda: ledger.documents.retry(OPERATOR, failed))
    for call in calls:
        with pytest.raises(LostRace):
            call()

    assert [Status.RECEIVED, Status.RECEIVED] == [now_of(ledger, each).status for each in (waiting, rereading)]


def test_what_came_in_between_is_swept(ledger: Ledger, ledger_clock: Clock) -> None:
    """For a day: whoever wrote it down had looked before they were forgotten."""
    ledger.people.forget(BOT, ALICE)
    statement = text("UPDATE people SET standing = 'allowed'")
    with ledger.db.write() as connection:
        connection.execute(statement)
    late = pending(ledger, **quoting(ALICE, context=(said_by(ALICE),)))
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE people SET standing = 'forgotten'"))
    ledger.people.tidy(BOT)
    after = now_of(ledger, late)

    assert (Status.SKIPPED, Reason.OPTED_OUT, ()) == (after.status, after.reason, after.mention.context)
    assert set() == words(ledger)


def said_by(who: Did) -> Context:
    """What a post of somebody's says."""
    post = StrongRef(uri=AtUri(f"at://{who}/app.bsky.feed.post/3kpost"), cid="cid")
    return Context(post=post, author_did=who, author_handle=f"{SECRET}.test", quoted=True, text=SECRET)


def test_what_could_not_be_read_of_them_goes_too(ledger: Ledger) -> None:
    """It stays known that it was seen; another's item that only names them stays."""
    theirs = {"author": {"did": ALICE}, "record": {"text": SECRET}}
    others = {"author": {"did": BOB}, "record": {"about": ALICE}}
    odd = {"author": ALICE}
    for raw in (theirs, others, odd):
        ledger.desk.park("notifications", raw, "unreadable")
    ledger.people.forget(BOT, ALICE)
    with ledger.db.read() as connection:
        kept = connection.execute(text("SELECT raw FROM parked")).scalars().all()

    assert set() == words(ledger)
    assert (3, 1) == (ledger.desk.parked_count(), kept.count("{}"))
    assert not ledger.desk.park("notifications", theirs, "unreadable")


def test_an_ask_that_joined_another_of_theirs_is_not_opened(ledger: Ledger) -> None:
    """Both are forgotten."""
    first = received(ledger)
    joined = refuse(ledger, received(ledger, "3kagain"), Reason.SAME_ASK, first.id)
    ledger.people.forget(BOT, ALICE)

    assert [] == ledger.documents.withdrawn_with_joined(9)
    assert (Status.SKIPPED, None) == ((after := now_of(ledger, joined)).status, after.joined_to)


def test_forgetting_again_changes_nothing_that_is_forgotten(ledger: Ledger) -> None:
    """A crash may come in between; whoever finishes it does not begin anew."""
    document = a_life(ledger)
    ledger.people.forget(BOT, ALICE)
    once = now_of(ledger, document)
    ledger.people.forget(OPERATOR, ALICE)
    twice = now_of(ledger, document)

    assert (once.withdrawn_at, once.body, once.status) == (twice.withdrawn_at, twice.body, twice.status)
    assert [(ALICE, Standing.FORGOTTEN, "")] == [(r.did, r.standing, r.reason) for r in ledger.people.rows()]


def test_who_comes_back_may_ask_again(ledger: Ledger) -> None:
    """Since when they are heard again is kept, and what an operator has said of them."""
    ledger.people.forget(BOT, ALICE)
    ledger.people.allow(OPERATOR, ALICE, "a friend")
    both = ledger.people.standing_of([ALICE])[ALICE]

    assert {Standing.ALLOWED, Standing.FORGOTTEN} == both
    assert [True, False] == [ledger.people.remember(BOT, ALICE, ledger.db.time()) for _ in range(2)]
    assert {Standing.ALLOWED} == ledger.people.standing_of([ALICE])[ALICE]


def test_whoever_comes_back_is_heard_since_then(ledger: Ledger) -> None:
    """By when they said so, which may be a while before anybody has read it; others were never away."""
    ledger.people.forget(BOT, ALICE)
    first = ledger.db.time()
    ledger.people.remember(BOT, ALICE, first)
    ledger.people.remember(BOT, ALICE, first - timedelta(hours=1))
    once = ledger.people.back_since([ALICE, BOB])
    ledger.people.forget(BOT, ALICE)
    ledger.people.remember(BOT, ALICE, first + timedelta(hours=1))

    assert {ALICE: first} == once
    assert {ALICE: first + timedelta(hours=1)} == ledger.people.back_since([ALICE])


def test_lanes_and_viewers_forget_nobody(ledger: Ledger) -> None:
    """Nor do they remember anybody."""
    for caller in (LANE, VIEWER):
        with pytest.raises(NotAllowed):
            ledger.people.forget(caller, ALICE)
        with pytest.raises(NotAllowed):
            ledger.people.remember(caller, ALICE, ledger.db.time())
        with pytest.raises(NotAllowed):
            ledger.people.tidy(caller)
