"""The purse: a claim takes what a build is taken to cost, a report settles it, and what is not there is not spent."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from bot.clock import Clock
from bot.errors import ClaimLost
from bot.ledger.conditions import PURSE as PURSE_CONDITION
from bot.ledger.ledger import Ledger
from bot.ledger.money import shortage
from bot.ledger.purse import Purse, purse_of
from guardrails.caps import how_much
from guardrails.documents import Did
from guardrails.errors import NotAllowed
from guardrails.rules import CapRules, MoneyRules, Rules
from guardrails.said import PASS
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.counts import counts, spent
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import (
    building,
    claim,
    claim_id_of,
    claim_next,
    done,
    ended,
    new_claim_id,
    now_of,
    pending,
    received,
    travel,
)
from tests.facts import PURSE
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR, OTHER_LANE, OUR_DID

ALICES = f"author:{ALICE}"
SMALL = Purse(estimate_micros=10, build_micros=50, author_day_micros=20, day_micros=30, at_once=9)


@pytest.fixture(autouse=True)
def noon(ledger: Ledger, ledger_clock: Clock) -> datetime:
    """The middle of a day of the ledger's, so that no day ends by chance."""
    now = ledger.db.time()
    begun = now.replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=1)
    ledger_clock.shift += begun - now
    return begun


def test_a_purse_is_what_the_rules_allow() -> None:
    """In millionths of a US dollar."""
    money = MoneyRules(estimate_usd=0.05, build_usd=0.5, author_day_usd=1, day_usd=5)

    assert Purse(50_000, 500_000, 1_000_000, 5_000_000, 7) == purse_of(Rules(money=money, caps=CapRules(at_once=7)))


def test_a_claim_takes_a_price_and_a_report_what_it_was(ledger: Ledger) -> None:
    """Of the author and of all, once, however often it is said; the price is what the last apps have cost."""
    first = building(ledger)
    at_work = (spent(ledger, ALICES), spent(ledger, "builds"))
    for _ in range(2):
        ledger.claims.report(LANE, claim_id_of(first), done(cost_micros=400_001))
    second = building(ledger, "3ksecond")
    dearer = (spent(ledger, ALICES), spent(ledger, "builds"))
    ledger.claims.report(LANE, claim_id_of(second), done(cost_micros=2**40))
    third = building(ledger, "3kthird")
    attempts = [attempt for each in (first, second, third) for attempt in ledger.queries.attempts(each.document.id)]

    assert ((PURSE.estimate_micros,) * 2, (800_002,) * 2) == (at_work, dearer)
    assert 400_001 + 2**40 + PURSE.build_micros == spent(ledger, ALICES) == spent(ledger, "builds")
    assert [PURSE.estimate_micros, 400_001, PURSE.build_micros] == [each.estimate_micros for each in attempts]
    assert [3] == list(counts(ledger, "builds").values())


def test_of_a_purse_no_more_is_claimed_at_once_than_it_pays_for(ledger: Ledger) -> None:
    """Where apps cost more than the rules estimate; lanes are not sent for what they could not claim."""
    ledger.claims.report(LANE, claim_id_of(building(ledger, author=BOB)), done(cost_micros=450_000))
    purse = replace(PURSE, day_micros=1_400_000)
    for number in range(4):
        pending(ledger, f"3k{number}", author=Did(f"did:plc:author{number}"))
    enough = shortage(ledger.db, purse)
    taken = [claim_next(ledger, purse=purse) for _ in range(4)]

    assert [True, True, False, False] == [each is not None for each in taken]
    assert enough is None is not shortage(ledger.db, purse)


@pytest.mark.parametrize("outcome", BuildOutcome)
def test_every_end_is_settled(ledger: Ledger, outcome: BuildOutcome) -> None:
    """What was refused or given back has cost what it has cost."""
    report = done(cost_micros=7) if outcome is BuildOutcome.DONE else ended(outcome, cost_micros=7)
    ledger.claims.report(LANE, claim_id_of(building(ledger)), report)

    assert (7, 7) == (spent(ledger, ALICES), spent(ledger, "builds"))


