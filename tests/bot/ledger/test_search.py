"""Full-text search, the same on both databases: what is found, that any text gets an answer, and that nothing stays."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text

from bot.clock import Clock
from bot.ledger import search
from bot.ledger.ledger import Ledger
from bot.ledger.search import Part, parts_of
from bot.ledger.selection import Selection
from bot.ledger.tables import searched
from guardrails.documents import Did
from guardrails.transitions import Reason, Status
from tests.bot.ledger.attack import broken_by, run
from tests.bot.ledger.steps import build_failed, built, received, skipped, travel
from tests.mentions import ALICE, BOB, BOT, mention


def found(ledger: Ledger, query: str, **more: object) -> list[str]:
    """The record keys of what a query finds, newest first."""
    documents, _ = ledger.pages.page(Selection(text=query, **more), 50)  # type: ignore[arg-type]
    keys = [document.id.rpartition(":")[2] for document in documents]
    assert len(keys) == ledger.pages.count(Selection(text=query, **more))  # type: ignore[arg-type]
    return keys


def test_words_prefixes_and_phrases_are_found(ledger: Ledger) -> None:
    """In any order, in whatever case; the last word by its beginning, a phrase as it stands."""
    received(ledger, "3ka", ask="make me a Pomodoro timer, please", author=BOB)
    received(ledger, "3kb", ask="a timer that counts Äpfel ✨now✨ 🎉!")
    ledger.documents.receive(BOT, [mention("3kc", ask="नमस्ते: café-menu with 3.14")])
    everything = ["3kc", "3kb", "3ka"]
    wanted: dict[str, Sequence[str]] = {
        "timer": ["3kb", "3ka"],
        "TIMER pomodoro": ["3ka"],
        "timer pomo": ["3ka"],
        "pomo timer": [],
        "tim": ["3kb", "3ka"],
        "imer": [],
        '"pomodoro timer"': ["3ka"],
        '"timer pomodoro"': [],
        '"pomodoro tim"': [],
        '"pomodoro tim': [],
        '"a timer" coun': ["3kb"],
        "äpf": ["3kb"],
        "ÄPFEL now": ["3kb"],
        "apfel": [],
        "🎉": ["3kb"],
        "✨ now": ["3kb"],
        "✨now✨": ["3kb"],
        "äpfel✨no": ["3kb"],
        '"now✨"': ["3kb"],
        "now🎉": [],
        "नमस्ते": ["3kc"],
        "नम": ["3kc"],
        "cafe": [],
        "café menu": ["3kc"],
        "café-men": ["3kc"],
        "3.14": ["3kc"],
        "3,14": ["3kc"],
        "bob.test": ["3ka"],
        BOB: ["3ka"],
        "did:plc:ali": ["3kc", "3kb"],
        "ingested": everything,
        "timer ingested": ["3kb", "3ka"],
        '"please bob"': [],
        "timer -pomodoro": ["3ka"],
        "timer OR menu": [],
    }

    assert wanted == {query: found(ledger, query) for query in wanted}


def test_any_text_gets_an_answer(ledger: Ledger) -> None:
    """Whatever it would mean to the database: to us it is words, and signs that part them."""
    received(ledger, ask="a near column")
    odd = [
        *('"', '""', '"""', "*", "-", ":", "^near", "NEAR(a b)", "a AND", "OR", "NOT near", "a*", "{asked}: near"),
        *("asked:near", "' OR 1=1 --", "\\", "a \\ b", "<->", "!a", "a & | b", "(", ")", "%", "_", "\0", "a\0b"),
        *("near\0", "\ud800", "near \udfff", "\u202e", "🎉" * 99, "x" * 10_000, "a " * 5_000, "a-" * 5_000),
        *('"' * 10_000, "''''", "near' col", '"near col', "\n\t", "￿", "\U0010ffff"),
    ]
    answers = {query: found(ledger, query) for query in odd}

    matching = {query for query, keys in answers.items() if keys}
    assert {"^near", "near\0", "near \udfff"} <= matching
    assert ["", " "] == [query for query in ("", " ", '"', "*", "\0") if found(ledger, query)]


def test_a_query_is_read_as_words_and_phrases() -> None:
    """What has no letter in it is left out, and so is what comes after the first signs."""
    assert (Part("a"), Part("b c"), Part("d.e", begins=True)) == parts_of('a "b c" - d.e')
    assert (Part("a"), Part(" b ")) == parts_of('a" b "')
    assert (Part("a"), Part("b", begins=True)) == parts_of("a\ud800b")
    assert () == parts_of('"" * "-"')
    assert (Part("a" * 500, begins=True),) == parts_of("a" * 501)


@pytest.mark.parametrize(
    "odd",
    ["\0", "\ud83d", "\ude00 \ud83d", "\\u0000", "\\ud83d", "\\ud83d\ude00", "\\\\", "😀", '"}', "\x1b[2J", "￿"],
)
def test_no_text_breaks_a_write(ledger: Ledger, odd: str) -> None:
    """And the words beside it are found."""
    received(ledger, "3kodd", ask=f"clock {odd} whistle")

    assert ["3kodd"] == found(ledger, "whistle clock")
    assert ["3kodd"] == found(ledger, "whist")
    with ledger.db.read() as connection:
        assert "clock" == connection.execute(select(searched.c.asked)).scalar_one()[:5]


