"""What is known of asks before anybody looks at the network: by the ledger, and from their last judgement."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

import structlog
from pydantic import ValidationError

from bot.bluesky.ages import Ages
from bot.bluesky.lists import AllowList
from bot.bluesky.session import Account
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.moderation import Moderator
from guardrails.access import Caller
from guardrails.documents import DocId, Mention
from guardrails.facts import Facts
from guardrails.judgement import Verdict
from guardrails.rules import Rules

log = structlog.get_logger()


@dataclass(frozen=True)
class Bench:
    """What it takes to judge. `over` says when nobody is to be asked any more in this round."""

    ledger: Ledger
    account: Account
    caller: Caller
    now: Callable[[], datetime]
    rules: Rules
    allow_list: AllowList
    ages: Ages
    moderator: Moderator
    over: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Case:
    """A document as it is stored, and what is known of it: its mention may have been read anew.

    `again`: it was asked before, so that neither its age nor what its author asked before it counts for anything.
    `before`: what the checks that need no look have said of these facts, when they let it through.
    """

    document: Document
    facts: Facts
    again: bool = False
    before: tuple[Verdict, ...] = ()

    @property
    def is_reread(self) -> bool:
        """Whether the mention is another than the stored one."""
        return self.facts.mention != self.document.mention


def gathered(bench: Bench, documents: Collection[Document]) -> dict[DocId, Case]:
    """A case for each document whose body can be read: so many questions to the ledger, however many there are."""
    found = bench.ledger.gather(documents, bench.account.did, bench.rules)
    return {each.id: Case(each, _with_kept(each, found[each.id])) for each in documents if each.id in found}


def gathered_anew(bench: Bench, cases: Mapping[DocId, Case], edited: Mapping[DocId, Mention]) -> dict[DocId, Case]:
    """The cases of documents whose posts were edited, by what the posts say now."""
    now = [_as_if_stored(cases[name].document, mention) for name, mention in edited.items()]
    found = gathered(bench, now) if now else {}
    read = {name: Case(cases[name].document, case.facts) for name, case in found.items()}
    return {name: asked_anew(case) if cases[name].again else case for name, case in read.items()}


def asked_anew(case: Case) -> Case:
    """The case of an ask that was taken on before, and that its author wants tried again."""
    mention = case.facts.mention.model_copy(update={"stale": False})
    return Case(case.document, case.facts.model_copy(update={"mention": mention, "earlier": ()}), again=True)


def moderated_text(mention: Mention) -> str:
    """What the moderation service is asked about: the ask, and the words of what it points at."""
    context = (part for each in mention.context for part in (each.text, *each.alts, each.card))
    return "\n\n".join(part for part in (mention.ask, *context) if part)


def digest_of(text: str) -> str:
    """By which a text is known again."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _as_if_stored(document: Document, mention: Mention) -> Document:
    return replace(document, body=mention.model_dump(mode="json"), thread=mention.thread)


def _with_kept(document: Document, facts: Facts) -> Facts:
    """Since when the unknown is waited for, as the last judgement has noted it, and what the service said then."""
    kept = _kept(document)
    if kept is None:
        return facts
    return facts.model_copy(update={"moderated": kept.moderated, "unknown_since": kept.unknown_since})


def _kept(document: Document) -> Facts | None:
    try:
        return document.facts
    except ValidationError:
        log.warning("facts_unreadable", document=document.id)
        return None
