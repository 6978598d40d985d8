"""Laying down who may ask, and forgetting people."""

import json

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.state import SandboxAccount
from bot.terminal.opening import operator
from guardrails.documents import Did
from guardrails.facts import Standing
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import building, now_of, pending, received, replied, sending, travel
from tests.bot.terminal.prompt import Prompt
from tests.mentions import ALICE, BOB

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def standing(ledger: Ledger, did: Did = ALICE) -> set[Standing]:
    return set(ledger.people.standing_of([did])[did])


def test_denied_from_now_on_and_open_work_ends(prompt: Prompt, ledger: Ledger) -> None:
    """Each document that this stops is named; why is kept for whoever looks."""
    answered, open_ones = replied(ledger, "3kanswered"), [received(ledger), pending(ledger, "3ktwo")]

    told = prompt.lines("deny", ALICE, "--reason", " spam ")

    assert [f"{ALICE} is denied", *(f"{each.id} is stopped" for each in open_ones)] == told
    assert {(Status.SKIPPED, Reason.DENIED)} == {
        (now_of(ledger, d).status, now_of(ledger, d).reason) for d in open_ones
    }
    assert Status.REPLIED is now_of(ledger, answered).status
    (row,) = ledger.people.rows()
    assert (Standing.DENIED, "spam", operator().device, None) == (row.standing, row.reason, row.device, row.until)


@SQLITE
@pytest.mark.parametrize(
    ("until", "expected"), [("2099-01-31", "2099-01-31 00:00"), ("2099-01-31T12:00+01:00", "2099-01-31 11:00")]
)
def test_until_then(prompt: Prompt, ledger: Ledger, until: str, expected: str) -> None:
    """A day or a moment; its end is said in UTC."""
    assert [f"{ALICE} is denied until {expected} UTC"] == prompt.lines("deny", ALICE, "--until", until)

    (row,) = ledger.people.rows()
    assert row.until is not None
    assert expected == f"{row.until:%Y-%m-%d %H:%M}"


