"""The operations over a ledger on this machine, for whoever sits at it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import NotDone
from bot.ledger.ledger import Ledger
from bot.operations.acting import Means, Network
from bot.operations.local import LocalOperations
from bot.operations.port import Operations
from bot.operations.reading import Around
from bot.outgoing import Failed
from bot.settings import LedgerSettings
from guardrails.access import Caller

# Most commands only look, and would wait for it.
if TYPE_CHECKING:
    from bot.operations.doing import Act, Outcome
    from guardrails.rules import Rules


class Here(LocalOperations):
    """The operations of this terminal: what doing things logs goes to standard error."""

    def act(self, acts: "Sequence[Act]") -> "list[Outcome]":
        """Do so many things, each for itself, and tell how each ended; at most 500 at once."""
        _ready_to_log()
        return super().act(acts)

    def take_down_author(self, who: str, why: str, action_id: str, *, keep_replies: bool = False) -> "list[Outcome]":
        """Take down every app of a DID or handle, and stop what is open of theirs."""
        _ready_to_log()
        return super().take_down_author(who, why, action_id, keep_replies=keep_replies)


def operations_here(ledger: Ledger, settings: LedgerSettings, caller: Caller) -> Operations:
    """What an operator can see and do; the bot's account is opened only where the network has to be asked."""

    def rules() -> "Rules":
        from bot.rules import load_rules  # noqa: PLC0415

        return load_rules(settings.rules)

    def did_of(handle: str) -> str | None:
        from bot.terminal.account import did_of_handle  # noqa: PLC0415

        _ready_to_log()
        return did_of_handle(ledger, handle)

    around = Around(
        apps_url=settings.apps_url,
        rules=rules,
        resolve=did_of,
        lane_wait=timedelta(minutes=settings.lane_wait_minutes),
        lane_schedule=settings.lane_schedule,
        has_channel=settings.alert_channel is not None,
    )
    means = Means(lambda: _network(ledger), _reload, try_alerts=lambda: _try_alerts(settings))
    return Here(ledger, caller, around, means)


def _network(ledger: Ledger) -> Network:
    # What asks the network takes longer to load than most commands run.
    from bot.bluesky.session import Account  # noqa: PLC0415
    from bot.operations.network import AccountNetwork  # noqa: PLC0415
    from bot.settings import Settings, load_settings  # noqa: PLC0415
    from bot.terminal.account import opened_account  # noqa: PLC0415

    _ready_to_log()
    settings = load_settings(Settings)

    def account() -> AbstractContextManager[Account]:
        return opened_account(settings, ledger)

    return AccountNetwork(ledger.queries, account)


def _try_alerts(settings: LedgerSettings) -> Failed | None:
    from bot.alerting import send_test  # noqa: PLC0415

    _ready_to_log()
    return send_test(settings)


def _reload(_: Caller) -> str:
    raise NotDone("the running bot has its own rules: `skywright reload` asks it")


def _ready_to_log() -> None:
    from bot.logs import logs_to_stderr  # noqa: PLC0415

    logs_to_stderr()
