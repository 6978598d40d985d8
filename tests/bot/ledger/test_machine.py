"""Random actors with fresh or stale readings and claims: whatever they try, the ledger keeps its promises."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select, text

from bot.clock import Clock
from bot.errors import CapFull, ClaimLost, LostRace
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.purse import Purse
from bot.ledger.tables import moves
from bot.ledger.views import Document, Moved, Send, move_of
from guardrails.access import Caller, Role
from guardrails.documents import AtUri, ClaimId, DeviceId, Did, DocId, Kind, RecordKey, StrongRef
from guardrails.errors import RuleError
from guardrails.transitions import FINAL_SKIPS, TABLES, Actor, Status, is_terminal, moves_from
from guardrails.wire import BuildOutcome
from tests.bot.ledger.counts import counts
from tests.bot.ledger.machine_moves import MOVES, PURSES, TRIES, WORDS, judged_and_accepted
from tests.bot.ledger.steps import STARTS, done, ended, frozen, new_claim_id, travel
from tests.documents import newest
from tests.facts import PURSE
from tests.ledger_fixtures import slug_for
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR, OTHER_LANE, mention
from tests.postgres_copies import DatabaseCopies

EXPECTED = (LostRace, ClaimLost, CapFull, RuleError)
ROWS = {(m.name, m.source, m.target, m.actor, reason) for m in TABLES[Kind.MENTION] for reason in m.reasons}
LANES = st.sampled_from([LANE, OTHER_LANE])
BEGINNINGS = [status for status in STARTS if status is not Status.REPLIED]

# A heartbeat is no move, nor is what is only noted: where a reply was found, and that an answer is to be taken back.
NOTED = ("lease_until", "step", "reply_uri", "withdrawn_at")
# A document of these statuses is counted, unless it has left its place to the one that joined it.
TABLES_OF_IT = (
    "app_files",
    "apps",
    "attempts",
    "sends",
    "moves",
    "held_asks",
    "documents",
    "known_ids",
    "usage",
    "people",
)
ROOT = StrongRef(uri=AtUri("at://did:plc:carol/app.bsky.feed.post/3kroot"), cid="cid")

Kept = TypeVar("Kept")


class LedgerMachine(RuleBasedStateMachine):
    """Readings, claims and sends are kept for ever, so that much of what is tried is stale."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.clock = Clock()
        self.ledger = open_ledger(url, self.clock, LedgerPolicy(), slug_for)
        self.readings: list[Document] = []
        self.claims: list[ClaimId] = []
        self.sends: list[Send] = []
        self.documents: dict[DocId, Document] = {}
        self.cids: dict[int, set[str]] = {}
        self.answered: set[str] = set()
        self.numbers: Iterator[int] = iter(range(1, 10_000))

    @initialize(
        statuses=st.lists(
            st.sampled_from([s for s in STARTS if s is not Status.REPLIED]), min_size=2, max_size=3, unique=True
        )
    )
    def begin(self, statuses: list[Status]) -> None:
        for table in TABLES_OF_IT:
            with self.ledger.db.write() as connection:
                connection.execute(text(f"DELETE FROM {table}"))
        for status in [status for status in STARTS if status in statuses]:
            document = STARTS[status](self.ledger, f"3k{status.value}")
            self.claims += [ClaimId(attempt.claim_id) for attempt in self.ledger.queries.attempts(document.id)]
            self.sends += self.ledger.queries.sends(document.id)
        self.readings += newest(self.ledger, 99)

    @precondition(lambda self: len(self.documents) < 5)
    @rule(known=st.booleans(), author=st.sampled_from([ALICE, BOB]))
    def receive(self, known: bool, author: Did) -> None:
        rkey = self.readings[0].id.split(":")[-1] if known else f"3kn{next(self.numbers)}"
        self.readings += self.ledger.documents.receive(BOT, [mention(rkey, author, root=ROOT)])

    @rule(data=st.data(), steps=st.integers(1, 5))
    def carry_on(self, data: st.DataObject, steps: int) -> None:
        """What bot and lanes do when nothing comes between."""
        document_id = draw(data, self.readings).id
        with lost():
            for _ in range(steps):
                self.readings.append(self.ledger.queries.document(document_id))
                self._carry_on(self.readings[-1])
        self.readings += newest(self.ledger, 99)

    def _carry_on(self, now: Document) -> None:
        match now.status:
            case Status.RECEIVED:
                judged_and_accepted(self.ledger, now)
            case Status.PENDING_BUILD:
                self._claim(LANE, new_claim_id())
            case Status.BUILDING if now.claim_id is None:
                self._claim(OTHER_LANE, new_claim_id())
            case Status.BUILDING:
                lane = Caller(Role.LANE, DeviceId(str(now.claim_device)))
                self.ledger.claims.report(lane, ClaimId(str(now.claim_id)), done())
            case Status.BUILT if not now.sending:
                self.sends.append(self.ledger.sends.claim_reply(BOT, now, frozen(f"3kr{next(self.numbers)}")))
            case Status.SKIPPED:
                self.ledger.documents.judge_again(OPERATOR, now)
            case Status.BUILD_FAILED | Status.ERROR:
                self.ledger.documents.retry(OPERATOR, now)

    @rule(data=st.data(), fresh=st.booleans())
    def move(self, data: st.DataObject, fresh: bool) -> None:
        reading = draw(data, self.readings)
        before = self.ledger.queries.document(reading.id) if fresh else reading
        allowed = {move.name for move in moves_from(Kind.MENTION, before.status)}
        names = sorted(name for name in MOVES if name.split(":")[0] in allowed)
        with lost():
            MOVES[data.draw(st.sampled_from(names or sorted(MOVES)))](self.ledger, before)
        self.readings += newest(self.ledger, 99)

    @rule(data=st.data(), word=st.sampled_from(sorted(WORDS)), fresh=st.booleans())
    def speak_of_somebody(self, data: st.DataObject, word: str, fresh: bool) -> None:
        reading = draw(data, self.readings)
        with lost():
            WORDS[word](self.ledger, self.ledger.queries.document(reading.id) if fresh else reading)
        self.readings += newest(self.ledger, 99)

    @rule(data=st.data(), lane=LANES, again=st.booleans(), purse=st.sampled_from(PURSES))
    def claim(self, data: st.DataObject, lane: Caller, again: bool, purse: Purse) -> None:
        with lost():
            self._claim(lane, draw(data, self.claims) if again and self.claims else new_claim_id(), purse)

    def _claim(self, lane: Caller, claim_id: ClaimId, purse: Purse = PURSE) -> None:
        now = self.ledger.db.time()
        held = {d.claim_id: d.id for d in newest(self.ledger, 99) if d.lease_until and d.lease_until > now}
        claimed = self.ledger.claims.claim_next(lane, claim_id, "template", purse)
        if claimed is not None:
            assert claim_id in held or len(held) < purse.at_once
            assert held.get(claim_id) == claimed.document.id or claimed.document.id not in held.values()
            self.claims.append(claim_id)
            self.readings.append(claimed.document)

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), lane=LANES, upload=st.booleans())
    def beat(self, data: st.DataObject, lane: Caller, upload: bool) -> None:
        with lost():
            if upload:
                self.ledger.hosting.store(lane, draw(data, self.claims), "a" * 64, {"index.html": b"1"})
            else:
                self.ledger.claims.heartbeat(lane, draw(data, self.claims), "generating")

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), outcome=st.sampled_from(BuildOutcome), fresh=st.booleans(), own=st.booleans())
    def report(self, data: st.DataObject, outcome: BuildOutcome, fresh: bool, own: bool) -> None:
        cost = data.draw(st.sampled_from([0, 1, 120_000]))
        said = done() if outcome is BuildOutcome.DONE else ended(outcome, detail="so it is")
        report = said.model_copy(update={"cost_micros": cost})
        documents = newest(self.ledger, 99)
        attempts = {a.claim_id: a for d in documents for a in self.ledger.queries.attempts(d.id)}
        live = [d.claim_id for d in documents if d.claim_id is not None]
        claim_id = draw(data, live if live and fresh else self.claims)
        lane = LANE if own == (attempts[claim_id].device == LANE.device) else OTHER_LANE
        with lost():
            status = self.ledger.claims.report(lane, claim_id, report)
            assert status is self.ledger.claims.report(lane, claim_id, report)
            assert claim_id in live or attempts[claim_id].outcome == outcome.value
        self.readings += newest(self.ledger, 99)

    @rule(data=st.data(), fresh=st.booleans())
    def speak(self, data: st.DataObject, fresh: bool) -> None:
        ready = self.ledger.queries.ready_to_answer(9) if fresh else []
        with lost():
            before = draw(data, ready or self.readings)
            self.sends.append(self.ledger.sends.claim_reply(BOT, before, frozen(f"3kr{next(self.numbers)}")))

    @precondition(lambda self: self.sends)
    @rule(data=st.data(), name=st.sampled_from(sorted(TRIES)), fresh=st.booleans())
    def try_to_send(self, data: st.DataObject, name: str, fresh: bool) -> None:
        send = draw(data, self.sends)
        if fresh:
            send = self.ledger.queries.sends(DocId(str(send.document_id)))[-1]
        with lost():
            self.sends.append(TRIES[name](self.ledger, send))
        self.readings += newest(self.ledger, 99)

    @precondition(lambda self: self.sends)
    @rule(data=st.data())
    def freeze_anew(self, data: st.DataObject) -> None:
        with lost():
            cid = f"cid-{next(self.numbers)}"
            self.sends.append(self.ledger.sends.freeze_anew(draw(data, self.sends), {"text": "anew"}, cid))

    @rule(data=st.data(), where=st.sampled_from(["own", "elsewhere", "by hand"]))
    def look(self, data: st.DataObject, where: str) -> None:
        """At the start of a process: every reply of ours is found, where it was sent or elsewhere."""
        document_id, rkey = draw(data, self.readings).id, f"3kh{next(self.numbers)}"
        if where != "by hand" and self.sends:
            send = draw(data, self.sends)
            document_id, rkey = DocId(str(send.document_id)), send.rkey if where == "own" else RecordKey(rkey)
        self.ledger.sends.adopt(BOT, document_id, frozen(rkey), f"at://did:plc:wright/p/{rkey}")

    @rule(step=st.sampled_from([timedelta(seconds=45), timedelta(minutes=3), timedelta(hours=25), timedelta(hours=80)]))
    def wait(self, step: timedelta) -> None:
        travel(self.clock, seconds=step.total_seconds())

    @invariant()
    def every_promise_holds(self) -> None:
        documents = newest(self.ledger, 99)
        told: dict[DocId, list[Moved]] = {}
        for moved in history(self.ledger):
            told.setdefault(moved.document_id, []).append(moved)
        self._a_claim_is_live_once(documents)
        self._what_is_counted_is_held_by_a_document(documents)
        self._what_is_spent_was_taken_by_an_attempt(documents)
        for document in documents:
            history_gives_the_present(told[document.id], document)
            self._counts_only_rise(document)
            self._a_key_is_live_once_and_an_answer_is_for_ever(document)

    def _a_claim_is_live_once(self, documents: list[Document]) -> None:
        with self.ledger.db.read() as connection:
            attempts = connection.execute(
                text("SELECT document_id, claim_id FROM attempts WHERE ended_at IS NULL ORDER BY document_id")
            ).all()
        live = sorted((document.id, document.claim_id) for document in documents if document.claim_id is not None)
        assert [tuple(row) for row in attempts] == live

    def _what_is_counted_is_held_by_a_document(self, documents: list[Document]) -> None:
        held = Counter((place["scope"], place["window"]) for document in documents for place in document.places)
        counted = counts(self.ledger)
        held_for_good = Counter({place: n for place, n in held.items() if not place[0].startswith("starts:")})
        assert held_for_good == {name: n for name, n in counted.items() if name[0] not in ("builds", "claims")}
        assert held - held_for_good <= Counter(counts(self.ledger, "starts:"))
        for document in documents:
            waits = document.status is Status.PENDING_BUILD
            assert len(document.places) in ((5,) if waits else (4,) if document.status is Status.BUILDING else (0, 4))
            assert not (document.places and document.status is Status.BUILD_FAILED)

    def _what_is_spent_was_taken_by_an_attempt(self, documents: list[Document]) -> None:
        spent: Counter[tuple[str, str]] = Counter()
        for document in documents:
            for attempt in self.ledger.queries.attempts(document.id):
                reported = attempt.report_sha256 is not None  # a late one, too, whose claim is void
                cost = attempt.cost_micros if reported else attempt.estimate_micros
                for scope in ("builds", f"author:{document.author_did}"):
                    spent[scope, str(attempt.paid_in)] += cost
        with self.ledger.db.read() as connection:
            rows = connection.execute(text('SELECT scope, "window", cost_micros FROM usage WHERE cost_micros > 0'))
            assert +spent == {(row.scope, row.window): row.cost_micros for row in rows}

    def _counts_only_rise(self, document: Document) -> None:
        before = self.documents.get(document.id, document)
        assert before.version <= document.version
        assert before.attempt <= document.attempt
        assert before.is_blank <= document.is_blank
        assert document.failures <= min(document.budget, document.attempt)
        if before.version == document.version:
            assert before == replace(document, **{name: getattr(before, name) for name in NOTED})
            assert before.reply_uri in (None, document.reply_uri)
            assert before.withdrawn_at is None or document.withdrawn_at is not None
        self.documents[document.id] = document

    def _a_key_is_live_once_and_an_answer_is_for_ever(self, document: Document) -> None:
        found = self.ledger.queries.sends(document.id)
        live = [send for send in found if send.state in ("claimed", "answered")]
        answered = {send.key for send in live if send.state == "answered"}
        assert len(live) <= 1
        assert document.sending == ([send.state for send in live] == ["claimed"])
        assert (document.status is Status.REPLIED) <= bool(answered or self.ledger.sends.is_answered(document.id))
        assert self.answered & {send.key for send in found} <= answered
        self.answered |= answered
        for send in found:
            assert self.cids.get(send.id, set()) <= set(send.cids)
            self.cids[send.id] = set(send.cids)

    def teardown(self) -> None:
        self.ledger.close()


