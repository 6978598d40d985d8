"""So many answers an author gets in a day, whoever gives them."""

from functools import partial

import pytest

from bot.clock import Clock
from bot.errors import LostRace, NoAnswerLeft
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document, Send
from guardrails.errors import NotAllowed
from guardrails.transitions import Reason
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import frozen, received, refuse, travel
from tests.ledger_fixtures import OpenLedger
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR

ROUNDS = 20


def command(ledger: Ledger, rkey: str, author: str = ALICE) -> Document:
    return refuse(ledger, received(ledger, rkey, author=author), Reason.COMMAND)


def answer(ledger: Ledger, document: Document, per_day: int = 2) -> Send:
    key = f"note:{document.id}"
    return ledger.sends.claim_answer(BOT, key, document, frozen(f"{document.id[-8:]}a"), per_day)


def test_the_answers_of_a_day_are_counted_by_author(ledger: Ledger, ledger_clock: Clock) -> None:
    """One too many is not claimed; somebody else, and another day, have their own."""
    commands = [command(ledger, f"3k{n:06}") for n in range(4)]
    for document in commands[:2]:
        answer(ledger, document)
    with pytest.raises(NoAnswerLeft):
        answer(ledger, commands[2])

    assert [] == ledger.queries.sends(commands[2].id)
    assert answer(ledger, command(ledger, "3kbob000", BOB)).state == "claimed"
    travel(ledger_clock, days=1)
    assert answer(ledger, commands[3]).state == "claimed"


def test_an_answer_that_is_claimed_already_takes_no_place(ledger: Ledger) -> None:
    """Of two bots that answer the same, one does, and there is one left."""
    commands = [command(ledger, f"3k{n:06}") for n in range(2)]
    answer(ledger, commands[0])
    with pytest.raises(LostRace):
        answer(ledger, commands[0])

    assert "claimed" == answer(ledger, commands[1]).state


def test_where_no_answers_are_allowed_none_is_given(ledger: Ledger) -> None:
    """Not even the first."""
    with pytest.raises(LostRace):
        answer(ledger, command(ledger, "3k000000"), per_day=0)


def test_only_the_bot_answers(ledger: Ledger) -> None:
    """Nobody else has its voice."""
    document = command(ledger, "3k000000")
    for caller in (LANE, OPERATOR):
        with pytest.raises(NotAllowed):
            ledger.sends.claim_answer(caller, "note:x", document, frozen(), 3)


@pytest.mark.slow
def test_two_bots_never_give_one_answer_too_many(open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """At the same time, for the last place of a day."""
    ledgers = [open_test_ledger(), open_test_ledger()]
    for day in range(ROUNDS):
        commands = [command(ledgers[0], f"3k{day:03}{n:03}") for n in range(2)]
        both = zip(ledgers, commands, strict=True)
        given = at_once([partial(answer, ledger, document, 1) for ledger, document in both])
        assert [NoAnswerLeft, Send] == sorted((type(each) for each in given), key=str)
        travel(ledger_clock, days=1)
