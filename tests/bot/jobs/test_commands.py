"""What a command does and to which ask, and that it does the same when it is obeyed twice."""

import pytest

from bot.jobs.commands import STATE
from bot.ledger.ledger import Ledger
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.facts import Standing
from guardrails.said import Outcome, Said, skip, unknown, wait
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.jobs.saying import app_is_gone, joined, judged, obeyed, says, skipped_as, told
from tests.bot.ledger.steps import (
    STARTS,
    build_failed,
    building,
    claim_id_of,
    ended,
    now_of,
    pending,
    refuse,
    replied,
    skipped,
)
from tests.mentions import ALICE, BOB, LANE, NOON

STAGES = {**STARTS, Status.SKIPPED: lambda ledger: skipped(ledger, reason=Reason.REFUSED_BY_RULES)}
TAKEN_BACK = {*STAGES} - {Status.SKIPPED, Status.BUILD_FAILED}
WITH_APP = {Status.BUILT, Status.REPLIED, Status.ERROR}
OPEN = {Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING}


def came_of(ledger: Ledger, text: str, to: str | None, rkey: str = "3kword", **more: object) -> str:
    """What the asker is told of a command."""
    (verdict,) = obeyed(ledger, says(ledger, text, rkey, to, **more))  # type: ignore[arg-type]
    return verdict.detail


@pytest.mark.parametrize("status", Status)
def test_an_ask_is_taken_back_at_each_of_its_stages(ledger: Ledger, status: Status) -> None:
    """What has ended with nothing to show is over anyway."""
    asked = STAGES[status](ledger)
    came = came_of(ledger, "delete", asked.source_uri)
    now = now_of(ledger, asked)

    assert (Note.TAKEN_BACK if status in TAKEN_BACK else Note.IS_OVER) == came
    assert (status in TAKEN_BACK) is (now.withdrawn_at is not None)
    assert (status in WITH_APP | {Status.BUILDING}) is app_is_gone(ledger, asked)


@pytest.mark.parametrize("word", ["cancel", "retry"])
@pytest.mark.parametrize("status", Status)
def test_a_command_that_is_obeyed_twice_comes_to_the_same(ledger: Ledger, status: Status, word: str) -> None:
    """As when the process ends before the command's own document has moved."""
    command = says(ledger, word, "3kword", STAGES[status](ledger).source_uri)

    assert judged(ledger, command) == judged(ledger, command)


@pytest.mark.parametrize("word", ["delete", "retry"])
@pytest.mark.parametrize("status", Status)
def test_only_the_asker_commands(ledger: Ledger, status: Status, word: str) -> None:
    """Of somebody else's ask nothing is known here."""
    asked = STAGES[status](ledger)
    came = came_of(ledger, word, asked.source_uri, author=BOB)

    assert (Note.NOT_TRIED_AGAIN if word == "retry" else Note.IS_NOTHING) == came
    assert asked == now_of(ledger, asked)


@pytest.mark.parametrize("status", Status)
def test_only_a_failed_build_is_tried_again(ledger: Ledger, status: Status) -> None:
    """Of what is under way or has an app its asker hears that; of anything else that there is nothing to try."""
    asked = STAGES[status](ledger)
    came = came_of(ledger, "retry", asked.source_uri)
    now = now_of(ledger, asked)

    if status is Status.BUILD_FAILED:
        assert (Note.TRIED_AGAIN, Status.PENDING_BUILD, Reason.ASKED_AGAIN) == (came, now.status, now.reason)
    else:
        assert (STATE if status in OPEN | WITH_APP else Note.NOT_TRIED_AGAIN, asked) == (came, now)


@pytest.mark.parametrize("came", [wait(Reason.CAPPED, Cap.AUTHOR_HOUR, NOON), unknown("not seen", NOON), unknown("?")])
def test_what_cannot_be_tried_again_yet_is_asked_once_more(ledger: Ledger, came: Said) -> None:
    """The command is not done: nothing is answered before it is."""
    failed = build_failed(ledger)
    command = judged(ledger, says(ledger, "retry", "3kword", failed.source_uri), came_of_retry=came)

    assert (came.outcome, came.reason, failed) == (command.outcome, command.reason, now_of(ledger, failed))
    assert (came.detail, came.until) == (command.verdicts[-1].detail, command.verdicts[-1].until)