def test_what_was_lost_has_cost_its_estimate(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nobody knows better: the lane that had it says nothing, or too late."""
    old = building(ledger)
    travel(ledger_clock, minutes=3)
    new = claim(ledger, OTHER_LANE)
    ledger.claims.report(OTHER_LANE, claim_id_of(new), done(cost_micros=7))

    assert PURSE.estimate_micros + 7 == spent(ledger, ALICES) == spent(ledger, "builds")
    assert [PURSE.estimate_micros] * 2 == [a.estimate_micros for a in ledger.queries.attempts(old.document.id)]


def test_what_was_lost_has_cost_its_estimate_however_dear_apps_are(ledger: Ledger, ledger_clock: Clock) -> None:
    """So who has asked once has the money for every try; what a report that still comes says is counted."""
    ledger.claims.report(LANE, claim_id_of(building(ledger, author=BOB)), done(cost_micros=450_000))
    document = pending(ledger, "3klost")
    purse = replace(PURSE, author_day_micros=1_000_000)
    tries = []
    for _ in range(3):
        tries.append(claim_next(ledger, purse=purse))
        travel(ledger_clock, minutes=3)
    last = now_of(ledger, document)
    taken = spent(ledger, ALICES)
    assert claim_next(ledger, purse=purse) is None

    assert None not in tries
    assert (3, 2 * PURSE.estimate_micros + 450_000) == (last.attempt, taken)
    assert 3 * PURSE.estimate_micros == spent(ledger, ALICES) == spent(ledger, "builds") - 450_000
    assert Status.BUILD_FAILED is now_of(ledger, document).status


def test_what_nobody_can_take_over_yet_holds_no_more_than_its_estimate(ledger: Ledger, ledger_clock: Clock) -> None:
    """It stands, and counts as it is reported."""
    ledger.claims.report(LANE, claim_id_of(building(ledger, author=BOB)), done(cost_micros=450_000))
    first = building(ledger, "3klapsed")
    travel(ledger_clock, minutes=3)
    assert claim_next(ledger, OTHER_LANE, purse=replace(PURSE, author_day_micros=PURSE.estimate_micros)) is None
    put_off = spent(ledger, ALICES)
    ledger.claims.report(LANE, claim_id_of(first), done(cost_micros=400_000))

    assert (PURSE.estimate_micros, 400_000) == (put_off, spent(ledger, ALICES))
    assert 850_000 == spent(ledger, "builds")


@pytest.mark.parametrize("end", ["void", "stop"])
def test_what_was_taken_from_its_lane_has_cost_its_estimate_however_dear_apps_are(ledger: Ledger, end: str) -> None:
    """Until its lane says what it was, too late: `pause --now` empties no purse."""
    ledger.claims.report(LANE, claim_id_of(building(ledger, author=BOB)), done(cost_micros=450_000))
    first = building(ledger, "3kdear")
    at_work = spent(ledger, ALICES)
    getattr(ledger.documents, end)(OPERATOR, first.document)
    voided = spent(ledger, ALICES), spent(ledger, "builds") - 450_000
    with pytest.raises(ClaimLost):
        ledger.claims.report(LANE, claim_id_of(first), done(cost_micros=400_000))

    assert (450_000, (PURSE.estimate_micros,) * 2) == (at_work, voided)
    assert 400_000 == spent(ledger, ALICES) == spent(ledger, "builds") - 450_000


@pytest.mark.parametrize("end", ["void", "stop"])
def test_what_was_taken_from_its_lane_has_cost_its_estimate(ledger: Ledger, end: str) -> None:
    """The lane had begun."""
    getattr(ledger.documents, end)(OPERATOR, building(ledger).document)

    assert PURSE.estimate_micros == spent(ledger, "builds")


@pytest.mark.parametrize("end", ["void", "stop", "take_over", "withdraw", "forget"])
def test_a_lane_that_is_too_late_is_told_so_and_what_it_spent_counts(
    ledger: Ledger, ledger_clock: Clock, end: str
) -> None:
    """Once for each attempt: a repeat, another report, another device's change nothing; no word comes back."""
    first = building(ledger)
    if end == "take_over":
        travel(ledger_clock, minutes=3)
        claim(ledger, OTHER_LANE)
    elif end == "forget":
        ledger.people.forget(BOT, ALICE)
    elif end == "withdraw":
        ledger.documents.withdraw(BOT, first.document, Reason.DELETED)
    else:
        getattr(ledger.documents, end)(OPERATOR, first.document)
    others = PURSE.estimate_micros if end == "take_over" else 0
    late = ended(BuildOutcome.REFUSED, cost_micros=400_000, tokens_in=5, reason="late", log_tail="words")
    with pytest.raises(NotAllowed):
        ledger.claims.report(OTHER_LANE, claim_id_of(first), late)
    for report in (late, late, done(cost_micros=1)):
        with pytest.raises(ClaimLost):
            ledger.claims.report(LANE, claim_id_of(first), report)
    attempt = ledger.queries.attempts(first.document.id)[0]

    assert 400_000 + others == spent(ledger, ALICES) == spent(ledger, "builds")
    assert (400_000, 5, "", None) == (
        attempt.cost_micros,
        attempt.tokens_in,
        attempt.log_tail,
        attempt.reported_status,
    )
    assert attempt.outcome in ("voided", "lost")


def test_a_price_is_what_the_last_apps_have_cost_within_what_the_rules_say(ledger: Ledger) -> None:
    """On average; what made no app tells nothing of what one costs. A dear one stops nobody."""
    waiting = received(ledger, "3kwaiting", author=BOB)
    rules = Rules(money=MoneyRules(estimate_usd=0.000_01))

    def price() -> int:
        return ledger.gather([waiting], OUR_DID, rules)[waiting.id].price_micros

    prices = [price()]
    reports = [done(cost_micros=4), done(cost_micros=43), ended(BuildOutcome.BROKEN), done(cost_micros=9_000_000)]
    for number, report in enumerate(reports):
        ledger.claims.report(LANE, claim_id_of(building(ledger, f"3k{number}")), report)
        prices.append(price())

    facts = ledger.gather([waiting], OUR_DID, rules)[waiting.id]
    assert [10, 10, 24, 24, 500_000] == prices
    assert PASS == how_much(facts, rules, ledger.db.time())


def test_a_lane_that_spends_more_than_it_may_is_a_condition(ledger: Ledger) -> None:
    """It counts as it is, in time or too late; cleared by that device's next report of an honest price."""
    late, first = building(ledger, "3klate"), building(ledger)
    ledger.documents.stop(OPERATOR, late.document)
    with pytest.raises(ClaimLost):
        ledger.claims.report(LANE, claim_id_of(late), done(cost_micros=6_000_000), None, 500_000)
    (over,) = ledger.conditions.standing()
    ledger.claims.report(LANE, claim_id_of(first), done(cost_micros=500_001), None, 500_000)
    still = ledger.conditions.stands("lane_cost:lane-1")
    ledger.claims.report(LANE, claim_id_of(building(ledger, "3kfair")), done(cost_micros=500_000), None, 500_000)

    assert ("lane_cost:lane-1", "lane-1 has spent 6.00 USD on one build, 0.50 are allowed") == (over.name, over.detail)
    assert (True, [], 7_000_001) == (still, ledger.conditions.standing(), spent(ledger, "builds"))


def test_a_build_is_settled_in_the_day_of_its_claim(ledger: Ledger, ledger_clock: Clock) -> None:
    """The day of its report has its own money."""
    first = building(ledger)
    travel(ledger_clock, hours=13)
    ledger.claims.heartbeat(LANE, claim_id_of(first), "checking")
    ledger.claims.report(LANE, claim_id_of(first), done(cost_micros=7))
    with ledger.db.read() as connection:
        rows = connection.exec_driver_sql("SELECT cost_micros FROM usage WHERE scope = 'builds'").all()

    assert [(7,)] == [tuple(row) for row in rows]


def test_an_author_who_has_spent_the_day_waits_and_the_next_is_taken(
    ledger: Ledger, ledger_clock: Clock, noon: datetime
) -> None:
    """Until the day is over; what is asked then has as long for a lane as it had."""
    for rkey in ("3ka", "3kb", "3kc"):
        pending(ledger, rkey)
    pending(ledger, "3kbob", author=BOB)
    first = [claim_next(ledger, purse=SMALL) for _ in range(3)]
    waiting = ledger.queries.find("3kc")
    midnight = noon + timedelta(hours=12)

    assert ["3ka", "3kb", "3kbob"] == [each.document.id.split(":")[-1] for each in first if each is not None]
    assert (Status.PENDING_BUILD, midnight, ledger.feed.last()) == (waiting.status, waiting.not_before, 11)
    assert waiting.build_by is not None
    assert timedelta(hours=35, minutes=59) < waiting.build_by - noon <= timedelta(hours=36, minutes=1)
    assert claim_next(ledger, purse=SMALL) is None
    for each in first:
        assert each is not None
        ledger.claims.report(LANE, claim_id_of(each), done())
    travel(ledger_clock, hours=12, minutes=1)
    again = claim_next(ledger, purse=SMALL)
    assert again is not None
    assert waiting.id == again.document.id


def test_an_empty_purse_is_a_condition_until_it_is_full_again(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nothing is claimed, and operators see it; the next day there is money, and a repeat costs none."""
    wide = replace(SMALL, author_day_micros=30)
    for rkey in ("3ka", "3kb", "3kc", "3kd"):
        pending(ledger, rkey)
    taken = [claim_next(ledger, purse=wide) for _ in range(3)]
    before = ledger.conditions.stands(PURSE_CONDITION)
    refused = claim_next(ledger, purse=replace(wide, author_day_micros=99))
    (empty,) = ledger.conditions.standing()

    assert (False, None) == (before, refused)
    assert (PURSE_CONDITION, "0.00 USD are spent until") == (empty.name, empty.detail[:24])
    assert taken[2] is not None
    assert taken[2] == claim_next(ledger, LANE, claim_id_of(taken[2]), purse=wide)
    assert ledger.conditions.stands(PURSE_CONDITION)
    travel(ledger_clock, hours=13)
    assert claim_next(ledger, purse=wide) is not None
    assert not ledger.conditions.stands(PURSE_CONDITION)


def test_a_purse_that_has_room_again_is_no_condition_although_nobody_asks(ledger: Ledger) -> None:
    """A build was cheaper than it was taken to be, or the rules were changed; lanes come by all the time."""
    tight = replace(PURSE, day_micros=PURSE.estimate_micros)
    first = building(ledger)
    pending(ledger, "3ksecond")
    assert claim_next(ledger, purse=tight) is None
    assert ledger.conditions.stands(PURSE_CONDITION)
    ledger.claims.report(LANE, claim_id_of(first), done())
    ledger.documents.stop(OPERATOR, ledger.queries.find("3ksecond"))

    assert claim_next(ledger, purse=tight) is None
    assert not ledger.conditions.stands(PURSE_CONDITION)


def test_what_a_refused_claim_took_is_given_back(ledger: Ledger) -> None:
    """The author's share, when the purse is empty or every place at work is taken."""
    pending(ledger)
    for purse in (replace(SMALL, day_micros=9), replace(SMALL, at_once=0)):
        assert claim_next(ledger, purse=purse) is None

    assert (0, 0) == (spent(ledger, ALICES), spent(ledger, "builds"))
    assert {} == counts(ledger, "builds")


def test_so_many_builds_are_under_way_at_once(ledger: Ledger, ledger_clock: Clock) -> None:
    """Only those of a live lease: what a lane has left makes room."""
    for rkey in ("3ka", "3kb", "3kc"):
        pending(ledger, rkey, author=Did(f"did:plc:{rkey}"))
    purse = replace(PURSE, at_once=2)
    taken = [claim_next(ledger, purse=purse) for _ in range(3)]
    assert taken[0] is not None
    assert taken[2] is None
    ledger.claims.report(LANE, claim_id_of(taken[0]), done())

    assert claim_next(ledger, purse=purse) is not None
    assert claim_next(ledger, purse=purse) is None
    assert not ledger.conditions.stands(PURSE_CONDITION)
    travel(ledger_clock, minutes=3)
    taken_over = claim_next(ledger, purse=purse)
    assert taken_over is not None
    assert Reason.LEASE_OVER is taken_over.document.reason


def test_while_builds_are_paused_nothing_is_claimed(ledger: Ledger) -> None:
    """Nor taken out of any purse; a claim that was made before stands, until it is void."""
    first = building(ledger)
    pending(ledger, "3ksecond")
    before = spent(ledger, "builds")
    ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")

    assert claim_next(ledger) is None
    assert first == claim_next(ledger, LANE, claim_id_of(first))
    assert before == spent(ledger, "builds")
    ledger.documents.void(OPERATOR, now_of(ledger, first.document))
    with pytest.raises(ClaimLost):
        claim_next(ledger, LANE, claim_id_of(first))


@dataclass(frozen=True)
class Interrupted(Purse):
    """A purse in the middle of whose use something happens."""

    meanwhile: Callable[[], object] = lambda: None

    def price_micros(self, usual_micros: int) -> int:
        """The price, once that has happened."""
        self.meanwhile()
        return super().price_micros(usual_micros)


@pytest.mark.parametrize("ledger_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
def test_a_claim_that_a_pause_overtakes_is_not_made(ledger: Ledger) -> None:
    """SQLite has one writer anyway."""
    document = pending(ledger)
    pause = partial(ledger.desk.throw, OPERATOR, Switch.PAUSE_BUILDS, "an incident")

    assert claim_next(ledger, purse=Interrupted(**vars(PURSE), meanwhile=pause)) is None
    assert (document, 0) == (now_of(ledger, document), spent(ledger, "builds"))


def test_a_build_that_can_never_be_claimed_ends_although_the_purse_is_empty(
    ledger: Ledger, ledger_clock: Clock
) -> None:
    """Giving up costs nothing."""
    lost = pending(ledger)
    for _ in range(3):
        claim(ledger)
        travel(ledger_clock, minutes=3)

    assert claim_next(ledger, purse=replace(PURSE, day_micros=0)) is None
    assert Status.BUILD_FAILED is now_of(ledger, lost).status


def test_an_empty_purse_leaves_a_lapsed_claim_standing(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nobody took it over, so its attempt is not lost and its report still counts."""
    first = building(ledger)
    travel(ledger_clock, minutes=3)

    assert claim_next(ledger, OTHER_LANE, purse=replace(PURSE, day_micros=0)) is None
    assert [None] == [attempt.ended_at for attempt in ledger.queries.attempts(first.document.id)]
    assert Status.BUILT is ledger.claims.report(LANE, claim_id_of(first), done())


def test_a_late_report_is_answered_although_its_author_has_spent_the_day(ledger: Ledger, ledger_clock: Clock) -> None:
    """No other lane could take it over today, so the app that is there after all is the one."""
    first = building(ledger)
    travel(ledger_clock, minutes=3)
    assert claim_next(ledger, OTHER_LANE, purse=replace(PURSE, author_day_micros=0)) is None
    put_off = now_of(ledger, first.document)
    ledger.claims.report(LANE, claim_id_of(first), done())

    assert (first.document.claim_id, True) == (put_off.claim_id, put_off.not_before is not None)
    assert [first.document.id] == [document.id for document in ledger.queries.ready_to_answer(9)]


@pytest.mark.parametrize(
    "purse",
    [replace(PURSE, at_once=2), replace(PURSE, day_micros=2 * PURSE.estimate_micros)],
    ids=["places", "money"],
)
@pytest.mark.slow
def test_of_many_lanes_at_once_no_more_are_let_through_than_there_is_room_for(ledger: Ledger, purse: Purse) -> None:
    """Each sees what the others have taken."""
    for number in range(6):
        pending(ledger, f"3k{number}", author=Did(f"did:plc:author{number}"))
    answers = at_once([partial(claim_next, ledger, LANE, new_claim_id(), purse) for _ in range(6)])

    assert 4 == answers.count(None)
    assert 2 == len({answer.document.id for answer in answers if answer is not None})
    assert 2 * purse.estimate_micros == spent(ledger, "builds")


def test_an_attempt_from_before_the_purse_is_settled_too(ledger: Ledger) -> None:
    """It was under way when the ledger was brought to this program's schema."""
    first = building(ledger)
    with ledger.db.write() as connection:
        connection.exec_driver_sql("UPDATE attempts SET estimate_micros = 0, paid_in = NULL")
        connection.exec_driver_sql("DELETE FROM usage")
    ledger.claims.report(LANE, claim_id_of(first), done(cost_micros=7))

    assert (7, 7) == (spent(ledger, ALICES), spent(ledger, "builds"))


def test_a_row_of_usage_that_was_pruned_is_no_trouble(ledger: Ledger) -> None:
    """What is given back to it was counted in it once."""
    first = building(ledger)
    with ledger.db.write() as connection:
        connection.exec_driver_sql("UPDATE usage SET cost_micros = 1 WHERE scope = 'builds'")
        connection.exec_driver_sql("DELETE FROM usage WHERE scope <> 'builds'")
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.REFUSED))

    assert (0, 0) == (spent(ledger, ALICES), spent(ledger, "builds"))
