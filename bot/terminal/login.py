"""`skywright login`: makes sure that the bot can work as its account."""

import typer

from bot.bluesky.errors import CallFailed
from bot.bluesky.profiles import own_state
from bot.settings import Settings, load_settings
from bot.terminal.account import login_mend, opened_account
from bot.terminal.failures import Exit, end
from bot.terminal.opening import opened_ledger
from guardrails.text import visible


def login_command(*, retry: bool) -> None:
    """Say as whom the bot works; a login is made only if no session is kept, and counts in its budget."""
    settings = load_settings(Settings)
    try:
        with opened_ledger(settings) as ledger, opened_account(settings, ledger, retry=retry) as account:
            # The first call finds out whether the kept session is still good, and renews it if it is not.
            state = own_state(account)
            typer.echo(visible(f"{state.handle} ({account.did}) at {account.pds_url}"))
    except CallFailed as failed:
        end(f"{failed}\n{login_mend(failed)}", Exit.NETWORK)
    if not state.active:
        end(f"the account is not active: {state.status or 'no reason given'}", Exit.FAILED)
