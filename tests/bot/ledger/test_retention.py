"""What is removed of asks that are over, what never, and what stays of them."""

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, timedelta
from typing import Any

import pytest
from sqlalchemy import func, insert, select, text, update

from bot.clock import Clock
from bot.errors import NoSuchDocument
from bot.jobs.prune import Pruned, Walk, may_go_now, prune_once
from bot.ledger import retention
from bot.ledger.conditions import elsewhere_of
from bot.ledger.ledger import Ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.retention import KEPT_UNTIL
from bot.ledger.tables import ENDED, app_files, apps, attempts, documents, moves, past, searched, sends, usage
from bot.ledger.views import Document
from bot.operations.charts import figures
from bot.operations.stretches import Every
from guardrails.documents import AtUri, DocId, Kind
from guardrails.retention import Keep
from guardrails.rules import Rules
from guardrails.slugs import burnt
from guardrails.transitions import Reason, Status, is_terminal
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    STARTS,
    accept,
    build_failed,
    built,
    claim,
    claim_id_of,
    done,
    ended,
    frozen,
    now_of,
    received,
    ref_of,
    refuse,
    replied,
    skipped,
    travel,
)
from tests.ledger_fixtures import OpenLedger
from tests.mentions import ALICE, BOT, LANE, OPERATOR, OUR_DID, mention
from tests.waiting import until

# Whole histories each: a second or two of `make test-fast` for one file.
pytestmark = pytest.mark.slow

YEAR = Keep(logs=timedelta(days=365), posts=timedelta(days=365), history=timedelta(days=365))
APPS = LedgerPolicy(keep_apps=timedelta(days=30))


def prune(ledger: Ledger, keep: Keep = YEAR) -> Pruned:
    return prune_once(ledger, keep, Walk())


def all_is_said(ledger: Ledger) -> None:
    """The bot has liked and told what it had to."""
    with ledger.db.write() as connection:
        connection.execute(update(documents).values(note_due=False, like_due=False))


def a_year_later(ledger: Ledger, clock: Clock, keep: Keep = YEAR) -> Pruned:
    all_is_said(ledger)
    travel(clock, days=366)
    return prune(ledger, keep)


def removed_app(ledger: Ledger, document: Document) -> Document:
    """Its app is gone, and the ask stands as it ended."""
    with ledger.db.write() as connection:
        gone = {"gone_at": ledger.db.now(), "gone_reason": KEPT_UNTIL}
        connection.execute(update(apps).where(apps.c.document_id == document.id).values(gone))
    return now_of(ledger, document)


def rows(ledger: Ledger) -> Counter[str]:
    """How many rows there are of what belongs to documents."""
    tables = (documents, moves, attempts, searched, past, sends, apps, app_files)
    with ledger.db.read() as connection:
        return Counter(
            {each.name: connection.execute(select(func.count()).select_from(each)).scalar_one() for each in tables}
        )


