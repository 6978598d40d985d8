"""The questions of `skywright init`: put to a person, or answered by flags; and what a check says of an answer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import typer

from bot.terminal.doctor import print_finding
from bot.terminal.failures import Exit, end
from bot.terminal.screen import Screen, safe
from guardrails.findings import Finding, State, fail

NOTHING_WRITTEN = "nothing was written"


@dataclass(frozen=True)
class Question:
    """One question: `given` by a flag is not asked for; `quiet`, the default is neither, until it turns out wrong."""

    flag: str
    words: str
    why_not: Callable[[str], str | None]
    given: str | None = None
    default: str = ""
    quiet: bool = False


class Asker:
    """Asks whoever sits there; where nobody is to be asked, flags and defaults are the answers."""

    def __init__(self, screen: Screen, *, asks: bool) -> None:
        self.screen = screen
        self.asks = asks

    def say(self, text: str = "") -> None:
        """A line for whoever sits there, others' text made harmless."""
        self.screen.print(safe(text))

    def show(self, findings: Iterable[Finding]) -> None:
        """Lines for whoever sits there, about which nothing is asked."""
        for finding in findings:
            print_finding(self.screen, finding)

    def answer(self, question: Question, *, again: bool = False) -> str:
        """An answer that is fit; `again`: the one that was given is not wanted any more."""
        answer = None if again else question.given
        if answer is None and (not self.asks or (question.quiet and not again)):
            answer = question.default
        while True:
            if answer is None:
                asked: str = typer.prompt(question.words, default=question.default, show_default=bool(question.default))
                answer = asked
            answer = answer.strip()
            problem = question.why_not(answer)
            if problem is None:
                return answer
            if not self.asks:
                end(f"{question.flag}: {problem}; {NOTHING_WRITTEN}", Exit.USAGE)
            self.say(f"  {problem}")
            answer = None

    def settled(self, question: Question, look: Callable[[str], Iterable[Finding]]) -> str:
        """An answer of which a look says that it is right, or which a person wants all the same."""
        again = False
        while True:
            answer = self.answer(question, again=again)
            if self.goes_on(look(answer)):
                return answer
            again = True

    def secret(self, words: str) -> str:
        """What somebody types unseen; empty for nothing."""
        typed: str = typer.prompt(words, default="", show_default=False, hide_input=True)
        return typed.strip()

    def agrees(self, words: str, *, usually: bool = True) -> bool:
        """Whether somebody says yes; who is not asked says what is usual."""
        return typer.confirm(words, default=usually) if self.asks else usually

    def goes_on(self, findings: Iterable[Finding]) -> bool:
        """Show what was found, and whether to go on with it; ends where nobody can correct what is wrong."""
        worst = State.OK
        for finding in findings:
            print_finding(self.screen, finding)
            worst = max(worst, finding.state, key=list(State).index)
        if worst is State.OK:
            return True
        if self.asks:
            return typer.confirm("Go on with it all the same?", default=worst is State.WARN)
        if worst is State.FAIL:
            end(NOTHING_WRITTEN, Exit.FAILED)
        return True

    def refuse(self, name: str, told: str, mend: str) -> None:
        """Show what cannot be gone on with; ends where nobody can give another answer."""
        print_finding(self.screen, fail(name, told, mend))
        if not self.asks:
            end(NOTHING_WRITTEN, Exit.FAILED)
