"""The arithmetic of the benchmarks' table, what it looks like, and that those of the ledger still run."""

import json
from pathlib import Path

import pytest

from tests.bench import ingest, life
from tests.bench.places import SQLITE, Places
from tests.bench.table import compared, header, interleaved, shown, write
from tests.postgres import PostgresServer


def test_a_line_is_the_median_of_the_ratios_and_not_the_ratio_of_the_medians() -> None:
    """A round in which the machine was slow counts as one ratio like any other."""
    line = compared("ingest", "SQLite", "documents/s", [(10, 20), (3, 30), (8, 10)])

    assert (8, 20, 0.5) == (line.ours, line.against, line.ratio)


def test_the_spread_is_how_far_the_rounds_lie_apart() -> None:
    """As a part of their median."""
    assert 1.4 == round(compared("a", "b", "c", [(10, 20), (3, 30), (8, 10)]).spread, 3)


def test_an_aim_is_met_from_its_own_side() -> None:
    """At least for a rate, at most for a time; without an aim nothing is met or missed."""
    half = [(1.0, 2.0)]

    found = [compared("a", "b", "c", half, **aim) for aim in ({"at_least": 0.5}, {"at_least": 0.6}, {"at_most": 0.4})]

    assert [(0.5, True), (0.6, False), (0.4, False)] == [(line.aim, line.met) for line in found]
    assert (None, None) == (compared("a", "b", "c", half).aim, compared("a", "b", "c", half).met)


def test_rounds_are_done_in_turns_and_every_other_one_backwards() -> None:
    """No measure always comes after the same other one; its figures stay in its own place."""
    done: list[str] = []

    def measure(name: str, figure: float) -> float:
        done.append(name)
        return figure

    rounds = interleaved(3, lambda: measure("ours", 1.0), lambda: measure("floor", 2.0))

    assert ["ours", "floor", "floor", "ours", "ours", "floor"] == done
    assert [(1.0, 2.0)] * 3 == rounds


def test_the_table_is_aligned() -> None:
    """Each figure stands under its word, with the aim that was missed in capitals."""
    line = shown(compared("life", "PostgreSQL", "documents/s", [(1234.0, 2468.0)], at_least=0.7))

    assert header().index("met") + len("met") == len(line)
    assert line.endswith("NO")
    assert "1,234" in line


def test_machines_get_exactly_the_fields_of_the_table(tmp_path: Path) -> None:
    """A list of objects."""
    write(tmp_path / "bench.json", [compared("life", "SQLite", "ms", [(1.0, 2.0)])])

    [found] = json.loads((tmp_path / "bench.json").read_text())
    assert ["name", "backend", "ours", "against", "ratio", "spread", "aim", "met", "unit"] == list(found)


@pytest.mark.slow
@pytest.mark.parametrize("backend", [SQLITE, "PostgreSQL"])
def test_ingest_and_life_are_measured(backend: str, tmp_path: Path, pg_server: PostgresServer) -> None:
    """With a handful of documents: ours against the floor, and on PostgreSQL against two peers."""
    here = Places(tmp_path, pg_server)

    try:
        found = [*ingest.measured(here, backend, 4, 1), *life.measured(here, backend, 1, 3)]
    finally:
        here.leave()

    assert ([4, 2] if backend == SQLITE else [6, 4]) == [len(each) for each in found]
    assert all(figure > 0 for each in found for figure in each)
