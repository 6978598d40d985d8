"""Tells a story once, with one fate, in a world of its own."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta

from sqlalchemy import Engine

from bot.clock import Clock
from bot.ledger.engine import Database
from bot.ledger.ledger import Ledger
from bot.ledger.policy import LedgerPolicy
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.crash.host import Host
from tests.crash.invariants import check_the_end
from tests.crash.ports import Fate, MortalDatabase, Side, mortal_network, mortal_statements
from tests.crash.story import OUTAGE, PEOPLE, Story
from tests.crash.taken_back import TakenBack
from tests.crash.wishes import Wishes
from tests.ledger_fixtures import slug_for
from tests.scenarios.world import settings_for

Check = Callable[[Ledger], None]
Tale = Callable[[Host, SandboxNetwork], Check]


def answered(host: Host, network: SandboxNetwork) -> Check:
    """People ask, lanes build, the bot answers."""
    story = Story(host, network)
    story.tell()
    return lambda ledger: check_the_end(story, ledger)


def taken_back(host: Host, network: SandboxNetwork) -> Check:
    """They take it back, and so does the bot."""
    story = TakenBack(host, network)
    story.tell()
    return story.check


def wished(host: Host, network: SandboxNetwork) -> Check:
    """They say what they want to become of it."""
    story = Wishes(host, network)
    story.tell()
    return story.check


def told(engine: Engine, fate: Fate, tale: Tale = answered, *, mid_transaction: bool = False) -> None:
    """Tell a story over an empty ledger, and find that it ended well.

    The effects are commits and requests, or with `mid_transaction` the statements within transactions.
    """
    clock = Clock()
    network = SandboxNetwork(clock)
    for handle in ("wright.test", *PEOPLE):
        network.create_account(handle)

    def database() -> Database:
        return Database(engine, clock) if mid_transaction else MortalDatabase(engine, clock, fate)

    with ExitStack() as stack:
        sandbox = stack.enter_context(SandboxServer(network))
        # A process that dies before an effect is replaced at once, and one that dies after it is not: what the next
        # one finds after an effect is what it finds before the one that follows.
        outage = OUTAGE if fate.side is Side.AFTER else timedelta()
        host = Host(database, clock, settings_for(sandbox), fate, outage)
        stack.callback(host.end)
        stack.enter_context(mortal_statements(engine, fate) if mid_transaction else mortal_network(fate))
        check = tale(host, network)
    check(Ledger(Database(engine, clock), LedgerPolicy(), slug_for))
