"""`skywright deny`, `allow`, `lift`, `people` and `forget`: what is laid down about somebody."""

from datetime import datetime

import typer

from bot.ledger.ledger import Ledger
from bot.ledger.views import Person
from bot.operations.persons import named
from bot.terminal.asking import check_can_ask, confirm
from bot.terminal.failures import Exit, end
from bot.terminal.moments import ago, moment_ahead
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.screen import Screen, print_json, safe
from guardrails.documents import Did
from guardrails.facts import Standing

COLUMNS = ("did", "handle", "is", "until", "since", "by", "why")
MOST = 10_000
_OPEN_ENDS = {Standing.DENIED: "lifted", Standing.ALLOWED: "lifted", Standing.FORGOTTEN: "they say so"}
AT_RISK = (
    "{did}, whose documents here are {documents}. Every ask, every context and every app is blanked or removed, "
    "replies to them are deleted, and what is open ends; ids and statuses stay.\n"
    "From now on their mentions are ignored, until one says `remember me`. What is blanked cannot be had back."
)


def deny_command(who: str, until: str | None, reason: str) -> None:
    """Lay down that somebody may not ask, and stop what is open of theirs; prints which documents that stopped."""
    with opened_ledger() as ledger:
        did, end_of_it = _meant(ledger, who), _until(ledger, until)
        stopped = ledger.people.deny(operator(), did, reason.strip(), end_of_it)
    screen = Screen()
    screen.print(safe(f"{did} is denied{_for(end_of_it)}"))
    for document_id in stopped:
        screen.print(safe(f"{document_id} is stopped"))


def allow_command(who: str, until: str | None, reason: str) -> None:
    """Lay down that somebody is vouched for."""
    with opened_ledger() as ledger:
        did, end_of_it = _meant(ledger, who), _until(ledger, until)
        ledger.people.allow(operator(), did, reason.strip(), end_of_it)
    Screen().print(safe(f"{did} is allowed{_for(end_of_it)}"))


def lift_command(who: str) -> None:
    """Take a deny or an allow back."""
    with opened_ledger() as ledger:
        did = _meant(ledger, who)
        lifted = ledger.people.lift(operator(), did)
    if not lifted:
        end(f"{did} is neither denied nor allowed: `skywright people` lists who is", Exit.NOT_FOUND)
    Screen().print(safe(f"{did} is like anybody else again"))


def people_command(*, as_json: bool) -> None:
    """Print what is laid down, also what is over by now."""
    with opened_ledger() as ledger:
        people, now = ledger.people.rows(), ledger.db.time()
        handles = {person.did: _handle(ledger, person.did) for person in people}
    if as_json:
        for person in people:
            print_json(person)
        return
    screen = Screen()
    if not people and screen.is_terminal:
        screen.print("nothing is laid down about anybody")
        return
    screen.rows(COLUMNS, [_row(person, handles[person.did], now) for person in people])


def forget_command(who: str, *, yes: bool) -> None:
    """Ask, then blank everything of somebody's."""
    check_can_ask(yes=yes)
    with opened_ledger() as ledger:
        did = _meant(ledger, who)
        documents = len(ledger.queries.newest(MOST, author=did))
        many = f"{documents} or more" if documents == MOST else str(documents)
        confirm(AT_RISK.format(did=did, documents=many), yes=yes)
        ledger.people.forget(operator(), did)
    Screen().print(safe(f"{did} is forgotten"))


def _meant(ledger: Ledger, who: str) -> Did:
    def resolve(handle: str) -> str | None:
        # Only a handle needs the account and all that it loads.
        from bot.terminal.account import did_of_handle  # noqa: PLC0415

        return did_of_handle(ledger, handle)

    meant = named(ledger.queries, who, resolve)
    if meant.told:
        typer.echo(meant.told, err=True)
    return meant.did


def _until(ledger: Ledger, until: str | None) -> datetime | None:
    return moment_ahead(until, ledger.db.time()) if until is not None else None


def _for(until: datetime | None) -> str:
    return f" until {until:%Y-%m-%d %H:%M} UTC" if until is not None else ""


def _handle(ledger: Ledger, did: Did) -> str:
    return next((document.author_handle for document in ledger.queries.newest(1, author=did)), "")


def _row(person: Person, handle: str, now: datetime) -> tuple[str, ...]:
    until = person.until
    ends = f"{until:%Y-%m-%d %H:%M}" if until else _OPEN_ENDS[person.standing]
    over = until is not None and until <= now
    is_now = f"{person.standing.value} (over)" if over else person.standing.value
    return (person.did, handle, is_now, ends, ago(person.at, now), person.device, person.reason)
