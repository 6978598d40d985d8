"""What operators are told of: once until it clears, by one bot of several."""

from datetime import timedelta
from functools import partial

import pytest

from bot.clock import Clock
from bot.ledger.alerts import CALM, STANDS, Message, Telling, Wrong
from bot.ledger.ledger import Ledger
from tests.bot.ledger.attack import broken_by, run
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import travel
from tests.ledger_fixtures import OpenLedger

LEASE = timedelta(seconds=30)
PILE = Wrong("unknown_sends", "3 of them")


def raised(ledger: Ledger, clock: Clock, wrong: Wrong = PILE) -> Message:
    """The message about something that stands for long enough."""
    ledger.alerts.note([wrong])
    clock.shift += STANDS
    ledger.alerts.note([wrong])
    message = ledger.alerts.take(LEASE)
    assert message is not None
    return message


def calm(ledger: Ledger, clock: Clock) -> None:
    """Nothing is wrong for long enough."""
    clock.shift += CALM + timedelta(seconds=1)
    ledger.alerts.note([])


def test_it_is_told_once_and_then_that_it_is_over(ledger: Ledger, ledger_clock: Clock) -> None:
    """However long it stands and however often it is looked at; its detail is the latest, its beginning the first."""
    message = raised(ledger, ledger_clock)
    assert None is ledger.alerts.taken_at()
    ledger.alerts.sent(message)
    taken_at = ledger.alerts.taken_at()
    travel(ledger_clock, hours=3)
    ledger.alerts.note([Wrong(PILE.name, "5 of them")])

    assert taken_at == ledger.alerts.taken_at()
    assert taken_at is not None
    assert (Telling.RAISED, "3 of them") == (message.telling, message.alert.detail)
    assert None is ledger.alerts.take(LEASE)
    [alert] = ledger.alerts.standing()
    assert (Telling.RAISED, "5 of them", message.alert.since) == (alert.told, alert.detail, alert.since)

    calm(ledger, ledger_clock)
    over = ledger.alerts.take(LEASE)
    assert over is not None
    assert (Telling.CLEARED, PILE.name) == (over.telling, over.alert.name)
    ledger.alerts.sent(over)
    assert ([], None) == (ledger.alerts.standing(), ledger.alerts.take(LEASE))


def test_what_flaps_is_not_told(ledger: Ledger, ledger_clock: Clock) -> None:
    """Neither what was seen once, nor the end of what comes back before it has been calm for a while."""
    ledger.alerts.note([PILE, *(Wrong(f"other {number}", "") for number in range(50))])
    assert all(alert.since == alert.seen_at for alert in ledger.alerts.standing())
    ledger_clock.shift += STANDS
    assert None is ledger.alerts.take(LEASE)
    calm(ledger, ledger_clock)
    assert [] == ledger.alerts.standing()

    ledger.alerts.sent(raised(ledger, ledger_clock))
    for _ in range(4):
        ledger_clock.shift += CALM / 2
        ledger.alerts.note([])
        ledger_clock.shift += CALM / 2 - timedelta(seconds=1)
        ledger.alerts.note([PILE])
    assert None is ledger.alerts.take(LEASE)
    # Its end is found, and it is wrong again before that was told: nobody needs to know.
    calm(ledger, ledger_clock)
    ledger.alerts.note([PILE])
    assert None is ledger.alerts.take(LEASE)


def test_a_message_that_fails_is_tried_again_and_holds_up_the_others(ledger: Ledger, ledger_clock: Clock) -> None:
    """The problem is shown until one arrives; a bot that died with a message is succeeded when its lease is over."""
    message = raised(ledger, ledger_clock)
    ledger.alerts.note([PILE, Wrong("no_lane", "none")])
    ledger_clock.shift += LEASE * 3
    ledger.alerts.note([PILE, Wrong("no_lane", "none")])
    again = ledger.alerts.take(LEASE)
    assert again is not None
    assert message.alert.name == again.alert.name
    ledger.alerts.failed(again, "it answers with status 500", timedelta(minutes=5))

    assert None is ledger.alerts.take(LEASE)
    first, second = ledger.alerts.standing()
    assert (1, "it answers with status 500", None) == (first.failures, first.problem, first.told)
    assert (0, None) == (second.failures, second.problem)

    travel(ledger_clock, minutes=5)
    ledger.alerts.note([PILE, Wrong("no_lane", "none")])
    names = []
    while (message := ledger.alerts.take(LEASE)) is not None:  # type: ignore[assignment]
        names.append(message.alert.name)
        ledger.alerts.sent(message)
    assert ["unknown_sends", "no_lane"] == names
    assert [(0, None)] * 2 == [(alert.failures, alert.problem) for alert in ledger.alerts.standing()]


