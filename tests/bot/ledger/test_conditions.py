"""What is wrong now, until it is mended."""

from datetime import timedelta

from bot.clock import Clock
from bot.ledger.conditions import ACCOUNT
from bot.ledger.ledger import Ledger
from tests.bot.ledger.steps import travel


def test_a_condition_stands_until_it_is_cleared(ledger: Ledger) -> None:
    """And clearing it twice is once."""
    assert not ledger.conditions.stands(ACCOUNT)
    ledger.conditions.set(ACCOUNT, "taken down")

    assert ledger.conditions.stands(ACCOUNT)
    assert not ledger.conditions.stands("other")
    assert [True, False] == [ledger.conditions.clear(ACCOUNT) for _ in range(2)]
    assert not ledger.conditions.stands(ACCOUNT)
    assert [] == ledger.conditions.standing()


def test_a_condition_keeps_its_beginning(ledger: Ledger, ledger_clock: Clock) -> None:
    """However often it is looked at; what is told of it is the latest."""
    begun = ledger.db.time()
    news = [ledger.conditions.set(ACCOUNT, "labelled spam") for _ in range(2)]
    travel(ledger_clock, hours=1)
    news.append(ledger.conditions.set(ACCOUNT, "taken down \x00"))
    ledger.conditions.set("another", "later")
    account, another = ledger.conditions.standing()

    assert [True, False, True] == news
    assert (ACCOUNT, "taken down \ufffd", "another") == (account.name, account.detail, another.name)
    assert timedelta() <= account.since - begun < timedelta(minutes=5)
    assert timedelta(minutes=55) < account.checked_at - account.since
