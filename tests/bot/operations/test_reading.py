"""What operators see, read from the ledger of this process."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import insert, select

from bot.clock import Clock
from bot.errors import NoSuchDocument
from bot.ledger.leases import ROUNDS
from bot.ledger.ledger import Ledger
from bot.ledger.piles import NAMES
from bot.ledger.policy import Caps
from bot.ledger.selection import Selection
from bot.ledger.tables import attempts
from bot.ledger.usage import Priority
from bot.operations import charts
from bot.operations.deeds import deeds_at
from bot.operations.present import Counted, Rounds
from bot.operations.reading import Around, Reading
from bot.operations.stretches import Every, Skipped, Spread
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.rules import Rules
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import (
    accept,
    building,
    claim,
    claim_id_of,
    done,
    pending,
    received,
    replied,
    skipped,
    travel,
)
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR

APPS = "https://apps.example"


@pytest.fixture
def reading(ledger: Ledger) -> Reading:
    around = Around(APPS, Rules, {"renamed.test": BOB}.get, timedelta(minutes=30), None, Caps(3, 9))
    return Reading(ledger, around, lambda document: deeds_at(document, Role.OPERATOR))


def test_an_overview_of_a_new_bot_is_empty(reading: Reading) -> None:
    """Each pile is there, and each budget is whole."""
    seen = reading.overview()

    assert (dict.fromkeys(Status, Counted(0)), {}) == (seen.counts, seen.oldest)
    assert [(name, 0) for name in NAMES] == [(pile.name, pile.n) for pile in seen.piles]
    assert ["points_hour", "points_day", "logins_hour", "logins_day", "money_day"] == [b.name for b in seen.budgets]
    assert {0} == {budget.used for budget in seen.budgets}
    assert ((), (), (), None, 0) == (seen.lanes, seen.at_work, seen.switches, seen.waiting, seen.last_move)


def test_which_of_several_bots_does_the_rounds(ledger: Ledger) -> None:
    """As each of them tells it, and whoever asks the ledger itself; a file has one bot."""
    lasts = timedelta(seconds=15)

    def told(holder: str | None) -> Rounds | None:
        around = Around(APPS, Rules, dict[str, str]().get, timedelta(minutes=30), holder=holder)
        return Reading(ledger, around, lambda _: ()).overview().rounds

    none = told(None)
    ledger.leases.take(ROUNDS, "box:7:ab", lasts)
    asked = [told(name) for name in ("box:7:ab", "box:8:cd", None)]

    if ledger.db.is_sqlite:
        assert [None] * 4 == [none, *asked]
        return
    assert Rounds(None, None) == none
    assert [("box:7:ab", True), ("box:7:ab", False), ("box:7:ab", False)] == [
        (each.holder, each.here) for each in asked if each is not None
    ]


def test_an_overview_has_all_that_goes_on(ledger: Ledger, reading: Reading, ledger_clock: Clock) -> None:
    """Work and its age, lanes, piles, budgets, switches."""
    # So that neither the hour nor the day ends while it waits.
    now = ledger.db.time()
    ledger_clock.shift += now.replace(hour=12, minute=1) - now
    ledger.desk.add_device(OPERATOR, LANE.device, "", Role.LANE, "", "token")
    ledger.desk.add_device(OPERATOR, DeviceId("gone"), "", Role.LANE, "", "other")
    ledger.desk.revoke_device(OPERATOR, "gone")
    ledger.pace.spend(7, Priority.REPLY)
    at_work = building(ledger, "3kbuilding")
    waiting = pending(ledger, "3kpending")
    skipped(ledger, "3kskipped")
    travel(ledger_clock, minutes=31)
    ledger.desk.throw(BOT, Switch.PAUSE_REPLIES, "a loop")
    seen = reading.overview()
    piles = {pile.name: pile for pile in seen.piles if pile.n}

    assert {"stuck_builds", "no_lane"} == set(piles)
    assert ("asks that no lane comes for", "skywright lanes") == (piles["no_lane"].told, piles["no_lane"].command)
    assert {Status.BUILDING: 1, Status.PENDING_BUILD: 1, Status.SKIPPED: 1} == {
        status: each.n for status, each in seen.counts.items() if each.n
    }
    assert waiting.created_at == seen.oldest[Status.PENDING_BUILD]
    assert [at_work.document.id] == [each.document_id for each in seen.at_work]
    assert ([LANE.device], 2) == ([lane.id for lane in seen.lanes], getattr(seen.waiting, "documents", 0))
    assert {"points_hour": 7, "points_day": 7, "money_day": 50_000} == {b.name: b.used for b in seen.budgets if b.used}
    assert [(Switch.PAUSE_REPLIES, "bot", "a loop")] == [(s.switch, s.device, s.why) for s in seen.switches]
    assert seen.last_move == reading.last_move() == reading.move_before(seen.at)
    assert seen.switches == tuple(reading.switches())
    ledger.desk.throw(BOT, Switch.PAUSE_BUILDS, "a rest")
    assert "no_lane" not in {pile.name for pile in reading.overview().piles if pile.n}


def test_documents_are_listed_counted_named_and_shown(ledger: Ledger, reading: Reading, ledger_clock: Clock) -> None:
    """By whatever people type; one with all that belongs to it."""
    first = replied(ledger, "3kone")
    travel(ledger_clock, hours=1)
    second = received(ledger, "3ktwo", author=BOB)
    page = reading.page(Selection(), 1)

    assert ((second,), (first,)) == (page.documents, reading.page(Selection(), 1, page.next).documents)
    assert reading.page(Selection(), 1, page.next).next is None
    assert Counted(2) == reading.count(Selection())
    names = {
        first.id: first,
        "3kone": first,
        f"{APPS}/{first.slug}": first,
        "https://bsky.app/profile/alice.test/post/3kone": first,
        "https://bsky.app/profile/renamed.test/post/3ktwo": second,
        second.source_uri: second,
    }
    assert names == {name: reading.find(name) for name in names}
    with pytest.raises(NoSuchDocument):
        reading.find("https://bsky.app/profile/alice.test/post/3ktwo")
    whole = reading.whole(first.id)
    assert (first, 1, 1) == (whole.document, len(whole.attempts), len(whole.sends))
    assert (whole.moves[0].name, first.slug) == ("receive", whole.app.slug if whole.app else None)
    assert whole.deeds == deeds_at(first, Role.OPERATOR)
    assert ({ALICE: "alice.test", BOB: "bob.test"}, BOB) == (
        reading.handles([ALICE, BOB, OPERATOR.device]),  # type: ignore[list-item]
        reading.who("@renamed.test").did,
    )
    assert [send.key for send in whole.sends] == [send.key for send in reading.sends(everything=True, limit=9)]
    assert ([], whole.sends[0]) == (reading.sends(everything=False, limit=9), reading.send(whole.sends[0].key))
    assert ([], [], []) == (reading.people(), reading.devices(), reading.audit(None, 9))


def test_the_moves_before_a_moment_are_known(ledger: Ledger, reading: Reading, ledger_clock: Clock) -> None:
    """By their number, however many there are."""
    assert 0 == reading.move_before(ledger.db.time())
    moments = []
    for number in range(5):
        moments.append(ledger.db.time())
        received(ledger, f"3k{number}")
        travel(ledger_clock, minutes=1)

    assert list(range(5)) == [reading.move_before(moment) for moment in moments]
    assert [4, 5] == [move.seq for move in reading.moves(3, 9)]


def test_the_export_can_be_taken_up_where_it_was_left(ledger: Ledger, reading: Reading) -> None:
    """Move by move, each with what it was about."""
    document = replied(ledger, author=BOB, ask="a kettle")
    whole = reading.export(0, 10**9)
    pieces = [*reading.export(0, 2), *reading.export(2, 2), *reading.export(4, 2), *reading.export(6, 2)]

    assert whole == pieces
    assert ["receive", "accept", "claim", "finish", "answer"] == [each.move for each in whole]
    assert {(document.id, BOB, "bob.test", "a kettle", Status.REPLIED, document.slug, document.reply_uri)} == {
        (each.document, each.author_did, each.author_handle, each.ask, each.status, each.slug, each.reply_uri)
        for each in whole
    }
    assert [None, "received", "pending-build", "building", "built"] == [each.source for each in whole]
    assert [[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]] == [[e.seq for e in whole], [e.version for e in whole]]


@pytest.fixture
def noon(ledger: Ledger, ledger_clock: Clock) -> Callable[[], None]:
    """Moves the clock to the beginning of the next hour."""

    def go() -> None:
        now = ledger.db.time()
        ahead = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1) - now
        ledger_clock.shift += ahead

    return go


def test_figures_are_told_hour_by_hour(
    ledger: Ledger, reading: Reading, ledger_clock: Clock, noon: Callable[[], None]
) -> None:
    """Without a gap, and in all; the middle and the slow end of what took its time."""
    noon()
    since = ledger.db.time().replace(minute=0, second=0, microsecond=0)
    skipped(ledger, "3kskipped", Reason.THANKS)
    skipped(ledger, "3kloop", Reason.LOOP)
    skipped(ledger, "3kthanks", Reason.THANKS)
    travel(ledger_clock, hours=2)
    documents = [received(ledger, f"3k{number}") for number in range(3)]
    for document in documents:
        travel(ledger_clock, seconds=10)
        accept(ledger, document)
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done(cost_micros=1234))
    figures = reading.figures(since, since + timedelta(hours=3), Every.HOUR)
    busy = figures.stretches[2]

    assert [since + timedelta(hours=n) for n in range(3)] == [each.at for each in figures.stretches]
    assert [3, 0, 3] == [each.mentions for each in figures.stretches]
    assert (1, 0, 0, 0, 1234) == (busy.first_try, busy.repaired, busy.failed, busy.replies, busy.cost_micros)
    assert Spread() == figures.stretches[0].to_acknowledge == busy.to_reply
    assert (3, 20, 30) == tuple(map(round, (busy.to_acknowledge.n, *_ends(busy.to_acknowledge))))
    assert (6, 1234, 3) == (figures.in_all.mentions, figures.in_all.cost_micros, figures.in_all.to_acknowledge.n)
    assert (Skipped(Reason.THANKS, 2), Skipped(Reason.LOOP, 1)) == figures.skips
    day = reading.figures(since - timedelta(days=1), since + timedelta(days=1), Every.DAY)
    assert (day.in_all.mentions, day.more) == (6, False)
    assert 6 == sum(each.mentions for each in day.stretches)
    assert {each.at.hour for each in day.stretches} == {0}
    assert [1234] == [cost.cost_micros for cost in reading.costs(since, "lane")]


def test_costs_of_a_busy_quarter_are_told_in_full(ledger: Ledger, reading: Reading, ledger_clock: Clock) -> None:
    """Also where something was built in each of its hours."""
    since = ledger.db.time()
    accept(ledger, received(ledger))
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done(cost_micros=1))
    with ledger.db.write() as connection:
        first = dict(connection.execute(select(attempts)).one()._mapping)
        connection.execute(
            insert(attempts),
            [
                first | {"attempt": 1 + n, "claim_id": f"claim-{n}", "ended_at": since + timedelta(hours=n)}
                for n in range(1, 600)
            ],
        )
    travel(ledger_clock, days=26)
    figures = reading.figures(since, since + timedelta(days=26), Every.DAY)

    assert (600, 600) == (figures.in_all.cost_micros, sum(stretch.cost_micros for stretch in figures.stretches))
    assert {24} == {stretch.cost_micros for stretch in figures.stretches[1:25]}


def test_figures_have_a_bound(ledger: Ledger, reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """In time, and in how much has happened, which is said."""
    received(ledger, "3kone")
    monkeypatch.setattr(charts, "MOST_EVENTS", 1)
    now = ledger.db.time() + timedelta(minutes=1)

    assert reading.figures(now - timedelta(hours=1), now, Every.HOUR).more
    for longer in (timedelta(), timedelta(days=15), -timedelta(days=1)):
        with pytest.raises(ValueError, match="by the hour at most 14 days"):
            reading.figures(now - longer, now, Every.HOUR)
    with pytest.raises(ValueError, match="by the day at most 90 days"):
        reading.figures(now - timedelta(days=91), now, Every.DAY)
    with pytest.raises(ValueError, match="by day, author, model, lane"):
        reading.costs(now, "colour")


def _ends(spread: Spread) -> tuple[float, float]:
    assert spread.p50 is not None
    assert spread.p95 is not None
    return spread.p50, spread.p95
