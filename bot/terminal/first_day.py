"""`skywright init` as a command, with a flag for every answer that is no secret; it imports what it needs when it runs.

Secrets come by a prompt, a file, standard input or the environment: what is typed behind a command is in its history.
"""

# ruff: noqa: PLC0415

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

ANSWERS = "Answers"


class Lanes(StrEnum):
    """Who builds."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    GITHUB = "github"
    LATER = "later"


def _answer(words: str, *names: str, metavar: str | None = None) -> Any:  # noqa: ANN401 - typer's own
    return typer.Option(*names, help=words, metavar=metavar, rich_help_panel=ANSWERS)


def init(
    file: Annotated[Path, typer.Option(help="The settings file to write, or to change.")] = Path("skywright.env"),
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing: flags, the file and the environment hold the answers.")
    ] = False,
    handle: Annotated[str | None, _answer("The account's handle or DID.")] = None,
    password_file: Annotated[Path | None, _answer("A file with its app password.")] = None,
    password_stdin: Annotated[bool, _answer("Read its app password from standard input.", "--password-stdin")] = False,
    database: Annotated[str | None, _answer("Where the ledger is kept.", metavar="URL")] = None,
    domain: Annotated[str | None, _answer("Apps go below apps.DOMAIN, lanes come to lane.DOMAIN.")] = None,
    apps_url: Annotated[str | None, _answer("The apps' public address, if another.", metavar="URL")] = None,
    lane_url: Annotated[str | None, _answer("The lanes' public address, if another.", metavar="URL")] = None,
    apps_listen: Annotated[str | None, _answer("Where the apps listener listens.", metavar="HOST:PORT")] = None,
    lane_listen: Annotated[str | None, _answer("Where the lane listener listens.", metavar="HOST:PORT")] = None,
    admin_listen: Annotated[str | None, _answer("Where the admin listener listens.", metavar="HOST:PORT")] = None,
    lanes: Annotated[Lanes | None, _answer("Who builds.")] = None,
    repository: Annotated[str | None, _answer("With --lanes github: whose runners.", metavar="OWNER/NAME")] = None,
    purse: Annotated[str | None, _answer("What builds may cost in a day.", metavar="USD")] = None,
    contact: Annotated[str | None, _answer("Who answers for the bot.")] = None,
    profile: Annotated[
        bool | None, _answer("Whether the profile is to say that it is a bot.", "--profile/--no-profile")
    ] = None,
) -> None:
    """Set a bot up: ask, look at each answer, write settings and rules, and say what comes next.

    App password, alert webhook and a database's password are asked for unseen, or taken from SKYWRIGHT_PASSWORD,
    SKYWRIGHT_ALERT_URL and SKYWRIGHT_DATABASE_URL; they have no flags. Run it again to change answers.
    """
    from bot.terminal.init import init_command
    from bot.terminal.init_draft import Given
    from bot.terminal.init_password import given_password

    listen = {"apps_listen": apps_listen, "lane_listen": lane_listen, "admin_listen": admin_listen}
    init_command(
        Given(
            file=file,
            yes=yes,
            handle=handle,
            password=given_password(password_file, from_stdin=password_stdin),
            database=database,
            domain=domain,
            apps_url=apps_url,
            lane_url=lane_url,
            listen={name: address for name, address in listen.items() if address is not None},
            lanes=lanes,
            repository=repository,
            purse=purse,
            contact=contact,
            profile=profile,
        )
    )
