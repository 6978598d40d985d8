"""All that guardrails may use is listed here; the import contract, the other way round, lists what it may not."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

GUARDRAILS = Path(__file__).parent.parent / "guardrails"
ALLOWED = {
    "guardrails", "pydantic", "pydantic_core", "regex",
    "base64", "binascii", "collections", "contextlib", "dataclasses", "datetime", "decimal", "difflib", "enum",
    "fractions", "functools", "hashlib", "hmac", "io", "ipaddress", "itertools", "json", "math", "operator", "re",
    "stat", "string", "struct", "textwrap", "threading", "tomllib", "types", "typing", "unicodedata", "zipfile", "zlib",
}  # fmt: skip
# Allowed modules and the language itself have doors to the world as well.
DOORS = {"open", "print", "input", "eval", "exec", ".now", ".utcnow", ".today", ".extract", ".extractall"}


def imports(tree: ast.AST) -> Iterator[str]:
    """The top-level names of everything that is imported anywhere in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or ".").split(".")[0]


def calls(tree: ast.AST) -> Iterator[str]:
    """The names of everything that is called anywhere in the file, a method's with its dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name):
                    yield name
                case ast.Attribute(attr=name):
                    yield f".{name}"


@pytest.mark.parametrize("path", sorted(GUARDRAILS.rglob("*.py")), ids=lambda path: path.name)
def test_a_rule_cannot_look_at_the_world(path: Path) -> None:
    """No clock, network, disk, environment or database: the same facts give the same judgement, on any machine."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    printed = {"sys"} if path.name in ("lifecycle.py", "rules_example.py") else set()  # run as programs, they print

    assert set() == set(imports(tree)) - ALLOWED - printed
    assert set() == set(calls(tree)) & DOORS


def test_a_look_at_the_world_would_be_seen() -> None:
    """The search itself works."""
    tree = ast.parse("import os.path\nfrom time import time\nopen('x')\ndatetime.now()")

    assert {"os", "time"} == set(imports(tree)) - ALLOWED
    assert {"open", ".now"} == set(calls(tree)) & DOORS


def test_only_what_is_known_to_starts_another_program() -> None:
    """The bot for a dump of its ledger, and the demo its lane; a lane shuts in whatever it starts."""
    root = GUARDRAILS.parent
    starting = {
        str(path.relative_to(root))
        for package in ("bot", "builder")
        for path in (root / package).rglob("*.py")
        if {"subprocess", "pty", "multiprocessing"} & set(imports(ast.parse(path.read_text())))
    }

    assert {"bot/terminal/demo.py", "bot/terminal/dumps.py", "builder/isolation/run.py"} == starting
