"""The doctor's look at the ways to PostgreSQL, and at which of several bots does the rounds."""

from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import make_url

from bot.ledger.leases import ROUNDS
from bot.ledger.ledger import Ledger
from tests.bot.terminal.prompt import Prompt, findings
from tests.pooler import Pooler
from tests.postgres import PostgresServer

pytestmark = pytest.mark.postgres
NOBODY = {f"SKYWRIGHT_{name}_URL": "http://127.0.0.1:1" for name in ("ADMIN", "LANE", "APPS")}
DATABASE, DIRECT = "SKYWRIGHT_DATABASE_URL", "SKYWRIGHT_DATABASE_DIRECT_URL"
POSTGRESQL = pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)


@pytest.fixture
def pooled(prompt: Prompt, pooler: Pooler) -> Prompt:
    """Whoever has the ledger behind a pooler, and the way round it."""
    direct = prompt.env[DATABASE]
    return prompt.having(**NOBODY, **{DATABASE: pooler.url(make_url(direct).database or ""), DIRECT: direct})


@POSTGRESQL
def test_both_ways_are_looked_at(pooled: Prompt) -> None:
    """They lead to one database, and one of them by a pooler."""
    told = findings(pooled)

    assert ["ok"] * 4 == [told[name]["state"] for name in ("database", "pooler", "direct address", "schema")]
    assert "it is before PostgreSQL" in told["pooler"]["told"]


@POSTGRESQL
def test_a_pooler_of_which_nobody_told(pooled: Prompt, prompt: Prompt) -> None:
    """It is seen, and in which mode it is a person knows; without one there is nothing to say."""
    unsaid, none = findings(pooled.having(**{DIRECT: ""})), findings(prompt.having(**NOBODY))

    assert ("warn", True) == (unsaid["pooler"]["state"], f"set {DIRECT}" in unsaid["pooler"]["mend"])
    assert not {"pooler", "direct address"} & (none.keys() | unsaid.keys() - {"pooler"})


@POSTGRESQL
def test_ways_round_that_are_none(pooled: Prompt, pg_server: PostgresServer) -> None:
    """One that nobody answers at, another database, and the pooler once more; no password is told."""
    away = "postgresql+psycopg://u:hunter2@127.0.0.1:1/x"
    ways = [away, pg_server.url("postgres"), pooled.env[DATABASE]]
    told = [findings(pooled.having(**{DIRECT: way}))["direct address"] for way in ways]

    assert ["fail"] * 3 == [each["state"] for each in told]
    assert [True] * 3 == [
        words in each["told"]
        for words, each in zip(("does not answer", "another database", "a pooler is on that way"), told, strict=True)
    ]
    assert "hunter2" not in str(told)


@POSTGRESQL
def test_a_way_round_that_nobody_needs(prompt: Prompt) -> None:
    """All is well, and the setting is more than it takes."""
    told = findings(prompt.having(**NOBODY, **{DIRECT: prompt.env[DATABASE]}))

    assert ("ok", True) == (told["pooler"]["state"], "not needed" in told["pooler"]["told"])


def test_a_pooler_that_forgets(pooler: Pooler, pg_server: PostgresServer) -> None:
    """The database says of each new session that it need not keep what is committed: no bot would start."""
    name = "forgetful"
    direct = pg_server.create_database(name)
    with psycopg.connect(pg_server.conninfo(), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    told = findings(Prompt({**NOBODY, DATABASE: pooler.url(name), DIRECT: direct}))["pooler"]
    pg_server.drop_database(name)

    assert "fail" == told["state"]
    assert "SET synchronous_commit = on" in told["told"]


def test_a_setting_that_is_no_address() -> None:
    """It is named, and its value is not."""
    result = Prompt({**NOBODY, DIRECT: "mysql://u:hunter2@h/x"}).run("doctor")

    assert f"{DIRECT}: Value error, not an address of PostgreSQL" in result.stdout
    assert "hunter2" not in result.output


@POSTGRESQL
def test_who_does_the_rounds(prompt: Prompt, ledger: Ledger) -> None:
    """Nobody, or the bot that has the lease, for how long."""
    none = findings(prompt.having(**NOBODY))["rounds"]
    ledger.leases.take(ROUNDS, "box:7:ab", timedelta(minutes=1))
    told = findings(prompt.having(**NOBODY))["rounds"]

    assert ("warn", "no bot does the rounds") == (none["state"], none["told"])
    assert ("ok", True) == (told["state"], told["told"].startswith("box:7:ab does them, for "))
