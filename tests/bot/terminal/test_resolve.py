"""A person decides about a send that does not settle itself."""

import re
from datetime import timedelta

import pytest

from bot.ledger.ledger import Ledger
from bot.ledger.sends import Frozen
from bot.ledger.views import Send
from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from bot.terminal.opening import operator
from guardrails.documents import Did, DocId, RecordKey, StrongRef, split_at_uri
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import accept, claim, claim_id_of, done, frozen, now_of, sending
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.mentions import BOT, LANE, mention

MINUTE = timedelta(minutes=1)
LIKES = "app.bsky.feed.like"
SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


@pytest.fixture
def unknown(ledger: Ledger) -> Send:
    """A reply of which nobody knows whether it is out."""
    return ledger.sends.unknown(sending(ledger), "no answer", MINUTE)


@pytest.fixture
def post(sandbox: SandboxServer, alice: SandboxAccount) -> StrongRef:
    """What alice asked for, as it stands on the network."""
    return sandbox.network.post(alice.did, "@wright.test a dice roller")


@pytest.fixture
def asked(ledger: Ledger, post: StrongRef, alice: SandboxAccount) -> Send:
    """The reply to alice's post, unknown."""
    rkey = split_at_uri(post.uri).rkey
    (document,) = ledger.documents.receive(BOT, [mention(rkey, Did(alice.did))])
    accept(ledger, document)
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done())
    send = ledger.sends.claim_reply(BOT, now_of(ledger, document), frozen("3kours2222222"))
    return ledger.sends.unknown(send, "no answer", MINUTE)


def flat(text: str) -> str:
    """A message without the frame and the line breaks that it was given."""
    return " ".join(text.replace("│", "").split())


def document_id(send: Send) -> DocId:
    return DocId(str(send.document_id))


def test_abandoned_by_a_script(prompt: Prompt, ledger: Ledger, unknown: Send) -> None:
    """What is at risk is said, and the decision is this operator's, in the send and in the history."""
    result = prompt.run("resolve", unknown.key, "--abandon", "--yes")

    (send,) = ledger.queries.sends(document_id(unknown))
    assert (0, f"{send.key}: abandoned, decided by {operator().device}: abandoned\n") == (
        result.exit_code,
        result.stdout,
    )
    assert "says it a second time" in result.stderr
    assert "its document goes to error" in result.stderr
    assert ("abandoned", operator().device) == (send.state, send.decided_by)
    move = ledger.feed.after(ledger.feed.last() - 1, 1)[0]
    assert (Status.ERROR, Reason.SETTLED_BY_PERSON, operator().device) == (move.to_status, move.reason, move.device)


@SQLITE
@pytest.mark.parametrize("name", ["3kfirst", "reply:mention:did:plc:alice:3kfirst", "mention:did:plc:alice:3kf"])
def test_a_document_means_its_reply(prompt: Prompt, ledger: Ledger, unknown: Send, name: str) -> None:
    """Whatever an operator has at hand."""
    prompt.run("resolve", name, "--again", "--yes")

    (send,) = ledger.queries.sends(document_id(unknown))
    assert ("claimed", "try again", None) == (send.state, send.decision, send.next_try_at)


@SQLITE
def test_a_conflict_is_looked_at_again(prompt: Prompt, ledger: Ledger) -> None:
    """The person says that the way is free; nothing is overwritten all the same."""
    stuck = ledger.sends.in_conflict(sending(ledger), "another record is there")

    result = prompt.run("resolve", stuck.key, "--again", "--yes")

    assert re.search(r"conflict for \d+s, tries 1: another record is there", result.stderr)
    assert "it never overwrites" in result.stderr
    (send,) = ledger.outbox.due(5, "reply:")
    assert (None, True) == (send.conflict, send.unknown_since is not None)


