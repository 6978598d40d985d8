"""`skywright takedown`: an app goes for good, with our reply to it; or every app of somebody's."""

import typer

from bot.ledger.selection import Selection
from bot.ledger.views import Document
from bot.operations.doing import Act, Deed
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.bulk import act_of, do_in_bulk, tell_outcome, tell_outcomes
from bot.terminal.opening import opened_operations
from bot.terminal.options import Filters
from bot.terminal.selecting import check_one_way
from bot.tokens import new_action
from guardrails.text import visible

AT_RISK = (
    "At risk: {apps} answers 410 from now on and its address is never used again; {replies}. The same ask by the same "
    "author waits for a person from then on. This cannot be taken back."
)
WHOSE = "{did}, whose documents here are {documents}: every app goes, and what is open of theirs is stopped.\n{risk}"


def takedown_command(
    name: str | None, filters: Filters, why: str, *, keep_reply: bool, yes: bool, as_json: bool
) -> None:
    """Say what is at risk, ask, and take it down: one app, all of an author's, or what the filters leave."""
    check_one_way(name, filters)
    check_can_ask(yes=yes)
    if filters.author is not None and filters == Filters(author=filters.author):
        _author(filters.author, why, keep_replies=keep_reply, yes=yes, as_json=as_json)
        return

    def act(document: Document) -> Act:
        return act_of(Deed.TAKE_DOWN, document, why=why.strip(), keep_reply=keep_reply)

    with opened_operations() as operations:
        if name is None:
            risk = _risk("each app", keep_reply=keep_reply)
            do_in_bulk(operations, filters, act, "take down", yes=yes, as_json=as_json, risk=risk)
            return
        document = operations.find(name)
        app = f"the app {document.slug}" if document.slug is not None else "its app"
        confirm(f"{document.id} is {document.status.value}.\n{_risk(app, keep_reply=keep_reply)}", yes=yes)
        (outcome,) = operations.act([act(document)])
        tell_outcome(outcome, as_json=as_json)


def _author(who: str, why: str, *, keep_replies: bool, yes: bool, as_json: bool) -> None:
    with opened_operations() as operations:
        named = operations.who(who)
        if named.told:
            typer.echo(visible(named.told), err=True)
        counted = operations.count(Selection(author=named.did))
        many = f"{counted.n} or more" if counted.more else str(counted.n)
        risk = _risk("each app", keep_reply=keep_replies)
        confirm(WHOSE.format(did=named.did, documents=many, risk=risk), yes=yes)
        outcomes = operations.take_down_author(named.did, why.strip(), new_action(), keep_replies=keep_replies)
        tell_outcomes(iter(outcomes), as_json=as_json)


def _risk(apps: str, *, keep_reply: bool) -> str:
    replies = "our reply stays" if keep_reply else "our reply to it is deleted"
    return AT_RISK.format(apps=apps, replies=replies)
