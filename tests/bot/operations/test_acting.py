"""What operators do over a ledger: each for itself, at the version that was seen, and once for each action."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.errors import NotDone
from bot.ledger.ledger import Ledger
from bot.ledger.selection import Ref
from bot.ledger.views import Document
from bot.operations.doing import Act, Deed, Ending
from bot.operations.port import Settling
from guardrails.access import Role
from guardrails.documents import DocId
from guardrails.errors import NotAllowed
from guardrails.facts import Standing
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import build_failed, built, held, now_of, received, send_refused, sending, travel
from tests.bot.operations.desk import A_LANE, LINK, ME, operations
from tests.documents import newest
from tests.mentions import ALICE, BOB, BOT, OPERATOR, VIEWER, mention


def act(document: Document, deed: Deed, action: str = "action-1", why: str = "") -> Act:
    return Act(deed, Ref(document.id, document.version), action, why)


def some(ledger: Ledger, how_many: int) -> list[Document]:
    """So many documents that were skipped, stored in one go."""
    names = [f"3kmany{number:04}" for number in range(how_many)]
    ledger.documents.receive(BOT, [mention(name, ask=f"app {name}") for name in names])
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET status = 'skipped', reason = 'thanks'"))
    return newest(ledger, how_many)


def test_many_at_once_of_which_some_have_moved(ledger: Ledger) -> None:
    """Nobody's newer state is overwritten, what is not allowed is told, and one that fails stops no other."""
    documents = some(ledger, 100)
    moved, final, broken = documents[:20], documents[20:30], documents[30]
    for document in moved:
        ledger.documents.judge_again(OPERATOR, document)
    with ledger.db.write() as connection:
        for document in final:
            connection.execute(
                text("UPDATE documents SET reason = 'taken_down', taken_down_at = created_at WHERE id = :id"),
                {"id": document.id},
            )
        connection.execute(text("UPDATE documents SET body = '{}' WHERE id = :id"), {"id": broken.id})
    acts = [act(document, Deed.JUDGE_AGAIN, f"action-{document.id}") for document in documents]
    missing = Act(Deed.SKIP, Ref(DocId("mention:did:plc:nobody:3k"), 1), "action-missing")
    outcomes = operations(ledger).act([*acts[:99], missing])
    endings = Counter(outcome.ending for outcome in outcomes)

    assert {Ending.DONE: 68, Ending.CHANGED: 20, Ending.NOT_ALLOWED: 10, Ending.FAILED: 2} == endings
    assert {"it was taken down for good"} == {o.told for o in outcomes if o.ending is Ending.NOT_ALLOWED}
    assert "it is received at version 2 by now" == outcomes[0].told
    assert (Status.RECEIVED, 2, Reason.JUDGED_AGAIN) == (outcomes[60].status, outcomes[60].version, outcomes[60].reason)
    assert 68 + 20 == len(ledger.audit.rows(None, 999))
    assert outcomes[40:] == operations(ledger).act([*acts[40:99], missing])
    with pytest.raises(NotDone, match="501 at once are too many"):
        operations(ledger).act([acts[0]] * 501)


def test_two_people_press_at_once(ledger: Ledger) -> None:
    """One of them was faster; of one who presses twice both presses were the one."""
    document = held(ledger)
    presses = [act(document, Deed.APPROVE, "anna"), *[act(document, Deed.APPROVE, "olga")] * 7]
    with ThreadPoolExecutor(8) as pool:
        outcomes = [each for (each,) in pool.map(lambda press: operations(ledger).act([press]), presses)]
    endings = [outcome.ending for outcome in outcomes]
    anna, olga = endings[0], set(endings[1:])

    assert (anna, olga) in ((Ending.DONE, {Ending.CHANGED}), (Ending.CHANGED, {Ending.DONE}))
    assert 1 == len([moved for moved in ledger.feed.after(0, 99) if moved.name == "approve"])
    assert 1 == len(ledger.audit.rows(None, 99))


def test_each_deed_is_the_ledgers_write(ledger: Ledger) -> None:
    """With the operator's words, where the ledger keeps them."""
    asked = held(ledger)
    failed, errored = build_failed(ledger, "3kfailed"), send_refused(ledger, "3kerror")
    late = ledger.decisions.hold_reply(BOT, built(ledger, "3kbuilt"), "old")
    acts = [
        act(asked, Deed.SKIP, "1", "not for us"),
        act(failed, Deed.RETRY, "2"),
        act(errored, Deed.SEND_AGAIN, "3"),
        act(late, Deed.RELEASE_REPLY, "4"),
    ]
    told = [(each.ending, each.told) for each in operations(ledger).act(acts)]
    done = [now_of(ledger, document) for document in (asked, failed, errored, late)]

    assert [
        (Ending.DONE, "it is skipped"),
        (Ending.DONE, "it is pending-build"),
        (Ending.DONE, "it is built"),
        (Ending.DONE, "its reply goes out next"),
    ] == told
    assert (Reason.DECLINED, "not for us") == (done[0].reason, done[0].detail)
    assert [Reason.RETRIED, Reason.SENT_AGAIN] == [document.reason for document in done[1:3]]
    assert (None, "olga") == (done[3].reply_held, done[3].reply_released_by)