@SQLITE
@pytest.mark.parametrize(("answer", "expected"), [("y\n", (0, "abandoned")), ("n\n", (4, "claimed"))])
def test_a_person_is_asked(
    prompt: Prompt, ledger: Ledger, unknown: Send, answer: str, expected: tuple[int, str]
) -> None:
    """After they have read what is at risk."""
    result = prompt.typing(answer, "resolve", unknown.key, "--abandon")

    (send,) = ledger.queries.sends(document_id(unknown))
    assert expected == (result.exit_code, send.state)
    assert result.stderr.index("At risk") < result.stderr.index("Do it?")


@SQLITE
@pytest.mark.parametrize(
    "options",
    [
        ["--abandon"],
        ["--yes"],
        ["--abandon", "--again", "--yes"],
        ["--abandon", "--sent", "at://did:plc:wright/app.bsky.feed.post/3k", "--yes"],
    ],
    ids=" ".join,
)
def test_one_decision_and_somebody_to_ask(prompt: Prompt, ledger: Ledger, unknown: Send, options: list[str]) -> None:
    """Else it is wrong usage, and nothing is written."""
    result = prompt.run("resolve", unknown.key, *options)

    assert (2, "") == (result.exit_code, result.stdout)
    assert [unknown] == ledger.queries.sends(document_id(unknown))


@SQLITE
def test_what_the_bot_settled_meanwhile_is_left_alone(prompt: Prompt, ledger: Ledger, unknown: Send) -> None:
    """A status of its own, and the record's address."""
    ref = StrongRef.model_validate({"uri": "at://did:plc:wright/app.bsky.feed.post/3k", "cid": "cid-1"})
    ledger.sends.answered(BOT, unknown, ref)

    result = prompt.run("resolve", unknown.key, "--abandon", "--yes")

    assert (4, f"{unknown.key} is settled: answered as {ref.uri}\n") == (result.exit_code, result.stderr)


