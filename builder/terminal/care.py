"""`skywright-builder enrol` and `unpublish`: a token for this lane, and an app that goes away."""

import os
import sys
from pathlib import Path

import typer

from builder.errors import LaneError
from builder.logs import make_log
from builder.main import no_bot, unknown_to_bot
from builder.outcomes import Done, RetryLater, Unfit
from builder.settings import PREFIX, BotSettings, BuildSettings, read_settings
from builder.terminal.failures import Exit, end
from builder.wiring.parts import opened_publisher


def enrol_command(code: str, token_file: Path | None) -> None:
    """Exchange an invitation's code for a token: into a new file of its owner's only, or onto standard output."""
    settings = read_settings(BotSettings)
    log = make_log(sys.stderr, as_json=False)
    # Before the code is used up.
    file = None if token_file is None else _new_private_file(token_file)
    try:
        with unknown_to_bot(settings, log) as client:
            device = client.enrol(code)
    except LaneError:
        if token_file is not None:
            token_file.unlink(missing_ok=True)
        raise
    if file is None:
        typer.echo(device.token)
    else:
        with os.fdopen(file, "w", encoding="ascii") as private:
            private.write(f"{device.token}\n")
    kept = f" Set {PREFIX}TOKEN_FILE={token_file}" if token_file is not None else f" Set it as {PREFIX}TOKEN."
    typer.echo(f"This lane is the device {device.device!a}.{kept}", err=True)


def unpublish_command(slug: str, reason: str) -> None:
    """Take an app down where this lane publishes."""
    settings = read_settings(BuildSettings)
    with no_bot() as client, opened_publisher(settings, client) as publisher:
        outcome = publisher.unpublish(slug, reason)
    match outcome:
        case Done():
            typer.echo(f"{slug} is taken down, and nothing is published under it any more.")
        case RetryLater(detail=detail):
            end(detail, Exit.TRY_AGAIN)
        case Unfit(detail=detail):
            end(detail, Exit.CONFIGURATION)
        case _:
            end(outcome.detail, Exit.FAILED)


def _new_private_file(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        end(f"{path} is there already; name a new file", Exit.FAILED)
    except OSError as problem:
        end(f"{path} cannot be made ({type(problem).__name__})", Exit.FAILED)
