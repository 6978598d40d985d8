"""Moving a ledger to PostgreSQL: whole, or gone on with wherever it was cut short, and never two of them in use."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import Connection, delete, insert, text, update

from bot.clock import Clock
from bot.errors import BadBackup, LedgerBehind, LedgerInUse, NotDone
from bot.ledger.copying import Told
from bot.ledger.engine import Database, open_database
from bot.ledger.leases import ROUNDS, Leases
from bot.ledger.ledger import Ledger
from bot.ledger.moving import move_ledger, stay
from bot.ledger.policy import LedgerPolicy
from bot.ledger.schema import check_schema, differences, downgrade, migrate
from bot.ledger.selection import Selection
from bot.ledger.tables import documents, moves, people, searched, usage
from tests.bot.ledger.samples import fill, rows_of
from tests.bot.ledger.steps import STARTS, received
from tests.documents import newest
from tests.ledger_fixtures import slug_for
from tests.postgres import PostgresServer

pytestmark = [pytest.mark.slow, pytest.mark.postgres]
THERE = "postgresql://wright@db.example/ledger"


class Killed(BaseException):
    """The process is gone."""


@pytest.fixture
def target(pg_server: PostgresServer) -> Iterator[Database]:
    """An empty PostgreSQL database."""
    name = f"moved_{uuid4().hex}"
    database = open_database(pg_server.create_database(name), Clock())
    yield database
    database.close()
    pg_server.drop_database(name)


@dataclass
class After:
    """Dies after so many words about how far it is."""

    left: int

    def __call__(self, _table: str, _done: int, _whole: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed


def move(source: Database, target: Database, told: Told = lambda *_: None) -> None:
    move_ledger(source, target, THERE, uuid4().hex, told, batch=3)


def well_filled(ledger: Ledger) -> None:
    """Every status with its history, a row in every table, and what people have written who mean no good."""
    for number, make in enumerate(STARTS.values()):
        make(ledger, f"3k{number}")
    for number, ask in enumerate(["a kettle \0", "a kettle \ud800", "a kettle 🎉", "a kettle \\u0000 '\";--\t\n"]):
        received(ledger, f"3kodd{number}", ask=ask)
    fill(ledger.db, "sample")


def without(rows: dict[str, list[dict[str, object]]]) -> dict[str, list[dict[str, object]]]:
    """All but the leases, which are processes', and what stands while a ledger moves."""
    told = {table: found for table, found in rows.items() if table not in ("leases", "moving")}
    told["conditions"] = [row for row in told["conditions"] if row["name"] != "ledger_moved"]
    return told


def plain(database: Database) -> dict[str, list[dict[str, object]]]:
    """Every row, its moments aware and its order the same on both databases."""

    def same(value: object) -> object:
        return value.replace(tzinfo=None) if isinstance(value, datetime) else value

    return without(
        {
            table: sorted(({name: same(value) for name, value in row.items()} for row in rows), key=repr)
            for table, rows in rows_of(database).items()
        }
    )


def test_a_ledger_arrives_as_it_was(ledger: Ledger, target: Database) -> None:
    """Every row of every table; search, numbers and rules work on, and the old one says where it went."""
    well_filled(ledger)
    before, ids = plain(ledger.db), [document.id for document in newest(ledger, 99)]
    kettles, _ = ledger.pages.page(Selection(text="kettle"), 9)
    last = ledger.feed.last()
    move(ledger.db, target)

    moved = Ledger(target, LedgerPolicy(), slug_for)
    check_schema(target)
    assert before == plain(target)
    assert [] == differences(target)
    assert ids == [document.id for document in newest(moved, 99)]
    assert kettles == moved.pages.page(Selection(text="kettle"), 9)[0]
    assert last == moved.feed.last()
    received(moved, "3knew", ask="a kettle")
    assert (last + 1, len(kettles) + 1) == (moved.feed.last(), moved.pages.count(Selection(text="kettle")))
    with pytest.raises(LedgerBehind, match=rf"has moved to {THERE}: set SKYWRIGHT_DATABASE_URL"):
        check_schema(ledger.db)
    with pytest.raises(LedgerBehind, match="has moved to"):
        migrate(ledger.db)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_a_move_that_is_cut_short_goes_on(ledger: Ledger, target: Database) -> None:
    """Wherever it died: until it is whole nobody opens either of the two, and no row is copied twice."""
    well_filled(ledger)
    before = plain(ledger.db)
    deaths = 0
    while deaths < 99:
        try:
            move(ledger.db, target, After(2 + 5 * deaths))
            break
        except Killed:
            deaths += 1
            for database, why in ((ledger.db, "is being moved to"), (target, "is being moved here")):
                with pytest.raises(LedgerBehind, match=why):
                    check_schema(database)

    assert 5 < deaths < 99
    assert before == plain(target)
    check_schema(target)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("step", ["bot.ledger.moving._put", "bot.ledger.copying.put_fence"])