@SQLITE
def test_what_moved_on_while_the_person_thought_is_lost(
    prompt: Prompt, ledger: Ledger, unknown: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's try began between the question and the answer."""

    def tried_meanwhile(*_: object, **__: object) -> bool:
        ledger.sends.begin_try(unknown)
        return True

    monkeypatch.setattr("typer.confirm", tried_meanwhile)
    result = prompt.typing("", "resolve", unknown.key, "--abandon")

    assert (4, "") == (result.exit_code, result.stdout)
    assert "meanwhile" in result.stderr
    assert ["claimed"] == [send.state for send in ledger.queries.sends(document_id(unknown))]


@SQLITE
@pytest.mark.parametrize("name", ["3knone", "reply:mention:did:plc:alice:3knone", "like:x"])
def test_a_key_that_nobody_has(prompt: Prompt, ledger: Ledger, unknown: Send, name: str) -> None:
    """Nothing was ever sent under it."""
    assert 3 == prompt.run("resolve", name, "--abandon", "--yes").exit_code


@SQLITE
def test_a_reply_that_was_found_by_a_person_settles_the_key(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, asked: Send, post: StrongRef
) -> None:
    """Also under another record key; its link does as well, and the document is replied."""
    reply = sandbox.network.post(wright.did, "Here it is", reply=post)
    link = f"https://bsky.app/profile/wright.test/post/{split_at_uri(reply.uri).rkey}"

    result = host.run("resolve", asked.key, "--sent", link, "--yes")

    assert (0, True) == (result.exit_code, f"It counts as sent, as {reply.uri}" in result.stderr)
    (send,) = ledger.queries.sends(document_id(asked))
    assert ("answered", reply.uri, reply.cid, operator().device) == (send.state, send.uri, send.cid, send.decided_by)
    now = now_of(ledger, document_id(asked))
    assert (Status.REPLIED, reply.uri) == (now.status, now.reply_uri)
    assert CANARY not in result.output


@SQLITE
def test_what_was_not_sent_by_us_to_the_mention_is_refused(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, alice: SandboxAccount, asked: Send
) -> None:
    """Somebody else's, somewhere else, about something else, or gone: an error each, and nothing is written."""
    network = sandbox.network
    other = network.post(alice.did, "something else")
    gone = network.post(wright.did, "gone")
    network.delete_record(gone.uri)
    wrong = {
        other.uri: (1, "is not in our repository"),
        network.like(wright.did, other).uri: (1, "is no app.bsky.feed.post"),
        network.post(wright.did, "about that", reply=other).uri: (1, f"is about {other.uri}"),
        network.post(wright.did, "hello").uri: (1, "answers nothing"),
        gone.uri: (3, "is not there"),
        "at://wright.test/app.bsky.feed.post/3k": (2, "not an at-uri of a record with a DID"),
        "https://bsky.app/": (3, "not the link of a post"),
    }

    told = {uri: host.run("resolve", asked.key, "--sent", uri, "--yes") for uri in wrong}

    assert {uri: status for uri, (status, _) in wrong.items()} == {uri: it.exit_code for uri, it in told.items()}
    assert [] == [uri for uri, (_, words) in wrong.items() if words not in flat(told[uri].stderr)]
    assert [asked] == ledger.queries.sends(document_id(asked))


@SQLITE
def test_a_network_that_does_not_answer_is_told(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, asked: Send
) -> None:
    """It is not taken for an absence."""
    uri = f"at://{wright.did}/app.bsky.feed.post/3kours2222222"
    sandbox.network.faults.append(Fault("com.atproto.repo.getRecord", "status", times=5))

    assert 5 == host.run("resolve", asked.key, "--sent", uri, "--yes").exit_code
    assert [asked] == ledger.queries.sends(document_id(asked))


@SQLITE
def test_a_like_is_of_the_mention(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, asked: Send, post: StrongRef
) -> None:
    """Its subject is looked at; its document stays as it is."""
    document = now_of(ledger, document_id(asked))
    record = Frozen(LIKES, RecordKey("3klike"), {"$type": LIKES, "subject": post.model_dump()}, "cid-like")
    like = ledger.sends.claim_aside(BOT, f"like:{document.id}", document, record)
    ledger.sends.unknown(like, "cut", MINUTE)
    other = sandbox.network.like(wright.did, sandbox.network.post(wright.did, "else"))
    right = sandbox.network.like(wright.did, post)

    refused = host.run("resolve", like.key, "--sent", other.uri, "--yes")
    settled = host.run("resolve", like.key, "--sent", right.uri, "--yes")

    assert (1, 0) == (refused.exit_code, settled.exit_code)
    assert ("answered", right.uri) == ((send := ledger.queries.send(like.key)).state, send.uri)
    assert document == now_of(ledger, document)


@SQLITE
def test_a_note_is_not_the_reply(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, asked: Send, post: StrongRef
) -> None:
    """What another key was sent as settles no second one."""
    document = now_of(ledger, document_id(asked))
    note = ledger.sends.claim_aside(BOT, f"note:{document.id}", document, frozen("3knote"))
    told = sandbox.network.post(wright.did, "Sorry", reply=post)

    first = host.run("resolve", note.key, "--sent", told.uri, "--yes")
    second = host.run("resolve", asked.key, "--sent", told.uri, "--yes")

    assert (0, 1) == (first.exit_code, second.exit_code)
    assert f"is what {note.key} was sent as" in flat(second.stderr)


@SQLITE
def test_a_deletion_counts_once_the_record_is_gone(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, asked: Send, post: StrongRef
) -> None:
    """Not while it is there, and not by another record's absence."""
    reply = sandbox.network.post(wright.did, "Here it is", reply=post)
    document, rkey = now_of(ledger, document_id(asked)), split_at_uri(reply.uri).rkey
    gone = ledger.sends.claim_aside(BOT, f"delete:{reply.uri}", document, frozen(rkey), op="delete")
    elsewhere = f"at://{wright.did}/app.bsky.feed.post/3kelse"

    def resolve(uri: str) -> int:
        return host.run("resolve", gone.key, "--sent", uri, "--yes").exit_code

    there, other = resolve(reply.uri), resolve(elsewhere)
    sandbox.network.delete_record(reply.uri)

    assert (1, 1, 0) == (there, other, resolve(reply.uri))
    assert "answered" == ledger.queries.send(gone.key).state
