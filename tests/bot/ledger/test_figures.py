"""What the ledger tells charts: what happened, how long it took, and what builds have cost."""

from datetime import timedelta

from bot.clock import Clock
from bot.ledger.figures import Spent
from bot.ledger.happened import What
from bot.ledger.ledger import Ledger
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    accept,
    claim,
    claim_id_of,
    done,
    ended,
    frozen,
    hold,
    now_of,
    received,
    ref_of,
    skipped,
    travel,
)
from tests.mentions import BOB, BOT, LANE, OTHER_LANE


def test_what_happened_is_told_with_how_long_it_took(ledger: Ledger, ledger_clock: Clock) -> None:
    """The latest first; an app at the first try, one after a repair, a failure, a skip and a held ask."""
    document = received(ledger)
    travel(ledger_clock, seconds=10)
    accept(ledger, document)
    travel(ledger_clock, seconds=20)
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done())
    travel(ledger_clock, seconds=30)
    send = ledger.sends.claim_reply(BOT, now_of(ledger, document), frozen())
    ledger.sends.answered(BOT, send, ref_of(send))
    accept(ledger, received(ledger, "3krepaired"))
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done(repairs=1))
    accept(ledger, received(ledger, "3kfailed"))
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), ended(BuildOutcome.REFUSED, reason="no"))
    skipped(ledger, "3kskipped", Reason.THANKS)
    hold(ledger, received(ledger, "3kheld"))
    events = ledger.figures.events(0, ledger.feed.last())

    took = [(event.what.value, None if event.seconds is None else round(event.seconds, -1)) for event in events[::-1]]
    assert took[:4] == [("came", None), ("acknowledged", 10), ("built", 20), ("replied", 60)]
    assert took[4:] == [
        *(("came", None), ("acknowledged", 0), ("built", 0)),
        *(("came", None), ("acknowledged", 0), ("failed", None)),
        *(("came", None), ("skipped", None), ("came", None), ("acknowledged", 0)),
    ]
    assert [True, False] == [event.first_try for event in events[::-1] if event.what is What.BUILT]
    assert Reason.THANKS in {event.reason for event in events if event.what is What.SKIPPED}
    assert events[1:-1] == ledger.figures.events(1, ledger.feed.last() - 1)


def test_costs_are_told_by_day_author_model_and_lane(ledger: Ledger, ledger_clock: Clock) -> None:
    """Of what has ended since; the dearest first, days in their order."""
    since = ledger.db.time()
    for rkey, more, cost in (("3ka", {}, 30), ("3kb", {"author": BOB}, 500), ("3kc", {}, 70)):
        accept(ledger, received(ledger, rkey, **more))
        lane = OTHER_LANE if rkey == "3kb" else LANE
        report = done(cost_micros=cost, tokens_in=2, tokens_out=1, model="small" if rkey == "3kb" else None)
        ledger.claims.report(lane, claim_id_of(claim(ledger, lane)), report)
        travel(ledger_clock, days=1)
    accept(ledger, received(ledger, "3kfailed"))
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), ended(BuildOutcome.REFUSED, reason="no", cost_micros=5))
    accept(ledger, received(ledger, "3kopen"))
    claim(ledger)
    days = ledger.figures.spent(since, None, "day")
    two_of_three = [Spent("alice.test", 3, 2, 4, 2, 105)]

    assert [30, 500, 70, 5] == [day.cost_micros for day in days]
    assert f"{since:%Y-%m-%d}" == days[0].name
    assert [1, 1, 1, 0] == [day.apps for day in days]
    assert [Spent("bob.test", 1, 1, 2, 1, 500), *two_of_three] == ledger.figures.spent(since, None, "author")
    assert ["small", "template"] == [spent.name for spent in ledger.figures.spent(since, None, "model")]
    assert ["lane-2", "lane-1"] == [spent.name for spent in ledger.figures.spent(since, None, "lane")]
    by_hour = ledger.figures.spent(since, since + timedelta(hours=1), "hour")
    assert [(30, 13)] == [(spent.cost_micros, len(spent.name)) for spent in by_hour]
    assert {now_of(ledger, "mention:did:plc:bob:3kb").id: 500} == ledger.figures.cost_of(["mention:did:plc:bob:3kb"])  # type: ignore[arg-type, list-item]
