"""The workflow is called when work waits and no lane comes: over real HTTP, to a GitHub of the test's own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.clock import Clock
from bot.github import Workflow
from bot.jobs.dispatch import GRACE, Dispatched, dispatch_once
from bot.ledger.conditions import DISPATCH
from bot.ledger.dispatches import Pace
from bot.ledger.ledger import Ledger
from bot.outgoing import Failed
from bot.workflows import WorkflowCalls
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.switches import Switch
from tests.bot.bluesky.scripted import Answer, Call, answered, scripted_pds
from tests.bot.ledger.steps import claim, pending, travel
from tests.facts import PURSE
from tests.mentions import OPERATOR

CANARY = "canary-token"
PACE = Pace(again_after=timedelta(minutes=10), per_hour=12)
LANE = DeviceId("lane-1")


@dataclass
class GitHub:
    """Answers what a test wants, and remembers what it was asked."""

    url: str = ""
    answer: Answer = field(default_factory=lambda: Answer(204, b""))
    calls: list[Call] = field(default_factory=list)

    def take(self, call: Call) -> Answer:
        self.calls.append(call)
        return self.answer

    def workflow(self, event: str | None = None) -> Workflow:
        return Workflow(self.url, "olga/lanes", "builder-lane.yml", "main", event, SecretStr(CANARY))

    @property
    def ids(self) -> list[str]:
        return [call.json["inputs"]["dispatch_id"] for call in self.calls]


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[GitHub]]]:
    present: list[GitHub] = []

    def answer(call: Call) -> Answer:
        return present[-1].take(call)

    with scripted_pds(answer) as running:
        yield running.url, present


@pytest.fixture
def github(server: tuple[str, list[GitHub]]) -> GitHub:
    url, present = server
    present.append(GitHub(url))
    return present[-1]


@dataclass
class Office:
    """The job over a ledger, one round at a time."""

    ledger: Ledger
    calls: WorkflowCalls
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def round(self, pace: Pace = PACE) -> Dispatched:
        return dispatch_once(self.ledger, self.calls, pace, PURSE, lambda: f"id-{next(self.ids)}")


@pytest.fixture
def office(ledger: Ledger, github: GitHub) -> Iterator[Office]:
    ledger.desk.add_device(OPERATOR, LANE, "a lane", Role.LANE, "", "token")
    calls = WorkflowCalls(github.workflow(), deadline_seconds=5)
    yield Office(ledger, calls)
    calls.close()


def waits(ledger: Ledger, clock: Clock, rkey: str = "3kfirst") -> None:
    """Something has waited for as long as is left to the lanes that watch."""
    pending(ledger, rkey)
    clock.shift += GRACE


def test_work_that_waits_has_the_workflow_called(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """Once, by its file and branch, with an id of ours and no word of the mention."""
    nothing = office.round()
    pending(office.ledger)
    too_early = office.round()
    ledger_clock.shift += GRACE
    rounds = [office.round() for _ in range(3)]
    (call,) = github.calls

    assert (Dispatched(0), Dispatched(1)) == (nothing, too_early)
    assert [Dispatched(1, called=True), Dispatched(1), Dispatched(1)] == rounds
    assert "/repos/olga/lanes/actions/workflows/builder-lane.yml/dispatches" == call.path
    assert {"ref": "main", "inputs": {"dispatch_id": "id-1"}} == call.json
    assert (f"Bearer {CANARY}", "2022-11-28") == (
        call.headers["authorization"],
        call.headers["x-github-api-version"],
    )


def test_an_event_may_be_sent_in_its_stead(github: GitHub) -> None:
    """For a workflow that listens to several."""
    calls = WorkflowCalls(github.workflow("work-waits"), deadline_seconds=5)

    assert None is calls.call("id-1")
    assert "/repos/olga/lanes/dispatches" == github.calls[0].path
    assert {"event_type": "work-waits", "client_payload": {"dispatch_id": "id-1"}} == github.calls[0].json
    calls.close()


def test_a_lane_that_came_makes_the_call_needless(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """One that watches takes the work; one that asked since it waits may have its hands full for a while."""
    waits(office.ledger, ledger_clock)
    office.ledger.lanes.asked(LANE, "template")
    busy = office.round()
    claim(office.ledger)
    taken = office.round()

    assert (Dispatched(1), Dispatched(0)) == (busy, taken)
    assert [] == github.calls


def test_no_lane_no_rest(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """The same id again after a while, as often as it takes; whatever the runs are said to do."""
    waits(office.ledger, ledger_clock)
    for _ in range(35):
        office.round()
        travel(ledger_clock, minutes=1)

    assert ["id-1"] * 4 == github.ids


def test_each_wait_has_an_id_of_its_own(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """A lane came for the first one, and went; the next work is called for soon."""
    waits(office.ledger, ledger_clock)
    office.round()
    travel(ledger_clock, seconds=50)
    office.ledger.lanes.asked(LANE, "template")
    claim(office.ledger)
    travel(ledger_clock, seconds=1)
    waits(office.ledger, ledger_clock, "3ksecond")
    office.round()

    assert ["id-1", "id-2"] == github.ids


def test_no_more_calls_than_the_hour_has(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """However much waits, and however the lanes come and go."""
    ledger_clock.shift -= timedelta(minutes=office.ledger.db.time().minute)
    waits(office.ledger, ledger_clock)
    for _ in range(20):
        office.round(Pace(again_after=timedelta(minutes=1), per_hour=4))
        travel(ledger_clock, minutes=2)

    assert 4 == len(github.calls)


def test_while_builds_are_paused_nothing_is_called(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """Whoever came would get nothing."""
    waits(office.ledger, ledger_clock)
    office.ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")

    assert (Dispatched(0), []) == (office.round(), github.calls)


FAILURES: dict[str, tuple[Answer, str]] = {
    "a wrong token": (answered({"message": "Bad credentials"}, 401), "its token is wrong or over; Bad credentials"),
    "a token that may not": (answered({"message": "Resource not accessible"}, 403), "may not do that"),
    "no such workflow": (answered({"message": "Not Found"}, 404), "no such repository or workflow"),
    "a disabled workflow": (answered({"message": "Workflow is disabled"}, 422), "Workflow is disabled"),
    "too many calls": (answered({}, 429), "status 429"),
    "a broken GitHub": (Answer(502, b"<html>\x1b[2J"), "status 502"),
    "somewhere else": (Answer(301, b"", {"Location": "http://127.0.0.1:1"}), "status 301"),
    "a cut line": (Answer(204, b"", cut_after=-1), "RemoteProtocolError"),
    "a hostile word": (answered({"message": "\x1b[2J" + "x" * 9999}, 400), "\\x1b[2Jxxx"),
}


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("answer", "told"), FAILURES.values(), ids=FAILURES.keys())
def test_what_fails_is_told_and_tried_ever_later(
    office: Office, github: GitHub, ledger_clock: Clock, answer: Answer, told: str
) -> None:
    """Under the same id, since it may have been taken; once it is, all is well again. The token is told to nobody."""
    github.answer = answer
    waits(office.ledger, ledger_clock)
    with capture_logs() as logs:
        for _ in range(10):
            office.round()
            travel(ledger_clock, seconds=61)
    (condition,) = office.ledger.conditions.standing()
    failed, github.answer = len(github.calls), Answer(204, b"")
    travel(ledger_clock, minutes=10)
    mended = office.round()

    # At once, and after one, two and four minutes more.
    assert (4, ["dispatch_failed"]) == (failed, [entry["event"] for entry in logs])
    assert (DISPATCH, True) == (condition.name, told in condition.detail)
    assert len(condition.detail) < 400
    assert CANARY not in condition.detail + str(logs)
    assert ({"id-1"}, Dispatched(1, called=True), []) == (set(github.ids), mended, office.ledger.conditions.standing())


def test_as_long_as_github_says_it_is_left_alone(office: Office, github: GitHub, ledger_clock: Clock) -> None:
    """Up to an hour."""
    github.answer = answered({}, 429, Retry_After="1200")
    waits(office.ledger, ledger_clock)
    for _ in range(19):
        office.round()
        travel(ledger_clock, minutes=1)
    before = len(github.calls)
    travel(ledger_clock, minutes=2)
    office.round()

    assert (1, 2) == (before, len(github.calls))


@pytest.mark.parametrize(
    ("header", "after"), [("7", 7), ("999999999", 3600), ("soon", None), ("-1", None), ("٣", None), ("", None)]
)
def test_odd_waits_are_none(github: GitHub, header: str, after: int | None) -> None:
    """And endless ones have an end."""
    github.answer = answered({}, 429, **({"Retry_After": header} if header.isascii() else {}))
    calls = WorkflowCalls(github.workflow(), deadline_seconds=5)
    failed = calls.call("id-1")
    calls.close()

    assert failed is not None
    assert (timedelta(seconds=after) if after is not None else None) == failed.after


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (answered({"state": "active"}), "active"),
        (answered({"state": "disabled_inactivity"}), "disabled_inactivity"),
        (answered({}), Failed("the answer does not say whether it is switched on")),
        (answered([]), Failed("the answer does not say whether it is switched on")),
        (Answer(200, b"[" * 100_000), Failed("the answer does not say whether it is switched on")),
        (Answer(200, b" " * 600_000), Failed("the answer does not say whether it is switched on")),
    ],
)
def test_whether_a_workflow_is_switched_on(github: GitHub, answer: Answer, state: Any) -> None:
    """GitHub switches a schedule off where nobody commits for long."""
    github.answer = answer
    calls = WorkflowCalls(github.workflow(), deadline_seconds=5)

    assert state == calls.state()
    assert "/repos/olga/lanes/actions/workflows/builder-lane.yml" == github.calls[0].path
    calls.close()
