"""A bot's admin listener over the ledger of a test, and somebody at another machine who has a token for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.api.app import admin_app
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account
from bot.jobs.board import JobBoard
from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from bot.settings import Settings
from bot.steering import operations_of_bot
from bot.terminal.server import SERVER
from bot.terminal.token import TOKEN
from guardrails.access import Role
from guardrails.documents import DeviceId
from tests.bot.serving import served
from tests.bot.terminal.prompt import Prompt
from tests.mentions import OPERATOR

# As `devices add` makes them; what it opens is this test's ledger only.
A_TOKEN = "sw_canary-of-a-token-that-is-never-shown"


def nobody() -> Account:
    """In the stead of an account: the network cannot be asked."""
    raise CallFailed(Failure.NOT_SENT, "there is no network")


@contextmanager
def elsewhere(
    ledger: Ledger, settings: Settings, account: Callable[[], Account] = nobody, role: Role = Role.OPERATOR
) -> Iterator[Prompt]:
    """A prompt on another machine, which has nothing but the address of the bot and a token."""
    ledger.desk.add_device(OPERATOR, DeviceId(f"far-{role.value}"), "far away", role, "", A_TOKEN)
    rules = RulesFile(settings.rules)
    app = admin_app(
        ledger,
        JobBoard(ledger.db.time),
        ledger.db.time,
        rules,
        operations_of=operations_of_bot(settings, ledger, rules, account),
    )
    with served(lambda _: app) as port:
        yield Prompt({SERVER: f"http://127.0.0.1:{port}", TOKEN: A_TOKEN})
