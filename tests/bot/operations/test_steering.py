"""What operators do beside the documents: sends, posts, switches, people, devices, rules."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.errors import LostRace, NoSuchDocument, NotDone
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.operations.enrolling import NewDevice
from bot.operations.port import Settling
from guardrails.access import Role
from guardrails.documents import StrongRef
from guardrails.facts import Standing
from guardrails.switches import Switch
from guardrails.transitions import Status
from tests.bot.ledger.steps import building, now_of, pending, ref_of, sending, travel
from tests.bot.operations.desk import A_LANE, LINK, ME, OUTSIDE, FakeNetwork, operations
from tests.mentions import ALICE, LANE, mention


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


def test_builds_are_paused_last(ledger: Ledger) -> None:
    """They may wait for a claim that is stuck; nothing else waits for them, whoever names them first."""
    operations(ledger).pause([Switch.PAUSE_BUILDS, Switch.PAUSE_REPLIES, Switch.PAUSE_INGEST], "a storm")

    assert Switch.PAUSE_BUILDS.value == ledger.audit.rows(None, 1)[0].target
    assert set(Switch) == {each.switch for each in operations(ledger).switches()}


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
