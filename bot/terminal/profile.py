"""`skywright profile apply`: the bot's profile says what it is and who answers for it."""

from collections.abc import Iterator

import typer

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.profile import ProfileChange, ProfileUnfit, apply_profile
from bot.jobs.sending import PUT_POINTS
from bot.ledger.usage import Priority
from bot.settings import Settings, load_settings
from bot.terminal.account import opened_account
from bot.terminal.failures import Exit, end
from bot.terminal.opening import opened_ledger
from bot.terminal.screen import Screen, safe, to_json


def apply_command(description: str | None, contact: str | None) -> None:
    """Write what is missing in the profile and print it; nothing is written when all of it is there."""
    settings = load_settings(Settings)
    named = contact if contact is not None else settings.contact
    if not named.strip():
        raise typer.BadParameter("nobody is named who answers for the bot: --contact TEXT, or set SKYWRIGHT_CONTACT")
    apply_profile_here(settings, named, description)


def apply_profile_here(settings: Settings, contact: str, description: str | None = None) -> None:
    """The same with settings that are known."""
    with opened_ledger(settings) as ledger, opened_account(settings, ledger) as account:
        try:
            change = apply_profile(account, contact=contact, description=description)
        except ProfileUnfit as problem:
            end(str(problem), Exit.FAILED)
        except CallFailed as failed:
            if failed.failure is Failure.UNKNOWN:
                end(f"{failed}\nIt may be done: run it again, which changes nothing twice.", Exit.NETWORK)
            raise
        if change.changed:
            ledger.pace.spend(PUT_POINTS, Priority.EXTRA)
    screen = Screen()
    for line in change_lines(change):
        screen.print(safe(line))


def change_lines(change: ProfileChange) -> Iterator[str]:
    """What is changed in a profile, each thing before and after."""
    if not change.changed:
        yield "nothing to change"
        return
    before = change.before or {}
    for name, value in change.after.items():
        if name != "$type" and value != before.get(name):
            yield f"{name}: {_shown(before.get(name))} → {_shown(value)}"


def _shown(value: object) -> str:
    return "nothing" if value is None else to_json(value)
