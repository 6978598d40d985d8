"""`skywright migrate`: brings the ledger's schema forward."""

import os

import typer

from bot.holding import sole_holder
from bot.ledger.leases import ROUNDS, Leases
from bot.ledger.schema import current_revision, head_revision, migrate, seconds_to_migrate
from bot.settings import LedgerSettings, load_settings
from bot.terminal.databases import place_of
from bot.terminal.misspelt import misspelt
from bot.terminal.opening import opened_database

# What takes no longer than that is not worth a word.
_A_WHILE = 10.0


def migrate_command() -> None:
    """Bring the ledger to this program's schema, and say where it is, and from which revision to which.

    Never under a bot on SQLite; on PostgreSQL those that run stop by themselves.
    """
    settings = load_settings(LedgerSettings)
    place = place_of(settings.database_url)
    for wrong in misspelt(os.environ):
        # One that was meant to say where the ledger is would have another made.
        typer.echo(f"{wrong.told}: {wrong.mend}", err=True)
    with opened_database(settings.database_url, settings.database_direct_url) as db:
        before, wanted = current_revision(db), head_revision()
        if before == wanted:
            typer.echo(f"the ledger in {place} is at {wanted} already")
            return
        with sole_holder(settings.database_url):
            seconds = seconds_to_migrate(db)
            if seconds > _A_WHILE:
                typer.echo(
                    f"this takes about {seconds / 60:.0f} minutes, in which nothing else can be written", err=True
                )
            migrate(db)
        lease = Leases(db).standing(ROUNDS)
    is_new = "" if before else ": it is new"
    typer.echo(f"the ledger in {place} went from {before or 'nothing'} to {wanted}{is_new}")
    if lease is not None:
        typer.echo("bots of the older program that run on it stop within seconds (exit status 78): start the new one")
