"""The operations that the admin listener of a test gives to whoever calls; the network cannot be asked."""

from bot.api.operators import OperationsOf
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account
from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from bot.settings import Settings
from bot.steering import operations_of_bot

KEY = "x" * 43 + "="


def operations_over(ledger: Ledger, rules: RulesFile | None = None) -> OperationsOf:
    """Over a ledger, with the settings as they are built in."""
    settings = Settings.model_validate({"identifier": "x", "password": "x", "session_key": KEY})
    return operations_of_bot(settings, ledger, rules or RulesFile(None), _nobody)


def _nobody() -> Account:
    raise CallFailed(Failure.NOT_SENT, "there is no network")
