"""No constraint is left out: a copy of a row attacks each key, and of each check there is a test that names it."""

import re
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint, text

from bot.ledger.ledger import Ledger
from bot.ledger.tables import metadata
from tests.bot.ledger.attack import broken_by
from tests.bot.ledger.samples import fill

Key = PrimaryKeyConstraint | UniqueConstraint | Index
# A sample has no claim, and whatever is searched is there once for each document.
BY_HAND = {"uq_documents_claim_id", "pk_searched"}


def keys_of(table: Table) -> list[Key]:
    """What no two rows of a table may share."""
    unique: list[Key] = [index for index in table.indexes if index.unique]
    return unique + [each for each in table.constraints if isinstance(each, PrimaryKeyConstraint | UniqueConstraint)]


def attacks(ledger: Ledger, table: Table) -> Iterator[tuple[str, str]]:
    """What refuses it, and a copy of the table's one row that breaks this key and no other."""
    refer = {column.name: str(each.name) for each in table.foreign_key_constraints for column in each.columns}
    keys = {str(key.name): [column.name for column in key.columns] for key in keys_of(table)}
    for name, columns in keys.items():
        if name not in BY_HAND:
            others = {_free(keys[other], {*columns, *refer}) for other in keys if other != name}
            yield f"{' '.join(f'{table.name}.{each}' for each in columns)}|{name}", _copy(ledger, table, others)
    for column, name in refer.items():
        others = {each[0] for each in keys.values() if column not in each}
        yield f"FOREIGN KEY|{name}", _copy(ledger, table, {column, *others})


def _free(columns: list[str], kept: set[str]) -> str:
    """The column by which this key tells a copy from its row."""
    return next(column for column in columns if column not in kept)


def _copy(ledger: Ledger, table: Table, changed: set[str]) -> str:
    with ledger.db.read() as connection:
        (row,) = connection.execute(text(f'SELECT * FROM "{table.name}"')).mappings()
    other = {name: "+ 1" if isinstance(row[name], int) else "|| 'x'" for name in changed}
    names = [f'"{column.name}"' for column in table.columns]
    values = [f'"{column.name}" {other.get(column.name, "")}' for column in table.columns]
    return f'INSERT INTO "{table.name}" ({", ".join(names)}) SELECT {", ".join(values)} FROM "{table.name}"'


def test_each_key_is_held(ledger: Ledger) -> None:
    """Also that of a table which is to come."""
    fill(ledger.db, "a")
    for table in metadata.sorted_tables:
        for name, attack in attacks(ledger, table):
            broken_by(ledger, name, attack)


def test_each_check_is_attacked_by_its_name() -> None:
    """A new one that nobody attacks is found here."""
    checks = {
        str(each.name)
        for table in metadata.sorted_tables
        for each in table.constraints
        if isinstance(each, CheckConstraint)
    }
    others = [path for path in Path(__file__).parent.glob("test_*.py") if path.name != Path(__file__).name]
    named = re.findall(r"\b(?:ck|pk|uq)_\w+", "".join(path.read_text(encoding="utf-8") for path in others))

    assert set() == (checks | BY_HAND) - set(named)
