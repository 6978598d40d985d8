"""The moves of bot and operators: each from where the table allows it, over what its caller has seen, and told."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.documents import Kind
from guardrails.errors import IllegalMove, RuleError
from guardrails.facts import (
    Conversation,
    Earlier,
    Label,
    Look,
    Membership,
    Moderated,
    Profile,
    Standing,
    Used,
)
from guardrails.judgement import Judgement
from guardrails.outlook import Outlook, View
from guardrails.said import Outcome
from guardrails.transitions import FINAL_SKIPS, TABLES, Actor, Reason, Status
from guardrails.wire import BuildOutcome
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
    held,
    hold,
    now_of,
    pending,
    received,
    refuse,
    send_refused,
    sending,
    skipped,
    stopped,
    travel,
)
from tests.documents import newest
from tests.facts import facts_of, seats_of
from tests.mentions import ALICE, BOB, BOT, LANE, NOON, OPERATOR, VIEWER, judgement, mention

Call = Callable[[Ledger, Document], Document]
SKIP = judgement(Outcome.SKIP, Reason.NOTHING_TO_BUILD, "nothing")
HOLD = judgement(Outcome.HOLD, Reason.POLICY, "ask somebody")

# Every named move of the store: who makes it, and how.
MOVES: dict[str, tuple[Actor, Call]] = {
    "accept": (Actor.BOT, accept),
    "hold": (Actor.BOT, hold),
    "refuse": (Actor.BOT, lambda ledger, d: refuse(ledger, d, Reason.NOTHING_TO_BUILD)),
    "approve": (Actor.OPERATOR, lambda ledger, d: ledger.documents.approve(OPERATOR, d)),
    "reopen_edited": (Actor.BOT, lambda ledger, d: ledger.documents.reopen_edited(BOT, d, mention(ask="other"))),
    "withdraw": (Actor.BOT, lambda ledger, d: ledger.documents.withdraw(BOT, d, Reason.DELETED)),
    "cannot_reply": (Actor.BOT, lambda ledger, d: ledger.documents.cannot_reply(BOT, d, "a gate")),
    "stop": (Actor.OPERATOR, lambda ledger, d: ledger.documents.stop(OPERATOR, d)),
    "judge_again": (Actor.OPERATOR, lambda ledger, d: ledger.documents.judge_again(OPERATOR, d)),
    "ask_again": (Actor.BOT, lambda ledger, d: ledger.documents.ask_again(BOT, d, seats_of(d.mention))),
    "retry": (Actor.OPERATOR, lambda ledger, d: ledger.documents.retry(OPERATOR, d)),
    "send_again": (Actor.OPERATOR, lambda ledger, d: ledger.documents.send_again(OPERATOR, d)),
}
ROWS = [(m.name, m.source, m.target) for m in TABLES[Kind.MENTION] if m.name in MOVES and m.source is not None]


@pytest.mark.parametrize("source", list(STARTS))
def test_a_move_of_the_table_is_made_and_told_once(ledger: Ledger, source: Status) -> None:
    """Status, version, one line of history with who and why; made again from the same reading, it is lost."""
    for name, target in [(name, target) for name, start, target in ROWS if start is source]:
        before: Document = STARTS[source](ledger, f"3k{name}")
        seq = ledger.feed.last()
        after = MOVES[name][1](ledger, before)
        with pytest.raises(LostRace):
            MOVES[name][1](ledger, before)
        (told,) = ledger.feed.after(seq, 9)

        assert (target, before.version + 1, None) == (after.status, after.version, after.claim_id)
        assert after == now_of(ledger, before)
        assert (name, source, target, MOVES[name][0]) == (told.name, told.from_status, told.to_status, told.actor)
        assert (after.version, after.reason) == (told.version, told.reason)


@pytest.mark.parametrize("source", list(STARTS))
def test_any_other_move_is_refused_and_leaves_no_trace(ledger: Ledger, source: Status) -> None:
    """Neither in the document nor in its history."""
    before: Document = STARTS[source](ledger)
    seq = ledger.feed.last()
    for name in set(MOVES) - {name for name, start, _ in ROWS if start is source}:
        with pytest.raises(IllegalMove):
            MOVES[name][1](ledger, before)

    assert (before, seq) == (now_of(ledger, before), ledger.feed.last())


def test_a_move_needs_its_actor(ledger: Ledger) -> None:
    """The bot decides nothing for a person, a person not for the bot, a viewer for nobody."""
    document = received(ledger)
    facts = facts_of(document.mention)
    calls: list[Callable[[], object]] = [
        lambda: ledger.documents.approve(BOT, document),
        lambda: ledger.documents.stop(LANE, document),
        lambda: ledger.documents.accept(OPERATOR, document, judgement(), facts, ()),
        lambda: ledger.documents.withdraw(OPERATOR, document, Reason.DELETED),
        lambda: ledger.documents.withdraw(VIEWER, document, Reason.DELETED),
        lambda: ledger.documents.postpone(OPERATOR, document, (), NOON),
        lambda: ledger.documents.reread(OPERATOR, document, document.mention),
        lambda: ledger.documents.expire(LANE, held(ledger, "3kheld")),
    ]
    for call in calls:
        with pytest.raises(RuleError):
            call()
    assert document == now_of(ledger, document)


def test_a_judgement_is_kept_with_its_verdicts(ledger: Ledger) -> None:
    """So that it can be replayed."""
    document = received(ledger)
    refused = ledger.documents.refuse(BOT, document, SKIP, facts_of(document.mention))

    assert SKIP.verdicts == refused.verdicts == now_of(ledger, refused).verdicts
    assert (Reason.NOTHING_TO_BUILD, "nothing") == (refused.reason, refused.detail)


def test_the_facts_of_a_judgement_are_kept(ledger: Ledger) -> None:
    """Beside the body, so that a changed rule set can be tried on what was known then."""
    document = received(ledger)
    look = Look(
        outlook=Outlook(View.CLOSED, "a gate"),
        author=Profile(did=ALICE, labels=(Label(src=BOB, val="rude"),), created_at=NOON),
        membership=Membership.OFF,
    )
    known = facts_of(
        document.mention,
        standing=frozenset({Standing.ALLOWED}),
        involved_standing=((BOB, Standing.DENIED),),
        conversation=Conversation(answered=document.id, by_asker=True, exchanges=2),
        earlier=(Earlier(id=document.id, ask="a", status=Status.BUILT, reason=Reason.BUILT, at=NOON),),
        look=look,
        moderated=Moderated(categories=("violence",)),
        used=Used(author_hour=1, hour_ends=NOON, day_ends=NOON),
        price_micros=7,
    )
    until = ledger.db.time()
    put_off = ledger.documents.postpone(BOT, document, (), until, known)
    put_off_again = ledger.documents.postpone(BOT, put_off, (), until)
    refused = ledger.documents.refuse(BOT, put_off_again, SKIP, known)
    edited = mention(ask="another").model_copy(update={"post": document.mention.post})

    assert document.facts is None
    assert known == put_off.facts == put_off_again.facts == refused.facts == now_of(ledger, refused).facts
    assert "record" not in str(refused.facts_json)
    again = ledger.documents.reread(BOT, ledger.documents.judge_again(OPERATOR, refused), edited)
    assert again.facts is not None
    assert edited == again.facts.mention


@pytest.mark.parametrize("decide", [accept, hold, lambda ledger, d: refuse(ledger, d, Reason.THANKS)])
def test_every_decision_keeps_its_facts(ledger: Ledger, decide: Call) -> None:
    """Whatever was decided."""
    document = received(ledger)

    assert facts_of(document.mention) == decide(ledger, document).facts


def test_an_ask_that_waits_for_a_cap_is_told_so_at_once(ledger: Ledger) -> None:
    """Although nothing is decided; one that waits for anything else is told nothing."""
    until = ledger.db.time() + timedelta(hours=1)
    full = judgement(Outcome.WAIT, Reason.CAPPED, "author_hour").verdicts
    capped = ledger.documents.postpone(BOT, received(ledger, "3kcapped"), full, until)
    unknown = judgement(Outcome.UNKNOWN, None, "no answer").verdicts
    ledger.documents.postpone(BOT, received(ledger, "3kunknown"), unknown, until)

    assert [capped.id] == [document.id for document in ledger.queries.to_tell(9)]
    ledger.documents.postpone(BOT, capped, unknown, until)
    assert [] == ledger.queries.to_tell(9)


def test_what_a_person_is_asked_is_told_although_later_checks_passed(ledger: Ledger) -> None:
    """The detail is that of the check that holds it."""
    passed = judgement(Outcome.PASS, None).verdicts[0]
    asked = Judgement(Outcome.HOLD, Reason.POLICY, (passed, *HOLD.verdicts, passed))

    document = received(ledger)

    assert "ask somebody" == ledger.documents.hold(BOT, document, asked, facts_of(document.mention)).detail


@pytest.mark.parametrize("reason", [None, Reason.PASSED, Reason.DELETED])
def test_a_refusal_without_a_fitting_reason_is_refused_itself(ledger: Ledger, reason: Reason | None) -> None:
    """A skip is never stored as a pass."""
    document = received(ledger)

    with pytest.raises(IllegalMove):
        refuse(ledger, document, reason)


def test_a_judgement_put_off_is_no_move(ledger: Ledger, ledger_clock: Clock) -> None:
    """It stays received, is not due until then, and whoever judged at the same time has lost."""
    before = received(ledger)
    until = ledger.db.time() + timedelta(minutes=5)
    after = ledger.documents.postpone(BOT, before, judgement(Outcome.UNKNOWN, None, "no answer").verdicts, until)

    assert (Status.RECEIVED, until, 1) == (after.status, after.not_before, ledger.feed.last())
    assert [] == ledger.queries.waiting(Status.RECEIVED, 9)
    with pytest.raises(LostRace):
        accept(ledger, before)
    with pytest.raises(LostRace):
        ledger.documents.postpone(BOT, before, (), until)
    travel(ledger_clock, minutes=6)
    assert [after.id] == [d.id for d in ledger.queries.waiting(Status.RECEIVED, 9)]


def test_what_is_judged_again_is_judged_now(ledger: Ledger) -> None:
    """A wait from an earlier judgement does not hold it back."""
    before = received(ledger)
    put_off = ledger.documents.postpone(BOT, before, (), ledger.db.time() + timedelta(days=1))
    again = ledger.documents.judge_again(OPERATOR, ledger.documents.stop(OPERATOR, put_off))

    assert again.not_before is None
    assert [again.id] == [d.id for d in ledger.queries.waiting(Status.RECEIVED, 9)]


@pytest.mark.parametrize("make", [built, lambda ledger: building(ledger).document], ids=["built", "building"])
@pytest.mark.parametrize("move", ["withdraw", "stop"])
def test_what_is_taken_back_voids_the_claim(ledger: Ledger, make: Any, move: str) -> None:
    """The lane's report then finds nothing that it could end."""
    after = MOVES[move][1](ledger, make(ledger))
    (attempt,) = ledger.queries.attempts(after.id)

    assert attempt.ended_at is not None
    assert ("voided" if make is not built else "done") == attempt.outcome
    assert (None, None, None, None) == (after.claim_id, after.claim_device, after.lease_until, after.step)


