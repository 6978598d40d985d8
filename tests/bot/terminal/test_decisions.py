"""A person moves one document on."""

from collections.abc import Callable

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.terminal.opening import operator
from guardrails.documents import DocId
from guardrails.transitions import FINAL_SKIPS, Reason, Status
from tests.bot.ledger.steps import (
    STARTS,
    build_failed,
    built,
    held,
    now_of,
    received,
    refuse,
    replied,
    send_refused,
    sending,
    travel,
)
from tests.bot.terminal.prompt import Prompt
from tests.mentions import BOT, OPERATOR

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
Start = Callable[[Ledger], Document]


def skipped_for_good(ledger: Ledger, reason: Reason) -> Document:
    document = received(ledger)
    if reason is Reason.COMMAND:
        return refuse(ledger, document, reason)
    if reason is Reason.TAKEN_DOWN:
        return ledger.documents.stop(OPERATOR, document, reason)
    return ledger.documents.withdraw(BOT, document, reason)


@pytest.mark.parametrize("start", [received, held])
def test_a_person_says_yes(prompt: Prompt, ledger: Ledger, start: Start) -> None:
    """Before the guardrails or after them; the history names this operator."""
    document = start(ledger)

    (line,) = prompt.lines("approve", "3kfirst")

    now = now_of(ledger, document)
    assert f"{now.id} is pending-build (approved) at version {document.version + 1}" == line
    move = ledger.feed.after(ledger.feed.last() - 1, 1)[0]
    assert (Reason.APPROVED, operator().device) == (move.reason, move.device)


@SQLITE
def test_a_held_reply_is_let_out(prompt: Prompt, ledger: Ledger) -> None:
    """The same word for it."""
    waiting = ledger.decisions.hold_reply(BOT, built(ledger), "30 hours old")

    (line,) = prompt.lines("approve", waiting.id)

    assert line.endswith("; its reply goes out next")
    assert [waiting.id] == [document.id for document in ledger.queries.ready_to_answer(5)]


@SQLITE
@pytest.mark.parametrize(("start", "reason"), [(held, Reason.DECLINED), (received, Reason.STOPPED)])
def test_a_person_says_no(prompt: Prompt, ledger: Ledger, start: Start, reason: Reason) -> None:
    """An ask that waited for a yes is declined, any other is stopped; why is kept."""
    document = start(ledger)

    prompt.lines("skip", "3kfirst", "--why", " not now \x1b[2J")

    now = now_of(ledger, document)
    assert (Status.SKIPPED, reason, "not now \x1b[2J") == (now.status, now.reason, now.detail)


@SQLITE
@pytest.mark.parametrize("status", [Status.PENDING_BUILD, Status.BUILDING, Status.BUILT])
def test_it_can_be_stopped_until_its_reply_is_on_its_way(prompt: Prompt, ledger: Ledger, status: Status) -> None:
    """A standing claim is void."""
    document = STARTS[status](ledger)

    prompt.lines("skip", document.id)

    assert (Status.SKIPPED, None) == ((now := now_of(ledger, document)).status, now.claim_id)


@SQLITE
def test_a_held_reply_is_never_sent_after_a_no(prompt: Prompt, ledger: Ledger) -> None:
    """The document is skipped with it."""
    waiting = ledger.decisions.hold_reply(BOT, built(ledger), "30 hours old")

    prompt.lines("skip", waiting.id, "--why", "too late")

    assert (Status.SKIPPED, None) == ((now := now_of(ledger, waiting)).status, now.reply_held)


@SQLITE
def test_a_reply_on_its_way_cannot_be_stopped(prompt: Prompt, ledger: Ledger) -> None:
    """It may be out; the commands that tell and settle are named."""
    send = sending(ledger)

    result = prompt.run("skip", "3kfirst")

    assert (4, "") == (result.exit_code, result.stdout)
    assert "skywright resolve" in result.stderr
    assert [send] == ledger.queries.unsettled_sends()


@SQLITE
@pytest.mark.parametrize("start", [build_failed, send_refused])
def test_it_is_built_again(prompt: Prompt, ledger: Ledger, start: Start) -> None:
    """With a fresh budget."""
    document = start(ledger)

    prompt.lines("retry", document.id)

    now = now_of(ledger, document)
    assert (Status.PENDING_BUILD, Reason.RETRIED, 0) == (now.status, now.reason, now.failures)


@SQLITE
def test_what_is_built_is_sent_again(prompt: Prompt, ledger: Ledger) -> None:
    """Under a new key, without a new build."""
    document = send_refused(ledger)

    prompt.lines("retry", document.id, "--send")

    assert [document.id] == [ready.id for ready in ledger.queries.ready_to_answer(5)]


