"""Places under the caps: taken in the transaction of the move, given back when no app comes of it, never twice."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest

from bot.clock import Clock
from bot.errors import CapFull, ClaimLost, LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.tally import day_of, hour_of
from bot.ledger.views import Document
from guardrails.caps import Cap, Place, places
from guardrails.documents import AtUri, Did, StrongRef
from guardrails.facts import Conversation, Used
from guardrails.rules import CapRules, Rules
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.counts import asks, counts, starts
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import (
    accept,
    build_failed,
    building,
    built,
    claim,
    claim_id_of,
    claim_next,
    done,
    ended,
    held,
    now_of,
    pending,
    received,
    refuse,
    replied,
    send_refused,
    travel,
)
from tests.documents import newest
from tests.facts import seats_of
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR, mention

ROOT = StrongRef(uri=AtUri("at://did:plc:carol/app.bsky.feed.post/3kroot"), cid="cid")
ONE = Rules(caps=CapRules(author_per_hour=1, author_per_day=1))


@pytest.fixture(autouse=True)
def noon(ledger: Ledger, ledger_clock: Clock) -> datetime:
    """A minute past noon in the ledger's day, so that no window ends by chance."""
    now = ledger.db.time()
    begun = now.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
    ledger_clock.shift += begun + timedelta(minutes=1) - now
    return begun


def places_of(document: Document, rules: Rules = ONE) -> tuple[Place, ...]:
    return places(document.author_did, document.thread, rules)


def test_an_accepted_ask_takes_its_places(ledger: Ledger, noon: datetime) -> None:
    """Its author's in the hour and in the day, its thread's and everybody's; it keeps which."""
    document = pending(ledger, root=ROOT)
    hour, day = f"{noon:%Y-%m-%dT12}", f"{noon:%Y-%m-%d}"
    taken = {(f"author:{ALICE}", hour), (f"author:{ALICE}", day), (f"thread:{ROOT.uri}", day), ("asks", day)}

    assert dict.fromkeys(taken, 1) == counts(ledger)
    assert {*taken, (f"starts:{ALICE}", day)} == {(held["scope"], held["window"]) for held in document.places}


@pytest.mark.parametrize(
    ("cap", "rules", "hours"),
    [
        (Cap.AUTHOR_HOUR, CapRules(author_per_hour=1), 1),
        (Cap.AUTHOR_DAY, CapRules(author_per_hour=1, author_per_day=1), 12),
        (Cap.THREAD_DAY, CapRules(thread_per_day=1), 12),
        (Cap.THREAD_DAY, CapRules(author_per_hour=1, thread_per_day=1), 12),
        (Cap.ALL_DAY, CapRules(author_per_hour=1, author_per_day=1, thread_per_day=1, all_per_day=1, at_once=1), 12),
    ],
)
def test_where_a_cap_is_full_nothing_is_taken(
    ledger: Ledger, ledger_clock: Clock, noon: datetime, cap: Cap, rules: CapRules, hours: int
) -> None:
    """The ask stays received; which cap it was and when it begins anew is said."""
    author = BOB if cap is Cap.ALL_DAY else ALICE
    pending(ledger, "3kone", root=ROOT)
    if cap is Cap.AUTHOR_DAY:
        ledger.db._clock.shift += timedelta(hours=1)
    before = counts(ledger)
    document = received(ledger, "3ktwo", author=author, root=ROOT)
    with pytest.raises(CapFull) as full:
        accept(ledger, document, places_of(document, Rules(caps=rules)))

    assert (cap, noon + timedelta(hours=hours)) == (full.value.cap, full.value.until)
    assert (document, before) == (now_of(ledger, document), counts(ledger))


def test_there_is_room_again_when_the_hour_is_over(ledger: Ledger, ledger_clock: Clock) -> None:
    """The day still counts both."""
    rules = Rules(caps=CapRules(author_per_hour=1, author_per_day=2))
    for rkey in ("3ka", "3kb"):
        document = received(ledger, rkey)
        accept(ledger, document, places_of(document, rules))
        travel(ledger_clock, hours=1)
    third = received(ledger, "3kc")

    with pytest.raises(CapFull, match="author_day is full until"):
        accept(ledger, third, places_of(third, rules))


def expired(ledger: Ledger, clock: Clock) -> None:
    document = pending(ledger)
    travel(clock, hours=25)
    ledger.documents.expire(BOT, document)


def lost(ledger: Ledger, clock: Clock) -> None:
    document = building(ledger).document
    travel(clock, hours=25)
    ledger.documents.expire(BOT, document)


def given_up(ledger: Ledger, clock: Clock) -> None:
    pending(ledger)
    for _ in range(3):
        claim(ledger)
        travel(clock, minutes=3)
    assert claim_next(ledger) is None


