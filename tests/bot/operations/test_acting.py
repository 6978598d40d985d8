"""What operators do over a ledger: each for itself, at the version that was seen, and once for each action."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.errors import LostRace, NoSuchDocument, NotDone
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.ledger.selection import Ref
from bot.ledger.views import Document, Send
from bot.operations.acting import Means
from bot.operations.local import local_operations
from bot.operations.port import Act, Deed, Ending, NewDevice, Operations, Settling
from bot.operations.reading import Around
from guardrails.access import Caller, Role
from guardrails.documents import AtUri, DocId, Kind, Mention, StrongRef, doc_id_of
from guardrails.errors import NotAllowed
from guardrails.facts import Standing
from guardrails.rules import Rules
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    build_failed,
    building,
    built,
    held,
    now_of,
    pending,
    received,
    ref_of,
    send_refused,
    sending,
    travel,
)
from tests.mentions import ALICE, BOT, LANE, OPERATOR, OUR_DID, VIEWER, mention

LINK = "https://bsky.app/profile/alice.test/post/3kasked"
OUTSIDE = AtUri(f"at://{OUR_DID}/app.bsky.feed.post/3kout")
ME = NewDevice(Place("olga's phone", ""), Role.VIEWER)
A_LANE = NewDevice(Place("a spare box", "https://apps.example/", 60), lasts=timedelta(days=1))


class FakeNetwork:
    """A network on which alice's post stands, and our record where a test puts it."""

    def __init__(self, asked: Mention | None = None, out: StrongRef | None = None) -> None:
        self.asked = asked
        self.out = out

    def record(self, send: Send, link: str) -> StrongRef:
        if self.out is None or self.out.uri != link:
            raise NoSuchDocument(f"{link} is not there")
        return self.out

    def ask(self, link: str, is_known: Callable[[DocId], bool], now: datetime) -> tuple[DocId, Mention | None]:
        if self.asked is None or link != LINK:
            raise NoSuchDocument("this post is not shown to us")
        document_id = doc_id_of(Kind.MENTION, self.asked.post.uri)
        return document_id, None if is_known(document_id) else self.asked


def operations(ledger: Ledger, caller: Caller = OPERATOR, network: FakeNetwork | None = None) -> Operations:
    around = Around("https://apps.example", Rules, {"alice.test": ALICE}.get, timedelta(minutes=5))
    means = Means(lambda: network or FakeNetwork(), lambda caller: f"as {caller.device} wants")
    return local_operations(ledger, caller, around, means)


def act(document: Document, deed: Deed, action: str = "action-1", why: str = "") -> Act:
    return Act(deed, Ref(document.id, document.version), action, why)


def some(ledger: Ledger, how_many: int) -> list[Document]:
    """So many documents that were skipped, stored in one go."""
    names = [f"3kmany{number:04}" for number in range(how_many)]
    ledger.documents.receive(BOT, [mention(name, ask=f"app {name}") for name in names])
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET status = 'skipped', reason = 'thanks'"))
    return ledger.queries.newest(how_many)


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


def test_a_send_is_settled_as_it_was_seen(ledger: Ledger) -> None:
    """By a record that is out, which is looked at; not when it was tried or settled meanwhile."""
    send, out = sending(ledger), StrongRef(uri=OUTSIDE, cid="cid-1")
    desk = operations(ledger, network=FakeNetwork(out=out))
    with pytest.raises(NotDone, match="say which record"):
        desk.settle(send.key, Settling.SENT, send.tries)
    with pytest.raises(NoSuchDocument):
        desk.settle(send.key, Settling.SENT, send.tries, ref_of(send).uri)
    with pytest.raises(LostRace, match="was tried meanwhile"):
        desk.settle(send.key, Settling.ABANDON, send.tries + 1)
    desk.settle(send.key, Settling.AGAIN, send.tries)
    settled = desk.settle(send.key, Settling.SENT, send.tries, desk.record_of(send.key, OUTSIDE))

    assert ("answered", OUTSIDE) == (settled.state, settled.uri)
    assert Status.REPLIED is ledger.queries.document(str(send.document_id)).status
    with pytest.raises(LostRace, match="is settled: answered as"):
        desk.settle(send.key, Settling.ABANDON, send.tries)


def test_a_send_is_given_up(ledger: Ledger) -> None:
    """And its document is an error."""
    send = sending(ledger)

    assert "abandoned" == operations(ledger).settle(send.key, Settling.ABANDON, send.tries).state
    assert Status.ERROR is ledger.queries.document(str(send.document_id)).status


