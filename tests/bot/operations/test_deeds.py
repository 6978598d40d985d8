"""What people can do to a document is what the ledger then lets them do, wherever it stands."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.ledger.ledger import Ledger
from bot.ledger.selection import Ref
from bot.ledger.views import Document
from bot.operations.acts import Acts
from bot.operations.deeds import MOVED_BY, deeds_at, why_not
from bot.operations.doing import Act, Deed, Ending
from guardrails.access import Role
from guardrails.documents import Kind
from guardrails.transitions import TABLES, Actor, Reason, Status
from tests.bot.ledger.steps import STARTS, built, now_of, received, replied, send_refused, sending, skipped
from tests.mentions import ALICE, BOT, OPERATOR

OPEN = {Deed.SKIP, Deed.TAKE_DOWN}
AT: dict[Status, set[Deed]] = {
    Status.RECEIVED: OPEN | {Deed.APPROVE},
    Status.AWAITING_APPROVAL: OPEN | {Deed.APPROVE},
    Status.PENDING_BUILD: OPEN,
    Status.BUILDING: OPEN,
    Status.BUILT: OPEN,
    Status.REPLIED: {Deed.DELETE, Deed.TAKE_DOWN},
    Status.SKIPPED: {Deed.JUDGE_AGAIN},
    Status.BUILD_FAILED: {Deed.RETRY, Deed.TAKE_DOWN},
    Status.ERROR: {Deed.RETRY, Deed.SEND_AGAIN, Deed.DELETE, Deed.TAKE_DOWN},
}


def under_way(ledger: Ledger) -> Document:
    return ledger.queries.document(str(sending(ledger).document_id))


def forgotten(ledger: Ledger) -> Document:
    document = send_refused(ledger)
    ledger.people.forget(BOT, ALICE)
    return now_of(ledger, document)


def taken_down(ledger: Ledger) -> Document:
    return ledger.takedowns.take_down(OPERATOR, replied(ledger), keep_reply=True)


def gone(ledger: Ledger) -> Document:
    return ledger.takedowns.take_down(OPERATOR, send_refused(ledger))


# Where more counts than the status.
SPECIAL: dict[str, tuple[Callable[[Ledger], Document], set[Deed], str]] = {
    "held": (
        lambda ledger: ledger.decisions.hold_reply(BOT, built(ledger), "old"),
        OPEN | {Deed.RELEASE_REPLY},
        "it is built",
    ),
    "under way": (under_way, {Deed.DELETE, Deed.TAKE_DOWN}, "its reply is on its way"),
    "a command": (lambda ledger: skipped(ledger, reason=Reason.COMMAND), set(), "it was skipped for good: command"),
    "withdrawn": (
        lambda ledger: ledger.sightings.withdrawn(send_refused(ledger)),
        {Deed.TAKE_DOWN},
        "it was taken back by its author, or deleted",
    ),
    "deleted": (
        lambda ledger: ledger.takedowns.delete(OPERATOR, replied(ledger)),
        {Deed.TAKE_DOWN},
        "it was taken back by its author, or deleted",
    ),
    "taken down, reply kept": (taken_down, {Deed.DELETE}, "it was taken down for good"),
    "taken down": (gone, set(), "it was taken down for good"),
    "forgotten": (forgotten, set(), "its author wants to be forgotten"),
}


def done_by(ledger: Ledger, document: Document, deed: Deed) -> Ending:
    """How it ends when nobody has looked at the deeds first."""
    act = Act(deed, Ref(document.id, document.version), f"action-{deed}", second_reply=True)
    (outcome,) = Acts(ledger, OPERATOR).done([act])
    return outcome.ending


@pytest.mark.parametrize("status", STARTS)
def test_the_deeds_of_a_status(ledger: Ledger, status: Status) -> None:
    """Read off the table, and what has an app or a reply can be taken away; a viewer can do none."""
    document = STARTS[status](ledger)

    assert AT[status] == set(deeds_at(document, Role.OPERATOR))
    assert () == deeds_at(document, Role.VIEWER) == deeds_at(document, Role.BOT)


@pytest.mark.parametrize("status", STARTS)
def test_the_ledger_thinks_the_same(ledger: Ledger, status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is offered can be done; what is not is refused by the ledger as well, but for what would change nothing."""
    monkeypatch.setattr("bot.operations.acts.deeds_at", lambda *_: tuple(Deed))
    documents = {deed: STARTS[status](ledger, f"3k{deed.value.replace('_', '')}") for deed in Deed}
    done = {deed for deed in Deed if done_by(ledger, documents[deed], deed) is Ending.DONE}

    assert AT[status] <= done
    assert done - AT[status] <= {Deed.DELETE, Deed.TAKE_DOWN, Deed.RELEASE_REPLY}


@pytest.mark.parametrize("name", SPECIAL)
def test_the_deeds_where_more_counts_than_the_status(ledger: Ledger, name: str) -> None:
    """And the sentence on why the others are not possible."""
    make, deeds, told = SPECIAL[name]
    document = make(ledger)

    assert deeds == set(deeds_at(document, Role.OPERATOR))
    assert why_not(document, Deed.RETRY).startswith(told)


def test_every_move_of_an_operator_is_a_deed_or_known_as_none() -> None:
    """So that a new row of the table gets its button."""
    names = {row.name for kind in Kind for row in TABLES[kind] if row.actor is Actor.OPERATOR}

    assert names == set(MOVED_BY) | {"void", "settle_sent", "settle_unsent"}
    assert set(Deed) - set(MOVED_BY.values()) == {Deed.RELEASE_REPLY, Deed.DELETE, Deed.TAKE_DOWN}


@pytest.mark.parametrize("deed", Deed)
def test_why_not_names_from_where_it_is_possible(ledger: Ledger, deed: Deed) -> None:
    """Of an ask that was just received."""
    assert why_not(received(ledger), deed).startswith("it is received: this is possible from ")


def test_the_words_are_gone_with_whoever_is_forgotten(ledger: Ledger) -> None:
    """What needs them is not possible; a document that is open all the same can be stopped."""
    document = replace(received(ledger), body={"record": {}})

    assert (Deed.SKIP,) == deeds_at(document, Role.OPERATOR)
