"""The `skywright-builder` command. Start-up stays quick: each command imports what it needs when it runs."""

# ruff: noqa: PLC0415

from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

EPILOG = (
    "Exit status: 0 ok, 1 a check failed or nothing was built, 2 wrong usage, 75 the bot cannot be reached or another "
    "try may work later, 76 bot and lane do not understand each other, 77 the bot refuses this device, 78 settings are "
    "wrong or the lane can build nothing."
)


class Commands(TyperGroup):
    """The commands, with their failures told in a line."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - click's own signature
        """Run a command."""
        from builder.terminal.failures import told_in_a_line

        with told_in_a_line():
            return super().invoke(ctx)


app = typer.Typer(
    name="skywright-builder",
    cls=Commands,
    help="A builder lane of Skywright: claims a document from the bot, builds the app, publishes it, reports.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON: one object, or one a line for what goes on.")]
Screenshot = Annotated[Path | None, typer.Option(help="Keep the picture that the browser check takes in this file.")]


@app.callback()
def _before_all(
    context: typer.Context,
    env_file: Annotated[
        Path | None, typer.Option(help="Read SKYWRIGHT_LANE_* settings from this file; what is set already stands.")
    ] = None,
) -> None:
    if env_file is not None:
        from builder.terminal.environment import read_env_file

        read_env_file(env_file)
    # The doctor has it among its findings.
    if context.invoked_subcommand != "doctor":
        from builder.terminal.misspelt import tell_misspelt

        tell_misspelt()


@app.command()
def once(
    most: Annotated[int, typer.Option("--max", min=1, help="Build at most so many documents.")] = 1,
    as_json: Json = False,
) -> None:
    """Build what waits, then end."""
    from builder.terminal.work import once_command

    once_command(most, as_json=as_json)


@app.command()
def watch(
    workers: Annotated[int, typer.Option("--concurrency", min=1, max=64, help="Build so many at a time.")] = 1,
    as_json: Json = False,
) -> None:
    """Build what comes until SIGTERM or SIGINT; then what is at work is finished or, after a while, released."""
    from builder.terminal.work import watch_command

    watch_command(workers, as_json=as_json)


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(help="The folder of an app, with its index.html.")],
    screenshot: Screenshot = None,
    as_json: Json = False,
) -> None:
    """Check an app as a build is checked; needs no bot."""
    from builder.terminal.looking import check_command

    check_command(folder, screenshot, as_json=as_json)


@app.command("try")
def try_out(
    ask: Annotated[str, typer.Argument(help="What somebody might ask for.")],
    langs: Annotated[list[str] | None, typer.Option("--lang", help="A language that the post declares.")] = None,
    out: Annotated[Path | None, typer.Option(help="The new folder for the app; a temporary one by default.")] = None,
    screenshot: Screenshot = None,
    as_json: Json = False,
) -> None:
    """Build an ask with these settings, checks and repairs included, and keep the app; needs no bot."""
    from builder.terminal.looking import try_command

    try_command(ask, langs or (), out, screenshot, as_json=as_json)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Tell what this lane lacks, and what mends it."""
    from builder.terminal.doctor import doctor_command

    doctor_command(as_json=as_json)


@app.command()
def enrol(
    code: Annotated[str, typer.Argument(help="The code that `skywright devices invite` printed; it works once.")],
    token_file: Annotated[Path | None, typer.Option(help="The new file for the token; else it is printed.")] = None,
) -> None:
    """Exchange an invitation for a device token of this lane's own."""
    from builder.terminal.care import enrol_command

    enrol_command(code, token_file)


@app.command()
def unpublish(
    slug: Annotated[str, typer.Argument(help="The app's slug.")],
    reason: Annotated[str, typer.Option(help="Why; it is shown to whoever opens the app's address.")],
) -> None:
    """Take down an app that this lane's publisher shows, for good."""
    from builder.terminal.care import unpublish_command

    unpublish_command(slug, reason)


ClaimFile = Annotated[Path, typer.Option("--claim", help="The bot's answer to the claim, in a file as it came.")]


@app.command()
def generate(
    claim: ClaimFile,
    out: Annotated[Path, typer.Option(help="The new folder for the app and its manifest.")],
    as_json: Json = False,
) -> None:
    """In CI, the job with the model's key: build what a claim asks for. Prints ids only; needs no bot and no token."""
    from builder.terminal.handing import generate_command

    generate_command(claim, out, as_json=as_json)


@app.command()
def publish(
    folder: Annotated[Path, typer.Argument(help="The folder that `generate` left, if it left one.")],
    claim: ClaimFile,
    as_json: Json = False,
) -> None:
    """In CI, the job with the token: verify what `generate` left, publish, report. Prints ids only, runs nothing."""
    from builder.terminal.handing import publish_command

    publish_command(folder, claim, as_json=as_json)


@app.command()
def version() -> None:
    """Print the version of the lane and of the API that it speaks."""
    from guardrails.wire import API_VERSION

    typer.echo(f"skywright-builder {installed_version('skywright')} (lane API {API_VERSION})")


def main() -> None:
    """The entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
