"""One deed on every document that the filters leave: counted, shown in a sample, asked about, told one by one."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import typer

from bot.errors import BotAway
from bot.ledger.selection import Ref
from bot.ledger.views import Document
from bot.operations.doing import Act, Deed, Ending, Outcome
from bot.operations.port import Operations
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.failures import Exit, end
from bot.terminal.lines import short_id
from bot.terminal.options import Filters
from bot.terminal.screen import Screen, print_json, safe
from bot.terminal.selecting import documents_of, selection_of
from bot.tokens import new_action
from guardrails.text import clip, visible

MOST = 10_000
BATCH = 100
SAMPLE, ASK = 5, 60
ENDINGS = {
    Ending.DONE: "done",
    Ending.CHANGED: "skipped because changed",
    Ending.NOT_ALLOWED: "not allowed",
    Ending.FAILED: "failed",
}
ActOf = Callable[[Document], Act]


def act_of(deed: Deed, document: Document, *, why: str = "", keep_reply: bool = False) -> Act:
    """A deed on a document at the version that was seen."""
    return Act(deed, Ref(document.id, document.version), new_action(), why, keep_reply=keep_reply)


def do_in_bulk(
    operations: Operations, filters: Filters, act: ActOf, told: str, *, yes: bool, as_json: bool, risk: str = ""
) -> None:
    """Do it to all that the filters leave, once a person has agreed; ends with NOT_DONE when any was not done.

    `told` is the verb, `risk` what may come of it. Each is done only at the version that was counted here.
    """
    check_can_ask(yes=yes)
    found = list(documents_of(operations, selection_of(operations, filters), MOST + 1))
    if len(found) > MOST:
        raise typer.BadParameter(f"more than {MOST} documents match: narrow it, by --since or --status")
    if not found:
        typer.echo("nothing matches", err=True)
        return
    confirm("\n".join(_question(found, told, risk)), yes=yes)
    tell_outcomes(_done(operations, [act(document) for document in found]), as_json=as_json)


def tell_outcomes(outcomes: Iterator[Outcome], *, as_json: bool) -> None:
    """Tell each outcome as it comes, or how many there were of each and which were not done; ends when any was not."""
    seen: list[Outcome] = []
    try:
        for outcome in outcomes:
            seen.append(outcome)
            if as_json:
                print_json(outcome)
    finally:
        # Also when the bot went away in the middle: what was done until then was done.
        if not as_json:
            _sum_up(seen)
    if any(outcome.ending is not Ending.DONE for outcome in seen):
        raise typer.Exit(Exit.NOT_DONE)


def tell_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """Tell how a deed on one document ended; ends with NOT_DONE unless it was done."""
    if as_json:
        print_json(outcome)
        if outcome.ending is not Ending.DONE:
            raise typer.Exit(Exit.NOT_DONE)
        return
    if outcome.ending is not Ending.DONE:
        end(f"{outcome.id}: {outcome.told}", Exit.NOT_DONE)
    Screen().print(safe(_where_it_stands(outcome)))


def _done(operations: Operations, acts: Sequence[Act]) -> Iterator[Outcome]:
    for start in range(0, len(acts), BATCH):
        batch = acts[start : start + BATCH]
        try:
            outcomes = operations.act(batch)
        except (BotAway, KeyboardInterrupt):
            left = len(acts) - start - len(batch)
            told = (
                f"cut short: {len(batch)} more may be done or not, {left} were not begun; the same again does the rest"
            )
            typer.echo(told, err=True)
            raise
        yield from outcomes


def _where_it_stands(outcome: Outcome) -> str:
    if outcome.status is None or outcome.reason is None:
        return f"{outcome.id}: {outcome.told}"
    stands = f"{outcome.id} is {outcome.status.value} ({outcome.reason.value}) at version {outcome.version}"
    return stands if outcome.told == f"it is {outcome.status.value}" else f"{stands}; {outcome.told}"


def _question(found: Sequence[Document], told: str, risk: str) -> Iterator[str]:
    one = len(found) == 1
    yield f"{told} {len(found)} document{'' if one else 's'}:"
    for document in islice(found, SAMPLE):
        ask = clip(visible(str(document.body.get("ask", ""))), ASK, 4 * ASK)
        who = visible(document.author_handle or document.author_did)
        yield f"  {short_id(document.id)}  {document.status.value}  {document.reason.value}  {who}  {ask}"
    if len(found) > SAMPLE:
        yield f"  and {len(found) - SAMPLE} more"
    if risk:
        yield risk


def _sum_up(outcomes: Sequence[Outcome]) -> None:
    screen, counted = Screen(), Counter(outcome.ending for outcome in outcomes)
    screen.print(safe(", ".join(f"{counted[ending]} {name}" for ending, name in ENDINGS.items())))
    for outcome in outcomes:
        if outcome.ending is not Ending.DONE:
            screen.print(safe(f"{outcome.id}: {ENDINGS[outcome.ending]}: {outcome.told}"))