@SQLITE
def test_for_so_long(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """From now on; when it is over, nothing has to be lifted."""
    prompt.lines("deny", ALICE, "--until", "7d")
    assert {Standing.DENIED} == standing(ledger)

    travel(ledger_clock, days=7, minutes=1)
    assert set() == standing(ledger)


@SQLITE
@pytest.mark.parametrize(
    ("until", "told"), [("2020-01-01", "is past"), ("tomorrow", "write 6h or 2d, or"), ("0s", "is past")]
)
def test_no_moment_ahead(prompt: Prompt, ledger: Ledger, until: str, told: str) -> None:
    """Wrong usage; nothing is laid down."""
    result = prompt.run("deny", ALICE, "--until", until)

    assert (2, True) == (result.exit_code, told in result.stderr)
    assert [] == ledger.people.rows()


@SQLITE
def test_allowed_and_denied_are_one_word_each(prompt: Prompt, ledger: Ledger) -> None:
    """The last one counts; a lift leaves neither."""
    prompt.run("deny", ALICE)
    assert [f"{ALICE} is allowed"] == prompt.lines("allow", ALICE)
    assert {Standing.ALLOWED} == standing(ledger)

    assert [f"{ALICE} is like anybody else again"] == prompt.lines("lift", ALICE)
    assert set() == standing(ledger)

    again = prompt.run("lift", ALICE)
    assert (3, True) == (again.exit_code, "`skywright people`" in again.stderr)


@SQLITE
def test_a_reply_on_its_way_goes_out(prompt: Prompt, ledger: Ledger) -> None:
    """It may be out already; it is not named as stopped."""
    sending(ledger)

    assert [f"{ALICE} is denied"] == prompt.lines("deny", ALICE)


@SQLITE
@pytest.mark.parametrize("who", ["@Alice.Test", "alice.test", "https://bsky.app/profile/alice.test/post/3kx", ALICE])
def test_whoever_asked_here_is_known_by_any_name(prompt: Prompt, ledger: Ledger, who: str) -> None:
    """The DID is said, since that is what counts; without the account's settings the ledger remembers."""
    received(ledger)

    result = prompt.run("deny", who)

    assert (0, f"{ALICE} is denied\nmention:{ALICE}:3kfirst is stopped\n") == (result.exit_code, result.stdout)
    assert ("" if who == ALICE else f"alice.test is {ALICE}, as the ledger last saw it") in result.stderr


@SQLITE
def test_the_network_is_asked_for_a_handle(host: Prompt, ledger: Ledger, alice: SandboxAccount) -> None:
    """Also of somebody who has never asked."""
    result = host.run("allow", "alice.test")

    assert (0, f"{alice.did} is allowed\n") == (result.exit_code, result.stdout)
    assert f"alice.test is {alice.did}, as the network says\n" == result.stderr


@SQLITE
def test_a_handle_that_went_from_hand_to_hand_is_not_guessed(
    host: Prompt, ledger: Ledger, alice: SandboxAccount
) -> None:
    """Who asked under it then is not who has it now: a person says which is meant."""
    received(ledger, author=ALICE, author_handle="alice.test")

    result = host.run("deny", "alice.test")

    assert (3, "") == (result.exit_code, result.stdout)
    assert alice.did in result.stderr
    assert ALICE in result.stderr
    assert [] == ledger.people.rows()


@SQLITE
def test_two_who_had_a_handle_are_not_guessed(prompt: Prompt, ledger: Ledger) -> None:
    """Nor while the network cannot be asked."""
    received(ledger, author=ALICE, author_handle="wright.fan")
    received(ledger, author=BOB, author_handle="wright.fan")

    result = prompt.run("deny", "wright.fan")

    assert (3, True) == (result.exit_code, {ALICE, BOB} <= set(result.stderr.replace(",", "").split()))


@SQLITE
@pytest.mark.parametrize(
    ("who", "exit_code"),
    [("nobody.test", 3), ("not a name", 2), ("did:", 2), ("https://bsky.app/x", 2), ("https://[", 2), ("", 2)],
)
def test_nobody_is_nobody(prompt: Prompt, ledger: Ledger, who: str, exit_code: int) -> None:
    """A name that means nobody is not found, what is no name is wrong usage."""
    result = prompt.run("deny", who)

    assert (exit_code, "") == (result.exit_code, result.stdout)
    assert [] == ledger.people.rows()


@SQLITE
def test_who_is_laid_down(prompt: Prompt, ledger: Ledger) -> None:
    """With the handle that the ledger last saw, until when, by whom and why; what is over is marked."""
    received(ledger)
    prompt.run("deny", ALICE, "--reason", "spam\x1b[2J")
    ledger.people.allow(operator(), BOB, "", ledger.db.time())

    head, *rows = [line.split("\t") for line in prompt.lines("people")]

    assert ["did", "handle", "is", "until", "since", "by", "why"] == head
    assert [ALICE, "alice.test", "denied", "lifted"] == rows[0][:4]
    assert ["spam\\x1b[2J"] == rows[0][6:]
    assert [BOB, "", "allowed (over)"] == rows[1][:3]
    told = [json.loads(line) for line in prompt.lines("people", "--json")]
    assert [(ALICE, "denied"), (BOB, "allowed")] == [(row["did"], row["standing"]) for row in told]


def test_forgotten(prompt: Prompt, ledger: Ledger) -> None:
    """Every word of theirs goes, ids and statuses stay, what is open ends; then only their DID is known."""
    answered, under_way = replied(ledger), building(ledger, "3ktwo").document

    result = prompt.run("forget", ALICE, "--yes")

    assert (0, f"{ALICE} is forgotten\n") == (result.exit_code, result.stdout)
    assert "whose documents here are 2." in result.stderr
    assert {Standing.FORGOTTEN} == standing(ledger)
    assert ("", Status.REPLIED) == ((now := now_of(ledger, answered)).mention.ask, now.status)
    assert (Status.SKIPPED, Reason.FORGOTTEN) == ((now := now_of(ledger, under_way)).status, now.reason)
    assert [] == [line for line in prompt.lines("show", answered.id) if "tip splitter" in line]


def test_what_is_left_elsewhere_is_told_until_it_is_gone(prompt: Prompt, ledger: Ledger) -> None:
    """The address, and how it goes; then the ledger has neither any more."""
    slug = str(replied(ledger).slug)
    address = f"https://pages.example/{slug}/1/index.html"
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE apps SET address = :address"), {"address": address})

    forgotten, left = prompt.run("forget", ALICE, "--yes").stdout.splitlines()
    again = json.loads(prompt.run("forget", ALICE, "--yes", "--json").stdout)

    assert f"{ALICE} is forgotten" == forgotten
    assert [left] == again["left"]
    assert address in left
    assert f"`skywright-builder unpublish {slug} --reason WHY`, then say `skywright unpublished {slug}`" in left
    assert [f"{slug} is gone there, too"] == prompt.lines("unpublished", slug)
    assert 3 == prompt.run("unpublished", slug).exit_code
    assert [] == ledger.conditions.standing()


@SQLITE
def test_forgetting_asks_first(prompt: Prompt, ledger: Ledger) -> None:
    """It cannot be taken back; without a person to ask, or after a no, nothing is changed."""
    document = received(ledger)

    nobody, no = prompt.run("forget", ALICE), prompt.typing("n\n", "forget", ALICE)

    assert (2, 4) == (nobody.exit_code, no.exit_code)
    assert "cannot be had back" in no.stderr
    assert document == now_of(ledger, document)
    assert [] == ledger.people.rows()