@SQLITE
@pytest.mark.parametrize("options", [[], ["--send"]])
def test_a_second_answer_is_asked_about(prompt: Prompt, ledger: Ledger, options: list[str]) -> None:
    """Somebody abandoned the first one: it may be out. Without a person, or a no, nothing is moved."""
    send = sending(ledger)
    ledger.decisions.abandoned(OPERATOR, send)
    document = now_of(ledger, DocId(str(send.document_id)))
    command = ("retry", document.id, *options)

    nobody, no = prompt.run(*command), prompt.typing("n\n", *command)
    before = now_of(ledger, document)
    yes = prompt.run(*command, "--yes")

    assert (2, 4, document) == (nobody.exit_code, no.exit_code, before)
    assert (0, True) == (yes.exit_code, "answered twice" in yes.stderr)
    assert document.version + 1 == now_of(ledger, document).version


@SQLITE
@pytest.mark.parametrize("reason", sorted(FINAL_SKIPS))
def test_what_was_skipped_for_good_stays_skipped(prompt: Prompt, ledger: Ledger, reason: Reason) -> None:
    """Withdrawn, opted out, forgotten, taken down, a command: why is said, and nothing is moved."""
    document = skipped_for_good(ledger, reason)

    result = prompt.run("retry", document.id)

    told = f"{document.id} was skipped for good: {reason.value}\n"
    assert (4, "", told) == (result.exit_code, result.stdout, result.stderr)
    assert document == now_of(ledger, document)


@SQLITE
@pytest.mark.parametrize("options", [[], ["--send"]])
def test_what_was_taken_back_while_its_reply_was_under_way_stays_so(
    prompt: Prompt, ledger: Ledger, options: list[str]
) -> None:
    """It ended in error, and not as a skip, since the send had to settle first."""
    send = sending(ledger)
    ledger.sightings.withdrawn(now_of(ledger, DocId(str(send.document_id))))
    ledger.sends.refused(BOT, send, "withdrawn by its author")
    document = now_of(ledger, DocId(str(send.document_id)))

    result = prompt.run("retry", document.id, *options)

    assert (4, True) == (result.exit_code, "taken back by its author" in result.stderr)
    assert document == now_of(ledger, document)


@SQLITE
def test_nothing_built_is_not_sent(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """The lane was lost before it had something to show."""
    lost = STARTS[Status.BUILDING](ledger)
    travel(ledger_clock, days=2)
    ledger.documents.expire(BOT, lost)

    result = prompt.run("retry", lost.id, "--send")

    assert (4, True) == (result.exit_code, "nothing built to send" in result.stderr)


@SQLITE
@pytest.mark.parametrize(
    ("command", "start", "where"),
    [
        (["approve"], replied, "received, awaiting-approval, and from built while its reply is held"),
        (["approve"], built, "received, awaiting-approval, and from built while its reply is held"),
        (["skip"], replied, "received, awaiting-approval, pending-build, building, built"),
        (["retry"], replied, "build-failed, error"),
        (["retry", "--send"], build_failed, "error"),
    ],
)
def test_where_it_is_possible_is_said(
    prompt: Prompt, ledger: Ledger, command: list[str], start: Start, where: str
) -> None:
    """In the table's order; nothing is moved."""
    document = start(ledger)

    result = prompt.run(*command, document.id)

    expected = f"{document.id} is {document.status.value}: this is possible from {where}\n"
    assert (4, "", expected) == (result.exit_code, result.stdout, result.stderr)
    assert document == now_of(ledger, document)


@SQLITE
@pytest.mark.parametrize("command", ["approve", "skip"])
def test_only_the_version_that_was_shown(prompt: Prompt, ledger: Ledger, command: str) -> None:
    """Whoever read an older one is told how it stands now."""
    document = held(ledger)

    result = prompt.run(command, document.id, "--version", "1")

    assert (4, f"{document.id} is awaiting-approval at version 2 by now\n") == (result.exit_code, result.stderr)
    assert 0 == prompt.run(command, document.id, "--version", "2").exit_code


@SQLITE
def test_a_yes_that_comes_too_late(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """Since when is said; the bot has only not written it down yet."""
    travel(ledger_clock, days=-4)
    document = held(ledger)
    travel(ledger_clock, days=4)

    result = prompt.run("approve", document.id)

    assert document.approve_by is not None
    assert (4, True) == (result.exit_code, f"until {document.approve_by:%Y-%m-%d %H:%M} UTC" in result.stderr)
