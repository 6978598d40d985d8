"""The sends in the console: what is unsettled, what a person decides about one, and what could not be read."""

import re
from datetime import timedelta

import pytest

from bot.ledger.conditions import ALERTS
from bot.ledger.ledger import Ledger
from bot.ledger.views import Send
from bot.operations.port import Settling
from bot.operations.sends import at_risk
from bot.outgoing import Failed
from guardrails.documents import DocId, StrongRef
from guardrails.transitions import Status
from tests.bot.ledger.steps import now_of, replied, sending
from tests.bot.operations.desk import OUTSIDE, FakeNetwork
from tests.console.conftest import Outside, Served
from tests.console.visitors import Visitor
from tests.mentions import BOT

HOUR = timedelta(hours=1)
HOSTILE = "<img src=x onerror=alert(1)>\x1b[2J\u202e"
SHOWN = "&lt;img src=x onerror=alert(1)&gt;\\x1b[2J\\u202e"
INERT = re.compile("<img|\x1b|\u202e")


def unknown(ledger: Ledger, rkey: str) -> Send:
    """A reply of which nobody knows whether it is out."""
    return ledger.sends.unknown(sending(ledger, rkey), "no answer", HOUR)


def in_conflict(ledger: Ledger, rkey: str, why: str = "another record is there") -> Send:
    return ledger.sends.in_conflict(sending(ledger, rkey), why)


def may_land(ledger: Ledger, rkey: str) -> Send:
    """A reply that was refused while an earlier try was on its way."""
    return ledger.sends.refused(BOT, sending(ledger, rkey), "InvalidRequest", may_land=True)


def headings(page: str) -> list[tuple[str, str]]:
    """State and key of each send of a page, in its order."""
    return re.findall(r'<span class="mark said-\w+">([\w, ]+)</span> <code>([^<]+)</code>', page)


def test_the_unsettled_ones_are_shown_and_on_demand_all(console: Served, viewer: Visitor) -> None:
    """The oldest first, each with its document, its state in a word, why, and what is frozen; then the newest."""
    ledger = console.ledger
    done = replied(ledger, "3kdone")
    made = [unknown(ledger, "3kone"), in_conflict(ledger, "3ktwo"), may_land(ledger, "3kthree")]
    unsettled = list(zip(("unknown", "conflict", "refused, may still land"), (send.key for send in made), strict=True))
    page, everything = viewer.get("/sends").text, viewer.get("/sends?all=yes").text

    assert unsettled == headings(page)
    for told in ("no answer", "another record is there", "InvalidRequest", "Here it is", "1 try", ">59m<"):
        assert told in page
    assert f'href="/console/documents/{made[0].document_id}"' in page
    assert 'method="post"' not in page.partition("<main")[2]
    assert [*unsettled, *unsettled[::-1], ("answered", f"reply:{done.id}")] == headings(everything)
    assert viewer.part("/sends").text.startswith('<div id="sends-now"')


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_what_others_wrote_is_text(console: Served, operator: Visitor) -> None:
    """In a send as in what could not be read, which is shown as it came."""
    in_conflict(console.ledger, "3kone", HOSTILE)
    console.ledger.desk.park("notifications", {"uri": HOSTILE, "record": ["\ud800"]}, HOSTILE)
    console.ledger.desk.park("notifications", {}, "of somebody who is forgotten")
    sends, parked = operator.get("/sends").text, operator.get("/parked").text

    for page in (sends, parked):
        assert SHOWN in page
        assert not INERT.search(page)
    assert "&#34;uri&#34;: &#34;&lt;img src=x onerror=alert(1)&gt;\\u001b[2J\\u202e&#34;" in parked
    assert "Its content is gone" in parked
    assert 'href="/console/parked"' in operator.get("/").text


