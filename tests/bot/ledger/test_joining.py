"""The same ask again joins the first: it is opened again when the first is withdrawn, and an app counts once."""

from functools import partial

import pytest

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.caps import places
from guardrails.errors import NotAllowed
from guardrails.rules import CapRules, Rules
from guardrails.transitions import Reason, Status
from tests.bot.ledger.counts import asks, counts
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import (
    STARTS,
    accept,
    built,
    now_of,
    pending,
    received,
    refuse,
    replied,
    sending,
    skipped,
)
from tests.mentions import BOT, OPERATOR, OUR_DID, judgement

OPEN = [Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT]


def again(ledger: Ledger, first: Document, rkey: str = "3kagain") -> Document:
    """The same ask posted once more, which joins the first."""
    return refuse(ledger, received(ledger, rkey), Reason.SAME_ASK, first.id)


@pytest.mark.parametrize("status", [*OPEN, Status.REPLIED])
def test_the_same_ask_joins_one_that_stands(ledger: Ledger, status: Status) -> None:
    """Whatever its status is; the document knows which it is."""
    first = STARTS[status](ledger)
    joined = again(ledger, first)

    assert (Status.SKIPPED, Reason.SAME_ASK, first.id) == (joined.status, joined.reason, joined.joined_to)


@pytest.mark.parametrize("status", [Status.SKIPPED, Status.BUILD_FAILED, Status.ERROR])
def test_an_ask_that_stands_no_more_is_joined_by_nobody(ledger: Ledger, status: Status) -> None:
    """It ended while the second was judged: judged anew, the second is an ask of its own."""
    first = STARTS[status](ledger)
    second = received(ledger, "3kagain")

    for detail in (first.id, "mention:did:plc:alice:3knever"):
        with pytest.raises(LostRace, match="does not stand"):
            refuse(ledger, second, Reason.SAME_ASK, detail)
    assert second == now_of(ledger, second)


def test_an_answer_that_is_to_be_taken_back_is_joined_by_nobody(ledger: Ledger) -> None:
    """Its author has withdrawn the ask."""
    first = replied(ledger)
    ledger.sightings.withdrawn(first)

    with pytest.raises(LostRace):
        again(ledger, first)


@pytest.mark.parametrize("status", OPEN)
def test_what_joined_is_judged_afresh_when_the_first_is_withdrawn(ledger: Ledger, status: Status) -> None:
    """Delete and repost within a minute: everything that joined it, and nothing else."""
    first = STARTS[status](ledger)
    one, two = again(ledger, first, "3kone"), again(ledger, first, "3ktwo")
    other = skipped(ledger, "3kother")
    with pytest.raises(LostRace, match="was not withdrawn"):
        ledger.documents.reopen_joined_to(BOT, first)
    ledger.documents.withdraw(BOT, first, Reason.DELETED)
    waiting = ledger.documents.withdrawn_with_joined(9)
    reopened = ledger.documents.reopen_joined_to(BOT, waiting[0])

    assert [first.id] == [document.id for document in waiting]
    assert [one.id, two.id] == [document.id for document in reopened]
    assert {(Status.RECEIVED, Reason.FIRST_ASK_WITHDRAWN, first.id)} == {
        (document.status, document.reason, document.joined_to) for document in reopened
    }
    assert other == now_of(ledger, other)
    assert ([], []) == (ledger.documents.withdrawn_with_joined(9), ledger.documents.reopen_joined_to(BOT, first))


def test_only_the_bot_opens_them(ledger: Ledger) -> None:
    """A person judges again by another move."""
    first = received(ledger)
    again(ledger, first)
    ledger.documents.withdraw(BOT, first, Reason.DELETED)

    with pytest.raises(NotAllowed):
        ledger.documents.reopen_joined_to(OPERATOR, first)


def test_an_app_that_was_made_for_the_first_counts_once(ledger: Ledger) -> None:
    """The oldest that joined it takes its place over, and needs no other; the next one counts for itself."""
    first = built(ledger)
    one, two = again(ledger, first, "3kone"), again(ledger, first, "3ktwo")
    gone = ledger.documents.withdraw(BOT, first, Reason.DELETED)
    ledger.documents.reopen_joined_to(BOT, gone)
    facts = ledger.gather([now_of(ledger, one), now_of(ledger, two)], OUR_DID, Rules())
    used = [facts[document.id].used for document in (one, two)]
    tight = places(one.author_did, one.thread, Rules(caps=CapRules(author_per_hour=1, author_per_day=1)))
    heir = ledger.documents.accept(BOT, now_of(ledger, one), judgement(), facts[one.id], tight)

    assert (4, []) == (len(gone.places), now_of(ledger, first).places)
    assert [(0, 0), (1, 1)] == [(each.author_day, each.author_hour) for each in used if each is not None]
    assert (1, 5) == (asks(ledger), len(heir.places))


def test_a_first_that_counts_no_more_leaves_nothing(ledger: Ledger) -> None:
    """Withdrawn before there was an app: what joined it counts when it is accepted."""
    first = pending(ledger)
    joined = again(ledger, first)
    ledger.documents.withdraw(BOT, first, Reason.DELETED)
    (reopened,) = ledger.documents.reopen_joined_to(BOT, first)
    before = counts(ledger)
    accept(ledger, reopened)

    assert ([], joined.id) == (reopened.places, reopened.id)
    assert ({}, 1) == (before, asks(ledger))


def test_a_withdrawal_while_the_reply_is_on_its_way_opens_them_too(ledger: Ledger) -> None:
    """The first is only marked; its reply will be taken back."""
    first = now_of(ledger, ledger.queries.document(str(sending(ledger).document_id)))
    joined = again(ledger, first)
    ledger.sightings.withdrawn(first)
    (reopened,) = ledger.documents.reopen_joined_to(BOT, first)

    assert (joined.id, 4, 1) == (reopened.id, len(reopened.places), asks(ledger))


@pytest.mark.slow
def test_joining_and_withdrawing_at_once_leaves_nobody_behind(ledger: Ledger) -> None:
    """Either the second joins in time to be opened again, or it finds that there is nothing to join."""

    def take_back(first: Document) -> list[Document]:
        return ledger.documents.reopen_joined_to(BOT, ledger.documents.withdraw(BOT, first, Reason.DELETED))

    for number in range(20):
        first, second = received(ledger, f"3ka{number}"), received(ledger, f"3kb{number}")
        joining = partial(refuse, ledger, second, Reason.SAME_ASK, first.id)
        joined, reopened = at_once([joining, partial(take_back, first)])

        assert isinstance(joined, Document | LostRace), joined
        assert ([second.id] if isinstance(joined, Document) else []) == [each.id for each in reopened]
        assert Status.RECEIVED is now_of(ledger, second).status
