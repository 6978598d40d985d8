"""Showing one document."""

import json

import pytest

from bot.ledger.finishing import Inspected
from bot.ledger.ledger import Ledger
from guardrails.documents import Context
from guardrails.said import PASS
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome, Report
from tests.bot.ledger.steps import building, built, claim_id_of, ended, frozen, received, refuse, replied
from tests.bot.terminal.prompt import Prompt
from tests.mentions import BOB, BOT, LANE, OPERATOR

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_everything_about_a_document(prompt: Prompt, ledger: Ledger) -> None:
    """Ask and raw text, verdicts, attempts, sends with their record and outcome, history."""
    document = replied(ledger)

    told = prompt.run("show", document.id).stdout

    for part in (
        "ask           make me a tip splitter\n",
        "text          @wright.test make me a tip splitter\n",
        f"status        replied (sent) at version {document.version}\n",
        "app           https://apps.example/x\n",
        "a_check (rules 1) pass passed\n",
        "1. done: template on lane-1\n",
        f"reply:{document.id}: answered\n",
        '{"$type": "app.bsky.feed.post", "text": "Here it is"}\n',
        "built → replied",
    ):
        assert part in told


def test_why_an_attempt_was_refused(prompt: Prompt, ledger: Ledger) -> None:
    """What the asker is told, and beneath it what operators are; a lane's own lines cannot pass for others."""
    report = ended(BuildOutcome.REFUSED, reason="Too much for me.", detail="no template fits\n  status        built")
    ledger.claims.report(LANE, claim_id_of(building(ledger)), report)

    lines = prompt.lines("show", "3kfirst")
    attempt = lines[lines.index("attempts") :]

    assert ["  detail        Too much for me.", f"{'':16}no template fits", f"{'':16}  status        built"] == attempt[
        3:6
    ]
    assert "1 ends refused: Too much for me.; no template fits;   status        built" in prompt.lines(
        "logs", "3kfirst"
    )


def test_what_was_seen_and_decided(prompt: Prompt, ledger: Ledger) -> None:
    """A send with what it does and who decided about it; the post and the reply as they were last seen."""
    document = replied(ledger)
    like = ledger.sends.claim_aside(BOT, f"like:{document.id}", document, frozen("3klike"))
    ledger.decisions.again(OPERATOR, like)
    ledger.sightings.present(document, "cid-new")
    ledger.sightings.absent(document)
    ledger.sightings.reply_seen(document)
    ledger.sightings.reply_deleted(document)

    told = prompt.run("show", document.id).stdout

    for part in ("  does          put\n", "  decided       by olga: try again\n", "  looked at     20"):
        assert part in told
    for part in ("  post absent   since 20", "  reply seen    20", "  reply deleted 20"):
        assert part in told


def test_what_an_ask_points_at_and_what_it_joined(prompt: Prompt, ledger: Ledger) -> None:
    """Each post with whose words they are; the ask that this one repeats."""
    first = received(ledger)
    said = {"author_handle": "bob.test", "author_did": BOB, "text": "dice\x1b[2J", "alts": ("two dice",), "card": ""}
    posts = [
        Context.model_validate(said | {"post": first.mention.post, "quoted": quoted, "alts": alts})
        for quoted, alts in ((False, ()), (True, ("two dice",)))
    ]
    second = refuse(ledger, received(ledger, "3ktwo", context=tuple(posts)), Reason.SAME_ASK, first.id)

    lines = prompt.lines("show", second.id)

    assert "  replies to    bob.test: dice\\x1b[2J" in lines
    assert "  quotes        bob.test: dice\\x1b[2J | two dice" in lines
    assert f"  joined        {first.id}" in lines


def test_an_edited_post(prompt: Prompt, ledger: Ledger) -> None:
    """Both versions are named."""
    document = ledger.sightings.present(received(ledger), "cid-new")

    assert f"  post edited   read as {document.source_cid}, now cid-new" in prompt.lines("show", "3kfirst")


