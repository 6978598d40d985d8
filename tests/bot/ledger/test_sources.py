"""Which source has found a mention, and how far a stream was read."""

from datetime import timedelta

from sqlalchemy import func, select

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.sources import Found, Position, Source
from bot.ledger.tables import heard
from tests.mentions import BOT, mention

STREAM, NOTIFICATIONS = Found(Source.STREAM), Found(Source.NOTIFICATIONS)
LATER = timedelta(minutes=11)


def test_a_place_in_a_stream_only_moves_on(ledger: Ledger) -> None:
    """An earlier one changes nothing; each address has its own."""
    for at in (5, 9, 7):
        ledger.sources.move_on(Position("stream:wss://one", at))

    assert (9, None) == (ledger.sources.position("stream:wss://one"), ledger.sources.position("stream:wss://two"))


def test_a_place_is_noted_with_the_documents(ledger: Ledger) -> None:
    """Also where there is none."""
    ledger.documents.receive(BOT, [mention()], by=Found(Source.STREAM, Position("stream:a", 3)))
    ledger.documents.receive(BOT, [], by=Found(Source.STREAM, Position("stream:a", 4)))

    assert 4 == ledger.sources.position("stream:a")


def test_mentions_are_counted_by_what_found_them(ledger: Ledger, ledger_clock: Clock) -> None:
    """In whatever order the sources come, and however often."""
    for by, key in [(STREAM, "3ka"), (NOTIFICATIONS, "3ka"), (NOTIFICATIONS, "3kb"), (STREAM, "3kb")]:
        ledger.documents.receive(BOT, [mention(key)], by=by)
    ledger.documents.receive(BOT, [mention("3kc"), mention("3kd")], by=NOTIFICATIONS)
    ledger.documents.receive(BOT, [mention("3ke")], by=STREAM)
    ledger.documents.receive(BOT, [mention("3ke")], by=STREAM)
    too_soon = ledger.sources.compared()
    ledger_clock.shift += LATER

    assert {"notifications": 0, "stream": 0, "both": 0} == too_soon
    assert {"notifications": 2, "stream": 1, "both": 2} == ledger.sources.compared()


def test_what_was_known_before_is_not_compared(ledger: Ledger, ledger_clock: Clock) -> None:
    """The stream was not set then."""
    ledger.documents.receive(BOT, [mention()])
    ledger.documents.receive(BOT, [mention()], by=NOTIFICATIONS)
    ledger_clock.shift += LATER

    assert 0 == sum(ledger.sources.compared().values())


def test_only_the_last_day_is_compared_and_only_a_week_is_kept(ledger: Ledger, ledger_clock: Clock) -> None:
    """The rows are gone then."""
    ledger.documents.receive(BOT, [mention("3ka")], by=STREAM)
    ledger_clock.shift += timedelta(hours=25)
    compared, early = ledger.sources.compared(), ledger.sources.forget_old()
    ledger_clock.shift += timedelta(days=6)
    late = ledger.sources.forget_old()
    with ledger.db.read() as connection:
        left = connection.execute(select(func.count()).select_from(heard)).scalar_one()

    assert (0, 0, 1, 0) == (sum(compared.values()), early, late, left)
