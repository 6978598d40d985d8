"""`skywright deny`, `allow`, `lift`, `people`, `forget` and `unpublished`: what is laid down about somebody."""

from dataclasses import dataclass
from datetime import datetime

import typer

from bot.ledger.conditions import ELSEWHERE
from bot.ledger.selection import Selection
from bot.ledger.views import Person
from bot.operations.port import Operations
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.failures import Exit, end
from bot.terminal.moments import ago, moment_ahead
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, on_terminal, print_json, safe
from guardrails.documents import Did, DocId
from guardrails.facts import Standing
from guardrails.text import visible

COLUMNS = ("did", "handle", "is", "until", "since", "by", "why")
_OPEN_ENDS = {Standing.DENIED: "lifted", Standing.ALLOWED: "lifted", Standing.FORGOTTEN: "they say so"}
AT_RISK = (
    "{did}, whose documents here are {documents}. Every ask, every context and every app is blanked or removed, "
    "replies to them are deleted, and what is open ends; ids and statuses stay. What a lane has published "
    "elsewhere stands until that lane takes it away: you are told where.\n"
    "From now on their mentions are ignored, until one says `remember me`. What is blanked cannot be had back."
)


@dataclass(frozen=True)
class Laid:
    """What holds about somebody from now on, None for nothing, and which documents that has stopped."""

    did: Did
    standing: Standing | None
    until: datetime | None = None
    stopped: tuple[DocId, ...] = ()


@dataclass(frozen=True)
class Forgotten(Laid):
    """`left`: what of the forgotten, whoever they are, still stands elsewhere, and how it goes."""

    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gone:
    """An app that does not stand elsewhere any more."""

    slug: str


def deny_command(who: str, until: str | None, reason: str, *, as_json: bool) -> None:
    """Lay down that somebody may not ask, and stop what is open of theirs; prints which documents that stopped."""
    with opened_operations() as operations:
        did, end_of_it = _meant(operations, who), _until(operations, until)
        stopped = operations.lay_down(did, Standing.DENIED, reason.strip(), end_of_it)
    if as_json:
        print_json(Laid(did, Standing.DENIED, end_of_it, tuple(stopped)))
        return
    screen = Screen()
    screen.print(safe(f"{did} is denied{_for(end_of_it)}"))
    for document_id in stopped:
        screen.print(safe(f"{document_id} is stopped"))


def allow_command(who: str, until: str | None, reason: str, *, as_json: bool) -> None:
    """Lay down that somebody is vouched for."""
    with opened_operations() as operations:
        did, end_of_it = _meant(operations, who), _until(operations, until)
        operations.lay_down(did, Standing.ALLOWED, reason.strip(), end_of_it)
    _tell(Laid(did, Standing.ALLOWED, end_of_it), f"{did} is allowed{_for(end_of_it)}", as_json=as_json)


def lift_command(who: str, *, as_json: bool) -> None:
    """Take a deny or an allow back."""
    with opened_operations() as operations:
        did = _meant(operations, who)
        lifted = operations.lift(did)
    if not lifted:
        end(f"{did} is neither denied nor allowed: `skywright people` lists who is", Exit.NOT_FOUND)
    _tell(Laid(did, None), f"{did} is like anybody else again", as_json=as_json)


def people_command(*, as_json: bool) -> None:
    """Print what is laid down, also what is over by now."""
    with opened_operations() as operations:
        people, now = operations.people(), operations.me().at
        handles = operations.handles([person.did for person in people]) if people and not as_json else {}
    if as_json:
        for person in people:
            print_json(person)
        return
    screen = Screen()
    if not people and on_terminal():
        screen.print("nothing is laid down about anybody")
        return
    screen.rows(COLUMNS, [_row(person, handles.get(person.did, ""), now) for person in people])


def forget_command(who: str, *, yes: bool, as_json: bool) -> None:
    """Ask, then blank everything of somebody's."""
    check_can_ask(yes=yes)
    with opened_operations() as operations:
        did = _meant(operations, who)
        counted = operations.count(Selection(author=did))
        many = f"{counted.n} or more" if counted.more else str(counted.n)
        confirm(AT_RISK.format(did=did, documents=many), yes=yes)
        operations.lay_down(did, Standing.FORGOTTEN, "")
        left = tuple(each.detail for each in operations.overview().conditions if each.kind == ELSEWHERE)
    _tell(Forgotten(did, Standing.FORGOTTEN, left=left), f"{did} is forgotten", *left, as_json=as_json)


def unpublished_command(slug: str, *, as_json: bool) -> None:
    """Let go of the address of an app that is gone elsewhere, too."""
    with opened_operations() as operations:
        gone = operations.unpublished(slug)
    if not gone:
        end(f"no app of somebody who is forgotten is known to stand elsewhere as {slug}", Exit.NOT_FOUND)
    _tell(Gone(slug), f"{slug} is gone there, too", as_json=as_json)


def _tell(done: Laid | Gone, *told: str, as_json: bool) -> None:
    if as_json:
        print_json(done)
        return
    screen = Screen()
    for line in told:
        screen.print(safe(line))


def _meant(operations: Operations, who: str) -> Did:
    named = operations.who(who)
    if named.told:
        typer.echo(visible(named.told), err=True)
    return named.did


def _until(operations: Operations, until: str | None) -> datetime | None:
    return moment_ahead(until, operations.me().at) if until is not None else None


def _for(until: datetime | None) -> str:
    return f" until {until:%Y-%m-%d %H:%M} UTC" if until is not None else ""


def _row(person: Person, handle: str, now: datetime) -> tuple[str, ...]:
    until = person.until
    ends = f"{until:%Y-%m-%d %H:%M}" if until else _OPEN_ENDS[person.standing]
    over = until is not None and until <= now
    is_now = f"{person.standing.value} (over)" if over else person.standing.value
    return (person.did, handle, is_now, ends, ago(person.at, now), person.device, person.reason)