def test_what_is_not_tried_again_is_not_said_why(ledger: Ledger) -> None:
    """That is for operators."""
    failed = build_failed(ledger)
    came = skip(Reason.LABELLED, "labelled spam")
    command = judged(ledger, says(ledger, "retry", "3kword", failed.source_uri), came_of_retry=came)

    assert (Outcome.SKIP, Reason.COMMAND) == (command.outcome, command.reason)
    assert (Outcome.PASS, Note.NOT_TRIED_AGAIN) == (command.verdicts[-1].outcome, command.verdicts[-1].detail)


def test_what_was_taken_back_is_not_tried_again(ledger: Ledger) -> None:
    """Its author has changed their mind once."""
    failed = build_failed(ledger)
    ledger.sightings.withdrawn(failed)

    assert Note.NOT_TRIED_AGAIN == came_of(ledger, "retry", failed.source_uri)


def test_to_try_an_ask_again_that_joined_another_is_to_try_that_one(ledger: Ledger) -> None:
    """There is one build of the two."""
    claimed = building(ledger)
    second = joined(ledger, claimed.document)
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.REFUSED, reason="too big"))
    came = came_of(ledger, "retry", second.source_uri)

    assert (Note.TRIED_AGAIN, Status.PENDING_BUILD) == (came, now_of(ledger, claimed.document).status)


@pytest.mark.parametrize("under", range(3))
def test_an_ask_is_taken_back_with_what_joined_it(ledger: Ledger, under: int) -> None:
    """Wherever its author says so: none of them is judged afresh."""
    first = pending(ledger)
    asked = [first, joined(ledger, first), joined(ledger, first, "3kthird")]
    came = came_of(ledger, "cancel", asked[under].source_uri)
    ended = [now_of(ledger, each) for each in asked]

    assert (Note.TAKEN_BACK, [False] * 3) == (came, [each.withdrawn_at is None for each in ended])
    assert [Reason.CANCELLED, Reason.SAME_ASK, Reason.SAME_ASK] == [each.reason for each in ended]
    assert [] == ledger.documents.withdrawn_with_joined(10)


def test_a_command_under_our_answer_is_about_what_it_answers(ledger: Ledger) -> None:
    """Whether that is an app, or a line for an end."""
    answered, failed = replied(ledger), build_failed(ledger, "3ksecond")
    line = told(ledger, failed, "3kline")

    assert Note.TAKEN_BACK == came_of(ledger, "delete", answered.reply_uri)
    assert Note.TRIED_AGAIN == came_of(ledger, "retry", line, "3kagain")


@pytest.mark.parametrize("said", ["status", "thank you"])
def test_a_command_under_what_is_no_ask_is_about_what_that_was_said_of(ledger: Ledger, said: str) -> None:
    """Be it under the post itself, or under our line about it; other asks of its author are left alone."""
    asked, other = pending(ledger), pending(ledger, "3kother", ask="make me something else")
    reason = Reason.COMMAND if said == "status" else Reason.THANKS
    before = refuse(ledger, says(ledger, said, "3kbefore", asked.source_uri), reason)
    under = told(ledger, before, "3kline") if said == "status" else before.source_uri

    assert Note.TAKEN_BACK == came_of(ledger, "cancel", under)
    assert (True, None) == (now_of(ledger, asked).withdrawn_at is not None, now_of(ledger, other).withdrawn_at)


def test_a_command_elsewhere_in_a_thread_is_about_the_ask_that_began_it(ledger: Ledger) -> None:
    """Under somebody else's post, of which nothing is known."""
    asked = pending(ledger)
    elsewhere = f"at://{BOB}/app.bsky.feed.post/3kbob"

    assert Note.TAKEN_BACK == came_of(ledger, "cancel", elsewhere, root=asked.source_uri)


