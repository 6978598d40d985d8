"""What other rules would have decided."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.rules import load_rules
from guardrails.caps import Cap
from guardrails.documents import Did
from guardrails.facts import Look, Moderated, Profile, Used
from guardrails.judgement import Judgement
from guardrails.outlook import Outlook, View
from guardrails.patience import settled
from guardrails.rules import Rules
from guardrails.said import Outcome
from guardrails.transitions import Reason
from guardrails.verdicts import BEFORE_THE_LOOK, CHECKS, judge, without_place
from tests.bot.ledger.steps import now_of, received, travel
from tests.bot.terminal.prompt import Prompt
from tests.facts import facts_of, seats_of
from tests.mentions import ALICE, BOB, BOT, NOON, OPERATOR

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
ENDS = datetime(2026, 3, 3, tzinfo=UTC)
LOOK = Look(outlook=Outlook(View.OPEN), author=Profile(did=ALICE, followers=12))
USED = Used(hour_ends=ENDS, day_ends=ENDS)


def asked(ledger: Ledger, rkey: str, ask: str, author: Did = ALICE, **known: Any) -> Document:
    """An ask, judged by the built-in rules on everything that could be known."""
    document = received(ledger, rkey, author=author, ask=ask)
    look = Look(outlook=Outlook(View.OPEN), author=Profile(did=author, followers=12))
    now = ledger.db.time()
    used = Used(hour_ends=now + timedelta(hours=1), day_ends=now + timedelta(days=1))
    usual = {"look": look, "used": used, "moderated": Moderated()}
    facts = facts_of(document.mention, **(usual | known))
    first = judge(facts, Rules(), NOON, BEFORE_THE_LOOK)
    if first.outcome is Outcome.SKIP:
        return ledger.documents.refuse(BOT, document, first, facts.model_copy(update={"look": None}))
    judgement = judge(facts, Rules(), NOON, CHECKS)
    match judgement.outcome:
        case Outcome.PASS:
            return ledger.documents.accept(BOT, document, judgement, facts, seats_of(document.mention))
        case Outcome.HOLD:
            return ledger.documents.hold(BOT, document, judgement, facts)
        case Outcome.SKIP:
            return ledger.documents.refuse(BOT, document, judgement, facts)
        case Outcome.WAIT | Outcome.UNKNOWN:
            until = ledger.db.time() + timedelta(hours=1)
            return ledger.documents.postpone(BOT, document, judgement.verdicts, until, facts)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The built-in rules, in a file."""
    path = tmp_path / "new.toml"
    path.write_text("")
    return path


def replayed(prompt: Prompt, file: Path, *options: str) -> dict[str, Any]:
    (line,) = prompt.lines("replay", "--rules", str(file), "--json", *options)
    told: dict[str, Any] = json.loads(line)
    return told


def counts(told: dict[str, Any]) -> dict[tuple[str, str, str], tuple[int, int]]:
    return {
        (each["check"], each["outcome"], each["reason"]): (each["before"], each["after"]) for each in told["decisions"]
    }


