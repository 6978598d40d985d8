"""The rules as a file: read strictly, and every mistake named by its path and its mend."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.errors import BadRules
from guardrails.rules import Approval, Below, Rules, WhenFull, micros, read_rules


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(BadRules) as refused:
        read_rules(text)
    return refused.value.problems


KEYS = [(table, key) for table, field in Rules.model_fields.items() for key in type(field.default).model_fields]


def test_an_empty_file_changes_nothing() -> None:
    """What it leaves out is as built in."""
    assert Rules() == read_rules("")
    assert Rules() == read_rules("[caps]\n")


def test_limits_may_be_alike() -> None:
    """An hour that may use up the day."""
    rules = read_rules(
        "[caps]\nauthor_per_hour = 10\nthread_per_day = 500\n[money]\nestimate_usd = 0.5\n"
        "[approval]\npolicy = 'price'\nprice_usd = 0.5\n[moderation]\nhold = ['hate and threats']"
    )

    assert rules.caps.author_per_hour == rules.caps.author_per_day
    assert (rules.caps.thread_per_day, rules.money.estimate_usd) == (rules.caps.all_per_day, rules.money.build_usd)


def test_a_file_says_what_it_says() -> None:
    """And leaves the rest alone."""
    rules = read_rules("""
        [authors]
        allow_list = "at://did:plc:olga/app.bsky.graph.list/3kfriends"
        below_floor = "skip"
        skip_labels = []
        [caps]
        author_per_hour = 1
        when_full = "skip"
        [money]
        day_usd = 20
        [fit]
        patterns = ['order \\d+']
        [approval]
        policy = "all"
    """)

    assert "at://did:plc:olga/app.bsky.graph.list/3kfriends" == rules.authors.allow_list
    assert (Below.SKIP, ()) == (rules.authors.below_floor, rules.authors.skip_labels)
    assert (1, 10, WhenFull.SKIP) == (rules.caps.author_per_hour, rules.caps.author_per_day, rules.caps.when_full)
    assert (20, (r"order \d+",), Approval.ALL) == (rules.money.day_usd, rules.fit.patterns, rules.approval.policy)
    assert Rules().moderation == rules.moderation


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("caps", "not TOML: "),
        ("[caps]\n[caps]", "not TOML: "),
        ("[caps]\nat_once = 1\nat_once = 2", "not TOML: "),
        ("[capss]", "capss: no such key; remove it, or see guardrails.example.toml"),
        ("[caps]\nper_hour = 3", "caps.per_hour: no such key"),
        ("at_once = 3", "at_once: no such key"),
        ("caps = 3", "caps: must be a table"),
        ("[caps]\nat_once = '3'", "caps.at_once: Input should be a valid integer"),
        ("[caps]\nat_once = 3.5", "caps.at_once: Input should be a valid integer"),
        ("[caps]\nat_once = true", "caps.at_once: Input should be a valid integer"),
        ("[caps]\nat_once = 0", "caps.at_once: Input should be greater than or equal to 1"),
        ("[caps]\nat_once = -1", "caps.at_once: Input should be greater than or equal to 1"),
        ("[caps]\nat_once = 10001", "caps.at_once: Input should be less than or equal to 10000"),
        ("[caps]\nwhen_full = 'drop'", "caps.when_full: Input should be 'wait' or 'skip'"),
        (
            "[caps]\nauthor_per_hour = 11",
            "caps.author_per_hour: 11 is more than author_per_day, 10; lower it, or raise",
        ),
        ("[caps]\nauthor_per_day = 501", "caps.author_per_day: 501 is more than all_per_day, 500; lower it, or raise"),
        ("[caps]\nthread_per_day = 501", "caps.thread_per_day: 501 is more than all_per_day, 500"),
        ("[money]\nestimate_usd = 0.6", "money.estimate_usd: 0.6 is more than build_usd, 0.5; lower it, or raise"),
        ("[money]\nbuild_usd = 2", "money.build_usd: 2 is more than author_day_usd, 1"),
        ("[money]\nday_usd = 0.5", "money.author_day_usd: 1 is more than day_usd, 0.5"),
        ("[money]\nestimate_usd = 0", "money.estimate_usd: 0 would switch every cap of money off; name what a build"),
        (
            "[money]\nestimate_usd = 0\nbuild_usd = 0\nauthor_day_usd = 0\nday_usd = 0",
            "money.estimate_usd: 0 would switch every cap of money off",
        ),
        ("[money]\nday_usd = -1", "money.day_usd: Input should be greater than or equal to 0"),
        ("[money]\nday_usd = nan", "money.day_usd: Input should be a finite number"),
        ("[money]\nday_usd = inf", "money.day_usd: Input should be a finite number"),
        ("[ask]\nsame_hours = nan", "ask.same_hours: Input should be less than or equal to 2160"),
        ("[ask]\nsame_hours = 2020-01-01", "ask.same_hours: Input should be a valid number"),
        ("[ask]\nsame_similarity = 0", "ask.same_similarity: Input should be greater than or equal to 0.5"),
        ("[authors]\nskip_bots = 'yes'", "authors.skip_bots: Input should be a valid boolean"),
        ("[authors]\nallow_list = 'my friends'", "authors.allow_list: not an at-uri of a record with a DID"),
        (
            "[authors]\nallow_list = 'at://did:plc:a/app.bsky.feed.post/3k'",
            "authors.allow_list: not the at-uri of an app.bsky.graph.list",
        ),
        ("[authors]\nallow_list = 7", "authors.allow_list: must be a text, in quotes"),
        ("[authors]\nskip_labels = 'spam'", "authors.skip_labels: must be a list, in [ and ]"),
        ("[authors]\nskip_labels = ['']", "authors.skip_labels.0: String should have at least 1 character"),
        (
            "[authors]\nhold_labels = ['spam']",
            "authors.hold_labels: spam stands in skip_labels, too; remove it from one",
        ),
        ("[authors]\nskip_labels = ['rude', ' spam']", "authors.skip_labels.1: a blank in it, and no label has one"),
        ("[authors]\nhold_labels = ['graphic media']", "authors.hold_labels.0: a blank in it"),
        ("[moderation]\nhold = ['hate ']", "moderation.hold.0: a blank at its end"),
        (
            "[approval]\npolicy = 'price'\nprice_usd = 100",
            "approval.price_usd: 100 is more than money.build_usd, 0.5, so that nobody would ever be asked; lower it",
        ),
        ("[approval]\npolicy = 'price'\n[money]\nbuild_usd = 0.2", "approval.price_usd: 0.25 is more than money"),
        ("[fit]\nwords = ['ok', '*']", "fit.words.1: no letter or digit in it"),
        ("[fit]\npatterns = ['a(b']", "fit.patterns.0: not a regular expression: missing )"),
        ("[moderation]\nurl = 'mod.example'", "moderation.url: must begin with http:// or https://"),
        ("[moderation]\nunknown_hours = 0", "moderation.unknown_hours: Input should be greater than 0"),
        (
            "[approval]\npolicy = 'some'",
            "approval.policy: Input should be 'all', 'first_time', 'held', 'price' or 'none'",
        ),
    ],
)
def test_a_mistake_is_named_by_its_path_and_its_mend(text: str, problem: str) -> None:
    """One line for each."""
    (said,) = problems_of(text)

    assert problem == said[: len(problem)]


def test_every_mistake_is_named() -> None:
    """Not only the first."""
    problems = problems_of("[caps]\nat_once = 0\nat_twice = 1\n[loops]\nexchanges = 'x'\n")

    assert ["caps.at_once", "caps.at_twice", "loops.exchanges"] == [said.split(":")[0] for said in problems]


@pytest.mark.parametrize("wrong", ["{ a = 1 }", "[[1]]", "2026-03-02", "12:00:00"])
@pytest.mark.parametrize(("table", "key"), KEYS)
def test_no_key_takes_a_value_of_another_type(table: str, key: str, wrong: str) -> None:
    """A table for a number, a date for a text: nothing is guessed."""
    assert problems_of(f"[{table}]\n{key} = {wrong}")[0].startswith(f"{table}.{key}")


def test_two_files_that_say_the_same_have_one_version() -> None:
    """Whatever their order and their comments; another rule makes another version."""
    one = read_rules("[caps]\nat_once = 3\n[ask]\nsame_hours = 1")
    other = read_rules("# mine\n[ask]\nsame_hours = 1.0\n[caps]\nat_once = 3")

    assert one.version == other.version != Rules().version
    assert one.version == one.version


def test_every_rule_is_told() -> None:
    """What is not described cannot be set by anybody."""
    told = {(table, key): getattr(Rules(), table).__class__.model_fields[key].description for table, key in KEYS}

    assert [] == [key for key, description in told.items() if not description]


@pytest.mark.parametrize(("usd", "count"), [(0, 0), (0.05, 50_000), (0.1 + 0.2, 300_000), (1, 1_000_000)])
def test_money_is_counted_in_whole_millionths(usd: float, count: int) -> None:
    """Rounded, since a tenth is no binary fraction."""
    assert count == micros(usd)


TOML = st.text() | st.from_regex(r"\[(caps|ask|fit)\]\n[a-z_]{1,12} = [0-9a-z'\[\]{}]{1,8}", fullmatch=True)


@given(TOML)
def test_any_text_is_rules_or_a_list_of_mistakes(text: str) -> None:
    """Never another exception."""
    problems: tuple[str, ...] = ()
    try:
        read_rules(text)
    except BadRules as bad:
        problems = bad.problems or ("nothing is wrong",)

    assert "nothing is wrong" not in problems
