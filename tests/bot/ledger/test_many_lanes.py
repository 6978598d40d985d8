"""Eight lanes, each by a connection of its own, build what waits: each document once, and none is left."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from sqlalchemy import insert, make_url, select

from bot.clock import Clock
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.tables import documents
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId
from guardrails.transitions import Status
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import claim_id_of, claim_next, done, pending
from tests.ledger_fixtures import slug_for
from tests.pooler import Pooler
from tests.postgres_copies import DatabaseCopies

pytestmark = pytest.mark.slow
LANES = 8
Opens = Callable[[str, str | None], Ledger]


@pytest.fixture
def opens(ledger_clock: Clock) -> Iterator[Opens]:
    """Opens a ledger by an address, straight or through a pooler, with connections of its own."""
    opened: list[Ledger] = []

    def opens(url: str, direct_url: str | None = None) -> Ledger:
        opened.append(open_ledger(url, ledger_clock, LedgerPolicy(), slug_for, direct_url))
        return opened[-1]

    yield opens
    for ledger in opened:
        ledger.close()


def wait_for_lanes(ledger: Ledger, number: int) -> None:
    """So many asks are let through: one as they are, and its likes."""
    first = pending(ledger, "3k00000")
    with ledger.db.write() as connection:
        row = connection.execute(select(documents).where(documents.c.id == first.id)).one()._asdict()
        connection.execute(insert(documents), [row | _like(row, f"{n:05}") for n in range(1, number)])


def _like(row: Mapping[str, Any], number: str) -> dict[str, str]:
    """What another of its kind has of its own."""
    named = {name: row[name].replace("3k00000", f"3k{number}") for name in ("id", "source_uri")}
    return named | {"page": number.zfill(32)}


def builds_all(ledger: Ledger, number: int) -> list[str]:
    """What one lane has built and reported when nothing was left to claim."""
    lane, mine = Caller(Role.LANE, DeviceId(f"lane-{number}")), list[str]()
    while (claimed := claim_next(ledger, lane)) is not None:
        mine.append(claimed.document.id)
        assert Status.BUILT is ledger.claims.report(lane, claim_id_of(claimed), done())
    return mine


def check_each_was_built_once(ledgers: list[Ledger], number: int) -> None:
    answers = at_once([partial(builds_all, ledger, lane) for lane, ledger in enumerate(ledgers)])
    assert [] == [answer for answer in answers if isinstance(answer, BaseException)]
    counted = Counter(document for answer in answers for document in answer)

    assert (number, {1}) == (len(counted), set(counted.values()))
    assert number == ledgers[0].pages.counts()[Status.BUILT]
    with ledgers[0].db.read() as connection:
        attempts = connection.exec_driver_sql("SELECT count(*), min(outcome), max(outcome) FROM attempts").one()
    assert (number, "done", "done") == tuple(attempts)


@pytest.mark.timeout(120)
def test_on_postgresql_half_of_them_through_a_pooler(
    opens: Opens, pooler: Pooler, postgresql_copies: DatabaseCopies
) -> None:
    """Two thousand documents; the pooler has three connections for its four lanes, and none of its own for one."""
    with postgresql_copies.lent() as url:
        pooled = pooler.url(make_url(url).database or "")
        ledgers = [opens(pooled, url) if lane % 2 else opens(url, None) for lane in range(LANES)]
        wait_for_lanes(ledgers[0], 2000)
        check_each_was_built_once(ledgers, 2000)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_on_sqlite(opens: Opens, ledger_url: str) -> None:
    """Which has one writer at a time."""
    ledgers = [opens(ledger_url, None) for _ in range(LANES)]
    wait_for_lanes(ledgers[0], 100)
    check_each_was_built_once(ledgers, 100)
