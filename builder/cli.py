"""The command line of the lane: skywright-builder once | watch | version."""

import sys
from collections.abc import Callable
from importlib.metadata import version as installed_version
from typing import Annotated

import typer

from builder.errors import BadSettings, BotRefused, BotUnreachable, LaneUnfit, NotWelcome
from builder.logs import make_log
from builder.main import LaneProcess, lane_process
from builder.settings import Settings, read_settings
from guardrails.text import visible
from guardrails.wire import API_VERSION

# The codes of sysexits.h, for scripts and supervisors.
EX_TEMPFAIL = 75
EX_PROTOCOL = 76
EX_NOPERM = 77
EX_CONFIG = 78

app = typer.Typer(
    name="skywright-builder",
    help="A builder lane of Skywright: claims a document from the bot, builds the app, publishes it, reports.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@app.command()
def once(
    most: Annotated[int, typer.Option("--max", min=1, help="Build at most so many documents.")] = 1,
    as_json: Json = False,
) -> None:
    """Build what waits, then end: exit 0 when done or nothing waits, 75 when the bot cannot be reached."""

    def work(process: LaneProcess) -> None:
        process.log.info("done", reported=process.once(most))

    _run(work, as_json=as_json)


@app.command()
def watch(
    workers: Annotated[int, typer.Option("--concurrency", min=1, max=64, help="Build so many at a time.")] = 1,
    as_json: Json = False,
) -> None:
    """Build what comes until SIGTERM or SIGINT; then what is at work is finished or, after a while, released."""
    _run(lambda process: process.watch(workers), as_json=as_json)


@app.command()
def version() -> None:
    """Print the version of the lane and of the API that it speaks."""
    typer.echo(f"skywright-builder {installed_version('skywright')} (lane API {API_VERSION})")


def main() -> None:
    """The entry point of the console script."""
    app()


def _run(work: Callable[[LaneProcess], None], *, as_json: bool) -> None:
    log = make_log(sys.stdout, as_json=as_json)
    try:
        with lane_process(read_settings(Settings), log) as process:
            work(process)
    except BadSettings as problem:
        _end(str(problem), EX_CONFIG)
    except LaneUnfit as problem:
        log.error("lane_unfit", problem=str(problem))
        _end(f"This lane can build nothing. {problem}", EX_CONFIG)
    except NotWelcome as problem:
        log.error("not_welcome", problem=str(problem))
        _end(f"The bot refuses this device. {problem}", EX_NOPERM)
    except BotUnreachable as problem:
        log.error("bot_unreachable", problem=str(problem))
        raise typer.Exit(EX_TEMPFAIL) from None
    except BotRefused as problem:
        log.error("bot_refused", problem=str(problem))
        raise typer.Exit(EX_PROTOCOL) from None


def _end(message: str, code: int) -> None:
    typer.echo(visible(message, keep_newlines=True), err=True)
    raise typer.Exit(code) from None


if __name__ == "__main__":
    main()
