"""Listing what the bot is not done saying."""

import json
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from tests.bot.ledger.steps import frozen, replied, sending, travel
from tests.bot.terminal.prompt import Prompt
from tests.mentions import BOT, OPERATOR

MINUTE = timedelta(minutes=1)
SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_an_unknown_send_is_listed_with_its_age(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """What it is, since when, how often it was tried, what is wrong, when it is due, and what it says."""
    travel(ledger_clock, hours=-3)
    ledger.sends.unknown(sending(ledger), "no answer", timedelta(hours=1))

    head, line = prompt.lines("sends")

    assert ["key", "document", "state", "age", "tries", "next try", "why", "frozen"] == head.split("\t")
    document_id = "mention:did:plc:alice:3kfirst"
    expected = [f"reply:{document_id}", document_id, "unknown", "3h", "1", "now", "no answer", "Here it is"]
    assert expected == line.split("\t")


@SQLITE
def test_a_conflict_has_no_next_try(prompt: Prompt, ledger: Ledger) -> None:
    """It waits for a person."""
    ledger.sends.in_conflict(sending(ledger), "another record is there: bafyother")

    assert ["conflict", "another record is there: bafyother", ""] == [
        prompt.lines("sends")[1].split("\t")[column] for column in (2, 6, 5)
    ]


@SQLITE
def test_what_is_settled_is_listed_when_asked_for(prompt: Prompt, ledger: Ledger) -> None:
    """The newest first, and at most so many."""
    replied(ledger, "3kone")
    waits = ledger.sends.not_sent(sending(ledger, "3ktwo"), "503", timedelta(minutes=5), still_unknown=False)
    ledger.sends.unknown(sending(ledger, "3kthree"), "cut", MINUTE)

    def listed(*options: str) -> list[str]:
        return [line.split("\t")[2] for line in prompt.lines("sends", *options)[1:]]

    assert ["unknown"] == listed()
    assert ["unknown", "waiting", "answered"] == listed("--all")
    assert ["unknown"] == listed("--all", "--limit", "1")
    assert waits.key in prompt.run("sends", "--all").stdout


@SQLITE
def test_a_like_and_a_deletion_say_what_they_are(prompt: Prompt, ledger: Ledger) -> None:
    """Neither has words of its own."""
    send = sending(ledger)
    document = ledger.queries.document(str(send.document_id))
    subject = {"uri": document.source_uri, "cid": document.source_cid}
    like = ledger.sends.claim_aside(BOT, f"like:{document.id}", document, frozen("3klike", text=None, subject=subject))
    gone = ledger.sends.claim_aside(BOT, "delete:at://x", document, frozen("3kgone"), op="delete")
    for aside in (like, gone):
        ledger.sends.unknown(aside, "cut", MINUTE)

    said = [line.split("\t")[7] for line in prompt.lines("sends")[2:]]

    assert [f"like of {document.source_uri}", "deletion of app.bsky.feed.post/3kgone"] == said


@SQLITE
def test_json_holds_the_whole_send(prompt: Prompt, ledger: Ledger) -> None:
    """One object a line, the decision of a person included."""
    ledger.decisions.abandoned(OPERATOR, sending(ledger))

    (line,) = prompt.lines("sends", "--all", "--json")

    told = json.loads(line)
    assert ("abandoned", "olga", "Here it is") == (told["state"], told["decided_by"], told["record"]["text"])


@SQLITE
def test_a_terminal_gets_a_short_table(prompt: Prompt, ledger: Ledger) -> None:
    """And a line when there is nothing."""
    nothing = prompt.on_terminal("sends")
    ledger.sends.unknown(sending(ledger), "cut " * 100, MINUTE)
    table = prompt.on_terminal("sends")

    assert "nothing is unsettled\n" == nothing
    assert "\t" not in table
    assert "…" in table
