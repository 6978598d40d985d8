"""`skywright migrate`: brings the ledger's schema forward."""

import typer

from bot.ledger.schema import current_revision, head_revision, migrate
from bot.settings import LedgerSettings, load_settings
from bot.terminal.opening import opened_database


def migrate_command() -> None:
    """Bring the ledger to this program's schema, and say from which revision to which."""
    settings = load_settings(LedgerSettings)
    with opened_database(settings.database_url, settings.database_direct_url) as db:
        before, wanted = current_revision(db), head_revision()
        migrate(db)
    if before == wanted:
        typer.echo(f"the ledger is at {wanted} already")
    else:
        typer.echo(f"the ledger went from {before or 'nothing'} to {wanted}")
