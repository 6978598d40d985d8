"""The audit log: every write of an operator has its row, in its transaction; the bot's and the lanes' have none."""

import inspect
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.errors import AlreadyDone
from bot.ledger.conditions import elsewhere_of
from bot.ledger.consoles import ConsoleSession
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.access import Action, Caller, Role, check_access
from guardrails.documents import DeviceId, Did
from guardrails.errors import NotAllowed
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    build_failed,
    building,
    built,
    held,
    now_of,
    pending,
    received,
    ref_of,
    replied,
    send_refused,
    sending,
    skipped,
)
from tests.documents import newest
from tests.mentions import ALICE, BOT, OPERATOR, VIEWER, mention

TOLD = Caller(Role.OPERATOR, DeviceId("olga"), "action-1")
PLACE = Place("a lane", "https://apps.example/")
HOUR = timedelta(hours=1)
HOST = Caller(Role.OPERATOR, DeviceId("host"))


def held_reply(ledger: Ledger) -> Document:
    return ledger.decisions.hold_reply(BOT, built(ledger), "old")


def denied(ledger: Ledger) -> None:
    ledger.people.deny(OPERATOR, ALICE, "spam")


def forgotten(ledger: Ledger) -> None:
    ledger.people.forget(BOT, ALICE)


def left_elsewhere(ledger: Ledger) -> str:
    ledger.conditions.set(elsewhere_of("timer-x"), "at https://pages.example/timer-x/1/index.html")
    return "timer-x"


def device(ledger: Ledger) -> str:
    return ledger.desk.add_device(HOST, DeviceId("lane-9"), "", Role.LANE, "https://apps.example/", "sw_t").id


def signed_in(ledger: Ledger) -> ConsoleSession | None:
    ledger.consoles.offer(HOST, "code", Role.VIEWER, HOUR)
    return ledger.consoles.spend("code", "session-1", "token")


Write = tuple[Callable[[Ledger], Any], Callable[[Ledger, Caller, Any], Any]]
# What an operator may write: how it comes to that, and the write itself.
WRITES: dict[str, Write] = {
    "Store.receive": (lambda _: None, lambda ledger, o, _: ledger.documents.receive(o, [mention()])),
    "Store.approve": (held, lambda ledger, o, d: ledger.documents.approve(o, d)),
    "Store.stop": (pending, lambda ledger, o, d: ledger.documents.stop(o, d, Reason.STOPPED, "no")),
    "Store.judge_again": (skipped, lambda ledger, o, d: ledger.documents.judge_again(o, d)),
    "Store.retry": (build_failed, lambda ledger, o, d: ledger.documents.retry(o, d)),
    "Store.void": (lambda ledger: building(ledger).document, lambda ledger, o, d: ledger.documents.void(o, d)),
    "Store.send_again": (send_refused, lambda ledger, o, d: ledger.documents.send_again(o, d)),
    "Decisions.sent": (sending, lambda ledger, o, s: ledger.decisions.sent(o, s, ref_of(s))),
    "Decisions.abandoned": (sending, lambda ledger, o, s: ledger.decisions.abandoned(o, s)),
    "Decisions.again": (sending, lambda ledger, o, s: ledger.decisions.again(o, s)),
    "Decisions.release_reply": (held_reply, lambda ledger, o, d: ledger.decisions.release_reply(o, d)),
    "Takedowns.delete": (replied, lambda ledger, o, d: ledger.takedowns.delete(o, d)),
    "Takedowns.take_down": (replied, lambda ledger, o, d: ledger.takedowns.take_down(o, d)),
    "People.deny": (lambda _: None, lambda ledger, o, _: ledger.people.deny(o, ALICE, "spam")),
    "People.allow": (lambda _: None, lambda ledger, o, _: ledger.people.allow(o, ALICE, "a friend")),
    "People.unpublished": (left_elsewhere, lambda ledger, o, slug: ledger.people.unpublished(o, slug)),
    "People.lift": (denied, lambda ledger, o, _: ledger.people.lift(o, ALICE)),
    "People.forget": (lambda _: None, lambda ledger, o, _: ledger.people.forget(o, ALICE)),
    "People.remember": (forgotten, lambda ledger, o, _: ledger.people.remember(o, ALICE, ledger.db.time())),
    "People.tidy": (lambda _: None, lambda ledger, o, _: ledger.people.tidy(o)),
    "Desk.throw": (lambda _: None, lambda ledger, o, _: ledger.desk.throw(o, Switch.PAUSE_BUILDS, "a storm")),
    "Desk.release": (
        lambda ledger: ledger.desk.throw(BOT, Switch.PAUSE_BUILDS, "a loop"),
        lambda ledger, o, _: ledger.desk.release(o, Switch.PAUSE_BUILDS),
    ),
    "Desk.add_device": (
        lambda _: None,
        lambda ledger, o, _: ledger.desk.add_device(o, DeviceId("lane-8"), "", Role.LANE, "https://a.example/", "sw_u"),
    ),
    "Desk.revoke_device": (device, lambda ledger, o, name: ledger.desk.revoke_device(o, name)),
    "Enrolments.invite": (lambda _: None, lambda ledger, o, _: ledger.enrolments.invite(o, PLACE, "swi_c", HOUR)),
    "Consoles.offer": (
        lambda _: None,
        lambda ledger, o, _: ledger.consoles.offer(o, "code", Role.VIEWER, HOUR),
    ),
    "Consoles.revoke": (
        signed_in,
        lambda ledger, o, session: ledger.consoles.revoke(o, session.id),
    ),
}
# These read, or are part of a write that stands above.
NO_WRITES = {"Takedowns.take_back_known"}


