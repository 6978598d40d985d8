"""What people say to the bot in the tests of its jobs, and what the bot has said: documents without a network."""

from dataclasses import dataclass
from typing import Any

from bot.jobs.commands import Order, obey
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.access import Caller
from guardrails.caps import counted
from guardrails.documents import AtUri, Did, StrongRef
from guardrails.judgement import Judgement, Verdict
from guardrails.rules import Rules
from guardrails.said import PASS, Outcome, Said
from guardrails.transitions import Reason
from tests.bot.ledger.steps import frozen, now_of, received, ref_of
from tests.facts import facts_of
from tests.mentions import ALICE, BOT, NOON, OUR_DID, judgement, post


@dataclass(frozen=True)
class Judge:
    """Whoever obeys a command: the bot over its ledger."""

    ledger: Ledger
    caller: Caller = BOT


def says(
    ledger: Ledger, text: str, rkey: str, to: str | None = None, root: str | None = None, author: Did = ALICE
) -> Document:
    """Somebody's post to the bot, as a reply to a post if one is named, in the thread of another one if that is."""
    more: dict[str, Any] = {"author": author, "ask": text, "indexed_at": ledger.db.time()}
    if to is not None:
        refs = {name: {"uri": uri, "cid": "cid"} for name, uri in (("root", root or to), ("parent", to))}
        more |= {"record": post(f"@wright.test {text}", reply=refs), "root": StrongRef.model_validate(refs["root"])}
    return received(ledger, rkey, **more)


def obeyed(ledger: Ledger, command: Document, reason: Reason = Reason.COMMAND) -> tuple[Verdict, ...]:
    """What came of a command, as its judgement keeps it; the document itself has not moved yet."""
    return judged(ledger, command, reason).verdicts[1:]


def judged(ledger: Ledger, command: Document, reason: Reason = Reason.COMMAND, came_of_retry: Said = PASS) -> Judgement:
    """The judgement of a command that was obeyed, where this comes of each build that is to be tried again."""

    def retry(asked: Document) -> Said:
        if came_of_retry is PASS:
            ledger.documents.ask_again(BOT, asked, counted(asked.author_did, asked.thread))
        return came_of_retry

    verdict = judgement(Outcome.SKIP, reason, command.mention.ask)
    return obey(Judge(ledger), command, verdict, Order(OUR_DID, Rules(), NOON, retry))


def skipped_as(ledger: Ledger, command: Document, reason: Reason = Reason.COMMAND) -> Document:
    """A command that was obeyed, and then skipped as what it is."""
    facts = facts_of(command.mention)
    return ledger.documents.refuse(BOT, command, judged(ledger, command, reason), facts)


def told(ledger: Ledger, document: Document, rkey: str) -> AtUri:
    """Where a line of ours under a document stands."""
    send = ledger.sends.claim_aside(BOT, f"note:{document.id}", document, frozen(rkey))
    answered = ledger.sends.answered(BOT, send, ref_of(send))
    return AtUri(str(answered.uri))


def joined(ledger: Ledger, first: Document, rkey: str = "3ksecond") -> Document:
    """The same ask again, which joined the first."""
    again = received(ledger, rkey, indexed_at=ledger.db.time())
    verdict = judgement(Outcome.SKIP, Reason.SAME_ASK, first.id)
    return ledger.documents.refuse(BOT, again, verdict, facts_of(again.mention))


def app_is_gone(ledger: Ledger, document: Document) -> bool:
    app = ledger.hosting.app(str(now_of(ledger, document).slug))
    return app is not None and app.gone_at is not None
