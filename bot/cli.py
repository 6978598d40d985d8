"""The `skywright` command. Start-up stays quick: each command imports what it needs when it runs."""

# ruff: noqa: PLC0415

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

EPILOG = (
    "Exit status: 0 ok, 1 a check failed, 2 wrong usage, 3 not found, 4 not done: somebody else was faster or it is "
    "not allowed, 5 the network or the database does not answer, 78 the settings or the ledger's schema are wrong."
)


class Commands(TyperGroup):
    """The commands, with their failures told in a line."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - click's own signature
        """Run a command."""
        from bot.terminal.failures import told_in_a_line

        with told_in_a_line():
            return super().invoke(ctx)


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


def main() -> None:
    """The entry point of the console script."""
    app()
