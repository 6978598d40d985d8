"""Who may ask, how much and for what, as commands of `skywright`; each imports what it needs when it runs."""

# ruff: noqa: PLC0415

from pathlib import Path
from typing import Annotated

import typer

from bot.terminal.options import RULE, Json, Yes

policy = typer.Typer()

Who = Annotated[str, typer.Argument(metavar="WHO", help="A DID, a handle, or the link of a profile.")]
Until = Annotated[
    str | None, typer.Option(metavar="WHEN", help="Until then: 6h or 7d from now, or 2027-01-31[T12:00Z].")
]
Reason = Annotated[str, typer.Option(help="For whoever reads `skywright people`; the person does not see it.")]


@policy.command(rich_help_panel=RULE)
def deny(who: Who, until: Until = None, reason: Reason = "", as_json: Json = False) -> None:
    """Let somebody ask no more: at the next check, on every bot of this ledger, and what is open of theirs stops.

    A reply that is on its way goes out. An earlier `allow` of the same person is over with it.
    """
    from bot.terminal.people import deny_command

    deny_command(who, until, reason, as_json=as_json)


@policy.command(rich_help_panel=RULE)
def allow(who: Who, until: Until = None, reason: Reason = "", as_json: Json = False) -> None:
    """Vouch for somebody: list, floors, first-time approval and labels that only hold are not asked of them.

    Labels that skip, blocks, opt-outs and every cap still count. An earlier `deny` of the same person is over with it.
    """
    from bot.terminal.people import allow_command

    allow_command(who, until, reason, as_json=as_json)


@policy.command(rich_help_panel=RULE)
def lift(who: Who, as_json: Json = False) -> None:
    """Take a deny or an allow back: the rules alone count for this person again."""
    from bot.terminal.people import lift_command

    lift_command(who, as_json=as_json)


@policy.command(rich_help_panel=RULE)
def people(as_json: Json = False) -> None:
    """List who is denied, allowed or forgotten: until when, by whom, and why."""
    from bot.terminal.people import people_command

    people_command(as_json=as_json)


@policy.command(rich_help_panel=RULE)
def forget(who: Who, yes: Yes = False, as_json: Json = False) -> None:
    """Blank or remove everything of somebody's, and ignore them from now on. It cannot be taken back; it asks first."""
    from bot.terminal.people import forget_command

    forget_command(who, yes=yes, as_json=as_json)


@policy.command(rich_help_panel=RULE)
def unpublished(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="The app, as its lane was told to unpublish it.")],
    as_json: Json = False,
) -> None:
    """Say that an app of somebody who is forgotten is gone where its lane had published it, too.

    Until then its address stands among what is wrong; then the ledger lets go of it.
    """
    from bot.terminal.people import unpublished_command

    unpublished_command(slug, as_json=as_json)


@policy.command(rich_help_panel=RULE)
def rules(
    file: Annotated[
        Path | None, typer.Option(help="A file to look at and to check, in place of the one in SKYWRIGHT_RULES.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show every rule, what differs from what is built in, and whether the running bot goes by these."""
    from bot.terminal.rules import rules_command

    rules_command(file, as_json=as_json)


@policy.command(rich_help_panel=RULE)
def reload() -> None:
    """Have the running bot read its rules anew, as SIGHUP does; bad ones are told, and the old ones stay in force."""
    from bot.terminal.rules import reload_command

    reload_command()


@policy.command(rich_help_panel=RULE)
def replay(
    file: Annotated[Path, typer.Option("--rules", metavar="FILE", help="The rules to try.")],
    since: Annotated[str, typer.Option(help="What was asked this long ago or later: 12h, 7d.")] = "7d",
    examples: Annotated[int, typer.Option(min=0, max=1000, help="Name at most so many documents for a change.")] = 3,
    as_json: Json = False,
) -> None:
    """Say what other rules would have decided, check by check. Nothing is changed, and nobody is asked.

    Each ask is judged by itself, on what was known of it then. What was not looked up then (the network, the
    moderation service) stays unknown; usage of caps is as it was counted then.
    """
    from bot.terminal.replay import replay_command

    replay_command(file, since, examples, as_json=as_json)