@pytest.mark.parametrize(
    ("settling", "status", "said"),
    [(Settling.AGAIN, Status.BUILT, "unknown"), (Settling.ABANDON, Status.ERROR, "abandoned")],
)
def test_a_person_decides(console: Served, operator: Visitor, settling: Settling, status: Status, said: str) -> None:
    """After a page with the very words of the terminal; once, in their name, and only as the send was seen."""
    ledger, send = console.ledger, in_conflict(console.ledger, "3kone")
    form = {"key": send.key, "settling": settling.value}
    assert f'value="{settling.value}"' in operator.get("/sends").text
    asked = operator.post("/sends", form)
    assert 200 == asked.status_code
    assert at_risk(send, settling).splitlines() == re.findall(
        r'<p class="lead">(.*)</p>', asked.text.replace("&#39;", "'")
    )
    assert ledger.queries.send(send.key) == send

    stale = operator.post("/sends/decided", form | {"tries": "7"})
    assert (409, True) == (stale.status_code, "Nothing was decided: " in stale.text)
    decided = operator.post("/sends/decided", form | {"tries": "1", "action": "one-press"})
    again = operator.post("/sends/decided", form | {"tries": "1", "action": "one-press"})

    assert (303, "/console/sends") == (decided.status_code, decided.headers["Location"])
    assert again.status_code in (303, 409)
    present = ledger.queries.send(send.key)
    assert [said] == [state for state, _ in headings(operator.get("/sends?all=yes").text)][-1:]
    assert present.decided_by == ledger.audit.rows(None, 1)[0].device
    assert 1 == sum(row.target == send.key for row in ledger.audit.rows(None, 100))
    assert status is now_of(ledger, DocId(str(send.document_id))).status


def test_a_record_that_is_out_is_looked_at_first(console: Served, outside: Outside, operator: Visitor) -> None:
    """What is not there is told, and nothing decided; what is there counts as sent once a person has confirmed it."""
    ledger, send = console.ledger, unknown(console.ledger, "3kone")
    form = {"key": send.key, "settling": "sent", "uri": OUTSIDE}
    missing = operator.post("/sends", form)
    assert (404, True) == (missing.status_code, "Nothing was decided: there is no network" in missing.text)
    assert 422 == operator.post("/sends", form | {"uri": " "}).status_code

    outside.network = FakeNetwork(out=StrongRef(uri=OUTSIDE, cid="bafyout"))
    asked = operator.post("/sends", form)
    assert f'<p class="lead">It counts as sent, as {OUTSIDE}; nothing is sent under this key any more.' in asked.text
    assert 303 == operator.post("/sends/decided", form | {"tries": "1"}).status_code

    assert ("answered", OUTSIDE) == (ledger.queries.send(send.key).state, ledger.queries.send(send.key).uri)
    assert Status.REPLIED is now_of(ledger, DocId(str(send.document_id))).status
    settled = operator.post("/sends", form)
    assert (409, True) == (settled.status_code, f"{send.key} is settled: answered as {OUTSIDE}" in settled.text)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_the_alert_channel_is_told_of_and_tried(console: Served, outside: Outside, operator: Visitor) -> None:
    """There is none; there is one that has told nothing yet; it takes a test; it fails, and the page says why."""
    assert "SKYWRIGHT_ALERT_URL is not set" in operator.get("/").text
    outside.takes = lambda: None
    assert 'It last took a message: <span class="quiet">never</span>' in operator.get("/").text
    assert 303 == operator.post("/alerts/test").status_code
    assert re.search(r"It last took a message: <time [^>]*>\d+s ago</time>", operator.get("/").text)

    outside.takes = lambda: Failed("it answers with status 500")
    console.ledger.conditions.set(ALERTS, "it has answered with status 500")
    failed = operator.post("/alerts/test")
    assert 422 == failed.status_code
    assert "the alert channel took no message: it answers with status 500" in failed.text
    assert re.search(r'class="mark held">failing</span> for <time .*: it has answered with status 500', failed.text)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_what_is_not_there_leads_on(operator: Visitor, nobody: Visitor) -> None:
    """For whoever is signed in, with the pages and their search; nobody else learns which pages there are."""
    page, empty = operator.get("/nothing"), nobody.get("/nothing")

    assert [404, 404] == [page.status_code, empty.status_code]
    assert ("<nav" in page.text, "Sign out" in page.text, "<nav" in empty.text) == (True, True, False)