def test_a_post_is_put_before_the_bot_once(ledger: Ledger) -> None:
    """Then it is known; one that an earlier ledger has answered is told as such."""
    asked = mention("3kasked")
    desk = operations(ledger, network=FakeNetwork(asked=asked))
    first, second = desk.ask(LINK), desk.ask(LINK)

    assert (True, "stored; the bot judges it next") == (first.stored, first.told)
    assert (False, "known already: received (asked_by_operator)") == (second.stored, second.told)
    with pytest.raises(NoSuchDocument):
        desk.ask("https://example.com")
    with ledger.db.write() as connection:
        connection.execute(text("DELETE FROM moves"))
        connection.execute(text("DELETE FROM documents"))
        row = {"id": first.id, "uri": OUTSIDE}
        connection.execute(
            text("INSERT INTO known_ids (id, reply_uri, at) VALUES (:id, :uri, '2026-03-02 12:00')"), row
        )
    assert (False, True) == (desk.ask(LINK).stored, "before this ledger began" in desk.ask(LINK).told)


def test_a_pause_may_take_builds_from_their_lanes(ledger: Ledger) -> None:
    """All of them, and only where builds are paused."""
    builds = {building(ledger, f"3k{n}").document.id for n in range(3)}
    pending(ledger, "3kwaits")
    with pytest.raises(NotDone):
        operations(ledger).pause([Switch.PAUSE_REPLIES], "a storm", now=True)
    voided = operations(ledger).pause(list(Switch), "a storm", now=True)
    desk = operations(ledger)

    assert (builds, []) == (set(voided), ledger.queries.under_claim())
    assert set(Switch) == {each.switch for each in desk.switches()}
    desk.resume(list(Switch))
    assert [] == desk.switches()


def test_people_are_laid_down_by_their_names(ledger: Ledger, ledger_clock: Clock) -> None:
    """Until a moment that is still to come; who is forgotten is forgotten for good."""
    document, desk = pending(ledger), operations(ledger)
    soon = ledger.db.time() + timedelta(days=1)

    assert [document.id] == desk.lay_down("@alice.test", Standing.DENIED, "spam", soon)
    assert [] == desk.lay_down(ALICE, Standing.ALLOWED, "a friend")
    assert [Standing.ALLOWED] == [person.standing for person in desk.people()]
    assert (True, False) == (desk.lift(ALICE), desk.lift(ALICE))
    with pytest.raises(NotDone):
        desk.lay_down(ALICE, Standing.FORGOTTEN, "", soon)
    travel(ledger_clock, days=2)
    with pytest.raises(NotDone, match="is over"):
        desk.lay_down(ALICE, Standing.DENIED, "spam", soon)
    assert [] == desk.lay_down(ALICE, Standing.FORGOTTEN, "")
    assert now_of(ledger, document).is_blank
    with pytest.raises(NotDone, match="id of its own"):
        desk.take_down_author(ALICE, "spam", "")


def test_a_device_is_enrolled_invited_and_revoked(ledger: Ledger) -> None:
    """Its token is told once; a console that it has opened is closed with it."""
    desk = operations(ledger)
    device, token = desk.add_device(ME)
    known = ledger.desk.device_of_token(token)
    session = ledger.consoles.sign_in(device, "session-1", "secret")
    until, code = desk.invite(A_LANE)

    assert (Role.VIEWER, device) == (device.role, known)
    assert until > ledger.db.time()
    assert ledger.enrolments.accept(code, LANE.device, "sw_lane") is not None
    assert session is not None
    assert session.ended is None
    assert (True, False) == (desk.revoke_device(device.id), desk.revoke_device(device.id))
    after = ledger.consoles.session_of("secret")
    assert after is not None
    assert after.ended is not None


@pytest.mark.parametrize(
    "new",
    [
        replace(ME, role=Role.BOT),
        replace(ME, place=Place("", "", 60)),
        replace(ME, lasts=timedelta()),
        replace(A_LANE, place=Place("", "https://apps.example/", 5)),
        replace(A_LANE, place=Place("", "apps.example")),
        replace(A_LANE, place=Place("", "http://[")),
    ],
)
def test_no_device_is_enrolled_that_could_never_work(ledger: Ledger, new: NewDevice) -> None:
    """Nor invited."""
    for enrol in (operations(ledger).add_device, operations(ledger).invite):
        with pytest.raises(NotDone):
            enrol(new)


@pytest.mark.parametrize("new", [ME, replace(A_LANE, lasts=None), replace(A_LANE, lasts=timedelta(days=31))])
def test_an_invitation_is_a_lanes_and_ends(ledger: Ledger, new: NewDevice) -> None:
    """After a month at most."""
    with pytest.raises(NotDone):
        operations(ledger).invite(new)


def test_the_rules_are_read_anew_in_the_callers_name(ledger: Ledger) -> None:
    """The version that holds then is told."""
    assert "as olga wants" == operations(ledger).reload_rules()
