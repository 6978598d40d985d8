"""Behind a pooler in transaction mode the ledger does what it does elsewhere, and leaves nothing on a connection."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy.exc import ArgumentError

from bot.clock import Clock
from bot.errors import NotDurable
from bot.ledger.durability import check_durable, is_behind_a_pooler
from bot.ledger.engine import Database, open_database
from bot.ledger.ledger import Ledger
from bot.ledger.schema import current_revision, downgrade, head_revision, migrate
from guardrails.transitions import Status
from tests.bot.ledger import test_claim_races, test_leases, test_send_races
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import replied
from tests.pooler import SERVER_CONNECTIONS, Pooler
from tests.postgres import PostgresServer

pytestmark = [pytest.mark.slow, pytest.mark.postgres]
# Told here as well: what is decided by one statement, whoever's connection it goes by.
test_eight_lanes_share_sixty_documents = test_claim_races.test_eight_lanes_share_sixty_documents
test_the_same_claim_twice_at_once_is_one_claim = test_claim_races.test_the_same_claim_twice_at_once_is_one_claim
test_of_two_who_take_over_one_wins = test_claim_races.test_of_two_who_take_over_one_wins
test_a_late_report_and_a_takeover_cannot_both_win = test_claim_races.test_a_late_report_and_a_takeover_cannot_both_win
test_a_reply_and_a_withdrawal_cannot_both_win = test_send_races.test_a_reply_and_a_withdrawal_cannot_both_win
test_of_eight_senders_one_wins = test_send_races.test_of_eight_senders_one_wins
test_one_has_it_until_its_end = test_leases.test_one_has_it_until_its_end
# What a client may have set on the connection that the next one gets: of what the pooler itself sets, nothing.
LEFT = """
SELECT (SELECT count(*) FROM pg_prepared_statements), current_setting('idle_in_transaction_session_timeout'),
       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), pg_backend_pid()
"""


@pytest.fixture
def ledger(pooled_ledger: Ledger) -> Ledger:
    """The ledger of every test here."""
    return pooled_ledger


@pytest.fixture
def databases(pg_server: PostgresServer) -> Iterator[tuple[str, str]]:
    """The names of two databases with nothing in them."""
    one, other = (f"pooled_{uuid4().hex}" for _ in range(2))
    for name in (one, other):
        pg_server.create_database(name)
    yield one, other
    for name in (one, other):
        pg_server.drop_database(name)


def test_more_clients_than_connections(ledger: Ledger, pooler: Pooler) -> None:
    """They take turns; what they leave for the next one is neither a setting nor a statement nor a lock."""
    done = at_once([partial(replied, ledger, f"3k{n}") for n in range(4 * SERVER_CONNECTIONS)])
    assert {Status.REPLIED} == {document.status for document in done}

    name = ledger.db.direct.url.database or ""
    with ExitStack() as stack:
        told = []
        for _ in range(SERVER_CONNECTIONS):
            # Each in a transaction that stays open, so that the next gets another connection.
            client = stack.enter_context(psycopg.connect(pooler.conninfo(name), prepare_threshold=None))
            told.append(client.execute(LEFT).fetchone())
    assert {(0, "0", 0)} == {each[:3] for each in told if each is not None}
    assert SERVER_CONNECTIONS == len({each[3] for each in told if each is not None})


def test_the_way_round_keeps_what_it_is_told(ledger: Ledger) -> None:
    """Whoever listens by it is woken by what is written through the pooler."""
    with closing(ledger.db.direct_connection()) as direct:
        direct.execute("LISTEN bell")
        with ledger.db.write() as connection:
            connection.exec_driver_sql("NOTIFY bell, '7'")

        assert ["7"] == [heard.payload for heard in direct.notifies(timeout=20, stop_after=1)]
        assert [("on",)] == direct.execute("SHOW synchronous_commit").fetchall()


def test_migrations_go_round_it(pooler: Pooler, pg_server: PostgresServer, databases: tuple[str, str]) -> None:
    """As far as the pooler's own address is concerned, nobody may be there."""
    name, other = databases
    db = open_database(pooler.url(other), Clock(), pg_server.url(name))
    straight = open_database(pg_server.url(name), Clock())
    migrate(db)

    assert (None, head_revision()) == (current_revision(db), current_revision(straight))
    downgrade(db, "base")
    assert current_revision(straight) is None
    for each in (db, straight):
        each.close()


@pytest.mark.parametrize(("mode", "keeps"), [("off", False), ("local", False), ("remote_apply", True), ("on", True)])
def test_what_may_be_forgotten_is_not_written(
    pooler: Pooler, pg_server: PostgresServer, databases: tuple[str, str], mode: str, keeps: bool
) -> None:
    """No bot starts, and it says what to run; a session that is not shared says by itself what it wants."""
    name, _ = databases
    with psycopg.connect(pg_server.conninfo(), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = {mode}")
    direct = open_database(pg_server.url(name), Clock())
    db = open_database(pooler.url(name), Clock(), pg_server.url(name))

    check_durable(direct)
    if keeps:
        check_durable(db)
    else:
        mend = f"ALTER ROLE postgres IN DATABASE {name} SET synchronous_commit = on"
        with pytest.raises(NotDurable, match=rf"synchronous_commit is {mode} .*{mend}"):
            check_durable(db)
    for each in (db, direct):
        each.close()


def test_a_pooler_is_seen(ledger: Ledger) -> None:
    """Whatever its settings are called; on the way round there is none."""
    assert (True, False) == (is_behind_a_pooler(ledger.db.engine), is_behind_a_pooler(ledger.db.direct))


def test_a_way_round_that_leads_elsewhere() -> None:
    """It is told without its address, which may hold a password."""

    def opened(direct_url: str) -> Database:
        return open_database("postgresql://u:hunter2@127.0.0.1:1/x", Clock(), direct_url)

    assert opened("postgresql://127.0.0.1:1/x").is_pooled
    with pytest.raises(ArgumentError) as refused:
        opened("mysql://u:hunter2@127.0.0.1/x")
    assert "hunter2" not in str(refused.value)