def test_a_held_reply(prompt: Prompt, ledger: Ledger) -> None:
    """With why it waits; once released, that too."""
    held = ledger.decisions.hold_reply(BOT, built(ledger), "30 hours old")
    before = prompt.lines("show", "3kfirst")
    ledger.decisions.release_reply(OPERATOR, held)

    assert "  reply held    30 hours old" in before
    assert f"  released      by {OPERATOR.device}, after it was held" in prompt.lines("show", "3kfirst")


def test_json_holds_the_same(prompt: Prompt, ledger: Ledger) -> None:
    """In one object."""
    document = replied(ledger)

    told = json.loads(prompt.lines("show", document.id, "--json")[0])

    assert document.id == told["document"]["id"]
    assert ["done"] == [attempt["outcome"] for attempt in told["attempts"]]
    assert ["answered"] == [send["state"] for send in told["sends"]]
    assert ["received", "pending-build", "building", "built", "replied"] == [move["to"] for move in told["moves"]]


def test_a_log_cannot_pass_for_the_rest_of_the_page(prompt: Prompt, ledger: Ledger) -> None:
    """Each of its lines is marked as one, whatever ends a line."""
    claimed = building(ledger)
    log = "step one\nhistory\r\nverdicts\u2028sends\x0b\x1b[2J"
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.BROKEN, log_tail=log))

    lines = prompt.lines("show", "3kfirst")

    assert ["  | step one", "  | history\\x0d", "  | verdicts\\u2028sends\\x0b\\x1b[2J"] == [
        line for line in lines if line.startswith("  |")
    ]
    assert 1 == lines.count("history")


@pytest.mark.parametrize(
    "name",
    [
        "mention:did:plc:alice:3kfirst",
        "mention:did:plc:alice:3kf",
        "3kfirst",
        "at://did:plc:alice/app.bsky.feed.post/3kfirst",
        "https://bsky.app/profile/did:plc:alice/post/3kfirst",
        "https://bsky.app/profile/alice.test/post/3kfirst",
        " https://bsky.app/profile/did%3Aplc%3Aalice/post/3kfirst?ref=x#top ",
    ],
)
def test_every_name_of_a_document(prompt: Prompt, ledger: Ledger, name: str) -> None:
    """Whatever an operator has at hand."""
    received(ledger)
    received(ledger, "3kother")

    assert "mention:did:plc:alice:3kfirst" == prompt.lines("show", name)[0]


@pytest.mark.parametrize("address", ["http://localhost:8100/{}", "http://{}.localhost:9/index.html"])
def test_an_apps_address_names_its_document(prompt: Prompt, ledger: Ledger, address: str) -> None:
    """Its page, or the app itself."""
    document = replied(ledger)
    assert document.slug is not None

    assert document.id == prompt.lines("show", address.format(document.slug))[0]


@pytest.mark.parametrize("name", ["mention:did:plc:alice:", "3knone", "%", "https://other.example/x", "at://x/y/z"])
def test_what_names_no_single_document_is_not_found(prompt: Prompt, ledger: Ledger, name: str) -> None:
    """Nothing, or more than one: a line on standard error and a status of its own."""
    received(ledger)
    received(ledger, "3kother")

    result = prompt.run("show", name)

    assert (3, "") == (result.exit_code, result.stdout)
    assert 1 == len(result.stderr.splitlines())


def test_where_an_app_lives_that_is_not_here(prompt: Prompt, ledger: Ledger) -> None:
    """Its lane has to take it down there; the link of the reply is our page all the same."""
    claimed = building(ledger)
    done = Report(
        outcome=BuildOutcome.DONE,
        title="t",
        address="https://pages.example/x/1/index.html",
        sha256="0" * 64,
        generator="g",
    )
    found = Inspected(PASS, page="https://apps.example/x")
    ledger.claims.report(LANE, claim_id_of(claimed), done, found)

    told = prompt.run("show", claimed.document.id).stdout

    assert "app           https://apps.example/x\n" in told
    assert "published at  https://pages.example/x/1/index.html\n" in told
