"""Putting a post before the bot by hand."""

import pytest

from bot.ledger.ledger import Ledger
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from guardrails.documents import StrongRef, split_at_uri
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import accept
from tests.bot.terminal.prompt import Prompt
from tests.documents import newest

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


@pytest.fixture
def post(sandbox: SandboxServer, alice: SandboxAccount) -> StrongRef:
    """A post of alice's that mentions nobody."""
    return sandbox.network.post(alice.did, "I wish I had a tip splitter")


def link(post: StrongRef, who: str) -> str:
    return f"https://bsky.app/profile/{who}/post/{split_at_uri(post.uri).rkey}"


def test_the_whole_text_is_the_ask(host: Prompt, ledger: Ledger, post: StrongRef) -> None:
    """The operator's word stands for the mention, and the history names the operator."""
    result = host.run("ask", post.uri)

    (document,) = newest(ledger, 10)
    assert (0, f"{document.id}\n") == (result.exit_code, result.stdout)
    assert ("I wish I had a tip splitter", True) == (document.mention.ask, document.mention.by_operator)
    (move,) = ledger.feed.after(0, 10)
    assert (Reason.ASKED_BY_OPERATOR, Status.RECEIVED) == (move.reason, move.to_status)
    assert move.device.startswith("cli:")


def test_a_mention_in_it_is_not_part_of_the_ask(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, alice: SandboxAccount, wright: SandboxAccount
) -> None:
    """As when it had come by itself."""
    post = sandbox.network.post(alice.did, "@wright.test a dice roller", mentions=[wright.did])

    host.run("ask", link(post, "alice.test"))

    assert ["a dice roller"] == [document.mention.ask for document in newest(ledger, 10)]


def test_a_second_time_it_is_known(host: Prompt, ledger: Ledger, post: StrongRef, alice: SandboxAccount) -> None:
    """The document's status is said, and nothing changes."""
    host.run("ask", post.uri)
    accept(ledger, newest(ledger, 1)[0])

    result = host.run("ask", link(post, alice.did))

    assert (0, "known already: pending-build (passed)\n") == (result.exit_code, result.stderr)
    assert 2 == ledger.feed.last()


def test_a_post_that_is_gone_is_not_found(
    host: Prompt, ledger: Ledger, sandbox: SandboxServer, post: StrongRef
) -> None:
    """A clear line instead of a document."""
    sandbox.network.delete_record(post.uri)

    result = host.run("ask", post.uri)

    assert (3, "") == (result.exit_code, result.stdout)
    assert "not shown to us" in result.stderr
    assert [] == newest(ledger, 10)


@pytest.mark.parametrize("text", ["3kfirst", "https://bsky.app/", "https://bsky.app/profile/nobody.test/post/3k"])
def test_what_is_no_link_of_a_post(host: Prompt, text: str) -> None:
    """Neither."""
    result = host.run("ask", text)

    assert (3, "") == (result.exit_code, result.stdout)


def test_a_wrong_password_is_said(host: Prompt, post: StrongRef) -> None:
    """With the network's status, and without the password."""
    result = host.having(SKYWRIGHT_PASSWORD="canary-wrong").run("ask", post.uri)

    assert 5 == result.exit_code
    assert "AuthenticationRequired" in result.stderr
    assert "canary" not in result.output


def test_a_document_is_shown_by_the_authors_new_handle(
    host: Prompt, sandbox: SandboxServer, post: StrongRef, alice: SandboxAccount
) -> None:
    """The account's PDS knows whose it is."""
    document_id = host.run("ask", post.uri).stdout.strip()
    sandbox.network.rename(alice.did, "alice.example")

    assert document_id == host.lines("show", link(post, "alice.example"))[0]
