"""Stories are told on one database each, half of them on either; `--both-databases` tells every story on both.

What differs between the two is the store, whose own tests always run on both. A story is ten times as long, and a
thousand of them would take longer than anybody waits before a merge.
"""

from pathlib import Path
from zlib import crc32

import pytest

STORIES = Path(__file__).parent / "scenarios"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--both-databases", action="store_true", help="tell every story on SQLite and on PostgreSQL")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--both-databases"):
        return
    told: list[pytest.Item] = []
    untold: list[pytest.Item] = []
    for item in items:
        (told if database_of(item) in (None, drawn_for(item.nodeid)) else untold).append(item)
    config.hook.pytest_deselected(items=untold)
    items[:] = told


def database_of(item: pytest.Item) -> str | None:
    """The database of a story that is told on both; None for any other test."""
    callspec = getattr(item, "callspec", None)
    if STORIES not in item.path.parents or callspec is None or _names_its_own(item):
        return None
    database: str | None = callspec.params.get("ledger_url")
    return database


def drawn_for(nodeid: str) -> str:
    """The database that a story is told on: always the same, whatever is run beside it."""
    story = nodeid.replace("postgresql", "").replace("sqlite", "")
    return "postgresql" if crc32(story.encode()) % 2 else "sqlite"


def _names_its_own(item: pytest.Item) -> bool:
    return any("ledger_url" in str(mark.args[0]) for mark in item.iter_markers("parametrize"))
