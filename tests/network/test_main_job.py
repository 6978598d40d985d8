"""The main job with the real processes on the real AT network: alice asks, and reads one reply."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.documents import newest
from tests.network.net import Account, Network
from tests.scenarios.links import link_of
from tests.scenarios.processes import Machine, machine
from tests.waiting import until

ASK = "🍅 @{} make me a pomodoro timer, 25/5 please"


@pytest.fixture
def alice(network: Network) -> Account:
    return network.create_account(network.fresh_handle("alice"), display_name="Alice")


@pytest.fixture
def wright(network: Network) -> Account:
    return network.create_account(network.fresh_handle("wright"), self_labels=["bot"])


@pytest.fixture
def here(network: Network, wright: Account, tmp_path: Path) -> Iterator[Machine]:
    """A machine whose bot knows its DID, its password and the directory; the PDS it finds there."""
    with machine(
        tmp_path,
        identifier=wright.did,
        password=wright.password,
        plc_url=network.endpoints.plc,
        call_deadline_seconds="15",
    ) as here:
        yield here


def read_replies(network: Network, post: StrongRef, reader: Account) -> list[dict[str, Any]]:
    """The replies below a post as somebody reads them, once there are any."""

    def replies() -> list[dict[str, Any]]:
        network.process()
        found: list[dict[str, Any]] = network.get_post_thread(post.uri, reader.did).get("replies", [])
        return found

    return until(replies)


def test_alice_asks_and_reads_one_reply(network: Network, here: Machine, alice: Account, wright: Account) -> None:
    """Its root and parent are her thread's, and its link leads to the app; so it stays when all is begun anew."""
    opening = network.post(alice.did, "what shall I do about my mornings?")
    bot = here.bot()
    here.enrol()
    lane = here.lane()
    text = ASK.format(wright.handle)
    ask = network.reply(alice.did, opening, text, mentions=[wright.did])
    document = here.document(ask.uri, Status.REPLIED)
    (reply,) = read_replies(network, ask, alice)
    record = reply["post"]["record"]
    page = here.page(urlsplit(link_of(record)).path)
    app = here.page("/~1/", app=document.slug)

    assert wright.did == reply["post"]["author"]["did"]
    assert {"root": opening.model_dump(), "parent": ask.model_dump()} == {
        end: {"uri": ref["uri"], "cid": ref["cid"]} for end, ref in record["reply"].items()
    }
    assert (200, 200) == (page.status_code, app.status_code)
    assert "Pomodoro" in page.text
    assert "Pomodoro" in app.text

    bot.kill()
    lane.kill()
    here.lose_the_ledger()
    here.bot("--since", "1h")
    later = network.post(alice.did, text, mentions=[wright.did])
    here.document(later.uri, Status.PENDING_BUILD)

    assert [reply["post"]["uri"]] == [each["uri"] for each in network.list_records(wright.did)]
    with here.ledger() as ledger:
        # The first ask is there too where it was read before our own posts were: then it is known as answered,
        # before it is judged (replied) or by being judged (skipped).
        known = ((Status.REPLIED, None), (Status.SKIPPED, Reason.ALREADY_ANSWERED))
        before = [each for each in newest(ledger, 10) if each.source_uri != later.uri]
        assert [] == [each for each in before if each.source_uri != ask.uri]
        assert [] == [each for each in before if (each.status, each.reason) not in known]