def test_of_a_history_stays_one_row(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its id, how it ended, and our reply; its send key, without what was said; its slug, without the app."""
    document = replied(ledger)
    assert Pruned() == prune(ledger)
    removed_app(ledger, document)

    assert 1 == a_year_later(ledger, ledger_clock).histories
    assert Counter(past=1, sends=1, apps=1) == +rows(ledger)
    with ledger.db.read() as connection:
        left = connection.execute(select(past)).one()
        send = connection.execute(select(sends)).one()
    ends = (Status.REPLIED.value, Reason.SENT.value, document.reply_uri, document.created_at, document.updated_at)
    assert ends == (left.status, left.reason, left.reply_uri, left.created_at, left.ended_at)
    assert (f"reply:{document.id}", "answered", {}, None) == (send.key, send.state, send.record, send.document_id)
    assert (["cid-1"], document.reply_uri) == (send.cids, send.uri)
    assert Pruned() == prune(ledger)


def test_it_says_what_is_left(ledger: Ledger, ledger_clock: Clock) -> None:
    """By its id, its post and its slug."""
    document = removed_app(ledger, replied(ledger))
    a_year_later(ledger, ledger_clock)

    for name in (document.id, document.source_uri, str(document.slug)):
        with pytest.raises(NoSuchDocument, match=rf"ended on .* as replied \(sent\).*reply is {document.reply_uri}"):
            ledger.queries.find(name)
    with pytest.raises(NoSuchDocument, match="its history was removed on"):
        ledger.queries.document(document.id)
    (reply,) = ledger.known.conversation(ALICE, AtUri(document.source_uri))
    ledger.known.take_back(BOT, reply)
    with pytest.raises(NoSuchDocument, match="our reply was taken back on"):
        ledger.queries.find(document.id)


def test_what_is_past_is_never_received_again(ledger: Ledger, ledger_clock: Clock) -> None:
    """Nor is a reply of ours that stands under it taken for news."""
    document = removed_app(ledger, replied(ledger))
    skipped(ledger, "3kskipped")
    assert 2 == a_year_later(ledger, ledger_clock).histories

    assert [] == ledger.documents.receive(BOT, [mention("3kfirst"), mention("3kskipped")])
    for rkey in ("3kfirstr", "3kother"):
        assert not ledger.sends.adopt(BOT, document.id, frozen(rkey), f"at://did:plc:wright/app.bsky.feed.post/{rkey}")
    assert Counter(past=2, sends=1, apps=1) == +rows(ledger)


@pytest.mark.parametrize("ledger_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
def test_what_becomes_past_meanwhile_is_not_received_again(
    ledger: Ledger, ledger_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row is not there any more for an insert that has waited for the removal, and was not past before."""
    skipped(ledger, "3kskipped")
    remove, waiting = retention._remove_histories, text("SELECT 1 FROM pg_locks WHERE NOT granted")

    def waits() -> bool:
        with ledger.db.read() as connection:
            return connection.execute(waiting).first() is not None

    with ThreadPoolExecutor(1) as pool:
        received_again: list[Future[list[Document]]] = []

        def removed(*told: Any) -> None:
            remove(*told)
            received_again.append(pool.submit(ledger.documents.receive, BOT, [mention("3kskipped")]))
            until(waits)

        monkeypatch.setattr(retention, "_remove_histories", removed)
        assert 1 == a_year_later(ledger, ledger_clock).histories
        assert [] == received_again[0].result(20)
    assert Counter(past=1) == +rows(ledger)


def test_the_reply_to_what_is_past_is_known(ledger: Ledger, ledger_clock: Clock) -> None:
    """By the reply and by the post, for its author only, until it is taken back: once."""
    document = removed_app(ledger, replied(ledger))
    a_year_later(ledger, ledger_clock)
    reply = AtUri(str(document.reply_uri))
    (known,) = ledger.known.conversation(ALICE, reply)

    assert (document.id, reply, document.source_uri) == (known.id, known.reply_uri, known.post)
    assert [known] == ledger.known.of_author(ALICE, 9)
    assert [] == ledger.known.conversation("did:plc:bob", reply)  # type: ignore[arg-type]
    assert (document.id, ALICE) == ledger.queries.answers_at([reply])[reply][:2]
    ledger.known.take_back(BOT, known)
    ledger.known.take_back(BOT, known)
    assert [] == ledger.known.of_author(ALICE, 9)
    assert "claimed" == ledger.queries.send(f"delete:{reply}").state


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.REPLIED])
def test_what_is_open_stays_whole(ledger: Ledger, ledger_clock: Clock, status: Status) -> None:
    """And what has ended goes, whatever its end was."""
    document = STARTS[status](ledger)
    with ledger.db.write() as connection:
        connection.execute(update(apps).values(live_version=None))
    before = rows(ledger)
    a_year_later(ledger, ledger_clock)
    is_over = status in (Status.SKIPPED, Status.BUILD_FAILED, Status.ERROR)

    assert is_over == ledger.known.is_past(document.id)
    assert is_over or before == rows(ledger)


def test_what_somebody_still_needs_stays(ledger: Ledger, ledger_clock: Clock) -> None:
    """An app that anybody may open, a send that is not settled, a reply to be taken back, a note to be said."""
    keep = Keep(history=timedelta(days=7))
    _app, said, back, note = (replied(ledger, rkey) for rkey in ("3kapp", "3ksaid", "3kback", "3knote"))
    for each in (said, back, note):
        removed_app(ledger, each)
    ledger.sends.claim_aside(BOT, f"like:{said.id}", said, frozen("3klike"))
    ledger.sightings.withdrawn(back)
    ledger.takedowns.take_down(OPERATOR, replied(ledger, "3kdown"), keep_reply=True)
    first = removed_app(ledger, replied(ledger, "3kone"))
    joined = refuse(ledger, received(ledger, "3ktwo"), Reason.SAME_ASK, first.id)
    all_is_said(ledger)
    with ledger.db.write() as connection:
        connection.execute(update(documents).where(documents.c.id.in_([note.id, joined.id])).values(note_due=True))
    travel(ledger_clock, days=8)

    assert 0 == prune(ledger, keep).histories
    ledger.sightings.reply_deleted(now_of(ledger, back))
    ledger.sightings.told(joined)
    assert 2 == prune(ledger, keep).histories
    assert 1 == prune(ledger, keep).histories
    assert all(ledger.known.is_past(each.id) for each in (back, joined, first))