def test_a_second_reply_has_to_be_wanted(ledger: Ledger) -> None:
    """Where one was abandoned that may be out."""
    send = sending(ledger)
    ledger.decisions.abandoned(OPERATOR, send)
    document = ledger.queries.document(str(send.document_id))
    wanted = act(document, Deed.SEND_AGAIN)
    (refused,) = operations(ledger).act([wanted])
    (done,) = operations(ledger).act([replace(wanted, second_reply=True)])

    assert (Ending.NOT_ALLOWED, True) == (refused.ending, "which may be out" in refused.told)
    assert Ending.DONE is done.ending


def test_an_approval_may_come_too_late(ledger: Ledger, ledger_clock: Clock) -> None:
    """The deadline is the ledger's."""
    document = held(ledger)
    travel(ledger_clock, hours=73)
    (outcome,) = operations(ledger).act([act(document, Deed.APPROVE)])

    assert (Ending.NOT_ALLOWED, True) == (outcome.ending, outcome.told.startswith("it could be approved until "))


def test_an_action_id_is_one_actions(ledger: Ledger) -> None:
    """On one document; and nobody acts without one."""
    first, second = received(ledger), received(ledger, "3ksecond")
    operations(ledger).act([act(first, Deed.SKIP)])
    (taken,) = operations(ledger).act([act(second, Deed.SKIP)])
    (none,) = operations(ledger).act([act(second, Deed.SKIP, "")])

    assert (Ending.NOT_ALLOWED, "its action id was used for something else") == (taken.ending, taken.told)
    assert Ending.FAILED is none.ending
    assert Status.RECEIVED is now_of(ledger, second).status


def test_an_action_id_is_one_deeds(ledger: Ledger) -> None:
    """On the same document, too: what was not done is never told as done."""
    document = held(ledger)
    operations(ledger).act([act(document, Deed.APPROVE)])
    approved = now_of(ledger, document)
    other = [act(document, Deed.SKIP), act(approved, Deed.TAKE_DOWN), act(approved, Deed.APPROVE)]
    outcomes = operations(ledger).act(other)

    assert [Ending.NOT_ALLOWED, Ending.NOT_ALLOWED, Ending.DONE] == [outcome.ending for outcome in outcomes]
    assert approved == now_of(ledger, document)
    skipped = act(received(ledger, "3kskipped"), Deed.SKIP, "action-2")
    assert [Ending.DONE, Ending.DONE] == [each.ending for _ in range(2) for each in operations(ledger).act([skipped])]


def test_the_take_down_of_an_author_has_an_id_of_its_own(ledger: Ledger) -> None:
    """Which means one author: with that of something else nobody is taken down; again it finishes what it began."""
    one, other = received(ledger), received(ledger, "3kbob", author=BOB)
    desk = operations(ledger)
    desk.act([act(other, Deed.SKIP, "of-a-skip")])
    desk.take_down_author(BOB, "spam", "of-bob")
    for used in ("of-a-skip", "of-bob"):
        with pytest.raises(NotDone, match="used for something else"):
            desk.take_down_author(ALICE, "spam", used)

    assert one == now_of(ledger, one)
    first, again = (desk.take_down_author(ALICE, "spam", "of-alice") for _ in range(2))
    assert ([Ending.DONE], first) == ([outcome.ending for outcome in again], again)


def test_a_viewer_changes_nothing(ledger: Ledger) -> None:
    """Whatever they try is refused before anything is looked at or written."""
    document, seen = held(ledger), operations(ledger, VIEWER)
    tries: list[Callable[[], object]] = [
        lambda: seen.act([act(document, Deed.APPROVE)]),
        lambda: seen.settle("reply:x", Settling.ABANDON, 1),
        lambda: seen.ask(LINK),
        lambda: seen.pause([Switch.PAUSE_BUILDS], "a storm"),
        lambda: seen.resume([Switch.PAUSE_BUILDS]),
        *[lambda standing=standing: seen.lay_down(ALICE, standing, "spam") for standing in Standing],
        lambda: seen.lift(ALICE),
        lambda: seen.unpublished("timer-x"),
        lambda: seen.take_down_author(ALICE, "spam", "action-1"),
        lambda: seen.add_device(ME),
        lambda: seen.invite(A_LANE),
        lambda: seen.revoke_device("lane-1"),
        seen.reload_rules,
    ]
    for attempt in tries:
        with pytest.raises(NotAllowed):
            attempt()

    assert () == seen.whole(document.id).deeds
    assert Role.VIEWER is seen.me().role
    assert ([], []) == (ledger.audit.rows(None, 9), ledger.desk.switches_on())
