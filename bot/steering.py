"""What operators get of the running bot: its ledger, its rules, and its account for what is looked at elsewhere."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta

from bot.alerting import send_test
from bot.bluesky.errors import CallFailed
from bot.bluesky.session import Account
from bot.jobs.reload import reload_rules
from bot.ledger.ledger import Ledger
from bot.operations.acting import Means
from bot.operations.local import local_operations
from bot.operations.network import AccountNetwork
from bot.operations.port import Operations
from bot.operations.reading import Around
from bot.rules import RulesFile
from bot.settings import Settings
from guardrails.access import Caller


def operations_of_bot(
    settings: Settings,
    ledger: Ledger,
    rules: RulesFile,
    account: Callable[[], Account],
    holder: str | None = None,
) -> Callable[[Caller], Operations]:
    """Gives the operations of whoever calls. The account is the running bot's, and not opened before it is needed.

    `holder` is the bot's name among several.
    """

    def resolve(handle: str) -> str | None:
        try:
            did = account().query("com.atproto.identity.resolveHandle", {"handle": handle}).get("did")
        except CallFailed:
            return None
        return did if isinstance(did, str) else None

    def opened() -> AbstractContextManager[Account]:
        return nullcontext(account())

    around = Around(
        apps_url=settings.apps_url,
        rules=rules,
        resolve=resolve,
        lane_wait=timedelta(minutes=settings.lane_wait_minutes),
        lane_schedule=settings.lane_schedule,
        login_caps=settings.login_caps,
        has_channel=settings.alert_channel is not None,
        holder=holder,
    )
    means = Means(
        network=lambda: AccountNetwork(ledger.queries, opened),
        reload=lambda caller: reload_rules(rules, ledger, caller).version,
        web_url=settings.web_url,
        try_alerts=lambda: send_test(settings),
    )
    return lambda caller: local_operations(ledger, caller, around, means)