def test_a_link_to_an_app_that_may_still_go_keeps_its_ask(ledger: Ledger, ledger_clock: Clock) -> None:
    """It is taken back when the first ask is, which only who knows of both can tell."""
    keep = Keep(history=timedelta(days=7))
    first = replied(ledger, "3kone")
    joined = refuse(ledger, received(ledger, "3ktwo"), Reason.SAME_ASK, first.id)
    link = ledger.sends.claim_aside(BOT, f"note:{joined.id}:same", joined, frozen("3klink"))
    link = ledger.sends.answered(BOT, link, ref_of(link))
    all_is_said(ledger)
    travel(ledger_clock, days=8)

    assert 0 == prune(ledger, keep).histories
    removed_app(ledger, ledger.sightings.withdrawn(now_of(ledger, first)))
    assert 0 == prune(ledger, keep).histories
    assert [link] == ledger.documents.dead_links(9)
    ledger.sends.claim_aside(BOT, f"delete:{link.uri}", joined, frozen("3klink"), "delete")
    assert [] == ledger.documents.dead_links(9)
    deletion = ledger.queries.send(f"delete:{link.uri}")
    ledger.sends.answered(BOT, deletion, ref_of(deletion))
    assert 1 == prune(ledger, keep).histories
    assert ledger.known.is_past(joined.id)


def test_words_go_before_the_history(ledger: Ledger, ledger_clock: Clock) -> None:
    """What was asked is gone, from the search as well; who asked and what became of it stays, and its moves."""
    document = build_failed(ledger)
    all_is_said(ledger)
    keep = Keep(posts=timedelta(days=30))
    travel(ledger_clock, days=31)
    history = ledger.feed.after(0, 99)

    assert Pruned(posts=1) == may_go_now(ledger, keep)
    assert Pruned(posts=1) == prune(ledger, keep)
    after = now_of(ledger, document)
    assert ("", "", {}, ALICE, "alice.test") == (
        *(after.body[name] for name in ("text", "ask", "record")),
        after.author_did,
        after.author_handle,
    )
    assert (True, None, history) == (after.is_blank, after.facts_json, ledger.feed.after(0, 99))
    with ledger.db.read() as connection:
        assert "" == connection.execute(select(searched.c.asked)).scalar_one()
    assert Pruned() == prune(ledger, keep)


def test_logs_go_first(ledger: Ledger, ledger_clock: Clock) -> None:
    """Of a build only what it has told goes: what it has cost, and why it failed, stays."""
    accept(ledger, received(ledger))
    report = ended(BuildOutcome.REFUSED, reason="no", cost_micros=7, log_tail="a line")
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), report)
    keep = Keep(logs=timedelta(days=3))
    travel(ledger_clock, days=4)

    assert Pruned(logs=1) == prune(ledger, keep)
    (attempt,) = ledger.queries.attempts(DocId("mention:did:plc:alice:3kfirst"))
    assert ("", None, 7, "no") == (attempt.log_tail, attempt.checks, attempt.cost_micros, attempt.detail)
    assert Pruned() == prune(ledger, keep)


