"""`skywright logs`: what lanes wrote while they built a document, and what they are at."""

import sys
from functools import partial

from rich.text import Text

from bot.ledger.views import Attempt, Document
from bot.operations.doing import Whole
from bot.terminal.opening import opened_operations
from bot.terminal.patience import Patience
from bot.terminal.screen import Screen, print_json
from bot.terminal.stopping import stop_on_signals
from guardrails.text import visible
from guardrails.transitions import Status

POLL_SECONDS = 0.5
UNDER_WAY = frozenset({Status.PENDING_BUILD, Status.BUILDING})


def logs_command(name: str, *, follow: bool, as_json: bool) -> None:
    """Print the tail of each attempt's log; with `follow` also what comes, until the document is built no more."""
    with stop_on_signals() as stop, opened_operations() as operations:
        document_id = operations.find(name).id
        teller, patience = _Teller(as_json=as_json), Patience(stop, lasting=follow)
        while not stop.is_set():
            whole = patience.look(partial(operations.whole, document_id))
            if whole is None:
                return
            _tell(whole, teller)
            sys.stdout.flush()
            if not follow or whole.document.status not in UNDER_WAY:
                return
            stop.wait(POLL_SECONDS)


def _tell(whole: Whole, teller: "_Teller") -> None:
    for attempt in whole.attempts:
        teller.attempt(attempt)
    teller.step(whole.document)


class _Teller:
    """Tells each attempt's end and each step once. Every line of a log keeps its mark: it cannot pass for ours."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._screen = Screen()
        self._begun: set[int] = set()
        self._ended: set[int] = set()
        self._step: tuple[int, str] | None = None

    def attempt(self, attempt: Attempt) -> None:
        if attempt.attempt not in self._begun:
            self._begun.add(attempt.attempt)
            with_what = " ".join(part for part in (attempt.generator, attempt.model) if part)
            self._say(attempt.attempt, "begins", f"{with_what} on {attempt.device}")
        if attempt.ended_at is None or attempt.attempt in self._ended:
            return
        self._ended.add(attempt.attempt)
        # Made visible before it is cut into lines: signs that end one steer a terminal as well.
        log = attempt.log_tail if self._as_json else visible(attempt.log_tail, keep_newlines=True)
        for line in log.rstrip("\n").split("\n") if log else ():
            self._say(attempt.attempt, "log", line)
        told = f"{attempt.outcome or 'over'}{': ' if attempt.detail else ''}{attempt.detail}"
        self._say(attempt.attempt, "ends", told)

    def step(self, document: Document) -> None:
        now = (document.attempt, document.step or "")
        if document.status is Status.BUILDING and document.step and now != self._step:
            self._step = now
            self._say(document.attempt, "step", document.step)

    def _say(self, attempt: int, kind: str, text: str) -> None:
        if self._as_json:
            print_json({"attempt": attempt, "kind": kind, "text": text})
            return
        mark, style = ("|", "dim") if kind == "log" else (kind, "bold")
        line = Text(f"{attempt} ", style="dim", no_wrap=True, overflow="ignore")
        told = visible(text.replace("\n", "; "))
        self._screen.print(line.append(mark, style).append(" ").append(told, "dim" if mark == "|" else ""))
