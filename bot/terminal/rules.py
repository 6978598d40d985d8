"""`skywright rules` and `reload`: which rules there are, and which are in force."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import typer
from rich.text import Text

from bot.rules import load_rules
from bot.settings import LedgerSettings, load_settings
from bot.terminal.answers import object_in
from bot.terminal.failures import Exit, end
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json, safe, to_json
from bot.terminal.server import check_is_here, server_named
from guardrails.rules import Rules
from guardrails.text import visible

CALL_SECONDS = 10.0
COLUMNS = ("rule", "value", "built in")
RELOAD = "/api/rules/reload"
SIGNED = {"X-Skywright-Api-Version": "1"}


def rules_command(file: Path | None, *, as_json: bool) -> None:
    """Print every rule of a file, without one of the file in the settings, and whether the bot goes by them."""
    check_is_here()
    settings = load_settings(LedgerSettings)
    path = file or settings.rules
    rules = load_rules(path)
    in_force = version_in_force(settings)
    if as_json:
        told = {"version": rules.version, "file": str(path) if path else None, "in_force": in_force}
        print_json(told | {"rules": rules.model_dump(mode="json")})
        return
    Screen().rows(COLUMNS, [_row(name, value, usual) for name, value, usual in _flat(rules, Rules())])
    typer.echo(visible(f"rules {rules.version}, {f'from {path}' if path else 'as built in'}"), err=True)
    typer.echo(visible(_standing(settings, rules, in_force)), err=True)


def reload_command() -> None:
    """Have the running bot read its rules anew, and print which are in force then."""
    if server_named() is not None:
        with opened_operations() as operations:
            version = operations.reload_rules()
        Screen().print(safe(f"rules {version} are in force"))
        return
    settings = load_settings(LedgerSettings)
    try:
        with _client(settings) as client:
            answer = client.post(RELOAD, headers=SIGNED)
    except httpx.HTTPError as problem:
        end(f"{_away(settings, problem)}\n{_MEND}", Exit.NETWORK)
    told = object_in(answer)
    if answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY and told.get("error") == "bad_rules":
        end(f"the rules cannot be used:\n{told.get('message')}\n{told.get('mend')}", Exit.CONFIGURATION)
    if not answer.is_success or "version" not in told:
        end(f"{settings.admin_address} answered {answer.status_code}: is it the admin listener?\n{_MEND}", Exit.NETWORK)
    same = told["version"] == told.get("before")
    Screen().print(safe(f"rules {told['version']} are in force{', as before' if same else ''}"))


def version_in_force(settings: LedgerSettings) -> str | None:
    """The version of the rules that the running bot goes by; None when no bot answers."""
    try:
        with _client(settings) as client:
            version = object_in(client.get("/health")).get("rules")
    except httpx.HTTPError:
        return None
    return version if isinstance(version, str) else None


_MEND = (
    "Start the bot, or mend SKYWRIGHT_ADMIN_LISTEN or SKYWRIGHT_ADMIN_URL; on the bot's own machine, a SIGHUP to its "
    "process does the same."
)


def _client(settings: LedgerSettings) -> httpx.Client:
    # It is on this machine, or behind no proxy that others chose.
    return httpx.Client(base_url=settings.admin_address, timeout=CALL_SECONDS, trust_env=False)


def _away(settings: LedgerSettings, problem: httpx.HTTPError) -> str:
    return f"no bot answers at {settings.admin_address} ({type(problem).__name__})"


def _standing(settings: LedgerSettings, rules: Rules, in_force: str | None) -> str:
    if in_force is None:
        return f"no bot answers at {settings.admin_address}: whether they are in force cannot be told"
    if in_force == rules.version:
        return "the running bot goes by them"
    return f"the running bot goes by {in_force}: `skywright reload` has it read its file anew"


def _flat(rules: Rules, usual: Rules) -> Iterator[tuple[str, object, object]]:
    for section in Rules.model_fields:
        mine, theirs = getattr(rules, section), getattr(usual, section)
        for key in type(mine).model_fields:
            yield f"{section}.{key}", getattr(mine, key), getattr(theirs, key)


def _row(name: str, value: object, usual: object) -> tuple[Text | str, ...]:
    changed = value != usual
    return (name, safe(to_json(value), "bold" if changed else ""), to_json(usual) if changed else "")
