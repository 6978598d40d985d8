"""Speaking and taking back at the same moment: the ledger never says both yes."""

from functools import partial

import pytest

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document, Send
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import built, frozen, now_of, ref_of, sending
from tests.mentions import BOT, OPERATOR

# Many at once, or every migration: seconds, not milliseconds.
pytestmark = pytest.mark.slow

ROUNDS = 12


def test_a_reply_and_a_withdrawal_cannot_both_win(ledger: Ledger) -> None:
    """Either it is claimed and stays built, or it is skipped and nothing is ever sent."""
    for number in range(ROUNDS):
        document = built(ledger, f"3k{number}")
        said, gone, stopped = at_once(
            [
                partial(ledger.sends.claim_reply, BOT, document, frozen(f"3kr{number}")),
                partial(ledger.documents.withdraw, BOT, document, Reason.DELETED),
                partial(ledger.documents.stop, OPERATOR, document),
            ]
        )
        won = [answer for answer in (said, gone, stopped) if not isinstance(answer, LostRace)]
        now = now_of(ledger, document)

        assert 1 == len(won)
        assert isinstance(won[0], Send | Document)
        assert (now.status, now.sending) == ((Status.BUILT, True) if won[0] is said else (Status.SKIPPED, False))
        assert (won[0] is said) == bool(ledger.queries.sends(document.id))


def test_of_eight_senders_one_wins(ledger: Ledger) -> None:
    """Each with a record key of its own."""
    for number in range(4):
        document = built(ledger, f"3k{number}")
        answers = at_once(
            [partial(ledger.sends.claim_reply, BOT, document, frozen(f"3kr{number}-{n}")) for n in range(8)]
        )

        assert 1 == len([answer for answer in answers if isinstance(answer, Send)])
        assert 7 == len([answer for answer in answers if isinstance(answer, LostRace)])


def test_of_four_who_try_again_one_does(ledger: Ledger) -> None:
    """The others find that they were too late."""
    for number in range(4):
        send = sending(ledger, f"3k{number}")
        answers = at_once([partial(ledger.sends.begin_try, send)] * 4)

        assert [2] == [answer.tries for answer in answers if isinstance(answer, Send)]
        assert 3 == len([answer for answer in answers if isinstance(answer, LostRace)])


def test_an_answer_and_a_look_at_the_repository_meet(ledger: Ledger) -> None:
    """One of them settles the key, the other finds it settled; neither waits for the other for ever."""
    for number in range(ROUNDS):
        send = sending(ledger, f"3k{number}")
        document_id = DocId(str(send.document_id))
        told = partial(ledger.sends.answered, BOT, send, ref_of(send))
        found = partial(ledger.sends.adopt, BOT, document_id, frozen(send.rkey), ref_of(send).uri)
        answers = at_once([told, found, told, found])

        assert [] == [answer for answer in answers if isinstance(answer, BaseException)]
        assert Status.REPLIED is now_of(ledger, document_id).status
    with ledger.db.read() as connection:
        assert ROUNDS == connection.exec_driver_sql("SELECT count(*) FROM moves WHERE name = 'answer'").scalar_one()
