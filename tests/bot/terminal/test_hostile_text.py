"""Other people's text reaches an operator's terminal as text."""

import json
import os
import pty
import subprocess
from collections.abc import Sequence
from datetime import timedelta

import pytest

from bot.ledger.ledger import Ledger
from guardrails.said import Outcome
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import claim, claim_id_of, ended, frozen
from tests.bot.terminal.prompt import COMMAND, Prompt
from tests.facts import facts_of, seats_of
from tests.mentions import BOB, BOT, LANE, OPERATOR, judgement, mention

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)

EVIL = "\x1b]0;pwn\x07\x1b[2J\x9b31m\u202e[bold red]x[/] [link=javascript:alert(1)]y[/link] :smile: <img src=x>\t\n\r"
SPELLED = "\\x1b]0;pwn\\x07\\x1b[2J\\x9b31m\\u202e[bold red]x[/] [link=javascript:alert(1)]y[/link] :smile: <img src=x>"
MORE = [["sends"], ["parked"], ["logs", "3kevil"], ["audit"], ["people"]]
MORE += [["costs", "--by", "model"], ["export", "--format", "csv"]]
COMMANDS = [["list"], ["tail", "--since", "all", "--until-empty"], ["show", "3kevil"]]


@pytest.fixture
def hostile(ledger: Ledger, prompt: Prompt) -> Prompt:
    """A ledger in which everything that others write is hostile."""
    asked = mention("3kevil", ask=EVIL, text=EVIL, author_handle=EVIL)
    (document,) = ledger.documents.receive(BOT, [asked])
    passed = judgement(Outcome.PASS, Reason.PASSED, EVIL)
    held = ledger.documents.accept(BOT, document, passed, facts_of(asked), seats_of(asked))
    assert held.detail == EVIL
    report = ended(BuildOutcome.BROKEN, detail=EVIL, log_tail=EVIL, model=EVIL)
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), report)
    ledger.people.deny(OPERATOR, BOB, EVIL)
    like = ledger.sends.claim_aside(BOT, "like:evil", document, frozen("3klike", text=EVIL))
    ledger.sends.unknown(like, EVIL, timedelta())
    ledger.desk.park("notifications", {"uri": EVIL}, EVIL)
    return prompt


@pytest.mark.parametrize("command", [*COMMANDS, *MORE])
def test_a_pipe_gets_it_spelled_out(hostile: Prompt, command: Sequence[str]) -> None:
    """No control and no bidi character gets through, and no markup is read."""
    told = hostile.run(*command).stdout

    assert SPELLED in told
    assert [] == [character for character in told if character not in "\n\t" and not character.isprintable()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_gets_colours_of_ours_only(hostile: Prompt, command: Sequence[str]) -> None:
    """The escapes that are there are the program's own; links and titles are none of them."""
    told = on_a_terminal(hostile.having(TERM="xterm-256color", COLUMNS="400"), command)

    assert "[bold red]x[/]" in told
    assert "\x1b[" in told
    assert [] == [sign for sign in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "😄") if sign in told]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_colours_when_they_are_not_wanted(hostile: Prompt, command: Sequence[str]) -> None:
    """NO_COLOR counts on a terminal too."""
    told = on_a_terminal(hostile.having(TERM="xterm-256color", COLUMNS="400", NO_COLOR="1"), command)

    assert "[bold red]x[/]" in told
    assert "\x1b[3" not in told


@pytest.mark.parametrize("command", [*COMMANDS, ["sends"], ["logs", "3kevil"], ["audit"], ["people"], ["export"]])
def test_json_is_plain_ascii(hostile: Prompt, command: Sequence[str]) -> None:
    """A program reads exactly what was written; a terminal is left alone."""
    form = () if command == ["export"] else ("--json",)
    lines = hostile.run(*command, *form).stdout.splitlines()

    assert [] == [line for line in lines if not (line.isascii() and line.isprintable())]
    assert [] != [text for line in lines for text in strings(json.loads(line)) if EVIL in text]


def test_a_question_cannot_be_faked(hostile: Prompt) -> None:
    """What is at risk is told in lines of ours; what others wrote stays on the line that it is on."""
    result = hostile.run("resolve", "like:evil", "--abandon", "--yes")

    assert 0 == result.exit_code
    assert [] == [character for character in result.output if character != "\n" and not character.isprintable()]
    first, second, empty, *_ = result.stderr.splitlines()
    assert [True, True] == [SPELLED in line for line in (first, second)]
    assert "" == empty


@pytest.mark.parametrize("command", ["retry", "skip", "takedown"])
def test_a_sample_cannot_be_faked(hostile: Prompt, command: str) -> None:
    """Each document that is meant stays on its line of the question."""
    result = hostile.typing("n\n", command, "--status", "building")

    assert 4 == result.exit_code
    assert [] == [character for character in result.stderr if character != "\n" and not character.isprintable()]
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("  3kevil")]
    assert SPELLED[:40] in line


def strings(value: object) -> Sequence[str]:
    """Every text in a JSON value."""
    match value:
        case str():
            return [value]
        case dict():
            return [text for item in value.values() for text in strings(item)]
        case list():
            return [text for item in value for text in strings(item)]
    return []


def on_a_terminal(prompt: Prompt, command: Sequence[str]) -> str:
    """What a command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    env = {"PATH": os.environ["PATH"], **prompt.env}
    with subprocess.Popen([*COMMAND, *command], env=env, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        told = b""
        while part := read_some(ours):
            told += part
    os.close(ours)
    return told.decode()


def read_some(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""  # so says Linux when the last process on a terminal has ended