NO_APP: dict[str, Callable[[Ledger, Clock], object]] = {
    "withdrawn": lambda ledger, _: ledger.documents.withdraw(BOT, pending(ledger), Reason.DELETED),
    "stopped": lambda ledger, _: ledger.documents.stop(OPERATOR, building(ledger).document),
    "refused": lambda ledger, _: build_failed(ledger),
    "expired": expired,
    "lost": lost,
    "given up": given_up,
    "edited": lambda ledger, _: ledger.documents.reopen_edited(BOT, pending(ledger), mention(ask="other")),
}


@pytest.mark.parametrize("end", NO_APP)
def test_only_a_build_that_made_an_app_counts(ledger: Ledger, ledger_clock: Clock, end: str) -> None:
    """What ends before, or is judged anew, gives every place back, also those of an earlier day."""
    NO_APP[end](ledger, ledger_clock)

    assert {} == {name: n for name, n in counts(ledger).items() if name[0] not in ("builds", "claims")}
    assert [] == ledger.queries.find("3kfirst").places


@pytest.mark.parametrize("make", [built, replied, send_refused])
def test_an_app_counts_whatever_becomes_of_it(ledger: Ledger, make: Callable[[Ledger], object]) -> None:
    """Also when its reply was refused, or its author takes it back."""
    make(ledger)
    document = newest(ledger, 1)[0]
    if document.status is Status.BUILT:
        document = ledger.documents.withdraw(BOT, document, Reason.DELETED)

    assert (1, 4) == (asks(ledger), len(document.places))