@pytest.mark.parametrize("move", ["withdraw", "stop"])
def test_nothing_is_taken_back_while_its_reply_is_on_the_way(ledger: Ledger, move: str) -> None:
    """Neither by a reading from before the claim nor by a fresh one."""
    document = built(ledger)
    send = ledger.sends.claim_reply(BOT, document, frozen("3kagain"))

    for reading in (document, now_of(ledger, document)):
        with pytest.raises(LostRace):
            MOVES[move][1](ledger, reading)
    assert "claimed" == send.state
    assert Status.BUILT is now_of(ledger, document).status


def test_a_final_skip_is_never_judged_again(ledger: Ledger) -> None:
    """Withdrawn, opted out, forgotten, taken down, a command."""
    for reason in FINAL_SKIPS:
        document = received(ledger, f"3k{reason.value}")
        if reason is Reason.COMMAND:
            gone = refuse(ledger, document, reason)
        elif reason is Reason.TAKEN_DOWN:
            gone = ledger.documents.stop(OPERATOR, document, reason)
        else:
            gone = ledger.documents.withdraw(BOT, document, reason)

        with pytest.raises(LostRace):
            ledger.documents.judge_again(OPERATOR, gone)
        with pytest.raises(LostRace):
            ledger.documents.reopen_joined(BOT, gone)


