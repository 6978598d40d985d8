"""What operators decide, as commands of `skywright`; each imports what it needs when it runs."""

# ruff: noqa: PLC0415

from enum import StrEnum
from typing import Annotated

import typer

from bot.terminal.options import DECIDE, LOOK, RUN, AtVersion, Filters, Json, MaybeNamed, Yes, filtered

desk = typer.Typer()
Why = Annotated[str, typer.Option("--why", help="For whoever reads the history; the asker does not see it.")]


class Work(StrEnum):
    """What can be paused."""

    INGEST = "ingest"
    BUILDS = "builds"
    REPLIES = "replies"
    ALL = "all"


@desk.command(rich_help_panel=DECIDE)
def ask(link: Annotated[str, typer.Argument(help="The link or at-uri of a post.")], as_json: Json = False) -> None:
    """Put a post before the bot as if it had mentioned it; prints the document's id."""
    from bot.terminal.ask import ask_command

    ask_command(link, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
@filtered
def approve(
    filters: Filters,
    document: MaybeNamed = None,
    version: AtVersion = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Say yes: to an ask that waits for it, or to a reply that is held."""
    from bot.terminal.decisions import approve_command

    approve_command(document, filters, version, yes=yes, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
@filtered
def skip(
    filters: Filters,
    document: MaybeNamed = None,
    why: Why = "",
    version: AtVersion = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Stop a document, wherever it stands, as long as no reply to it is on its way."""
    from bot.terminal.decisions import skip_command

    skip_command(document, why, filters, version, yes=yes, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
@filtered
def retry(
    filters: Filters,
    document: MaybeNamed = None,
    send: Annotated[
        bool, typer.Option("--send", help="Send what is built already, instead of building again.")
    ] = False,
    version: AtVersion = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Build once more what failed, with a fresh budget, or judge again what was skipped."""
    from bot.terminal.decisions import retry_command

    retry_command(document, filters, version, send=send, yes=yes, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
@filtered
def delete(
    filters: Filters,
    document: MaybeNamed = None,
    why: Why = "",
    version: AtVersion = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Delete our reply and its app, as its asker can; says what is at risk and asks first."""
    from bot.terminal.decisions import delete_command

    delete_command(document, why, filters, version, yes=yes, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
@filtered
def takedown(
    filters: Filters,
    document: MaybeNamed = None,
    why: Why = "",
    keep_reply: Annotated[bool, typer.Option("--keep-reply", help="Leave our reply where it is.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Take an app down for good: it answers 410, our reply is deleted, and the same ask waits for a person.

    With --author alone every app of theirs goes, and what is open of theirs is stopped. It says what is at risk and
    asks first.
    """
    from bot.terminal.takedown import takedown_command

    takedown_command(document, filters, why, keep_reply=keep_reply, yes=yes, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
def pause(
    what: Annotated[Work | None, typer.Argument(help="Without it, the switches are shown.")] = None,
    why: Annotated[str, typer.Option(help="For whoever finds it paused.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="In a hurry: everything, also without --why.")] = False,
    now: Annotated[
        bool, typer.Option("--now", help="With builds or all: take what is being built from the lanes, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Pause work, or show what is paused. Nothing is lost, it waits in the ledger.

    What a lane is building goes on and is kept, unless --now takes it from the lane: it is built again later, without
    counting as failed.
    """
    from bot.terminal.switches import pause_command

    pause_command(what, why, hurry=everything, now=now, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
def resume(what: Annotated[Work, typer.Argument()], as_json: Json = False) -> None:
    """Let paused work go on."""
    from bot.terminal.switches import resume_command

    resume_command(what, as_json=as_json)


@desk.command(rich_help_panel=LOOK)
def sends(
    everything: Annotated[
        bool, typer.Option("--all", help="Also what waits or is settled, of the newest documents.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="With --all: at most so many.")] = 50,
    as_json: Json = False,
) -> None:
    """List what may have been sent or not (unknown), and what stands where ours should (conflict)."""
    from bot.terminal.outbox import sends_command

    sends_command(limit, everything=everything, as_json=as_json)


@desk.command(rich_help_panel=LOOK)
def parked(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 50, as_json: Json = False
) -> None:
    """List what came in and could not be read, as it came, the newest first."""
    from bot.terminal.parked import parked_command

    parked_command(limit, as_json=as_json)


@desk.command(rich_help_panel=DECIDE)
def resolve(
    send: Annotated[str, typer.Argument(metavar="KEY", help="A key as `sends` lists it; a document means its reply.")],
    sent: Annotated[str | None, typer.Option(metavar="URI", help="It is out: this is the record.")] = None,
    abandon: Annotated[bool, typer.Option("--abandon", help="Send it no more.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Look, and send it if it is not there.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Decide about a send that does not settle itself; says what is at risk and asks first."""
    from bot.terminal.resolving import chosen, resolve_command

    resolve_command(send, chosen(sent, abandon=abandon, again=again), sent, yes=yes, as_json=as_json)


@desk.command(rich_help_panel=LOOK)
def lanes(as_json: Json = False) -> None:
    """List the lanes: when each last came by, what it is building, and what waits for one."""
    from bot.terminal.lanes import lanes_command

    lanes_command(as_json=as_json)


profile = typer.Typer(no_args_is_help=True, help="Say in the bot's profile that it is one, and who answers for it.")
desk.add_typer(profile, name="profile", rich_help_panel=RUN)


@profile.callback()
def _profile() -> None:
    """Say in the bot's profile that it is one, and who answers for it."""


@profile.command("apply")
def profile_apply(
    description: Annotated[str | None, typer.Option(help="New words, in place of those that are there.")] = None,
    contact: Annotated[
        str | None, typer.Option(help="Who answers for the bot, if not SKYWRIGHT_CONTACT: a mail address or a link.")
    ] = None,
) -> None:
    """Set the bot label and the operator's contact; what else is there stays."""
    from bot.terminal.profile import apply_command

    apply_command(description, contact)