def test_what_changes_while_a_message_is_on_its_way_is_told_next(ledger: Ledger, ledger_clock: Clock) -> None:
    """It ends before it was told, and it begins anew before its end was told."""
    message = raised(ledger, ledger_clock)
    calm(ledger, ledger_clock)
    early = ledger.alerts.take(LEASE)
    assert early is not None
    ledger.alerts.sent(early)
    assert [] == ledger.alerts.standing()
    ledger.alerts.sent(message)
    over = ledger.alerts.take(LEASE)
    assert over is not None
    assert Telling.CLEARED is over.telling

    ledger.alerts.note([PILE])
    ledger.alerts.sent(over)
    ledger_clock.shift += STANDS
    ledger.alerts.note([PILE])
    anew = ledger.alerts.take(LEASE)
    assert anew is not None
    assert Telling.RAISED is anew.telling


@pytest.mark.parametrize("refused", [True, False], ids=["a channel that is down", "a bot that died"])
def test_what_may_have_been_told_is_told_to_be_over(ledger: Ledger, ledger_clock: Clock, *, refused: bool) -> None:
    """An answer that got lost, or a bot that ended before it noted one: nobody is left with an alarm that stands.

    Of what ended while the channel was down its operators hear that it was.
    """
    message = raised(ledger, ledger_clock)
    if refused:
        ledger.alerts.failed(message, "it cannot be reached: ReadTimeout", timedelta(minutes=1))
    calm(ledger, ledger_clock)
    over = ledger.alerts.take(LEASE)

    assert over is not None
    assert (Telling.CLEARED, message.alert.since) == (over.telling, over.alert.since)
    ledger.alerts.sent(over)
    assert [] == ledger.alerts.standing()


def test_what_may_have_been_told_and_comes_back_is_told(ledger: Ledger, ledger_clock: Clock) -> None:
    """Before its end was told."""
    ledger.alerts.failed(raised(ledger, ledger_clock), "it answers with status 500", timedelta(minutes=1))
    calm(ledger, ledger_clock)
    ledger.alerts.note([PILE])
    message = ledger.alerts.take(LEASE)

    assert message is not None
    assert Telling.RAISED is message.telling


def test_what_one_bot_of_two_sees_stands(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its own jobs are late, say, and the other one's are not."""
    for _ in range(5):
        ledger_clock.shift += STANDS
        ledger.alerts.note([PILE])
        ledger.alerts.note([])

    message = ledger.alerts.take(LEASE)
    assert message is not None
    assert Telling.RAISED is message.telling


def test_of_several_bots_one_tells(ledger: Ledger, open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """At the same moment; noting at the same moment does no harm either."""
    ledgers = [ledger, open_test_ledger()]
    wrongs = [PILE, Wrong("account", "labelled")]
    for _ in range(2):
        ledger_clock.shift += STANDS
        noted = [partial(each.alerts.note, order) for each, order in zip(ledgers, (wrongs, wrongs[::-1]), strict=True)]
        assert [None, None] == at_once(noted)

    taken = [message for _ in range(2) for message in at_once([partial(each.alerts.take, LEASE) for each in ledgers])]

    assert ["account", "unknown_sends"] == sorted(message.alert.name for message in taken if message is not None)


def test_the_database_refuses_what_is_no_alert(ledger: Ledger) -> None:
    """By itself."""
    ledger.alerts.note([PILE])
    run(ledger, "UPDATE alerts SET told = 'raised', failures = 1")
    broken_by(ledger, "ck_alerts_told", "UPDATE alerts SET told = 'shouted'")
    broken_by(ledger, "ck_alerts_failures", "UPDATE alerts SET failures = -1")
