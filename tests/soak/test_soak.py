"""One reply to each mention, whatever the network does and whoever is killed; `make soak` is the long run."""

from pathlib import Path

import pytest

from tests.network.net import Network
from tests.postgres import PostgresServer
from tests.soak.soak import Database, Plan, report, soak

pytestmark = pytest.mark.slow


def test_forty_mentions_get_forty_replies(network: Network, tmp_path: Path) -> None:
    """One bot on SQLite. Every kind of fault has hit a write, or the run would prove too little."""
    outcome = soak(Plan(mentions=40, seed=1, brief=True), network, tmp_path)
    report(outcome)

    assert [] == outcome.problems


def test_two_bots_on_one_ledger_reply_once(network: Network, tmp_path: Path, pg_server: PostgresServer) -> None:
    """Both read, judge and send at the same time, and the kills often hit both."""
    url = pg_server.create_database("ledger_of_two_bots")
    outcome = soak(Plan(mentions=20, seed=2, bots=2, database=Database(pg_server, url), brief=True), network, tmp_path)
    report(outcome)
    pg_server.drop_database("ledger_of_two_bots")

    assert [] == outcome.problems