def test_a_body_that_is_no_ask_is_found_by_what_is_known_of_it(ledger: Ledger) -> None:
    """Nobody writes one; but no trigger may be what refuses it."""
    document = received(ledger)
    for body in ("[]", "{}", "nonsense", '{"ask": null}', '{"ask": 7}', '{"ask": ["list"]}'):
        with ledger.db.write() as connection:
            connection.execute(text("UPDATE documents SET body = :body"), {"body": body})
        with ledger.db.read() as connection:
            about = connection.execute(select(searched.c.about)).scalar_one()
        assert about.startswith(f"{document.author_handle} {document.author_did} ingested"), body


def test_what_is_searched_follows_each_move(ledger: Ledger) -> None:
    """By the reason and the error of now, and no longer by those of before."""
    failed = build_failed(ledger, "3kfailed")
    skipped(ledger, "3kskipped", Reason.THANKS)

    assert ["3kfailed"] == found(ledger, "build_refused") == found(ledger, "no template fits") == found(ledger, "templ")
    assert ["3kskipped"] == found(ledger, "thanks")
    assert [] == found(ledger, "passed") == found(ledger, "ingested") == found(ledger, "claimed")
    assert failed.detail == "no template fits"


def test_each_document_is_searched_once_and_goes_with_its_words(ledger: Ledger) -> None:
    """Nothing is searched that is no document."""
    received(ledger, "3kone")
    again = "INSERT INTO searched (document_id, asked, about) SELECT document_id, '', '' FROM searched"
    broken_by(ledger, "uq_searched_document_id|searched.document_id", again)
    nobody = "INSERT INTO searched (document_id, asked, about) VALUES ('nobody', '', '')"
    broken_by(ledger, "fk_searched_document_id|FOREIGN KEY", nobody)
    assert ["3kone"] == found(ledger, "splitter")
    run(ledger, "DELETE FROM moves", "DELETE FROM documents")
    received(ledger, "3ktwo", ask="a kettle")

    assert ([], ["3ktwo"]) == (found(ledger, "splitter"), found(ledger, "kettle"))


def test_search_goes_with_every_filter(ledger: Ledger, ledger_clock: Clock) -> None:
    """And is in the order of coming, also of what was made at one moment."""
    received(ledger, "3kone", ask="a timer")
    travel(ledger_clock, hours=1)
    noon = ledger.db.time()
    skipped(ledger, "3ktwo", Reason.THANKS)
    built(ledger, "3kthree", ask="a timer", author=BOB)

    assert ["3kthree", "3kone"] == found(ledger, "timer")
    assert ["3kthree"] == found(ledger, "timer", since=noon) == found(ledger, "timer", author="@Bob.test")
    assert ["3kone"] == found(ledger, "timer", until=noon) == found(ledger, "timer", statuses=(Status.RECEIVED,))
    assert ["3kthree"] == found(ledger, "timer", reasons=(Reason.BUILT,)) == found(ledger, "timer", lane="lane-1")
    assert [] == found(ledger, "timer", since=noon + timedelta(hours=1)) == found(ledger, "timer", lane="lane-2")
    assert [] == found(ledger, "timer", until=noon - timedelta(days=1)) == found(ledger, "timer", author=ALICE[:-1])


def test_what_is_rare_is_found_however_long_ago_it_came(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL looks through what came last, then through more of it, and then into the index."""
    monkeypatch.setattr(search, "_FIRST_STRETCH", 2)
    monkeypatch.setattr(search, "_LONGEST_STRETCH", 6)
    kettles = {0, 1, 7, 10}
    for number in range(12):
        received(ledger, f"3k{number}", ask="a kettle" if number in kettles else "a timer")
    seen: list[str] = []
    after = None
    while len(seen) < len(kettles):
        (document,), after = ledger.pages.page(Selection(text="kettle"), 1, after)
        seen.append(document.id.rpartition(":")[2])

    assert ["3k10", "3k7", "3k1", "3k0"] == found(ledger, "kettle") == seen
    assert after is None
    assert [f"3k{number}" for number in range(11, -1, -1)] == found(ledger, "a")


def test_what_somebody_said_who_is_forgotten_is_in_no_index(ledger: Ledger) -> None:
    """Neither found, nor in the bytes of the file: what FTS5 has deleted it keeps until it is merged away."""
    for number in range(30):
        received(ledger, f"3k{number}", author=Did(f"did:plc:other{number}"), ask=f"a kettle number{number}")
    received(ledger, "3kfirst", ask="my Xylophonia Quizzaciously")
    received(ledger, "3kother", author=BOB, ask="my kettle")
    assert "xylophonia" in _bytes_of(ledger)
    ledger.people.forget(BOT, ALICE)
    ledger.people.tidy(BOT)

    assert [] == found(ledger, "xylophonia") == found(ledger, "quizz") == found(ledger, "alice.test")
    assert "3kother" in found(ledger, "my kettle")
    left = _bytes_of(ledger)
    assert "kettle" in left
    assert not {"xylophonia", "quizzaciously", "xylophon", "quizzac"} & {word for word in _WORDS if word in left}


_WORDS = ("xylophonia", "quizzaciously", "xylophon", "quizzac")


def _bytes_of(ledger: Ledger) -> str:
    """All that the database has stored of what is searched for; on SQLite the whole file, the log folded into it."""
    if ledger.db.is_sqlite:
        with ledger.db.engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        return Path(str(ledger.db.engine.url.database)).read_bytes().decode("latin-1").lower()
    with ledger.db.read() as connection:
        rows = connection.execute(text("SELECT words::text || asked || about FROM searched")).scalars()
        return " ".join(rows).lower()
