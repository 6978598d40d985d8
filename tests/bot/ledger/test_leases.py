"""A lease is had by one, for as long as it is renewed, by the database's clock; given up, it is free at once."""

from datetime import timedelta
from functools import partial

from bot.clock import Clock
from bot.ledger.leases import Lease, Leases
from bot.ledger.ledger import Ledger
from tests.bot.ledger.races import at_once
from tests.ledger_fixtures import OpenLedger

LASTS = timedelta(seconds=15)


def test_one_has_it_until_its_end(ledger: Ledger, ledger_clock: Clock) -> None:
    """Then the next who asks has it, and the one before cannot renew it any more."""
    leases = ledger.leases
    assert [True, False] == [leases.take("rounds", name, LASTS) for name in ("a", "b")]
    ledger_clock.shift += LASTS / 2
    assert leases.renew("rounds", "a", LASTS)
    ledger_clock.shift += LASTS * 0.6
    assert not leases.take("rounds", "b", LASTS)

    ledger_clock.shift += LASTS / 2
    assert leases.standing("rounds") is None
    assert leases.take("rounds", "b", LASTS)
    assert not leases.renew("rounds", "a", LASTS)
    assert not leases.give_up("rounds", "a")
    assert "b" == holder(leases)


def test_nobody_came_meanwhile(ledger: Ledger, ledger_clock: Clock) -> None:
    """Whoever is late with it has it still, without a break."""
    ledger.leases.take("rounds", "a", LASTS)
    since = standing(ledger.leases).since
    ledger_clock.shift += 2 * LASTS

    assert ledger.leases.renew("rounds", "a", LASTS)
    assert since == standing(ledger.leases).since


def test_given_up_it_is_free_at_once(ledger: Ledger) -> None:
    """Whoever asks twice, since the answer was lost, has it; under another name it is another lease."""
    leases = ledger.leases
    assert [True, True, True] == [leases.take(name, "a", LASTS) for name in ("rounds", "rounds", "other")]
    assert [True, False] == [leases.give_up("rounds", "a"), leases.give_up("rounds", "a")]
    assert leases.take("rounds", "b", LASTS)
    assert not leases.take("other", "b", LASTS)
    assert LASTS / 2 < standing(leases).until - standing(leases).since < LASTS * 2


def test_of_many_one_has_it(open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """Each by a connection of its own, all at once: while it is free, and once it has ended."""
    ledgers = [open_test_ledger() for _ in range(8)]

    def takes(number: int) -> bool:
        return ledgers[number].leases.take("rounds", str(number), LASTS)

    first = at_once([partial(takes, number) for number in range(8)])
    ledger_clock.shift += LASTS
    then = at_once([partial(takes, number) for number in range(8)])

    assert [(1, 7), (1, 7)] == [(each.count(True), each.count(False)) for each in (first, then)]


def holder(leases: Leases) -> str:
    return standing(leases).holder


def standing(leases: Leases) -> Lease:
    found = leases.standing("rounds")
    assert found is not None
    return found
