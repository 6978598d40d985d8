"""One reply to each mention, whatever the network does and whoever is killed; `make soak` is the long run."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.missing import missing
from tests.network.net import Network
from tests.pooler import PoolerUnavailable, running_pooler
from tests.postgres import PostgresUnavailable, running_postgres
from tests.soak.soak import Database, Plan, report, soak

pytestmark = pytest.mark.slow


def test_forty_mentions_get_forty_replies(network: Network, tmp_path: Path) -> None:
    """One bot on SQLite. Every kind of fault has hit a write, or the run would prove too little."""
    outcome = soak(Plan(mentions=40, seed=1, brief=True), network, tmp_path)
    report(outcome)

    assert [] == outcome.problems


def test_two_bots_behind_a_pooler_reply_once(network: Network, tmp_path: Path) -> None:
    """The kills often hit both, the lanes ask either, and the database is restarted in the midst of it."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running_postgres(restarts=True))
            pooler = stack.enter_context(running_pooler(server, retry_seconds=1))
        except (PostgresUnavailable, PoolerUnavailable) as lacking:
            missing(str(lacking))
        database = Database(server, server.create_database("ledger"), pooler.url("ledger"))
        plan = Plan(mentions=20, seed=2, bots=2, lanes=3, database=database, restarts=1, brief=True)
        outcome = soak(plan, network, tmp_path)
    report(outcome)

    assert [] == outcome.problems