def test_a_withdrawal_says_when(ledger: Ledger) -> None:
    """And why, in the author's words if there are any."""
    gone = ledger.documents.withdraw(BOT, received(ledger), Reason.CANCELLED, "never mind")

    assert gone.withdrawn_at is not None
    assert (Reason.CANCELLED, "never mind") == (gone.reason, gone.detail)


def test_only_an_ask_that_joined_another_is_opened_for_it(ledger: Ledger) -> None:
    """When the first was withdrawn."""
    first = received(ledger, "3kfirst")
    joined = refuse(ledger, received(ledger, "3kjoined"), Reason.SAME_ASK, first.id)
    other = skipped(ledger, "3kother", Reason.NOTHING_TO_BUILD)

    assert Status.RECEIVED is ledger.documents.reopen_joined(BOT, joined).status
    with pytest.raises(LostRace):
        ledger.documents.reopen_joined(BOT, other)


def test_an_edited_post_is_judged_by_what_it_says_now(ledger: Ledger) -> None:
    """Its id stays, its words and its CID are new."""
    edited = mention(ask="a to-do list")
    again = ledger.documents.reopen_edited(BOT, pending(ledger), edited)

    assert ("a to-do list", edited.post.cid, None) == (again.mention.ask, again.source_cid, again.build_by)


