"""Following the ledger."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from typing import IO
from unittest.mock import patch

import pytest

from bot.clock import Clock
from bot.ledger.feed import EVERYTHING, Filter
from bot.ledger.ledger import Ledger
from bot.operations.moves import move_json
from bot.terminal.lines import move_line
from bot.terminal.opening import opened_operations, woken_by_moves
from bot.terminal.options import Filters
from bot.terminal.tail import moves_after, tail_command
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import held, pending, received, refuse, replied, skipped, travel
from tests.bot.terminal.prompt import Prompt
from tests.waiting import until

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def targets(lines: list[str]) -> list[str]:
    """Where each printed move led to."""
    return [line.split("→")[1].split()[0] for line in lines]


@contextmanager
def woken_in(prompt: Prompt, monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """What wakes a tail in the environment of a prompt."""
    with monkeypatch.context() as environment:
        for name, value in prompt.env.items():
            environment.setenv(name, value)
        with woken_by_moves() as woken:
            yield woken


def first_line(pipe: IO[str] | None) -> str:
    assert pipe is not None
    return pipe.readline()


def test_the_whole_history_in_order(prompt: Prompt, ledger: Ledger) -> None:
    """From the first move to the last, on either database, and then the end."""
    replied(ledger)

    lines = prompt.lines("tail", "--since", "all", "--until-empty")

    assert ["received", "pending-build", "building", "built", "replied"] == targets(lines)


@SQLITE
def test_a_line_says_when_what_why_and_who(prompt: Prompt, ledger: Ledger) -> None:
    """Everything that an operator wants of one move at a glance."""
    skipped(ledger)
    at = f"{ledger.feed.after(1, 1)[0].at:%m-%d %H:%M:%S}"

    line = prompt.lines("tail", "--no-follow")[-1]

    assert [at[:5], at[6:], "3kfirst", "received", "→", "skipped", "nothing_to_build", "bot", "nothing"] == line.split()


@SQLITE
def test_no_reason_pushes_anything_out_of_line(ledger: Ledger) -> None:
    """Who moved it stands in one column."""
    received(ledger)
    (move,) = ledger.feed.after(0, 1)

    assert 1 == len({move_line(replace(move, reason=reason)).plain.rindex("bot") for reason in Reason})


@SQLITE
def test_the_last_ten_moves_to_begin_with(prompt: Prompt, ledger: Ledger) -> None:
    """Whoever looks in sees what happened last."""
    for number in range(12):
        received(ledger, f"3k{number}")

    lines = prompt.lines("tail", "--until-empty")

    assert [f"3k{number}" for number in range(2, 12)] == [line.split()[2] for line in lines]


@SQLITE
def test_what_filters_leave_out_is_looked_at_once(prompt: Prompt, ledger: Ledger) -> None:
    """Whoever waits for a rare move does not search the whole history for it twice a second."""
    pending(ledger)
    rare = Filter(statuses=(Status.ERROR,))

    with patch.dict(os.environ, prompt.env), opened_operations() as operations:
        assert ([], 2) == moves_after(operations, 0, rare)
        assert ([], 2) == moves_after(operations, 2, rare)


@SQLITE
def test_a_restored_ledger_begins_its_numbers_anew(prompt: Prompt, ledger: Ledger) -> None:
    """Whoever has seen more than there is would take what comes for seen: tail says so and goes on, export asks."""
    pending(ledger)
    tailed = prompt.run("tail", "--until-empty", "--since", "5")
    exported = prompt.run("export", "--after", "5")
    present = prompt.run("export", "--after", "2")

    assert (0, "", True) == (tailed.exit_code, tailed.stdout, "the ledger has 2 moves only" in tailed.stderr)
    assert (4, True) == (exported.exit_code, "the ledger has 2 moves only" in exported.stderr)
    assert (0, "") == (present.exit_code, present.stdout)
    for wanted in (EVERYTHING, Filter(statuses=(Status.ERROR,))):
        with patch.dict(os.environ, prompt.env), opened_operations() as operations:
            assert ([], 2) == moves_after(operations, 5, wanted)


@SQLITE
def test_after_a_sequence_number(prompt: Prompt, ledger: Ledger) -> None:
    """A script goes on where it stopped."""
    pending(ledger)

    assert ["pending-build"] == targets(prompt.lines("tail", "--until-empty", "--since", "1"))


@SQLITE
@pytest.mark.parametrize(
    ("since", "expected"), [("5m", ["3know"]), ("30m", ["3klate", "3know"]), ("1d", ["3kold", "3klate", "3know"])]
)
def test_since_some_time(prompt: Prompt, ledger: Ledger, ledger_clock: Clock, since: str, expected: list[str]) -> None:
    """The moves of the last minutes, hours or days, and none from before."""
    for minutes, rkey in ((-60, "3kold"), (45, "3klate"), (15, "3know")):
        travel(ledger_clock, minutes=minutes)
        received(ledger, rkey)

    lines = prompt.lines("tail", "--until-empty", "--since", since)

    assert expected == [line.split()[2] for line in lines]


@SQLITE
@pytest.mark.parametrize("since", ["soon", "-3", "5w", "", "9" * 20])
def test_an_unreadable_since_is_wrong_usage(prompt: Prompt, since: str) -> None:
    """With the forms that can be read."""
    result = prompt.run("tail", "--until-empty", f"--since={since}")

    assert 2 == result.exit_code
    assert "10m" in result.stderr


@SQLITE
def test_only_some_statuses_and_kinds(prompt: Prompt, ledger: Ledger) -> None:
    """A status can be given more than once."""
    held(ledger, "3kheld")
    skipped(ledger, "3kskip")

    wanted = ["--status", "skipped", "--status", "awaiting-approval", "--kind", "mention"]

    assert ["awaiting-approval", "skipped"] == targets(prompt.lines("tail", "--until-empty", *wanted))


@SQLITE
@pytest.mark.parametrize(("kind", "told"), [("mention", ["received"]), ("errand", []), (None, ["received"])])
def test_only_a_kind(
    prompt: Prompt, ledger: Ledger, capsys: pytest.CaptureFixture[str], kind: str | None, told: list[str]
) -> None:
    """So far there is one, and the command line takes no other; what has none of that kind is silent."""
    received(ledger)

    with patch.dict(os.environ, prompt.env):
        tail_command(None, Filters(), kind, as_json=False, follow=False)

    assert told == targets(capsys.readouterr().out.splitlines())


def test_only_what_says_some_words(prompt: Prompt, ledger: Ledger) -> None:
    """Wherever in the history that is, however few of its moves say so, and together with other filters."""
    for number in range(3):
        received(ledger, f"3k{number}", ask=f"a game of Snake, number {number}")
        refuse(ledger, received(ledger, f"3kskip{number}", ask="a tip splitter"), Reason.NOTHING_TO_BUILD)
    wanted = ["tail", "--since", "all", "--until-empty", "--text"]

    with patch("bot.terminal.tail.BATCH", 2):
        assert ["received"] * 3 == targets(prompt.lines(*wanted, "SNAKE game"))
        assert ["skipped"] * 3 == targets(prompt.lines(*wanted, "tip", "--status", "skipped"))
        assert [] == prompt.lines(*wanted, "chess")


@SQLITE
def test_json_is_what_the_api_says_one_object_a_line(prompt: Prompt, ledger: Ledger) -> None:
    """A program reads the same moves here and there."""
    replied(ledger)

    lines = prompt.lines("tail", "--until-empty", "--json")

    assert [move_json(move) for move in ledger.feed.after(0, 100)] == [json.loads(line) for line in lines]


@SQLITE
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_follows_until_a_signal_and_ends_quietly(prompt: Prompt, ledger: Ledger, number: signal.Signals) -> None:
    """What comes later is shown too; Ctrl-C and SIGTERM are no failure."""
    received(ledger, "3kfirst")
    with prompt.started("tail") as tail:
        assert "3kfirst" in first_line(tail.stdout)
        received(ledger, "3ksecond")
        assert "3ksecond" in first_line(tail.stdout)
        tail.send_signal(number)
        told = tail.communicate(timeout=20)

    assert (0, ("", "")) == (tail.returncode, told)


@pytest.mark.postgres
@pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
def test_it_is_woken_by_what_another_command_moves(
    prompt: Prompt, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not wait for its next look, on PostgreSQL."""
    received(ledger, "3kfirst")
    document = held(ledger, "3ksecond")
    with woken_in(prompt, monkeypatch) as woken:
        until(woken.is_set)
        woken.clear()
        prompt.lines("approve", document.id)
        assert woken.wait(20)


@SQLITE
@pytest.mark.parametrize("command", [["tail"], ["tail", "--json"]])
def test_it_ends_when_its_reader_goes(prompt: Prompt, ledger: Ledger, command: list[str]) -> None:
    """As in `skywright tail | head -1`, although nothing more happens."""
    received(ledger)
    with prompt.started(*command) as tail:
        assert "3kfirst" in first_line(tail.stdout)
        assert tail.stdout is not None
        tail.stdout.close()
        tail.wait(20)
        assert tail.stderr is not None
        told = tail.stderr.read()

    assert (0, "") == (tail.returncode, told)
