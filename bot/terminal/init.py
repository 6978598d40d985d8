"""`skywright init`: from an account and a folder to a bot that can be run; it asks, looks, and writes at the end."""

import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import typer

from bot.bluesky.errors import CallFailed
from bot.bluesky.profile import ProfileUnfit, planned_profile
from bot.bluesky.session import Account
from bot.errors import BotError
from bot.ledger.ledger import Ledger
from bot.logs import logs_to_stderr
from bot.settings import Settings
from bot.terminal.failures import Exit, end
from bot.terminal.init_account import log_in
from bot.terminal.init_asking import NOTHING_WRITTEN, Asker
from bot.terminal.init_draft import Draft, Given, drafted, lane_file_beside, outranked, why_unreadable
from bot.terminal.init_files import WholeText, lane_text, rules_mode, rules_text, settings_text
from bot.terminal.init_lanes import HERE, lane_token, lanes_asked
from bot.terminal.init_places import ledger_to_be, runs_already, why_no_folder
from bot.terminal.init_questions import (
    alerts_asked,
    contact_asked,
    database_asked,
    handle_asked,
    listeners_asked,
    purse_asked,
    try_alerts,
    urls_asked,
)
from bot.terminal.init_words import how_to_text, next_steps
from bot.terminal.profile import apply_profile_here, change_lines
from bot.terminal.screen import Screen
from bot.terminal.server import check_is_here
from guardrails.findings import ok, warn


@dataclass
class Plan:
    """What is done once all questions are answered."""

    files: list[WholeText] = field(default_factory=list)
    applies_profile: bool = False
    bot_runs: bool = False
    lanes: str = HERE
    handle: str = ""


def init_command(given: Given) -> None:
    """Ask, look at each answer, write settings, rules and a lane's settings, and say what comes next.

    Whatever ends it before, as Ctrl-C does, leaves no file behind.
    """
    logs_to_stderr()
    check_is_here()
    asker = Asker(Screen(), asks=sys.stdin.isatty() and not given.yes)
    draft = _begun(asker, given)
    try:
        with _ended_as_by_ctrl_c():
            plan = _planned(asker, draft, given)
    except (typer.Abort, KeyboardInterrupt):
        typer.echo(err=True)
        end(NOTHING_WRITTEN, Exit.INTERRUPTED)
    for whole in plan.files:
        whole.write()
        asker.say(f"wrote {whole.file}")
    _afterwards(asker, draft, plan)


@contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """A closed window, or a polite kill, cleans up as well."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGHUP, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _begun(asker: Asker, given: Given) -> Draft:
    """What stands already; ends where nothing could be written, or where nobody is there to be asked."""
    if not asker.asks and not given.yes:
        raise typer.BadParameter("nobody is there to be asked: answer by flags, and say --yes")
    file = Path.cwd() / given.file
    problem = why_no_folder(file.parent)
    if problem is not None:
        end(f"{problem}. Begin in another folder, or name a file in one by --file.", Exit.FAILED)
    for each in (file, lane_file_beside(file)):
        unreadable = why_unreadable(each)
        if unreadable is not None:
            end(f"{each} cannot be read: {unreadable}", Exit.FAILED)
    draft = drafted(file)
    if not asker.asks:
        _refuse_what_is_missing(draft, given)
    return draft


def _refuse_what_is_missing(draft: Draft, given: Given) -> None:
    has_password = given.password is not None or "password" in draft.values
    needed = {
        "--handle": given.handle is not None or "identifier" in draft.values,
        "--password-stdin, --password-file or SKYWRIGHT_PASSWORD": has_password,
        "--contact (or --no-profile)": given.contact is not None or "contact" in draft.values or given.profile is False,
    }
    missing = [flag for flag, there in needed.items() if not there]
    if missing:
        raise typer.BadParameter(f"nobody is asked with --yes, and this is missing: {'; '.join(missing)}")


def _planned(asker: Asker, draft: Draft, given: Given) -> Plan:
    """Every question, with its look; at the end a yes, and a ledger that holds the account's session."""
    asker.say("This sets a bot up, question by question. Ctrl-C ends it, and nothing is written before the last yes.")
    if not draft.is_new:
        asker.say(f"{draft.file} is there already: what you answer is changed in it, and the rest of it stays.")
        if not asker.agrees("Change it?"):
            raise typer.Abort
    handle_asked(asker, draft, given)
    database_asked(asker, draft, given)
    with ledger_to_be(draft.settings()) as (ledger, place):
        account = log_in(asker, draft, given.password, ledger, place)
        with closing(account):
            is_ours = not draft.is_new and runs_already(draft.settings())
            listeners_asked(asker, draft, given, is_ours=is_ours)
            urls_asked(asker, draft, given)
            lanes = lanes_asked(asker, draft, given)
            purse = purse_asked(asker, draft, given)
            contact_asked(asker, draft, given)
            applies_profile = _profile_asked(asker, draft, given, account)
            plan = Plan(applies_profile=applies_profile, bot_runs=is_ours, lanes=lanes, handle=account.handle)
        alerts_asked(asker, draft)
        draft.values["rules"] = str(draft.rules_file)
        # Wrong ones are told before anything is written.
        settings, rules = draft.settings(), rules_text(draft.rules_file, purse)
        for name in outranked(draft):
            mend = f"unset {name} before `skywright run`"
            asker.show([warn("environment", f"{name} is set to something else here, which counts", mend)])
        if not asker.agrees(f"Write {draft.file} and what belongs to it?"):
            raise typer.Abort
        plan.files.extend(_files(draft, ledger, settings, rules, lanes))
    return plan