def test_figures_are_the_same_before_and_after(ledger: Ledger, ledger_clock: Clock) -> None:
    """By the day and by the hour, and the costs whatever they are grouped by; only times are left out."""
    start = ledger.db.time().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    ledger_clock.shift += start + timedelta(days=1, minutes=1) - ledger.db.time()
    since = start + timedelta(days=1)
    for rkey, cost in (("3ka", 5), ("3kb", 7)):
        accept(ledger, received(ledger, rkey))
        report = done(cost_micros=cost, tokens_in=3, tokens_out=2, model="m:1" if cost == 5 else None)
        ledger.claims.report(LANE, claim_id_of(claim(ledger)), report)
        send = ledger.sends.claim_reply(BOT, now_of(ledger, DocId(f"mention:{ALICE}:{rkey}")), frozen(f"{rkey}r"))
        ledger.sends.answered(BOT, send, ref_of(send))
    build_failed(ledger, "3kfailed")
    skipped(ledger, "3kthanks", Reason.THANKS)
    all_is_said(ledger)
    with ledger.db.write() as connection:
        connection.execute(update(apps).values(gone_at=ledger.db.now(), gone_reason=KEPT_UNTIL))
    until = since + timedelta(days=2)

    def told() -> list[object]:
        found = [figures(ledger, since, until, every) for every in Every]
        counts = [
            (each.at, each.mentions, each.first_try, each.repaired, each.failed, each.replies, each.cost_micros)
            for one in found
            for each in (*one.stretches, one.in_all)
        ]
        spent = [ledger.figures.spent(since, None, by) for by in ("day", "model", "lane")]
        return [counts, [one.skips for one in found], spent]

    before = told()
    travel(ledger_clock, days=3)
    skipped(ledger, "3klater", Reason.THANKS)
    travel(ledger_clock, days=20)
    assert 4 == prune(ledger, Keep(history=timedelta(days=21))).histories
    by_day = figures(ledger, since, until, Every.DAY)
    (spent,) = ledger.figures.spent(since, None, "author")

    assert before == told()
    assert (since + timedelta(days=1), 0) == (by_day.counted_until, by_day.in_all.to_reply.n)
    assert ("(history removed)", 3, 2, 6, 4, 12) == tuple(vars(spent).values())
    assert (4, 1) == (by_day.in_all.mentions, by_day.stretches[0].failed)