@pytest.mark.parametrize("word", ["cancel", "delete", "retry"])
def test_a_command_that_is_no_reply_is_about_nothing(ledger: Ledger, word: str) -> None:
    """Which of somebody's asks would be meant is not for a machine to guess."""
    asks = [pending(ledger), build_failed(ledger, "3kfailed", ask="make me something else")]
    before = [now_of(ledger, each) for each in asks]
    came = came_of(ledger, word, None)

    assert (Note.NOT_TRIED_AGAIN if word == "retry" else Note.IS_NOTHING) == came
    assert before == [now_of(ledger, each) for each in asks]


def test_two_commands_that_answer_each_other_are_about_nothing(ledger: Ledger) -> None:
    """Records name whatever they like, also a reply that came later."""
    one = says(ledger, "status", "3kone", f"at://{ALICE}/app.bsky.feed.post/3ktwo")
    two = says(ledger, "cancel", "3ktwo", one.source_uri)
    refuse(ledger, one, Reason.COMMAND)

    assert Note.IS_NOTHING == obeyed(ledger, two)[0].detail


def test_a_long_row_of_commands_is_about_nothing(ledger: Ledger) -> None:
    """Whoever answers their own commands for ever asks for a lot of reading."""
    under = pending(ledger).source_uri
    root = f"at://{BOB}/app.bsky.feed.post/3kbob"
    for n in range(30):
        under = refuse(ledger, says(ledger, "status", f"3k{n:02}", under, root), Reason.COMMAND).source_uri

    assert Note.IS_NOTHING == came_of(ledger, "cancel", under, root=root)


def test_who_wants_to_be_forgotten_is_forgotten(ledger: Ledger) -> None:
    """But for the command, which is still to be answered; whoever else has asked is not touched."""
    answered, other = replied(ledger), pending(ledger, "3kother", author=BOB)
    waiting = pending(ledger, "3kwaits", ask="make me something else")
    command = says(ledger, "forget me", "3kword")
    (verdict,) = obeyed(ledger, command)

    assert Note.FORGOTTEN == verdict.detail
    assert frozenset({Standing.FORGOTTEN}) == ledger.people.standing_of([ALICE])[ALICE]
    assert [True, True, False] == [now_of(ledger, each).is_blank for each in (answered, waiting, other)]
    assert (Status.SKIPPED, Reason.FORGOTTEN) == (now_of(ledger, waiting).status, now_of(ledger, waiting).reason)
    assert command == now_of(ledger, command)


def test_who_was_forgotten_comes_back(ledger: Ledger) -> None:
    """Nothing holds of them any more."""
    skipped_as(ledger, says(ledger, "forget me", "3kword"))
    came = came_of(ledger, "remember me", None, "3kback")

    assert Note.REMEMBERED == came
    assert frozenset() == ledger.people.standing_of([ALICE])[ALICE]


@pytest.mark.parametrize("reason", [Reason.DENIED, Reason.OPTED_OUT, Reason.BEFORE_FIRST_START])
def test_who_may_not_ask_may_still_take_back(ledger: Ledger, reason: Reason) -> None:
    """And hears nothing of it; everything else that they say is not done."""
    asked, failed = replied(ledger), build_failed(ledger, "3kfailed")
    delete = says(ledger, "delete", "3kdelete", asked.source_uri)
    retry = says(ledger, "retry", "3kretry", failed.source_uri)

    assert () == obeyed(ledger, delete, reason) + obeyed(ledger, retry, reason)
    assert now_of(ledger, asked).withdrawn_at is not None
    assert failed == now_of(ledger, failed)


@pytest.mark.parametrize("reason", [Reason.NOT_OURS, Reason.ALREADY_ANSWERED, Reason.CANNOT_REPLY])
def test_what_is_not_for_us_is_not_obeyed(ledger: Ledger, reason: Reason) -> None:
    """Whatever it says."""
    asked = pending(ledger)

    assert () == obeyed(ledger, says(ledger, "cancel", "3kword", asked.source_uri), reason)
    assert asked == now_of(ledger, asked)


def test_an_ask_is_no_command(ledger: Ledger) -> None:
    """Nor does it say anything about one."""
    asked = pending(ledger)

    assert () == obeyed(ledger, says(ledger, "cancel my subscription reminder", "3kask", asked.source_uri))
    assert asked == now_of(ledger, asked)