def test_a_move_that_dies_at_its_end_goes_on(
    ledger: Ledger, target: Database, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is copied and compared, and the old ledger is closed or is not, the new one open or not."""
    received(ledger)
    calls = []

    def dies(*given: object) -> None:
        calls.append(given)
        if len(calls) == 2:
            raise Killed
        original(*given)

    module, _, name = step.rpartition(".")
    original = getattr(__import__(module, fromlist=[name]), name)
    with monkeypatch.context() as patch:
        patch.setattr(step, dies)
        with pytest.raises(Killed):
            move(ledger.db, target)
    with pytest.raises(LedgerBehind):
        check_schema(ledger.db)
    with pytest.raises(LedgerBehind):
        check_schema(target)
    move(ledger.db, target)

    check_schema(target)
    with pytest.raises(NotDone, match=r"has moved to .* already"):
        move(ledger.db, target)


def test_a_move_is_taken_back(ledger: Ledger, target: Database) -> None:
    """The old ledger may be opened again, and its next move begins in another database."""
    received(ledger)
    with pytest.raises(Killed):
        move(ledger.db, target, After(5))

    assert (True, False) == (stay(ledger.db), stay(ledger.db))
    check_schema(ledger.db)
    assert [] == ledger.conditions.standing()
    with pytest.raises(NotDone, match="a part of another move"):
        move(ledger.db, target)


def test_a_ledger_with_a_bot_on_it_does_not_move(ledger: Ledger, target: Database) -> None:
    """On PostgreSQL it is known by its lease; once that is over nobody is there."""
    Leases(ledger.db).take(ROUNDS, "bot-1", timedelta(minutes=1))

    with pytest.raises(LedgerInUse, match="bot-1"):
        move(ledger.db, target)
    check_schema(ledger.db)
    Leases(ledger.db).give_up(ROUNDS, "bot-1")
    move(ledger.db, target)


def test_only_an_empty_database_is_moved_to(ledger: Ledger, target: Database) -> None:
    """Empty, or with an empty ledger in it; nothing is ever written over."""
    received(ledger)
    with target.write() as connection:
        connection.execute(text("CREATE TABLE accounts (id int)"))
    with pytest.raises(NotDone, match="holds something already"):
        move(ledger.db, target)
    with target.write() as connection:
        connection.execute(text("DROP TABLE accounts"))
    migrate(target)
    other = Ledger(target, LedgerPolicy(), slug_for)
    received(other, "3kother")
    with pytest.raises(NotDone, match="holds a ledger already"):
        move(ledger.db, target)
    check_schema(target)
    downgrade(target, "base")
    migrate(target)
    move(ledger.db, target)

    assert ["mention:did:plc:alice:3kfirst"] == [document.id for document in newest(other, 9)]


@pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
def test_a_ledger_does_not_move_to_where_it_is(ledger: Ledger, target: Database) -> None:
    """Nor to where one has moved away from; it stays open to all."""
    received(ledger)
    with pytest.raises(NotDone, match="is there already"):
        move(ledger.db, ledger.db)
    check_schema(ledger.db)
    move(ledger.db, target)
    with pytest.raises(NotDone, match="has moved, or is to move"):
        move(target, ledger.db)
    check_schema(target)


def _number_that_is_none(connection: Connection) -> None:
    connection.execute(insert(usage).values(scope="s", window="w", n=2**40))


def _history_that_lies(connection: Connection) -> None:
    connection.execute(update(documents).values(status="skipped"))


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("damage", "why"), [(_number_that_is_none, "out of range"), (_history_that_lies, "the history does not tell")]
)
def test_what_cannot_arrive_as_it_was_stays(
    ledger: Ledger, target: Database, damage: Callable[[Connection], None], why: str
) -> None:
    """It is told, and the old ledger may be used on."""
    received(ledger)
    with ledger.db.write() as connection:
        damage(connection)

    with pytest.raises(Exception, match=why):
        move(ledger.db, target)
    stay(ledger.db)
    check_schema(ledger.db)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_rows_that_change_on_the_way_are_found(ledger: Ledger, target: Database) -> None:
    """All that arrived is read once more, and compared."""
    well_filled(ledger)

    def told(table: str, _done: int, _whole: int) -> None:
        if table.startswith("comparing"):
            with target.write() as connection:
                connection.execute(update(people).values(reason="another"))

    with pytest.raises(BadBackup, match="people did not arrive"):
        move(ledger.db, target, told)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_a_row_that_was_never_read_is_missed(ledger: Ledger, target: Database) -> None:
    """A document that no search knows of would stay behind without a word: the source is counted as well."""
    received(ledger)
    with ledger.db.write() as connection:
        connection.execute(delete(searched))
        connection.execute(delete(moves))

    with pytest.raises(BadBackup, match="1 rows of documents, and 0 arrived"):
        move(ledger.db, target)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_text_that_postgresql_refuses_arrives_without_what_it_refuses(ledger: Ledger, target: Database) -> None:
    """SQLite takes NUL and bytes that are no UTF-8 in any column, be it only by hand."""
    odd = "INSERT INTO parked VALUES ('d' || char(0), 'a', '{}', CAST(x'6bff6b' AS TEXT), '2026-03-02 12:00:00.000000')"
    with ledger.db.write() as connection:
        connection.execute(text(odd))
    move(ledger.db, target)

    assert [("d\ufffd", "k\ufffdk")] == [(row["digest"], row["problem"]) for row in rows_of(target)["parked"]]