def test_a_post_edited_before_its_judgement_is_read_again(ledger: Ledger) -> None:
    """It stays received; whoever judges what it said before has lost."""
    before = received(ledger)
    edited = mention(ask="a to-do list").model_copy(
        update={"post": before.mention.post.model_copy(update={"cid": "b"})}
    )
    after = ledger.documents.reread(BOT, ledger.sightings.present(before, "b"), edited)

    assert (Status.RECEIVED, "a to-do list", "b", None) == (
        after.status,
        after.mention.ask,
        after.source_cid,
        after.edited_cid,
    )
    assert 1 == ledger.feed.last()
    with pytest.raises(LostRace):
        accept(ledger, before)
    with pytest.raises(LostRace):
        ledger.documents.reread(BOT, before, edited)


def test_a_retry_has_a_fresh_budget_and_keeps_its_attempts(ledger: Ledger, ledger_clock: Clock) -> None:
    """Attempts are only ever counted up."""
    pending(ledger)
    for _ in range(3):
        ledger.claims.report(LANE, claim_id_of(claim(ledger)), ended(BuildOutcome.BROKEN, detail="crash"))
        travel(ledger_clock, minutes=10)
    failed = newest(ledger, 1)[0]
    again = ledger.documents.retry(OPERATOR, failed)

    assert (Status.BUILD_FAILED, 3, 3) == (failed.status, failed.failures, failed.attempt)
    assert (Status.PENDING_BUILD, 0, 3, None) == (again.status, again.failures, again.attempt, again.not_before)
    assert 4 == claim(ledger).version


def test_a_reply_is_sent_again_under_a_new_key(ledger: Ledger) -> None:
    """After a refusal the old key is free."""
    again = ledger.documents.send_again(OPERATOR, send_refused(ledger))
    send = ledger.sends.claim_reply(BOT, again, frozen("3kagain"))

    assert ["refused", "claimed"] == [s.state for s in ledger.queries.sends(again.id)]
    assert "reply:mention:did:plc:alice:3kfirst" == send.key


def test_nothing_is_sent_again_that_was_never_built(ledger: Ledger, ledger_clock: Clock) -> None:
    """An error without a result has nothing to say."""
    claimed = building(ledger)
    travel(ledger_clock, hours=25)
    lost = ledger.documents.expire(BOT, claimed.document)

    with pytest.raises(LostRace):
        ledger.documents.send_again(OPERATOR, lost)


def test_a_stopped_build_starts_again_where_its_budget_stood(ledger: Ledger) -> None:
    """Stopping it is no failure of a lane."""
    again = ledger.documents.judge_again(OPERATOR, stopped(ledger))

    assert Status.RECEIVED is again.status
    assert (Status.PENDING_BUILD, 0) == ((after := accept(ledger, again)).status, after.failures)


def test_its_author_may_ask_again_after_a_failed_build(ledger: Ledger) -> None:
    """With a fresh budget."""
    failed = build_failed(ledger)
    again = ledger.documents.ask_again(BOT, failed, seats_of(failed.mention))

    assert (Status.PENDING_BUILD, 3, Reason.ASKED_AGAIN) == (again.status, again.budget, again.reason)


def test_a_report_after_a_withdrawal_changes_nothing(ledger: Ledger) -> None:
    """The document stays skipped, its app stays unseen."""
    claimed = building(ledger)
    gone = ledger.documents.withdraw(BOT, claimed.document, Reason.DELETED)

    with pytest.raises(Exception, match="voided"):
        ledger.claims.report(LANE, claim_id_of(claimed), done())
    app = ledger.hosting.app(claimed.slug)
    assert app is not None
    assert (gone, None) == (now_of(ledger, gone), app.live_version)


def test_a_send_under_way_is_no_longer_ready(ledger: Ledger) -> None:
    """Built, but being said already."""
    ready = built(ledger, "3kready")
    sending(ledger, "3ksending")

    assert [ready.id] == [d.id for d in ledger.queries.ready_to_answer(9)]
