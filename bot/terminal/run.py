"""`skywright run`: the bot in this process."""

import os
from datetime import timedelta

import structlog

from bot.begin import stay
from bot.listeners import CannotListen
from bot.logs import configure_logs
from bot.main import run_bot
from bot.rules import RulesFile
from bot.settings import Settings, load_settings
from bot.terminal.failures import Exit, end
from bot.terminal.misspelt import misspelt
from bot.terminal.stopping import stop_on_signals

log = structlog.get_logger()


def run_command(since: timedelta) -> None:
    """Run the bot until the first signal, then drain. SIGHUP has the rules read anew."""
    stay()
    settings = load_settings(Settings)
    rules = RulesFile(settings.rules)
    configure_logs(settings.log, secrets=settings.secrets)
    for wrong in misspelt(os.environ):
        log.warning("unknown_setting", name=wrong.name, nearest=wrong.nearest)
    with stop_on_signals(rules.want_reload) as stop:
        try:
            run_bot(settings, stop, rules=rules, since=since)
        except CannotListen as problem:
            end(f"{problem}\nEnd what listens there, or set another address.", Exit.NETWORK)
