"""What SECURITY.md promises is seen by tests that are there."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "SECURITY.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::((?:Test\w+::)?test_\w+)`")


def lines(page: str) -> Iterator[str]:
    """The lines of the tables, without their heads."""
    is_body = False
    for line in page.splitlines():
        is_body = line.startswith("|") and (is_body or line.startswith("|---"))
        if is_body and not line.startswith("|---"):
            yield line


@cache
def in_file(path: str) -> frozenset[str]:
    """The tests of a file, which is not imported."""
    file = ROOT / path
    tree = ast.parse(file.read_text()) if file.is_file() else ast.Module([], [])
    named = ((f"{group.name}::", group.body) for group in tree.body if isinstance(group, ast.ClassDef))
    return frozenset(
        before + node.name
        for before, body in (("", tree.body), *named)
        for node in body
        if isinstance(node, ast.FunctionDef)
    )


def test_each_line_of_the_page_names_a_test() -> None:
    """What nothing would notice is no promise."""
    promises = list(lines(PAGE.read_text()))

    assert [] == [line for line in promises if NAMED.search(line) is None]
    assert 50 < len(promises)


def test_each_test_that_the_page_names_is_there() -> None:
    """One that was renamed is named anew, and one that was removed takes its line with it."""
    named = {match.groups() for match in NAMED.finditer(PAGE.read_text())}

    assert [] == sorted(f"{path}::{name}" for path, name in named if name not in in_file(path))
    assert PAGE.read_text().count("`tests/") == len(NAMED.findall(PAGE.read_text()))


def test_the_page_says_where_to_report() -> None:
    """Privately, and first."""
    assert PAGE.read_text().startswith("# Security\n\n## Reporting\n\nPlease report a weakness privately")


def test_a_line_is_found_wherever_its_table_is() -> None:
    """The reader of tables reads all of them, and no head."""
    assert ["| a | b |", "| c |"] == list(lines("x\n| head |\n|---|\n| a | b |\n\n| head |\n|---|\n| c |\nend"))
