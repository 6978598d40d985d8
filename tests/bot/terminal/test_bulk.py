"""One deed on many documents: what was counted is what is done, and whatever could not be done is named."""

import json
from collections.abc import Sequence

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.operations.acts import Acts
from bot.operations.doing import Act, Outcome
from bot.terminal.failures import Exit
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    build_failed,
    building,
    built,
    held,
    now_of,
    pending,
    received,
    refuse,
    replied,
    send_refused,
    sending,
    travel,
)
from tests.bot.terminal.prompt import Prompt
from tests.drills.runbook import lines_of
from tests.mentions import BOB, BOT, OPERATOR

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_what_somebody_changed_meanwhile_is_left_alone(
    prompt: Prompt, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody's newer state is overwritten; the rest is done, and a script sees that not all of it was."""
    first, second = held(ledger), held(ledger, "3ktwo")

    def moved_meanwhile(*_: object, **__: object) -> bool:
        ledger.documents.stop(OPERATOR, first, Reason.DECLINED, "by another")
        return True

    monkeypatch.setattr("typer.confirm", moved_meanwhile)
    result = prompt.typing("", "approve", "--status", "awaiting-approval")

    assert 4 == result.exit_code
    assert [
        "1 done, 1 skipped because changed, 0 not allowed, 0 failed",
        f"{first.id}: skipped because changed: it is skipped at version 3 by now",
    ] == result.stdout.splitlines()
    assert (Status.SKIPPED, Status.PENDING_BUILD) == (now_of(ledger, first).status, now_of(ledger, second).status)


def test_what_is_not_allowed_is_told_and_the_rest_is_done(prompt: Prompt, ledger: Ledger) -> None:
    """Taken back, answered, or with an abandoned reply that may be out: none is retried; each outcome as JSON."""
    gone = ledger.documents.withdraw(BOT, received(ledger, "3kgone"), Reason.DELETED)
    odd = refuse(ledger, received(ledger, "3kodd"), Reason.NOTHING_TO_BUILD)
    failed, answered = build_failed(ledger, "3kfailed"), replied(ledger, "3kreplied")
    send = sending(ledger, "3ksecond")
    ledger.decisions.abandoned(OPERATOR, send)

    result = prompt.run("retry", "--author", "alice.test", "--yes", "--json")

    told = {outcome["id"]: outcome["ending"] for outcome in map(json.loads, result.stdout.splitlines())}
    assert (4, {odd.id: "done", failed.id: "done"}) == (
        result.exit_code,
        {document_id: ending for document_id, ending in told.items() if ending == "done"},
    )
    assert {gone.id, answered.id, send.document_id} == {each for each, ending in told.items() if ending != "done"}
    assert Status.RECEIVED is now_of(ledger, odd).status


def test_the_runbook_builds_anew_what_has_failed(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """Also what a lane was lost with, a day after it was asked for; and nothing whose reply was refused."""
    travel(ledger_clock, hours=-25)
    lost, refused = building(ledger, "3klost").document, send_refused(ledger, "3krefused")
    travel(ledger_clock, hours=25)
    ledger.documents.expire(BOT, now_of(ledger, lost))
    failed = build_failed(ledger, "3kfailed")
    for line in lines_of("builds-fail"):
        if line.startswith("skywright retry"):
            assert 0 == prompt.run(*line.split()[1:]).exit_code

    assert [Status.PENDING_BUILD] * 2 == [now_of(ledger, each).status for each in (lost, failed)]
    assert Status.ERROR is now_of(ledger, refused).status


def test_held_replies_and_asks_are_approved_together(prompt: Prompt, ledger: Ledger) -> None:
    """Each in its own way."""
    reply = ledger.decisions.hold_reply(BOT, built(ledger), "30 hours old")
    ask = held(ledger, "3ktwo")

    result = prompt.run("approve", "--status", "built", "--status", "awaiting-approval", "--yes")

    assert (0, "2 done, 0 skipped because changed, 0 not allowed, 0 failed\n") == (result.exit_code, result.stdout)
    assert None is now_of(ledger, reply).reply_held
    assert Status.PENDING_BUILD is now_of(ledger, ask).status


def test_filters_narrow_a_skip(prompt: Prompt, ledger: Ledger) -> None:
    """Only what they leave; why is kept with each."""
    mine, theirs = pending(ledger), pending(ledger, "3kbob", author=BOB)

    result = prompt.run("skip", "--author", BOB, "--status", "pending-build", "--why", "spam wave", "--yes")

    assert 0 == result.exit_code
    assert (Status.PENDING_BUILD, Status.SKIPPED) == (now_of(ledger, mine).status, now_of(ledger, theirs).status)
    assert "spam wave" == now_of(ledger, theirs).detail


def test_one_outcome_as_json(prompt: Prompt, ledger: Ledger) -> None:
    """Also of a deed on one document, done or not."""
    document = held(ledger)

    done = prompt.run("approve", document.id, "--json")

    assert {"id", "ending", "told", "status", "version", "reason"} == set(json.loads(done.stdout))
    assert DocId(document.id) == json.loads(done.stdout)["id"]


@pytest.mark.parametrize("command", ["approve", "skip", "retry", "delete", "takedown"])
def test_one_or_many_and_somebody_to_ask(prompt: Prompt, ledger: Ledger, command: str) -> None:
    """A name and filters do not go together, neither is too little, and nobody to ask is wrong usage."""
    document = held(ledger)

    both, no_one = [document.id, "--author", BOB, "--yes"], ["--author", BOB]
    for wrong in (both, no_one, ["--yes"]):
        assert 2 == prompt.run(command, *wrong).exit_code
    assert document == now_of(ledger, document)


def test_ctrl_c_in_the_middle(prompt: Prompt, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done, what may be, and what was not begun."""
    for number in range(5):
        held(ledger, f"3k{number}")
    done, calls = Acts.done, iter((False, True))

    def interrupted(acts: Acts, wanted: Sequence[Act]) -> list[Outcome]:
        if next(calls):
            raise KeyboardInterrupt
        return done(acts, wanted)

    monkeypatch.setattr(Acts, "done", interrupted)
    monkeypatch.setattr("bot.terminal.bulk.BATCH", 2)
    result = prompt.run("approve", "--status", "awaiting-approval", "--yes")

    assert (Exit.INTERRUPTED, "2 done, 0 skipped because changed, 0 not allowed, 0 failed\n") == (
        result.exit_code,
        result.stdout,
    )
    assert "cut short: 2 more may be done or not, 1 were not begun" in result.stderr


def test_a_version_is_of_one(prompt: Prompt, ledger: Ledger) -> None:
    """It is not passed over where many are meant."""
    document = held(ledger)

    assert 2 == prompt.run("approve", "--author", "alice.test", "--version", "1", "--yes").exit_code
    assert document == now_of(ledger, document)


def test_ctrl_d_is_a_no(prompt: Prompt, ledger: Ledger) -> None:
    """As is Ctrl-C; nothing was changed, which is no failed check."""
    document = held(ledger)

    result = prompt.typing("", "skip", "--author", "alice.test")

    assert (4, True) == (result.exit_code, "nothing was changed" in result.stderr)
    assert document == now_of(ledger, document)