def test_the_same_rules_decide_the_same(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """Every outcome among them."""
    asked(ledger, "3kpass", "a tip splitter")
    asked(ledger, "3kskip", "a phishing page")
    asked(ledger, "3khold", "a casino with deepfakes")
    asked(ledger, "3kwait", "a wheel", used=Used(author_hour=3, hour_ends=ENDS, day_ends=ENDS))
    asked(ledger, "3klook", "a clock", look=None)

    told = replayed(prompt, file)

    assert (5, 0, 0, []) == tuple(told[key] for key in ("asks", "not_known", "changed", "changes"))
    assert {(1, 1)} == set(counts(told).values())
    assert {"pass", "skip", "hold", "wait", "unknown"} == {outcome for _, outcome, _ in counts(told)}


def test_what_changes_is_told_check_by_check(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """How often, with so many examples; nothing is written."""
    documents = [asked(ledger, f"3kdice{n}", f"a dice game {n}") for n in range(4)]
    documents.append(asked(ledger, "3kbob", "a tip splitter", BOB))
    file.write_text("[fit]\nwords = ['dice']\n[authors]\nmin_followers = 100\nbelow_floor = 'skip'\n")
    before = ledger.feed.last()

    told = replayed(prompt, file, "--examples", "2")

    passed = {"check": "(every check)", "outcome": "pass", "reason": ""}
    refused = {"check": "is_it_fit", "outcome": "skip", "reason": "refused_by_rules"}
    below = {"check": "may_this_author_ask", "outcome": "skip", "reason": "below_floor"}
    assert [
        {"before": passed, "after": refused, "asks": 4, "examples": [each.id for each in documents[:2]]},
        {"before": passed, "after": below, "asks": 1, "examples": [documents[4].id]},
    ] == told["changes"]
    assert ((5, 0), (0, 4), (0, 1)) == tuple(
        counts(told)[each["check"], each["outcome"], each["reason"]] for each in (passed, refused, below)
    )
    assert (before, documents) == (ledger.feed.last(), [now_of(ledger, each) for each in documents])


def test_people_read_it_as_tables(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """The decisions, then the changes; the sum on standard error."""
    asked(ledger, "3kdice", "a dice game")
    file.write_text("[fit]\nhold_words = ['dice']\n")

    result = prompt.run("replay", "--rules", str(file))

    assert [
        "check\tdecision\tbefore\tafter",
        "is_it_fit\thold (suspect)\t0\t1",
        "(every check)\tpass\t1\t0",
        "",
        "check before\tdecision before\tcheck after\tdecision after\tasks\tfor example",
        "(every check)\tpass\tis_it_fit\thold (suspect)\t1\t3kdice",
    ] == result.stdout.splitlines()
    assert "1 of 1 asks of the last 7d are decided in another way" in result.stderr


def test_what_was_not_looked_up_then_is_unknown(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """What was refused before the look would have been looked at; nobody looks now."""
    asked(ledger, "3kcards", "a phishing page")
    file.write_text("[fit]\nfalse_friends = ['phishing page*']\n")

    (change,) = replayed(prompt, file)["changes"]

    assert ("is_it_fit", "can_we_answer", "unknown") == (
        change["before"]["check"],
        change["after"]["check"],
        change["after"]["outcome"],
    )


def test_what_was_unknown_for_too_long_counts_as_unknown(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """That a person has it now is no check's doing."""
    document = received(ledger)
    facts = facts_of(document.mention)
    *earlier, last = judge(facts, Rules(), NOON).verdicts
    late = last.model_copy(update={"outcome": Outcome.HOLD, "reason": Reason.UNKNOWN_TOO_LONG})
    ledger.documents.hold(BOT, document, Judgement(Outcome.HOLD, late.reason, (*earlier, late)), facts)

    assert 0 == replayed(prompt, file)["changed"]


def test_what_was_unknown_for_too_long_counts_as_unknown_whatever_held_it(
    prompt: Prompt, ledger: Ledger, file: Path
) -> None:
    """Or whether anybody was there to decide."""
    file.write_text("[approval]\npolicy = 'none'\n[moderation]\nurl = 'http://127.0.0.1:1'\n")
    rules = load_rules(file)
    document = received(ledger, ask="a casino with deepfakes")
    facts = facts_of(document.mention, look=LOOK, used=USED, unknown_since=NOON - timedelta(days=30))
    judgement = settled(judge(facts, rules, NOON), facts, rules, NOON)
    assert Reason.NOBODY_DECIDES is judgement.reason
    ledger.documents.refuse(BOT, document, judgement, facts)

    assert [] == replayed(prompt, file)["changes"]


def test_a_hold_that_a_person_has_decided_is_the_same_hold(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """Though nobody was to decide it."""
    file.write_text("[approval]\npolicy = 'none'\n")
    rules = load_rules(file)
    document = received(ledger, ask="a casino with deepfakes")
    facts = facts_of(document.mention, look=LOOK, used=USED)
    skipped = ledger.documents.refuse(BOT, document, judge(facts, rules, NOON), facts)
    ledger.documents.judge_again(OPERATOR, skipped)

    assert [] == replayed(prompt, file)["changes"]


@pytest.mark.parametrize("taken", [0, 2])
def test_who_found_the_last_place_taken_is_still_too_late(
    prompt: Prompt, ledger: Ledger, file: Path, taken: int
) -> None:
    """By the same rules, however many have taken one in that moment; by others as if one had."""
    document = received(ledger)
    facts = facts_of(document.mention, look=LOOK, used=USED.model_copy(update={"author_hour": taken}))
    passed = judge(facts, Rules(), NOON)
    late = without_place(passed, Cap.AUTHOR_HOUR, ENDS, Rules(), NOON)
    ledger.documents.postpone(BOT, document, late.verdicts, ledger.db.time() + timedelta(hours=1), facts)

    assert [] == replayed(prompt, file)["changes"]

    file.write_text("[caps]\nauthor_per_hour = 4\n")
    (change,) = replayed(prompt, file)["changes"]
    assert "pass" == change["after"]["outcome"]


def test_a_hold_that_nobody_decides_is_a_skip(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """Before and after alike."""
    held = asked(ledger, "3khold", "a casino with deepfakes")
    file.write_text("[approval]\npolicy = 'none'\n")

    (change,) = replayed(prompt, file)["changes"]

    assert ("hold", "skip", "nobody_decides", [held.id]) == (
        change["before"]["outcome"],
        change["after"]["outcome"],
        change["after"]["reason"],
        change["examples"],
    )


def test_only_what_was_asked_since_then(prompt: Prompt, ledger: Ledger, ledger_clock: Clock, file: Path) -> None:
    """A week, unless something else is said."""
    travel(ledger_clock, days=-8)
    asked(ledger, "3kold", "a tip splitter")
    travel(ledger_clock, days=8)
    asked(ledger, "3knew", "a clock")

    assert (1, 2) == (replayed(prompt, file)["asks"], replayed(prompt, file, "--since", "9d")["asks"])


def test_what_is_forgotten_or_not_judged_is_left_out(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """Nothing is known of the one; of the other nothing was decided."""
    asked(ledger, "3kgone", "a tip splitter")
    received(ledger, "3knew", author=BOB)
    ledger.people.forget(OPERATOR, ALICE)

    result = prompt.run("replay", "--rules", str(file))

    assert "0 of 1 asks" in result.stderr
    assert "1 were left out" in result.stderr


@pytest.mark.parametrize("since", ["yesterday", "7"])
def test_no_time_to_begin_from(prompt: Prompt, ledger: Ledger, file: Path, since: str) -> None:
    """Wrong usage."""
    assert 2 == prompt.run("replay", "--rules", str(file), "--since", since).exit_code


def test_bad_rules_are_tried_on_nothing(prompt: Prompt, ledger: Ledger, file: Path) -> None:
    """Each wrong key is named."""
    file.write_text("[caps]\nper_our = 1\n")

    result = prompt.run("replay", "--rules", str(file))

    assert (78, True) == (result.exit_code, "caps.per_our: no such key" in result.stderr)
