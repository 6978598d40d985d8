"""The list of documents and the charts, without a browser."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.api.problems import Refused
from bot.console.charts import told
from bot.console.filters import MOST_PLACES, Filters, Trail, address, filters_of, trail_of
from bot.ledger.selection import Place, Selection
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import STARTS, received, replied
from tests.console.conftest import Served
from tests.console.visitors import Visitor
from tests.mentions import NOON


def test_what_is_typed_is_what_is_selected() -> None:
    """However a time is written; what is empty leaves nothing out, and the address says it all again."""
    sent = {
        "status": ["error", "built"],
        "reason": ["", "lane_lost"],
        "author": [" @alice.test "],
        "since": ["2D"],
        "until": ["2026-03-02T13:00+01:00"],
        "lane": ["lane-1"],
        "text": ["tea\0 & more"],
    }
    filters = filters_of(sent)

    assert Selection(
        statuses=(Status.ERROR, Status.BUILT),
        reasons=(Reason.LANE_LOST,),
        author="alice.test",
        since=NOON - timedelta(days=2),
        until=NOON,
        lane="lane-1",
        text="tea & more",
    ) == filters.selection(NOON)
    query = "status=error&status=built&reason=lane_lost&author=%40alice.test&since=2D"
    assert address(filters).startswith(f"/console/documents?{query}&until=")
    assert Selection() == Filters().selection(NOON)
    assert "/console/documents" == address(Filters())
    assert datetime(2027, 1, 31, tzinfo=UTC) == Filters(since="2027-01-31").selection(NOON).since
    assert not filters_of({"text": ["  "]}).narrows


@pytest.mark.parametrize("told", ["yesterday", "99999d", "0001-01-01T00:00+23:59", "2d2"])
def test_a_time_that_makes_no_sense_is_said(told: str) -> None:
    """And never taken for none."""
    with pytest.raises(Refused, match="write 90m"):
        Filters(since=told).selection(NOON)


def test_a_page_remembers_how_its_reader_came() -> None:
    """So that there is a way back; but not for ever."""
    trail = Trail()
    for number in range(MOST_PLACES + 3):
        trail = trail.on(Place(NOON + timedelta(microseconds=number), DocId(f"mention:did:plc:alice:3k.{number}")))

    assert MOST_PLACES == len(trail.places)
    assert Place(NOON + timedelta(microseconds=14), DocId("mention:did:plc:alice:3k.14")) == trail.place
    assert Place(NOON + timedelta(microseconds=13), DocId("mention:did:plc:alice:3k.13")) == trail.back.place
    assert trail == trail_of({"after": list(trail.places)})
    assert None is Trail().place
    for wrong in ("x.y", "9" * 40, ""):
        with pytest.raises(Refused, match="place in the list"):
            Trail((wrong,)).place  # noqa: B018 - reading it is what raises


def test_an_address_that_makes_no_sense_says_so(viewer: Visitor) -> None:
    """In a page, and not with an error of ours."""
    for wrong in ("status=flying", "reason=none", "since=soon", "after=here"):
        answer = viewer.get(f"/documents?{wrong}")
        assert (422, True) == (answer.status_code, "makes no sense" in answer.text)
    assert [422, 422] == [viewer.get(f"/charts{path}?range=1y").status_code for path in ("", "/figures")]


def test_what_has_changed_is_told_row_by_row(console: Served, viewer: Visitor) -> None:
    """Those that are asked for, wherever they stand in the list; and which the page would show now."""
    first, second = received(console.ledger, "3kone"), received(console.ledger, "3ktwo")
    other = replied(console.ledger, "3kthree")
    asked = {"status": "received", "id": [first.id, other.id, "nobody"]}
    changes = viewer.http.get("/console/documents/changes", params=asked).json()

    assert {first.id, second.id} == set(changes["ids"])
    assert [first.id, other.id] == [part.partition('"')[0] for part in changes["rows"].split('data-id="')[1:]]
    assert "checkbox" not in changes["rows"]


def test_a_link_in_the_search_leads_to_its_document(console: Served, viewer: Visitor) -> None:
    """And words are words."""
    document = received(console.ledger)

    for name in (document.source_uri, document.id):
        answer = viewer.http.get("/console/documents", params={"text": name})
        assert (303, f"/console/documents/{document.id}") == (answer.status_code, answer.headers["Location"])
    assert 200 == viewer.http.get("/console/documents", params={"text": "at://nobody"}).status_code


def test_charts_and_their_figures(console: Served, viewer: Visitor) -> None:
    """As many values as stretches, and what has not happened is no number."""
    for status, make in STARTS.items():
        make(console.ledger, f"3k{status.value}")
    figures = viewer.get("/charts/figures?range=24h").json()
    page = viewer.get("/charts?range=24h").text

    at, charts = figures["at"], figures["charts"]
    assert {len(at)} == {len(series["values"]) for chart in charts.values() for series in chart["series"]}
    assert [len(STARTS), 3, 1] == [sum(series["values"]) for series in charts["flow"]["series"]]
    assert None is charts["success"]["series"][0]["values"][0]
    assert page.count('<div class="plot"') == len(charts)
    assert "reason=nothing_to_build&amp;since=24h" in page
    assert 200 == viewer.get("/charts?range=90d").status_code


def test_values_as_tables_have_them() -> None:
    """In the unit that people think in."""
    values = [
        (None, "usd"),
        (90.0, "seconds"),
        (7200.0, "seconds"),
        (1.25, "seconds"),
        (66.6, "percent"),
        (0.0234, "usd"),
    ]

    assert ["–", "1.5 min", "2.0 h", "1.2 s", "67 %", "$0.023"] == [told(value, unit) for value, unit in values]
    assert "1,200" == told(1200, "count")
