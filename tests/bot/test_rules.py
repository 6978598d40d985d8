"""The rules of a file are in force until it is read anew without a fault."""

import os
from pathlib import Path

import pytest

from bot.rules import LARGEST_BYTES, RulesFile, load_rules
from guardrails.errors import BadRules
from guardrails.rules import Rules
from tests.rules_file import write_rules


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with one rule of its own."""
    path = tmp_path / "guardrails.toml"
    path.write_text("[caps]\nauthor_per_hour = 2\n")
    return path


def test_without_a_file_the_built_in_rules_are_in_force() -> None:
    """A bot needs no file."""
    assert Rules() == RulesFile(None)()


def test_the_rules_of_a_file_are_in_force(file: Path) -> None:
    """What it leaves out is as built in; a mark at its beginning, as some editors leave it, is none of its words."""
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())

    rules = RulesFile(file)()

    assert (2, Rules().caps.author_per_day) == (rules.caps.author_per_hour, rules.caps.author_per_day)


def test_a_file_may_hold_every_rule(tmp_path: Path) -> None:
    """Of every type, and in any script."""
    rules = Rules.model_validate({"fit": {"words": ("épée", "𠮷野家")}, "approval": {"policy": "all"}}, strict=False)

    assert rules == RulesFile(write_rules(rules, tmp_path / "all.toml"))()


def test_a_file_that_is_changed_counts_once_it_is_read_anew(file: Path) -> None:
    """Not before: half of an edit is nobody's policy."""
    rules = RulesFile(file)
    file.write_text("[caps]\nauthor_per_hour = 1\n")

    assert 2 == rules().caps.author_per_hour
    assert 1 == rules.reload().caps.author_per_hour == rules().caps.author_per_hour


def test_a_bad_file_leaves_the_old_rules_in_force(file: Path) -> None:
    """Each problem names the file and the key."""
    rules = RulesFile(file)
    before = rules()
    file.write_text("[caps]\nauthor_per_our = 1\nall_per_day = 'many'\n")

    with pytest.raises(BadRules) as bad:
        rules.reload()

    assert before is rules()
    assert [f"{file}: caps.author_per_our", f"{file}: caps.all_per_day"] == sorted(
        (":".join(problem.split(":")[:2]) for problem in bad.value.problems), reverse=True
    )


def test_a_wish_to_read_anew_is_fulfilled_once(file: Path) -> None:
    """By the next reading, also by one that fails."""
    rules = RulesFile(file)
    rules.want_reload()
    assert rules.is_reload_wanted

    file.unlink()
    with pytest.raises(BadRules):
        rules.reload()

    assert not rules.is_reload_wanted


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "not UTF-8 text; save it as UTF-8"),
        (b"[caps", "not TOML: "),
        (b"#" * (LARGEST_BYTES + 1), f"more than {LARGEST_BYTES} bytes; is it the right file?"),
    ],
)
def test_what_cannot_be_read_stops_the_start(file: Path, content: bytes, told: str) -> None:
    """With the file's name and the mend."""
    file.write_bytes(content)

    with pytest.raises(BadRules) as bad:
        RulesFile(file)

    (problem,) = bad.value.problems
    assert problem.startswith(f"{file}: {told}")


def test_a_file_that_is_not_there_or_no_file_stops_the_start(tmp_path: Path) -> None:
    """Nobody's rules are dropped because of a typing error in a path."""
    for path in (tmp_path, tmp_path / "none.toml", Path(os.devnull) / "rules"):
        with pytest.raises(BadRules, match=r"cannot be read: .*; mend SKYWRIGHT_RULES or the file"):
            load_rules(path)
