"""`skywright resolve`: a person decides about a send that does not settle itself."""

from datetime import datetime

import typer

from bot.ledger.sends import reply_key
from bot.ledger.views import Send
from bot.operations.port import Operations, Settling
from bot.operations.sends import at_risk, can_be_decided, gist, state_of
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.failures import Exit, end
from bot.terminal.moments import ago
from bot.terminal.opening import opened_operations
from bot.terminal.screen import print_json
from guardrails.documents import AtUri
from guardrails.text import visible

KINDS = ("reply:", "like:", "note:", "delete:")


def chosen(sent: str | None, *, abandon: bool, again: bool) -> Settling:
    """What was decided; typer.BadParameter for nothing, or more than one thing."""
    said = [(Settling.SENT, sent is not None), (Settling.ABANDON, abandon), (Settling.AGAIN, again)]
    decided = [settling for settling, is_said in said if is_said]
    if len(decided) != 1:
        raise typer.BadParameter("say one of --sent URI, --abandon and --again")
    return decided[0]


def resolve_command(name: str, settling: Settling, link: str | None, *, yes: bool, as_json: bool) -> None:
    """Ask, then write the decision under the operator's name; LostRace when the send has moved on meanwhile."""
    check_can_ask(yes=yes)
    with opened_operations() as operations:
        send = _named_send(operations, name)
        if not can_be_decided(send):
            end(f"{send.key} is settled: {send.state}{f' as {send.uri}' if send.uri else ''}", Exit.NOT_DONE)
        uri = operations.record_of(send.key, link) if link is not None else None
        confirm(_told(send, settling, uri, operations.me().at), yes=yes)
        decided = operations.settle(send.key, settling, send.tries, uri)
    if as_json:
        print_json(decided)
        return
    typer.echo(visible(f"{decided.key}: {state_of(decided)}, decided by {decided.decided_by}: {decided.decision}"))


def _named_send(operations: Operations, name: str) -> Send:
    name = name.strip()
    return operations.send(name if name.startswith(KINDS) else reply_key(operations.find(name).id))


def _told(send: Send, settling: Settling, uri: AtUri | None, now: datetime) -> str:
    state, since = state_of(send), ago(send.unknown_since or send.claimed_at, now)
    # What a server said stays on its line here, so that it cannot pass for ours.
    why = visible(send.conflict or send.problem or "no answer came")
    risk = at_risk(send, settling, uri)
    return f"{send.key}: {state} for {since}, tries {send.tries}: {why}\nfrozen: {visible(gist(send))}\n\n{risk}"
