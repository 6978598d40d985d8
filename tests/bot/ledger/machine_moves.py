"""What the random actors of the state machine may try, by name."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.jobs.rescue import rescue_once
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document, Send
from guardrails.caps import Place, places
from guardrails.rules import CapRules, Rules
from guardrails.transitions import Reason
from tests.bot.ledger.steps import hold, ref_of, refuse
from tests.documents import newest
from tests.facts import PURSE
from tests.mentions import BOT, OPERATOR, OUR_DID, judgement

WAIT = timedelta(seconds=30)

CAPPED = Rules(caps=CapRules(author_per_hour=2, author_per_day=3))


def judged_and_accepted(ledger: Ledger, document: Document) -> Document:
    """As the judge does it: by what the ledger knows, and under caps that are soon full."""
    facts = ledger.gather([document], OUR_DID, CAPPED)
    return ledger.documents.accept(BOT, document, judgement(), facts[document.id], tight(document))


def tight(document: Document) -> tuple[Place, ...]:
    """Places of which there are few."""
    return places(document.author_did, document.thread, CAPPED)


def some_other(ledger: Ledger, document: Document) -> Document:
    """The oldest document but this one; itself where there is no other."""
    others = [each for each in newest(ledger, 99) if each.id != document.id]
    return others[-1] if others else document


Move = Callable[[Ledger, Document], Any]
MOVES: dict[str, Move] = {
    "accept": judged_and_accepted,
    "hold": hold,
    "refuse": lambda ledger, d: refuse(ledger, d, Reason.THANKS),
    "refuse:same ask": lambda ledger, d: refuse(ledger, d, Reason.SAME_ASK, some_other(ledger, d).id),
    "postpone": lambda ledger, d: ledger.documents.postpone(BOT, d, (), ledger.db.time() + WAIT),
    "reopen_edited": lambda ledger, d: ledger.documents.reopen_edited(BOT, d, d.mention),
    "withdraw": lambda ledger, d: ledger.documents.withdraw(BOT, d, Reason.DELETED),
    "cannot_reply": lambda ledger, d: ledger.documents.cannot_reply(BOT, d, "a gate"),
    "expire_approval": lambda ledger, d: ledger.documents.expire(BOT, d),
    "expire_build": lambda ledger, d: ledger.documents.expire(BOT, d),
    "lose_lane": lambda ledger, d: ledger.documents.expire(BOT, d),
    "expire_reply": lambda ledger, d: ledger.documents.expire(BOT, d),
    "reopen_joined": lambda ledger, d: ledger.documents.reopen_joined(BOT, d),
    "ask_again": lambda ledger, d: ledger.documents.ask_again(BOT, d, tight(d)),
    "void": lambda ledger, d: ledger.documents.void(OPERATOR, d),
    "approve": lambda ledger, d: ledger.documents.approve(OPERATOR, d),
    "stop": lambda ledger, d: ledger.documents.stop(OPERATOR, d),
    "judge_again": lambda ledger, d: ledger.documents.judge_again(OPERATOR, d),
    "retry": lambda ledger, d: ledger.documents.retry(OPERATOR, d),
    "send_again": lambda ledger, d: ledger.documents.send_again(OPERATOR, d),
    "answer:adopted": lambda ledger, d: ledger.sends.finish_adopted(BOT, d),
}
WORDS: dict[str, Callable[[Ledger, Document], Any]] = {
    "deny": lambda ledger, d: ledger.people.deny(OPERATOR, d.author_did, "spam"),
    "allow": lambda ledger, d: ledger.people.allow(OPERATOR, d.author_did, "a friend"),
    "forget": lambda ledger, d: ledger.people.forget(BOT, d.author_did),
    "forget by command": lambda ledger, d: ledger.people.forget(BOT, d.author_did, keep=d.id),
    "remember": lambda ledger, d: ledger.people.remember(BOT, d.author_did, ledger.db.time()),
    "tidy": lambda ledger, _: ledger.people.tidy(BOT),
    "reopen joined": lambda ledger, d: ledger.documents.reopen_joined_to(BOT, d),
    "reopen all joined": lambda ledger, _: rescue_once(ledger, BOT),
    "take down": lambda ledger, d: ledger.takedowns.take_down(OPERATOR, d, "a complaint"),
    "take down, reply kept": lambda ledger, d: ledger.takedowns.take_down(OPERATOR, d, keep_reply=True),
    "delete": lambda ledger, d: ledger.takedowns.delete(OPERATOR, d),
    "take back": lambda ledger, d: ledger.sightings.withdrawn(d),
}
"""What touches more than one document, or none by a move."""
PURSES = (PURSE, replace(PURSE, at_once=1), replace(PURSE, author_day_micros=100_000, day_micros=150_000))
Tried = Callable[[Ledger, Send], Any]
TRIES: dict[str, Tried] = {
    "begin": lambda ledger, s: ledger.sends.begin_try(s),
    "begin once more": lambda ledger, s: ledger.sends.begin_try(s),
    "not sent": lambda ledger, s: ledger.sends.not_sent(s, "no connection", WAIT, still_unknown=False),
    "unknown": lambda ledger, s: ledger.sends.unknown(s, "timed out", WAIT),
    "conflict": lambda ledger, s: ledger.sends.in_conflict(s, "another record is there"),
    "answered": lambda ledger, s: ledger.sends.answered(BOT, s, ref_of(s)),
    "refused": lambda ledger, s: ledger.sends.refused(BOT, s, "InvalidRequest"),
}
