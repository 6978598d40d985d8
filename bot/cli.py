"""The `skywright` command. Start-up stays quick: each command imports what it needs when it runs."""

# ruff: noqa: PLC0415

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot.begin import begin
from bot.terminal.desk import desk
from bot.terminal.first_day import init
from bot.terminal.options import ACCESS, LOOK, RUN, Json
from bot.terminal.policy import policy
from bot.terminal.pruning import prune
from bot.terminal.server import work_on
from bot.terminal.watch import watch

EPILOG = (
    "Exit status: 0 ok, 1 a check failed, 2 wrong usage, 3 not found, 4 not done, or not all of it: somebody else was "
    "faster or it is not allowed, 5 the network, the database or the bot does not answer, 78 settings, "
    "rules or the ledger's schema are wrong, 130 ended by Ctrl-C before it was done."
)


class Commands(TyperGroup):
    """The commands, with their failures told in a line."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - click's own signature
        """Run a command."""
        from bot.terminal.failures import told_in_a_line

        with told_in_a_line():
            return super().invoke(ctx)


class DeviceRole(StrEnum):
    """What a device may be."""

    LANE = "lane"
    OPERATOR = "operator"
    VIEWER = "viewer"


class ConsoleRole(StrEnum):
    """What somebody may be in the console."""

    OPERATOR = "operator"
    VIEWER = "viewer"


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A bot for Bluesky that builds the small web apps people ask for.",
    epilog=EPILOG,
)


@app.callback()
def _before_all(
    context: typer.Context,
    env_file: Annotated[
        Path | None, typer.Option(help="Read SKYWRIGHT_* settings from this file; what is set already stands.")
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Work on the bot whose admin listener is there, and not on a ledger here; also SKYWRIGHT_SERVER. "
            "The token is in SKYWRIGHT_TOKEN, or in the file SKYWRIGHT_TOKEN_FILE "
            "(~/.config/skywright/token, mode 0600).",
        ),
    ] = None,
) -> None:
    if env_file is not None:
        from bot.terminal.environment import read_env_file

        context.obj = read_env_file(env_file)
    work_on(server)


app.command(rich_help_panel=RUN)(init)


@app.command(rich_help_panel=RUN)
def run(
    since: Annotated[
        str, typer.Option(help="Answer what was asked this long before the first start too: 6h, 2d.")
    ] = "0s",
) -> None:
    """Run the bot until SIGTERM or Ctrl-C, then let what runs finish. A second signal ends it at once."""
    from bot.terminal.moments import duration
    from bot.terminal.run import run_command

    run_command(duration(since))


@app.command(rich_help_panel=RUN)
def migrate() -> None:
    """Bring the ledger's schema forward to this program's. `run` does it by itself on SQLite."""
    from bot.terminal.upkeep import migrate_command

    migrate_command()


@app.command(rich_help_panel=RUN)
def backup(
    file: Annotated[
        Path | None, typer.Argument(help="Write it there; else into a folder, under a name with the time.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="The folder, if not `backups` beside the ledger.")
    ] = None,
    keep: Annotated[
        int | None, typer.Option(min=1, help="Of the backups in the folder keep so many, and delete the oldest.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Take the place of a file that is there.")] = False,
) -> None:
    """Copy the ledger while the bot runs, and look through the copy; PostgreSQL's by pg_dump."""
    from bot.terminal.backup import backup_command

    backup_command(file, to, keep, overwrite=overwrite)


@app.command(rich_help_panel=RUN)
def restore(file: Annotated[Path, typer.Argument(help="What `skywright backup` has made.")]) -> None:
    """Put a backup in the ledger's place, with every bot stopped; what was there is kept beside it."""
    from bot.terminal.restore import restore_command

    restore_command(file)


app.command(rich_help_panel=RUN)(prune)


@app.command("migrate-ledger", rich_help_panel=RUN)
def migrate_ledger(
    to: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="An empty PostgreSQL database, not behind a pooler.")
    ] = None,
    back: Annotated[bool, typer.Option("--back", help="Use this ledger after all, from which one was moved.")] = False,
) -> None:
    """Move the ledger to PostgreSQL, with every bot stopped; run it again where it was cut short."""
    from bot.terminal.moving import migrate_ledger_command

    migrate_ledger_command(to, back=back)


@app.command(rich_help_panel=RUN)
def login(
    retry: Annotated[bool, typer.Option("--retry", help="Try a password once more that was refused.")] = False,
) -> None:
    """Make sure that the bot can work as its account; a session that is kept is used."""
    from bot.terminal.login import login_command

    login_command(retry=retry)


