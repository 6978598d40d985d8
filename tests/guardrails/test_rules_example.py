"""The example file: every rule, as it is built in."""

from pathlib import Path

import regex

from guardrails.rules import Rules, read_rules
from guardrails.rules_example import example

FILE = Path(__file__).parents[2] / "deploy" / "guardrails.example.toml"
KEYS = [(table, key) for table, field in Rules.model_fields.items() for key in type(field.default).model_fields]


def test_the_example_is_as_the_rules_are() -> None:
    """A stale one fails: run `make rules`."""
    assert example() == FILE.read_text(encoding="utf-8")


def test_the_example_changes_nothing() -> None:
    """As it is, and with every key switched on."""
    assert Rules() == read_rules(example())
    assert Rules() == read_rules(regex.sub(r"(?m)^#(?=\w+ = )", "", example()))


def test_the_example_names_every_key() -> None:
    """In its own table, with a line on what it means right above it."""
    table, named = "", []
    lines = example().splitlines()
    for above, line in zip(["", *lines], lines, strict=False):
        if line.startswith("["):
            table = line.strip("[]")
        elif setting := regex.match(r"#(\w+) = ", line):
            named.append((table, setting[1]))
            assert above.startswith("# ")

    assert KEYS == named


def test_the_example_says_what_may_stand_there() -> None:
    """The bounds of a number, and each of the words to choose from."""
    assert "# Builds under way at the same time (1 to 10000)\n#at_once = 20\n" in example()
    assert '# Whether an ask over a cap waits or is skipped (wait, skip)\n#when_full = "wait"\n' in example()