def test_an_app_with_a_limit_goes_on_its_day(open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """Not while its reply is not out; an app that was published before there was a limit stays for ever."""
    for_ever = replied(open_test_ledger(), "3kforever")
    ledger = open_test_ledger(APPS)
    document = replied(ledger)
    waiting = built(ledger, "3kwaiting")
    app = ledger.hosting.app(str(document.slug))
    assert app is not None
    assert app.kept_until == pytest.approx(ledger.db.time() + timedelta(days=30), abs=timedelta(minutes=1))
    with ledger.db.write() as connection:
        file = {"slug": app.slug, "version": 1, "path": "index.html", "content": b"x", "sha256": "x"}
        connection.execute(insert(app_files).values(file))

    travel(ledger_clock, days=29)
    assert Pruned() == prune(ledger, Keep())
    travel(ledger_clock, days=2)
    assert Pruned(apps=1) == prune(open_test_ledger(), Keep())
    gone = ledger.hosting.app(str(document.slug))
    assert (KEPT_UNTIL, app.kept_until) == (gone and gone.gone_reason, gone and gone.kept_until)
    assert 0 == rows(ledger)["app_files"]
    for other in (for_ever, waiting):
        kept = ledger.hosting.app(str(other.slug))
        assert kept is not None
        assert kept.gone_at is None
    assert Counter(apps=1) == ledger.retention.lately_removed(7)


def test_a_promise_is_never_cut_short(open_test_ledger: OpenLedger, ledger_clock: Clock) -> None:
    """An app that is built again is kept as long as the later of the two promises says."""
    document = built(open_test_ledger(LedgerPolicy(keep_apps=timedelta(days=90))))
    slug = str(document.slug)
    promised = []
    for days in (30, 200, None, 1):
        with open_test_ledger().db.write() as connection:
            back = {"status": "pending-build", "attempt": documents.c.attempt}
            connection.execute(update(documents).values(back))
        keep_apps = timedelta(days=days) if days is not None else None
        ledger = open_test_ledger(LedgerPolicy(keep_apps=keep_apps))
        ledger.claims.report(LANE, claim_id_of(claim(ledger)), done())
        app = ledger.hosting.app(slug)
        assert app is not None
        promised.append(app.kept_until and round((app.kept_until - ledger.db.time()) / timedelta(days=1)))

    assert [90, 200, None, None] == promised


def test_a_round_that_is_over_goes_on_the_next_time(ledger: Ledger, ledger_clock: Clock) -> None:
    """From where it has come to; one that came to the end rests before it begins anew."""
    for n in range(3):
        skipped(ledger, f"3k{n}")
    all_is_said(ledger)
    travel(ledger_clock, days=366)
    walk = Walk()

    assert Pruned(whole=False) == prune_once(ledger, YEAR, walk, lambda: True)
    assert ledger.retention.last_walk() is None
    assert Pruned(histories=3) == prune_once(ledger, YEAR, walk)
    assert ledger.retention.last_walk() == pytest.approx(ledger.db.time(), abs=timedelta(minutes=1))
    skipped(ledger, "3kmore")
    all_is_said(ledger)
    travel(ledger_clock, hours=5)
    assert Pruned() == prune_once(ledger, Keep(posts=timedelta(0)), walk)
    travel(ledger_clock, hours=2)
    assert Pruned(posts=1) == prune_once(ledger, Keep(posts=timedelta(0)), walk)
    assert Counter(histories=3, posts=1) == ledger.retention.lately_removed(2)


def test_what_cannot_be_removed_holds_nothing_back(ledger: Ledger, ledger_clock: Clock) -> None:
    """A body that nobody can read: the others go, and the doctor is told of no walk that was done."""
    broken, *_ = (skipped(ledger, f"3k{n}") for n in range(3))
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET body = '{' WHERE id = :id"), {"id": broken.id})
    all_is_said(ledger)
    travel(ledger_clock, days=366)
    posts = Keep(posts=timedelta(days=1))
    walk = Walk()

    assert Pruned(posts=2, broken=1) == prune_once(ledger, posts, walk)
    assert ledger.retention.last_walk() is None
    travel(ledger_clock, days=1)
    assert Pruned(broken=1) == prune_once(ledger, posts, walk)
    assert Pruned(histories=3) == prune(ledger)
    assert ledger.retention.last_walk() is not None


def test_counts_of_caps_go_once_they_are_over(ledger: Ledger, ledger_clock: Clock) -> None:
    """A month later nobody asks for them."""
    rows = [{"scope": "all", "window": window, "n": 1, "cost_micros": 0} for window in ("2020-01-01", "2020-01-01T07")]
    with ledger.db.write() as connection:
        connection.execute(insert(usage), rows)
    accept(ledger, received(ledger))
    with ledger.db.read() as connection:
        n = connection.execute(select(func.count()).select_from(usage)).scalar_one()

    assert Pruned(usage=2) == prune(ledger)
    travel(ledger_clock, days=34)
    assert Pruned() == prune(ledger)
    travel(ledger_clock, days=3)
    assert Pruned(usage=n - 2) == prune(ledger)


def test_the_forgotten_are_forgotten_in_the_past_as_well(ledger: Ledger, ledger_clock: Clock) -> None:
    """The reply is taken back, the lines under their posts, and the slug is burnt; what stands elsewhere is told of."""
    document = removed_app(ledger, replied(ledger))
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE apps SET address = 'https://pages.example/x/1/index.html'"))
    line = ledger.sends.claim_aside(BOT, f"note:{document.id}", document, frozen("3kline"))
    ledger.sends.answered(BOT, line, ref_of(line))
    a_year_later(ledger, ledger_clock)
    ledger.people.forget(OPERATOR, ALICE)
    app = ledger.hosting.app(str(document.slug))

    assert "claimed" == ledger.queries.send(f"delete:{document.reply_uri}").state
    assert "claimed" == ledger.queries.send(f"delete:{ref_of(line).uri}").state
    assert app is not None
    assert (Reason.FORGOTTEN.value, burnt(str(document.slug)), None) == (app.gone_reason, app.slug, app.address)
    assert ledger.conditions.stands(elsewhere_of(str(document.slug)))


def test_the_next_ask_of_somebody_past_is_not_their_first(ledger: Ledger, ledger_clock: Clock) -> None:
    """Who was ever taken on is known by what is left."""
    removed_app(ledger, replied(ledger))
    a_year_later(ledger, ledger_clock)
    again = received(ledger, "3kagain")

    assert not ledger.gather([again], OUR_DID, Rules())[again.id].first_time


def test_the_index_of_what_has_ended_knows_every_status() -> None:
    """It is told by those that it leaves out: a new status that is open has to be one of them."""
    named = {status for status in Status if f"'{status.value}'" in ENDED}

    assert named == {status for status in Status if not is_terminal(Kind.MENTION, status)}