@app.command(rich_help_panel=RUN)
def doctor(
    context: typer.Context,
    write: Annotated[
        bool, typer.Option("--write", help="Also try on a scratch record whether this PDS never writes twice.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at settings, rules, database, login, network and listeners; each line ok, warn or fail with the mend."""
    from bot.terminal.doctor import doctor_command

    doctor_command(context.obj, write=write, as_json=as_json)


@app.command("new-key", rich_help_panel=RUN)
def new_key() -> None:
    """Print a new key for SKYWRIGHT_SESSION_KEY."""
    from cryptography.fernet import Fernet

    typer.echo(Fernet.generate_key().decode())


@app.command(rich_help_panel=RUN)
def version() -> None:
    """Print the program's version."""
    from importlib.metadata import version as installed

    typer.echo(f"skywright {installed('skywright')}")


app.add_typer(watch)
app.add_typer(desk)
app.add_typer(policy)
demo = typer.Typer(invoke_without_command=True, help="Run the whole thing on this machine, with a small Bluesky.")
app.add_typer(demo, name="demo", rich_help_panel=RUN)


@demo.callback()
def demo_(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="End after the first reply, as without a terminal.")] = False,
) -> None:
    """Run the whole thing on this machine, with a small Bluesky of its own, until Ctrl-C."""
    if context.invoked_subcommand is None:
        from bot.terminal.demo import demo_command

        demo_command(once=once)


@demo.command("say")
def demo_say(text: Annotated[str, typer.Argument(help="What alice.test asks for.")]) -> None:
    """Mention the bot of the running demo once more."""
    from bot.terminal.demo_say import say_command

    say_command(text)


alerts = typer.Typer(invoke_without_command=True, help="List what operators are told of, or try the alert channel.")
app.add_typer(alerts, name="alerts", rich_help_panel=LOOK)


@alerts.callback()
def alerts_(context: typer.Context, as_json: Json = False) -> None:
    """List what is wrong and what was told of it; `alerts test` tries the channel."""
    if context.invoked_subcommand is None:
        from bot.terminal.alerts import alerts_command

        alerts_command(as_json=as_json)


@alerts.command("test")
def alerts_test() -> None:
    """Send a message that says that it is a test to SKYWRIGHT_ALERT_URL."""
    from bot.terminal.alerts import alerts_test_command

    alerts_test_command()


Prefix = Annotated[
    str | None, typer.Option(metavar="URL", help="Where a lane may publish, if not under the bot's own apps.")
]
Lease = Annotated[
    str | None, typer.Option(help="The longest lease that a lane may ask for: 10m, 1h. Else as long as the bot's own.")
]
devices = typer.Typer(
    no_args_is_help=True, help="Add, invite, list and revoke the devices that may use the bot's APIs."
)
app.add_typer(devices, name="devices", rich_help_panel=ACCESS)


@devices.command("add")
def devices_add(
    name: Annotated[str, typer.Argument(help="What people call it.")],
    role: Annotated[DeviceRole, typer.Option(help="What it may do.")],
    prefix: Prefix = None,
    lease: Lease = None,
    ttl: Annotated[
        str | None, typer.Option(help="For how long its token is good: 30d. Else until it is revoked.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Enrol a device; its token alone goes to standard output, once."""
    from bot.terminal.devices import add_command

    add_command(name, role, prefix, lease, ttl, as_json=as_json)


@devices.command("invite")
def devices_invite(
    name: Annotated[str, typer.Option(help="What people will call it.")] = "an invited lane",
    prefix: Prefix = None,
    lease: Lease = None,
    ttl: Annotated[str, typer.Option(help="For how long the code is good: 1h, 2d.")] = "1d",
    as_json: Json = False,
) -> None:
    """Invite a lane: a code that it exchanges for its token, good once, alone goes to standard output."""
    from bot.terminal.devices import invite_command

    invite_command(name, prefix, lease, ttl, as_json=as_json)


@devices.command("list")
def devices_list(as_json: Json = False) -> None:
    """List the devices, the revoked ones included."""
    from bot.terminal.devices import list_command

    list_command(as_json=as_json)


@devices.command("revoke")
def devices_revoke(device: Annotated[str, typer.Argument(metavar="ID", help="As `devices list` shows it.")]) -> None:
    """Make a device's token worthless from now on."""
    from bot.terminal.devices import revoke_command

    revoke_command(device)


console = typer.Typer(no_args_is_help=True, help="Let somebody into the console, and see and end who is in it.")
app.add_typer(console, name="console", rich_help_panel=ACCESS)


@console.command("link")
def console_link(
    role: Annotated[ConsoleRole, typer.Option(help="What they may do there.")] = ConsoleRole.OPERATOR,
    ttl: Annotated[str, typer.Option(help="For how long the link is good: 10m, 2h.")] = "10m",
) -> None:
    """Make a link that lets one person in, once; it alone goes to standard output."""
    from bot.terminal.console import link_command

    link_command(role, ttl)


@console.command("sessions")
def console_sessions(as_json: Json = False) -> None:
    """List who is signed in to the console, and who was in the last 30 days."""
    from bot.terminal.console import sessions_command

    sessions_command(as_json=as_json)


@console.command("revoke")
def console_revoke(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="As `console sessions` shows it.")],
) -> None:
    """End somebody's session."""
    from bot.terminal.console import revoke_command

    revoke_command(session)


def main() -> None:
    """The entry point of the console script."""
    begin()
    app()


if __name__ == "__main__":
    main()
