"""What operators decide, as commands of `skywright`; each imports what it needs when it runs."""

# ruff: noqa: PLC0415

from typing import Annotated

import typer

from bot.terminal.options import AtVersion, Json, Named, Yes

desk = typer.Typer()


@desk.command()
def approve(document: Named, version: AtVersion = None) -> None:
    """Say yes: to an ask that waits for it, or to a reply that is held."""
    from bot.terminal.decisions import approve_command

    approve_command(document, version)


@desk.command()
def skip(
    document: Named,
    reason: Annotated[str, typer.Option(help="For whoever reads the history; the asker does not see it.")] = "",
    version: AtVersion = None,
) -> None:
    """Stop a document, wherever it stands, as long as no reply to it is on its way."""
    from bot.terminal.decisions import skip_command

    skip_command(document, reason, version)


@desk.command()
def retry(
    document: Named,
    send: Annotated[
        bool, typer.Option("--send", help="Send what is built already, instead of building again.")
    ] = False,
    version: AtVersion = None,
    yes: Yes = False,
) -> None:
    """Build once more what failed, with a fresh budget, or judge again what was skipped."""
    from bot.terminal.decisions import retry_command

    retry_command(document, version, send=send, yes=yes)


@desk.command()
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


@desk.command()
def resolve(
    send: Annotated[str, typer.Argument(metavar="KEY", help="A key as `sends` lists it; a document means its reply.")],
    sent: Annotated[str | None, typer.Option(metavar="URI", help="It is out: this is the record.")] = None,
    abandon: Annotated[bool, typer.Option("--abandon", help="Send it no more.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Look, and send it if it is not there.")] = False,
    yes: Yes = False,
) -> None:
    """Decide about a send that does not settle itself; says what is at risk and asks first."""
    from bot.terminal.resolving import Verdict, resolve_command

    resolve_command(send, Verdict.chosen(sent, abandon=abandon, again=again), sent, yes=yes)


@desk.command()
def lanes(as_json: Json = False) -> None:
    """List the lanes: when each last came by, what it is building, and what waits for one."""
    from bot.terminal.lanes import lanes_command

    lanes_command(as_json=as_json)


profile = typer.Typer(no_args_is_help=True, help="Say in the bot's profile that it is one, and who answers for it.")
desk.add_typer(profile, name="profile")


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
