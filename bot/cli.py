"""The `skywright` command. Start-up stays quick: each command imports what it needs when it runs."""

# ruff: noqa: PLC0415

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot.terminal.desk import desk
from bot.terminal.options import Json, Named
from bot.terminal.policy import policy
from guardrails.documents import Kind
from guardrails.transitions import Status

EPILOG = (
    "Exit status: 0 ok, 1 a check failed, 2 wrong usage, 3 not found, 4 not done: somebody else was faster or it is "
    "not allowed, 5 the network, the database or the bot does not answer, 78 settings, rules or the ledger's schema "
    "are wrong."
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


class Work(StrEnum):
    """What can be paused."""

    INGEST = "ingest"
    BUILDS = "builds"
    REPLIES = "replies"
    ALL = "all"


Statuses = Annotated[list[Status] | None, typer.Option("--status", help="Only these; may be given more than once.")]

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
    env_file: Annotated[
        Path | None, typer.Option(help="Read SKYWRIGHT_* settings from this file; what is set already stands.")
    ] = None,
) -> None:
    if env_file is not None:
        from bot.terminal.environment import read_env_file

        read_env_file(env_file)


@app.command()
def run(
    since: Annotated[
        str, typer.Option(help="Answer what was asked this long before the first start too: 6h, 2d.")
    ] = "0s",
) -> None:
    """Run the bot until SIGTERM or Ctrl-C, then let what runs finish. A second signal ends it at once."""
    from bot.terminal.moments import duration
    from bot.terminal.run import run_command

    run_command(duration(since))


@app.command()
def migrate() -> None:
    """Bring the ledger's schema forward to this program's. `run` does it by itself on SQLite."""
    from bot.terminal.upkeep import migrate_command

    migrate_command()


@app.command()
def tail(
    since: Annotated[
        str | None,
        typer.Option(
            help="Begin after this sequence number, this long ago (10m, 2h, 3d), or at the beginning (`all`)."
        ),
    ] = None,
    status: Statuses = None,
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

    tail_command(since, kind, status or (), as_json=as_json, follow=follow)


@app.command("list")
def list_(
    status: Statuses = None,
    author: Annotated[str | None, typer.Option(help="Only this handle or DID.")] = None,
    since: Annotated[str | None, typer.Option(help="Only what came this long ago or later: 10m, 2h, 3d.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    as_json: Json = False,
) -> None:
    """List documents, the newest first."""
    from bot.terminal.listing import list_command

    list_command(status or (), author, since, limit, as_json=as_json)


@app.command()
def show(document: Named, as_json: Json = False) -> None:
    """Show one document: ask and text, verdicts, attempts, sends, history."""
    from bot.terminal.show import show_command

    show_command(document, as_json=as_json)


@app.command()
def ask(link: Annotated[str, typer.Argument(help="The link or at-uri of a post.")]) -> None:
    """Put a post before the bot as if it had mentioned it; prints the document's id."""
    from bot.terminal.ask import ask_command

    ask_command(link)


@app.command()
def pause(
    what: Annotated[Work | None, typer.Argument(help="Without it, the switches are shown.")] = None,
    why: Annotated[str, typer.Option(help="For whoever finds it paused.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="In a hurry: everything, also without --why.")] = False,
    now: Annotated[
        bool, typer.Option("--now", help="With builds or all: take what is being built from the lanes, too.")
    ] = False,
) -> None:
    """Pause work, or show what is paused. Nothing is lost, it waits in the ledger.

    What a lane is building goes on and is kept, unless --now takes it from the lane: it is built again later, without
    counting as failed.
    """
    from bot.terminal.switches import pause_command

    pause_command(what, why, hurry=everything, now=now)


@app.command()
def resume(what: Annotated[Work, typer.Argument()]) -> None:
    """Let paused work go on."""
    from bot.terminal.switches import resume_command

    resume_command(what)


@app.command()
def login(
    retry: Annotated[bool, typer.Option("--retry", help="Try a password once more that was refused.")] = False,
) -> None:
    """Make sure that the bot can work as its account; a session that is kept is used."""
    from bot.terminal.login import login_command

    login_command(retry=retry)


@app.command()
def doctor(
    write: Annotated[
        bool, typer.Option("--write", help="Also try on a scratch record whether this PDS never writes twice.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at settings, rules, database, login, network and listeners; each line ok, warn or fail with the mend."""
    from bot.terminal.doctor import doctor_command

    doctor_command(write=write, as_json=as_json)


@app.command("new-key")
def new_key() -> None:
    """Print a new key for SKYWRIGHT_SESSION_KEY."""
    from cryptography.fernet import Fernet

    typer.echo(Fernet.generate_key().decode())


@app.command()
def version() -> None:
    """Print the program's version."""
    from importlib.metadata import version as installed

    typer.echo(f"skywright {installed('skywright')}")


app.add_typer(desk)
app.add_typer(policy)
demo = typer.Typer(invoke_without_command=True, help="Run the whole thing on this machine, with a small Bluesky.")
app.add_typer(demo, name="demo")


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


Prefix = Annotated[
    str | None, typer.Option(metavar="URL", help="Where a lane may publish, if not under the bot's own apps.")
]
Lease = Annotated[
    str | None, typer.Option(help="The longest lease that a lane may ask for: 10m, 1h. Else as long as the bot's own.")
]
devices = typer.Typer(
    no_args_is_help=True, help="Add, invite, list and revoke the devices that may use the bot's APIs."
)
app.add_typer(devices, name="devices")


@devices.command("add")
def devices_add(
    name: Annotated[str, typer.Argument(help="What people call it.")],
    role: Annotated[DeviceRole, typer.Option(help="What it may do.")],
    prefix: Prefix = None,
    lease: Lease = None,
    ttl: Annotated[
        str | None, typer.Option(help="For how long its token is good: 30d. Else until it is revoked.")
    ] = None,
) -> None:
    """Enrol a device; its token alone goes to standard output, once."""
    from bot.terminal.devices import add_command

    add_command(name, role, prefix, lease, ttl)


@devices.command("invite")
def devices_invite(
    name: Annotated[str, typer.Option(help="What people will call it.")] = "an invited lane",
    prefix: Prefix = None,
    lease: Lease = None,
    ttl: Annotated[str, typer.Option(help="For how long the code is good: 1h, 2d.")] = "1d",
) -> None:
    """Invite a lane: a code that it exchanges for its token, good once, alone goes to standard output."""
    from bot.terminal.devices import invite_command

    invite_command(name, prefix, lease, ttl)


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
app.add_typer(console, name="console")


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
    app()


if __name__ == "__main__":
    main()