def is_allowed(action: Action) -> bool:
    try:
        check_access(OPERATOR, action)
    except NotAllowed:
        return False
    return True


def writes_of_operators(ledger: Ledger) -> set[str]:
    """Every method of the ledger that takes a caller, and that the access function lets an operator do."""
    wanted = {action.name for action in Action if action is not Action.READ and is_allowed(action)}
    found = set()
    ledger.load()
    for part in vars(ledger).values():
        for name, method in inspect.getmembers(type(part), inspect.isfunction):
            if name.startswith("_") or "caller" not in inspect.signature(method).parameters:
                continue
            source = inspect.getsource(method)
            actions = set(re.findall(r"Action\.([A-Z_]+)", source))
            if actions & wanted or "self._decided(" in source or "self._decide(" in source:
                found.add(f"{type(part).__name__}.{name}")
    return found


def test_every_write_that_an_operator_may_do_stands_here(ledger: Ledger) -> None:
    """A new one is told of here, or it is noted nowhere."""
    assert set(WRITES) | NO_WRITES == writes_of_operators(ledger)


@pytest.mark.parametrize("name", WRITES)
def test_what_an_operator_writes_is_noted(ledger: Ledger, name: str) -> None:
    """Once under the action's id, and by whom; the bot's part of it is in the history only."""
    before, write = WRITES[name]
    made = before(ledger)
    known = len(ledger.audit.rows(None, 99))
    write(ledger, TOLD, made)
    rows = ledger.audit.rows(None, 99)[: len(ledger.audit.rows(None, 99)) - known]

    assert {"olga"} == {row.device for row in rows}
    assert ["action-1"] == [row.action_id for row in rows if row.action_id is not None]
    assert all(row.action and row.target for row in rows)


@pytest.mark.parametrize("name", sorted(set(WRITES) - {"Store.receive", "Desk.add_device", "Enrolments.invite"}))
def test_an_action_that_was_done_undoes_what_it_began_again(ledger: Ledger, name: str) -> None:
    """Whatever was written before the repeat is found out stays unwritten."""
    before, write = WRITES[name]
    made = before(ledger)
    ledger.audit.add(TOLD, "stop", "mention:another")
    document = newest(ledger, 1)

    with pytest.raises(AlreadyDone):
        write(ledger, TOLD, made)
    assert document == newest(ledger, 1)
    assert 1 == len([row for row in ledger.audit.rows(None, 99) if row.action_id == "action-1"])


def test_the_bot_and_the_lanes_are_not_noted(ledger: Ledger) -> None:
    """Their history is told by moves; nor is a viewer, who writes nothing."""
    replied(ledger)
    ledger.desk.throw(BOT, Switch.PAUSE_REPLIES, "a loop")
    ledger.people.forget(BOT, Did("did:plc:carol"))
    ledger.audit.add(VIEWER, "look", "everything")

    assert [] == ledger.audit.rows(None, 99)


def test_what_changed_nothing_is_not_noted(ledger: Ledger) -> None:
    """There was nothing to be taken back or turned off."""
    assert not ledger.people.lift(OPERATOR, ALICE)
    assert not ledger.people.unpublished(OPERATOR, "timer-x")
    assert not ledger.people.remember(OPERATOR, ALICE, ledger.db.time())
    assert not ledger.desk.revoke_device(OPERATOR, "lane-1")
    ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)

    assert [] == ledger.audit.rows(None, 99)


def test_the_log_is_read_from_its_end(ledger: Ledger) -> None:
    """Page by page, by the sequence number."""
    for target in "abcde":
        ledger.audit.add(OPERATOR, "look", target)
    newest = ledger.audit.rows(None, 2)
    older = ledger.audit.rows(newest[-1].seq, 9)

    assert ["e", "d", "c", "b", "a"] == [row.target for row in [*newest, *older]]
    assert {} == ledger.audit.done(["never"])


def test_a_denial_names_what_it_stopped(ledger: Ledger) -> None:
    """One row for the person, one for each document, under the one action."""
    document = pending(ledger)
    ledger.people.deny(TOLD, ALICE, "spam")

    assert [("stop", document.id, None), ("deny", ALICE, "action-1")] == [
        (row.action, row.target, row.action_id) for row in ledger.audit.rows(None, 9)
    ]
    assert Status.SKIPPED is now_of(ledger, document).status


def test_nobody_elses_words_are_in_it(ledger: Ledger) -> None:
    """Since it is never blanked: what people asked or said is kept elsewhere."""
    for rkey, make in {"3ka": held, "3kb": build_failed, "3kc": replied}.items():
        ledger.takedowns.take_down(OPERATOR, make(ledger, rkey), "a complaint")
    (new,) = ledger.documents.receive(OPERATOR, [mention("3kd", ask="make me a secret diary")])
    ledger.documents.approve(OPERATOR, now_of(ledger, new))
    told = " ".join(f"{row.action} {row.target} {row.detail}" for row in ledger.audit.rows(None, 99))

    assert not [word for word in ("tip", "splitter", "diary", "alice.test") if word in told]
    assert received(ledger, "3ke").id not in told
