"""What the random actors of the state machine may try, by name."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from bot.ledger.ledger import Ledger
from bot.ledger.views import Document, Send
from guardrails.said import Outcome
from guardrails.transitions import Reason
from tests.bot.ledger.steps import ref_of
from tests.mentions import BOT, OPERATOR, judgement

WAIT = timedelta(seconds=30)

Move = Callable[[Ledger, Document], Any]
MOVES: dict[str, Move] = {
    "accept": lambda ledger, d: ledger.documents.accept(BOT, d, judgement()),
    "hold": lambda ledger, d: ledger.documents.hold(BOT, d, judgement(Outcome.HOLD, Reason.POLICY)),
    "refuse": lambda ledger, d: ledger.documents.refuse(BOT, d, judgement(Outcome.SKIP, Reason.SAME_ASK)),
    "postpone": lambda ledger, d: ledger.documents.postpone(BOT, d, (), ledger.db.time() + WAIT),
    "reopen_edited": lambda ledger, d: ledger.documents.reopen_edited(BOT, d, d.mention),
    "withdraw": lambda ledger, d: ledger.documents.withdraw(BOT, d, Reason.DELETED),
    "cannot_reply": lambda ledger, d: ledger.documents.cannot_reply(BOT, d, "a gate"),
    "expire_approval": lambda ledger, d: ledger.documents.expire(BOT, d),
    "expire_build": lambda ledger, d: ledger.documents.expire(BOT, d),
    "lose_lane": lambda ledger, d: ledger.documents.expire(BOT, d),
    "reopen_joined": lambda ledger, d: ledger.documents.reopen_joined(BOT, d),
    "ask_again": lambda ledger, d: ledger.documents.ask_again(BOT, d),
    "approve": lambda ledger, d: ledger.documents.approve(OPERATOR, d),
    "stop": lambda ledger, d: ledger.documents.stop(OPERATOR, d),
    "judge_again": lambda ledger, d: ledger.documents.judge_again(OPERATOR, d),
    "retry": lambda ledger, d: ledger.documents.retry(OPERATOR, d),
    "send_again": lambda ledger, d: ledger.documents.send_again(OPERATOR, d),
    "answer:adopted": lambda ledger, d: ledger.sends.finish_adopted(BOT, d),
}
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