def test_a_release_keeps_the_place(ledger: Ledger) -> None:
    """The build goes on under the next lane."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RELEASED))
    ledger.documents.void(OPERATOR, claim(ledger).document)

    assert 1 == asks(ledger)


def test_a_person_counts_and_is_not_capped(ledger: Ledger) -> None:
    """An approval and a retry take a place although there is none."""
    pending(ledger, "3kother")
    approved = ledger.documents.approve(OPERATOR, held(ledger))
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done())
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), ended(BuildOutcome.REFUSED))
    before = asks(ledger)
    again = ledger.documents.retry(OPERATOR, now_of(ledger, approved))

    assert (1, 2) == (before, asks(ledger))
    assert (5, 5) == (len(approved.places), len(again.places))


def test_asking_again_is_within_the_caps(ledger: Ledger) -> None:
    """What failed gave its place back; another ask has it now."""
    failed = build_failed(ledger)
    pending(ledger, "3kother")
    with pytest.raises(CapFull):
        ledger.documents.ask_again(BOT, failed, places_of(failed))
    unmoved = now_of(ledger, failed)
    ledger.documents.withdraw(BOT, ledger.queries.find("3kother"), Reason.CANCELLED)
    again = ledger.documents.ask_again(BOT, failed, places_of(failed))

    assert (failed, Status.PENDING_BUILD, 1) == (unmoved, again.status, asks(ledger))


def test_a_build_that_was_begun_counts_whatever_becomes_of_it(ledger: Ledger) -> None:
    """Each time anew, until its author has had as many as there are in a day."""
    rules = Rules(caps=CapRules(author_per_hour=1, author_per_day=1, starts_per_day=2))
    failed = build_failed(ledger)
    ledger.documents.ask_again(BOT, failed, places_of(failed, rules))
    again = claim(ledger).document
    begun = starts(ledger)
    ledger.documents.withdraw(BOT, again, Reason.CANCELLED)
    with pytest.raises(CapFull) as full:
        accept(ledger, received(ledger, "3kother"), places_of(failed, rules))

    assert (2, 2, 0) == (begun, starts(ledger), asks(ledger))
    assert Cap.AUTHOR_STARTS is full.value.cap


NEVER_BEGUN: dict[str, Callable[[Ledger], object]] = {
    "cancelled": lambda ledger: ledger.documents.withdraw(BOT, pending(ledger), Reason.CANCELLED),
    "edited": lambda ledger: ledger.documents.reopen_edited(BOT, pending(ledger), mention(ask="other")),
    "asked again, and cancelled": lambda ledger: ledger.documents.withdraw(
        BOT, ledger.documents.retry(OPERATOR, build_failed(ledger)), Reason.CANCELLED
    ),
}


@pytest.mark.parametrize("end", NEVER_BEGUN)
def test_a_build_that_no_lane_has_begun_does_not_count(ledger: Ledger, end: str) -> None:
    """It is given back; a try before it, which a lane had, is not."""
    NEVER_BEGUN[end](ledger)

    assert ("asked again" in end) == starts(ledger)


def test_an_ask_that_is_deleted_and_posted_again_begins_once(ledger: Ledger) -> None:
    """The second takes its place at its own acceptance."""
    first = pending(ledger)
    refuse(ledger, received(ledger, "3kagain"), Reason.SAME_ASK, first.id)
    ledger.documents.withdraw(BOT, first, Reason.DELETED)
    (again,) = ledger.documents.reopen_joined_to(BOT, now_of(ledger, first))
    accept(ledger, again)

    assert (1, 1) == (starts(ledger), asks(ledger))


def test_what_holds_a_place_takes_no_second_one(ledger: Ledger, ledger_clock: Clock) -> None:
    """An app that never reached its asker, built again: it counts once, in the day of the new build."""
    failed = send_refused(ledger)
    travel(ledger_clock, days=1)
    again = ledger.documents.retry(OPERATOR, failed)

    assert [1] == list(counts(ledger, "asks").values())
    assert {held["window"] for held in again.places} == {window for _, window in counts(ledger, "a")}


def test_a_lost_move_takes_nothing(ledger: Ledger) -> None:
    """Neither one that somebody else was quicker to make."""
    before = received(ledger)
    accept(ledger, before)
    with pytest.raises(LostRace):
        accept(ledger, before)

    assert 1 == asks(ledger)


def test_somebody_taken_on_in_the_thread_meanwhile_is_a_lost_race(ledger: Ledger) -> None:
    """Two of one batch, judged by the same facts: the second is judged again by what is so now."""
    first, second = (received(ledger, rkey, root=ROOT) for rkey in ("3ka", "3kb"))
    accept(ledger, first)
    with pytest.raises(LostRace, match="taken on meanwhile"):
        accept(ledger, second)
    accepted = accept(ledger, second, conversation=Conversation(exchanges=1))

    assert Status.PENDING_BUILD is accepted.status
    assert 2 == asks(ledger)


@pytest.mark.slow
def test_two_judges_at_a_cap_of_one_never_both_pass(ledger: Ledger) -> None:
    """Of two asks of an author, judged at the same moment, one is let through; SQLite has one writer anyway."""
    for number in range(20 if ledger.db.is_sqlite else 200):
        author = Did(f"did:plc:author{number}")
        two = [received(ledger, f"3k{number}{which}", author=author) for which in "ab"]
        answers = at_once([partial(accept, ledger, document, places_of(document)) for document in two])

        assert 1 == len([answer for answer in answers if isinstance(answer, Document)]), answers
        assert 1 == len([answer for answer in answers if isinstance(answer, CapFull)]), answers
        assert [Status.PENDING_BUILD, Status.RECEIVED] == sorted(now_of(ledger, document).status for document in two)


@pytest.mark.slow
def test_two_judges_in_one_thread_never_both_pass_by_the_same_facts(ledger: Ledger) -> None:
    """Otherwise two who answer each other would be one exchange ahead of the breaker."""
    accept(ledger, received(ledger, "3kfirst", root=ROOT))
    for number in range(20):
        known = Conversation(exchanges=number + 1)
        two = [received(ledger, f"3k{number}{which}", root=ROOT) for which in "ab"]
        answers = at_once([partial(accept, ledger, document, conversation=known) for document in two])

        assert 1 == len([answer for answer in answers if isinstance(answer, Document)]), answers
        assert 1 == len([answer for answer in answers if isinstance(answer, LostRace)]), answers


@pytest.mark.slow
def test_many_moves_at_once_never_wait_for_each_other(ledger: Ledger) -> None:
    """Accepts, withdrawals, reports and claims of one author in one thread, all over the same rows of usage."""
    for number in range(5):
        ready = [received(ledger, f"3kr{number}{each}") for each in range(3)]
        waiting = [pending(ledger, f"3kp{number}{each}") for each in range(3)]
        work = [building(ledger, f"3kb{number}{each}") for each in range(3)]
        calls: list[Callable[[], object]] = [
            *(partial(accept, ledger, document) for document in ready),
            *(partial(ledger.documents.stop, OPERATOR, now_of(ledger, document)) for document in waiting),
            *(partial(ledger.claims.report, LANE, claim_id_of(each), ended(BuildOutcome.REFUSED)) for each in work),
            *(partial(claim_next, ledger) for _ in range(2)),
        ]
        failures = [answer for answer in at_once(calls) if isinstance(answer, Exception)]
        assert [] == [failure for failure in failures if not isinstance(failure, LostRace | ClaimLost)]
        for document in newest(ledger, 999, [Status.PENDING_BUILD, Status.BUILDING]):
            ledger.documents.stop(OPERATOR, document)

    assert 0 == asks(ledger)


def test_nothing_is_counted_without_places(ledger: Ledger) -> None:
    """What takes none gives none back."""
    document = accept(ledger, received(ledger), ())
    ledger.documents.withdraw(BOT, document, Reason.DELETED)

    assert ({}, 5) == (counts(ledger), len(seats_of(document.mention)))


def test_an_ask_takes_its_places_in_the_hour_that_it_was_judged_in(ledger: Ledger, ledger_clock: Clock) -> None:
    """Once that is over it is judged anew, by what is used of the next one."""
    first, second = received(ledger, "3ka"), received(ledger, "3kb")
    now = ledger.db.time()
    used = Used(hour_ends=hour_of(now).ends, day_ends=day_of(now).ends)
    taken = accept(ledger, first, used=used)
    ledger_clock.shift += used.hour_ends - now
    with pytest.raises(LostRace):
        accept(ledger, second, used=used)

    assert {hour_of(now).name, day_of(now).name} == {held["window"] for held in taken.places}