def _files(draft: Draft, ledger: Ledger, settings: Settings, rules: str | None, lanes: str) -> Iterator[WholeText]:
    """The settings come last: with them there is a bot."""
    if rules is not None:
        yield WholeText(draft.rules_file, rules, rules_mode(draft.rules_file))
    if lanes == HERE:
        token = lane_token(draft, ledger, settings)
        yield WholeText(draft.lane_file, lane_text(draft.lane_file, f"http://{settings.lane_listen}", token))
    yield WholeText(draft.file, settings_text(draft))


def _profile_asked(asker: Asker, draft: Draft, given: Given, account: Account) -> bool:
    """Show what the profile would say, and whether it is to."""
    if given.profile is False or not draft.value("contact"):
        return False
    try:
        change = planned_profile(account, contact=draft.value("contact"))
    except (ProfileUnfit, CallFailed) as problem:
        asker.show([warn("profile", str(problem), "`skywright profile apply`, later")])
        return False
    if not change.changed:
        asker.show([ok("profile", "it says that it is a bot, and who answers for it")])
        return False
    asker.say("The profile of a bot says that it is one, and who answers for it. This would be written:")
    for line in change_lines(change):
        asker.say(f"  {line}")
    return given.profile or asker.agrees("Write it, at the end?")


def _afterwards(asker: Asker, draft: Draft, plan: Plan) -> None:
    """What needs the files: each may fail, and be done again by its own command."""
    command = f"skywright --env-file {shlex.quote(_short(draft.file))}"
    if plan.applies_profile:
        _tried(asker, f"{command} profile apply", lambda: apply_profile_here(draft.settings(), draft.value("contact")))
    if asker.asks and draft.values.get("alert_url") != draft.earlier.get("alert_url"):
        _tried(asker, f"{command} alerts test", lambda: try_alerts(asker, draft))
    if plan.bot_runs:
        asker.say("The bot that runs goes by what stood there before: end it, and start it anew.")
    lane = shlex.quote(_short(draft.lane_file))
    for line in next_steps(plan.lanes, command, lane, _short(draft.rules_file)):
        asker.say(line)
    asker.say()
    asker.say("A text to post by hand, and to pin:")
    asker.say()
    for line in how_to_text(plan.handle, draft.value("contact")):
        asker.say(f"  {line}")


def _tried(asker: Asker, command: str, do: Callable[[], None]) -> None:
    try:
        do()
    except (typer.Exit, typer.Abort, BotError, CallFailed, KeyboardInterrupt) as problem:
        why = f": {problem}" if isinstance(problem, BotError | CallFailed) else ""
        asker.say(f"not done{why}; `{command}` tries it again")


def _short(file: Path) -> str:
    """A path as a person types it from here."""
    return str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)