def history(ledger: Ledger) -> list[Moved]:
    """Every move, also after a number that the feed still waits for: it belongs to what was rolled back."""
    with ledger.db.read() as connection:
        return [move_of(row) for row in connection.execute(select(moves).order_by(moves.c.seq))]


def history_gives_the_present(told: list[Moved], document: Document) -> None:
    assert None is told[0].from_status
    for moved in told:
        assert (moved.name, moved.from_status, moved.to_status, moved.actor, moved.reason) in ROWS
    for before, after in pairwise(told):
        assert (before.to_status, True) == (after.from_status, before.version < after.version)
        assert before.to_status is not Status.REPLIED
        assert not (before.to_status is Status.SKIPPED and before.reason in FINAL_SKIPS)
        assert not (is_terminal(Kind.MENTION, before.to_status) and after.actor is Actor.BUILDER)
    assert (told[-1].to_status, told[-1].reason) == (document.status, document.reason)
    assert told[-1].version <= document.version


def draw(data: st.DataObject, kept: Sequence[Kept]) -> Kept:
    """One of what was kept; the newest is the simplest."""
    return kept[-1 - data.draw(st.integers(0, min(len(kept), 20) - 1))]


@contextmanager
def lost() -> Iterator[list[Any]]:
    """What is tried too late, by the wrong one, or against the table is refused in one of three ways, in no other."""
    outcome: list[Any] = []
    try:
        yield outcome
    except EXPECTED:
        outcome.clear()


def run(url: str, examples: int, steps: int) -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    how = settings(max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=quiet)

    class Machine(LedgerMachine):
        def __init__(self) -> None:
            super().__init__(url)

    run_state_machine_as_test(Machine, settings=how)


@pytest.mark.timeout(600)  # a failure takes its time to be made small
def test_random_actors_on_sqlite(sqlite_template: Path, tmp_path: Path) -> None:
    """The database of most hosts."""
    path = tmp_path / "ledger.db"
    path.write_bytes(sqlite_template.read_bytes())
    run(f"sqlite:///{path}", 15, 50)


@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_random_actors_on_postgresql(postgresql_copies: DatabaseCopies) -> None:
    """The same promises, fewer tries."""
    with postgresql_copies.lent() as url:
        run(url, 4, 50)
