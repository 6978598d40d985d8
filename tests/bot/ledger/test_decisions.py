"""What a person decides about a send, and what was seen of mentions: over what was read, and with a name."""

from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document, Send
from guardrails.documents import AtUri, StrongRef
from guardrails.errors import NotAllowed
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import built, now_of, received, sending, travel
from tests.mentions import BOT, OPERATOR, VIEWER

REPLY = StrongRef(uri=AtUri("at://did:plc:wright/app.bsky.feed.post/3kreply"), cid="cid-reply")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def unknown(ledger: Ledger) -> tuple[Document, Send]:
    """A built document whose reply nobody knows the outcome of."""
    send = sending(ledger)
    document = ledger.queries.document(str(send.document_id))
    return document, ledger.sends.unknown(send, "cut", MINUTE)


def test_a_person_who_has_seen_the_reply_settles_it(ledger: Ledger, unknown: tuple[Document, Send]) -> None:
    """The key is answered, the document replied, and the person named."""
    document, send = unknown
    settled = ledger.decisions.sent(OPERATOR, send, REPLY)
    present = now_of(ledger, document)

    assert ("answered", REPLY.uri, "olga") == (settled.state, settled.uri, settled.decided_by)
    assert (Status.REPLIED, Reason.SETTLED_BY_PERSON, REPLY.uri) == (present.status, present.reason, present.reply_uri)


def test_only_a_person_abandons_a_key(ledger: Ledger, unknown: tuple[Document, Send]) -> None:
    """Then the document is in error, and may be sent again under a new key."""
    document, send = unknown
    with pytest.raises(NotAllowed):
        ledger.decisions.abandoned(BOT, send)
    abandoned = ledger.decisions.abandoned(OPERATOR, send)
    again = ledger.documents.send_again(OPERATOR, now_of(ledger, document))

    assert ("abandoned", "abandoned") == (abandoned.state, abandoned.decision)
    assert Status.BUILT == again.status


def test_trying_again_makes_it_due_at_once(ledger: Ledger, unknown: tuple[Document, Send]) -> None:
    """A conflict is taken away; what is there is still looked at first, since the outcome stays unknown."""
    _, send = unknown
    stuck = ledger.sends.in_conflict(send, "something else")
    before = ledger.outbox.due(5, "reply:")
    ledger.decisions.again(OPERATOR, stuck)
    (due,) = ledger.outbox.due(5, "reply:")

    assert [] == before
    assert due.conflict is None
    assert due.unknown_since is not None


def test_a_decision_over_something_that_moved_on_is_lost(ledger: Ledger, unknown: tuple[Document, Send]) -> None:
    """The bot settled it while the person was thinking."""
    _, send = unknown
    ledger.sends.answered(BOT, send, REPLY)

    for decide in (ledger.decisions.abandoned, ledger.decisions.again):
        with pytest.raises(LostRace):
            decide(OPERATOR, send)


def test_a_held_reply_is_nobodys_until_it_is_released(ledger: Ledger) -> None:
    """The bot holds it, a viewer cannot release it, an operator can."""
    document = built(ledger)
    held = ledger.decisions.hold_reply(BOT, document, "old")
    assert ([], ["old"]) == (ledger.queries.ready_to_answer(5), [d.reply_held for d in ledger.queries.held_replies()])

    with pytest.raises(LostRace):
        ledger.decisions.release_reply(OPERATOR, document)
    with pytest.raises(NotAllowed):
        ledger.decisions.release_reply(VIEWER, held)
    released = ledger.decisions.release_reply(OPERATOR, held)

    assert (None, "olga") == (released.reply_held, released.reply_released_by)
    assert [document.id] == [d.id for d in ledger.queries.ready_to_answer(5)]


def test_an_absence_keeps_since_when(ledger: Ledger, ledger_clock: Clock) -> None:
    """The second look names the first one's time; being seen ends it."""
    document = received(ledger)
    first = ledger.sightings.absent(document)
    travel(ledger_clock, minutes=5)
    second = ledger.sightings.absent(first)
    back = ledger.sightings.present(second, document.source_cid)

    assert first.absent_since == second.absent_since
    assert (None, None) == (back.absent_since, back.edited_cid)


def test_an_edit_is_noted(ledger: Ledger) -> None:
    """Another version than the one that was read."""
    document = received(ledger)

    assert "cid-new" == ledger.sightings.present(document, "cid-new").edited_cid
