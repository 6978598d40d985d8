"""What operators look at, as commands of `skywright`; each imports what it needs when it runs."""

# ruff: noqa: PLC0415

from enum import StrEnum
from typing import Annotated

import typer

from bot.terminal.options import LOOK, Author, Filters, Json, LaneName, Named, Reasons, Statuses, Words, filtered
from guardrails.documents import Kind

watch = typer.Typer()
# What a database can count up to.
LAST = 2**63 - 1


class By(StrEnum):
    """What costs are told for."""

    DAY = "day"
    AUTHOR = "author"
    MODEL = "model"
    LANE = "lane"


class Format(StrEnum):
    """How the history is written."""

    JSONL = "jsonl"
    CSV = "csv"


@watch.command(rich_help_panel=LOOK)
def tail(
    since: Annotated[
        str | None,
        typer.Option(
            help="Begin after this sequence number, this long ago (10m, 2h, 3d), or at the beginning (`all`)."
        ),
    ] = None,
    status: Statuses = None,
    author: Author = None,
    text: Words = None,
    reason: Reasons = None,
    lane: LaneName = None,
    kind: Annotated[Kind | None, typer.Option(help="Only documents of this kind.")] = None,
    as_json: Json = False,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow/--until-empty", " /--no-follow", help="Go on with what comes, or end with what is there."
        ),
    ] = True,
) -> None:
    """Follow the ledger: every move as it happens, until Ctrl-C."""
    from bot.terminal.tail import tail_command

    filters = Filters(tuple(status or ()), author, text=text, reasons=tuple(reason or ()), lane=lane)
    tail_command(since, filters, kind, as_json=as_json, follow=follow)


@watch.command("list", rich_help_panel=LOOK)
@filtered
def list_(
    filters: Filters,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    as_json: Json = False,
) -> None:
    """List documents, the newest first."""
    from bot.terminal.listing import list_command

    list_command(filters, limit, as_json=as_json)


@watch.command(rich_help_panel=LOOK)
def show(document: Named, as_json: Json = False) -> None:
    """Show one document: ask and text, verdicts, attempts, sends, history."""
    from bot.terminal.show import show_command

    show_command(document, as_json=as_json)


@watch.command(rich_help_panel=LOOK)
def logs(
    document: Named,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with what comes, until it is being built no more.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print what lanes wrote while they built a document; with -f also each step and log as it comes."""
    from bot.terminal.build_logs import logs_command

    logs_command(document, follow=follow, as_json=as_json)


@watch.command(rich_help_panel=LOOK)
def costs(
    since: Annotated[str, typer.Option(metavar="WHEN", help="What was built this long ago or later: 12h, 7d.")] = "7d",
    by: Annotated[By, typer.Option(help="What each row is of.")] = By.DAY,
    as_json: Json = False,
) -> None:
    """Tell what builds have cost, by day (UTC), author, model or lane."""
    from bot.terminal.costs import costs_command

    costs_command(since, by.value, as_json=as_json)


@watch.command(rich_help_panel=LOOK)
def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    before: Annotated[
        int | None, typer.Option(metavar="SEQ", min=1, max=LAST, help="Only those before this number.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List what operators have done, the newest first: who, what, to what."""
    from bot.terminal.audit import audit_command

    audit_command(limit, before, as_json=as_json)


@watch.command(rich_help_panel=LOOK)
@filtered
def export(
    filters: Filters,
    after: Annotated[
        int | None,
        typer.Option(metavar="SEQ", min=0, max=LAST, help="Go on after this number, which the last export told."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="One JSON object a line, or CSV.")] = Format.JSONL,
) -> None:
    """Write the history to standard output, oldest first, each move with what its document is about."""
    from bot.terminal.export import export_command

    export_command(filters, after, as_csv=form is Format.CSV)
