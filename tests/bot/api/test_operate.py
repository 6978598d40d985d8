"""The operators' API: who may call what, and what a call must look like."""

from collections.abc import Iterable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from structlog.testing import capture_logs

from bot.api.app import admin_app
from bot.jobs.board import JobBoard
from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from guardrails.access import Role
from guardrails.documents import ClaimId
from guardrails.transitions import Status
from tests.bot.api.lanes import refusal
from tests.bot.api.operators import operations_over
from tests.bot.serving import client, served
from tests.bot.stage import OPERATOR, Stage
from tests.documents import newest
from tests.facts import PURSE

WHO = {"who": "did:plc:alice"}
DEVICE = {"device": {"place": {"name": "x", "allowed_prefix": "https://apps.example"}, "role": "viewer"}}
NEVER = "2026-01-01T00:00:00Z"
OPEN = "anybody"
# Every route of the admin listener but the console's: who may call it, and a call that is fine by its shape.
# Whoever adds a route adds it here. `operators` includes no viewer, `readers` are both.
ROUTES: dict[tuple[str, str], tuple[str, Any]] = {
    ("GET", "/health"): (OPEN, {}),
    ("GET", "/ready"): (OPEN, {}),
    ("POST", "/api/rules/reload"): (OPEN, {}),
    ("GET", "/api/me"): ("readers", {}),
    ("GET", "/api/overview"): ("readers", {}),
    ("GET", "/api/documents"): ("readers", {"status": ["built", "error"], "limit": 5}),
    ("GET", "/api/documents/count"): ("readers", {"author": "alice.test", "reason": ["passed"]}),
    ("GET", "/api/documents/find"): ("readers", {"name": "3k000"}),
    ("GET", "/api/documents/whole"): ("readers", {"name": "mention:did:plc:alice:3k000"}),
    ("GET", "/api/moves"): ("readers", {"after": 0, "lane": "x", "reason": "passed", "author": "alice.test"}),
    ("GET", "/api/moves/last"): ("readers", {}),
    ("GET", "/api/moves/before"): ("readers", {"moment": NEVER}),
    ("GET", "/api/export"): ("readers", {"after": 0}),
    ("GET", "/api/sends"): ("readers", {"everything": True}),
    ("GET", "/api/sends/find"): ("readers", {"name": "reply:x"}),
    ("GET", "/api/sends/record"): ("readers", {"key": "reply:x", "link": "at://x"}),
    ("GET", "/api/switches"): ("readers", {}),
    ("GET", "/api/people"): ("readers", {}),
    ("GET", "/api/people/handles"): ("readers", {"did": ["did:plc:alice", "did:plc:bob"]}),
    ("GET", "/api/people/who"): ("readers", {"name": "did:plc:alice"}),
    ("GET", "/api/devices"): ("readers", {}),
    ("GET", "/api/costs"): ("readers", {"since": NEVER, "by": "lane"}),
    ("GET", "/api/figures"): ("readers", {"since": NEVER, "until": "2026-01-02T00:00:00Z"}),
    ("GET", "/api/parked"): ("readers", {"limit": 5}),
    ("GET", "/api/alerts"): ("readers", {}),
    ("GET", "/api/audit"): ("readers", {"before": 5}),
    ("POST", "/api/acts"): (
        "operators",
        {"acts": [{"deed": "skip", "on": {"id": "mention:did:plc:alice:3k000", "version": 2}, "action_id": "a-1"}]},
    ),
    ("POST", "/api/asks"): ("operators", {"link": "at://did:plc:alice/app.bsky.feed.post/3k"}),
    ("POST", "/api/sends/settle"): ("operators", {"key": "reply:x", "settling": "again", "tries": 1}),
    ("POST", "/api/switches/pause"): ("operators", {"switches": ["pause_builds"], "why": "x"}),
    ("POST", "/api/switches/resume"): ("operators", {"switches": ["pause_builds"]}),
    ("POST", "/api/people/lay-down"): ("operators", WHO | {"standing": "denied", "why": "x"}),
    ("POST", "/api/people/lift"): ("operators", WHO),
    ("POST", "/api/apps/unpublished"): ("operators", {"slug": "timer-x"}),
    ("POST", "/api/people/take-down"): ("operators", WHO | {"action_id": "a-2"}),
    ("POST", "/api/devices"): ("operators", DEVICE),
    ("POST", "/api/devices/invite"): (
        "operators",
        {"device": DEVICE["device"] | {"role": "lane", "lasts": "PT2H"}},
    ),
    ("POST", "/api/alerts/try"): ("operators", {}),
    ("POST", "/api/devices/revoke"): ("operators", {"device": "nobody"}),
}
MAY = {OPEN: set(Role), "readers": {Role.VIEWER, Role.OPERATOR}, "operators": {Role.OPERATOR}}


def app_over(ledger: Ledger) -> FastAPI:
    operations_of = operations_over(ledger)
    return admin_app(ledger, JobBoard(ledger.db.time), ledger.db.time, RulesFile(None), operations_of=operations_of)


def routes_of(routes: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Method and path of each, those of the routers that an app includes as well."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield from ((method, route.path) for method in route.methods or ())
        elif (included := getattr(route, "original_router", None)) is not None:
            yield from routes_of(included.routes)


@pytest.fixture
def admin(stage: Stage) -> Iterator[httpx.Client]:
    stage.ask()
    for role in (Role.LANE, Role.VIEWER, Role.OPERATOR):
        stage.device(f"{role.value}-token", role=role)
    with capture_logs(), served(lambda _: app_over(stage.ledger)) as port, client(port) as http:
        http.headers["X-Skywright-Api-Version"] = "1"
        yield http


def call(http: httpx.Client, route: tuple[str, str], role: Role | None, content: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {role.value}-token"} if role is not None else {}
    method, path = route
    more = {"params": content} if method == "GET" else {"json": content}
    return http.request(method, path, headers=headers, **more)


def as_operator(http: httpx.Client, route: tuple[str, str], content: Any) -> httpx.Response:
    return call(http, route, Role.OPERATOR, content)


def test_every_route_as_each_role(admin: httpx.Client, stage: Stage) -> None:
    """Nobody and a lane get nothing, a viewer only looks; a refusal comes before the content is looked at."""
    wrong = {}
    for route, (who, content) in ROUTES.items():
        for role in (None, Role.LANE, Role.VIEWER, Role.OPERATOR):
            allowed = who == OPEN or (role is not None and role in MAY[who])
            answer = call(admin, route, role, content if allowed else {"nonsense": 1})
            refused = answer.status_code in (401, 403)
            expected = None if allowed else 401 if role is None else 403
            if (expected is None) == refused or (refused and answer.status_code != expected):
                wrong[*route, role] = answer.status_code

    assert {} == wrong
    assert {Status.SKIPPED} == {document.status for document in newest(stage.ledger, 5)}


def test_the_table_names_every_route(stage: Stage) -> None:
    """A route that nobody has thought about the callers of is a failed test."""
    assert set(ROUTES) == set(routes_of(app_over(stage.ledger).routes))


def test_what_is_fine_is_answered(admin: httpx.Client) -> None:
    """With the version of the API and a result; where there is nothing of the kind, or no network, that is said."""
    calls = {route: content for route, (_, content) in ROUTES.items() if route[1].startswith("/api")}

    told = {route: as_operator(admin, route, content) for route, content in calls.items()}

    elsewhere = {
        ("GET", "/api/sends/find"): (404, "no_such_document"),
        ("GET", "/api/sends/record"): (404, "no_such_document"),
        ("POST", "/api/sends/settle"): (404, "no_such_document"),
        ("POST", "/api/asks"): (502, "network"),
        ("POST", "/api/alerts/try"): (409, "not_done"),
    }
    refused = {route: refusal(answer) for route, answer in told.items() if not answer.is_success}
    assert elsewhere == refused
    results = {route: answer.json() for route, answer in told.items() if answer.is_success}
    assert {1} == {result["api_version"] for result in results.values()}
    assert ["skipped"] == [outcome["status"] for outcome in results["POST", "/api/acts"]["result"]]
    assert "no-store" == told["GET", "/api/me"].headers["Cache-Control"]


@pytest.mark.parametrize(
    ("route", "content", "named"),
    [
        (("GET", "/api/documents"), {"staus": "error"}, "staus"),
        (("GET", "/api/documents"), {"status": "hunter2"}, "status"),
        (("GET", "/api/documents"), {"limit": 501}, "limit"),
        (("GET", "/api/documents"), {"since": "2026-01-01T00:00:00"}, "since"),
        (("GET", "/api/documents"), {"text": "hunter2" * 1000}, "text"),
        (("GET", "/api/costs"), {"since": NEVER, "by": "hunter2"}, "by"),
        (("GET", "/api/documents/find"), {}, "name"),
        (("POST", "/api/acts"), {"acts": []}, "acts"),
        (("POST", "/api/acts"), {"acts": [{"deed": "hunter2"}]}, "acts.0.deed"),
        (("POST", "/api/acts"), {"acts": [{"deed": "skip", "on": {"id": "x", "version": 1, "more": 1}}]}, "more"),
        (("POST", "/api/acts"), {"acts": [ROUTES["POST", "/api/acts"][1]["acts"][0] | {"why": "hunter2\x00"}]}, "acts"),
        (("GET", "/api/figures"), {"since": NEVER, "until": "2026-06-01T00:00:00Z"}, "at most 90 days"),
        (("POST", "/api/asks"), {"link": "x", "more": "hunter2"}, "more"),
        (("POST", "/api/people/lift"), {"who": "a\x00b"}, "who"),
        (("POST", "/api/switches/pause"), {"switches": [], "why": ""}, "switches"),
    ],
)
def test_what_makes_no_sense_is_refused(
    admin: httpx.Client, route: tuple[str, str], content: dict[str, Any], named: str
) -> None:
    """With the name of what is wrong, not its value; a misspelt filter does not mean everything."""
    answer = as_operator(admin, route, content)

    assert (422, "invalid") == refusal(answer)
    assert named in answer.json()["message"]
    assert "hunter2" not in answer.text


def test_a_name_that_is_none(admin: httpx.Client) -> None:
    """Whoever typed it is told so, and nothing is laid down."""
    for route, content in (
        (("GET", "/api/people/who"), {"name": "not a name"}),
        (("POST", "/api/people/lay-down"), {"who": "not a name", "standing": "denied", "why": ""}),
        (("POST", "/api/people/take-down"), {"who": "not a name", "action_id": "x"}),
    ):
        assert (422, "no_name") == refusal(as_operator(admin, route, content))


def test_another_version_is_refused(admin: httpx.Client) -> None:
    """In the header and in the body; none in either is taken for ours."""
    headers = {"Authorization": "Bearer operator-token", "X-Skywright-Api-Version": "2"}

    assert (426, "api_version") == refusal(admin.get("/api/me", headers=headers))
    assert (426, "api_version") == refusal(as_operator(admin, ("POST", "/api/asks"), {"api_version": 2, "link": "x"}))
    del admin.headers["X-Skywright-Api-Version"]
    assert 200 == as_operator(admin, ("GET", "/api/me"), {}).status_code


def test_a_get_changes_nothing(admin: httpx.Client, stage: Stage) -> None:
    """What does something is not there for a GET, nor is what reads for a POST."""
    for method, path in ROUTES:
        other = "GET" if method == "POST" else "POST"
        if (other, path) not in ROUTES:
            assert 405 == as_operator(admin, (other, path), {}).status_code
    assert 2 == stage.ledger.feed.last()


def test_a_body_that_is_too_large(admin: httpx.Client) -> None:
    """It is not kept in memory."""
    answer = admin.post("/api/acts", content=b" " * 600_000, headers={"Authorization": "Bearer operator-token"})

    assert (413, "too_large") == refusal(answer)


def test_the_same_act_twice_is_done_once(admin: httpx.Client, stage: Stage) -> None:
    """An answer that was lost costs nothing: the same is told again."""
    route = ("POST", "/api/acts")
    content = ROUTES[route][1]

    first, second = as_operator(admin, route, content), as_operator(admin, route, content)

    assert first.json() == second.json()
    assert 3 == stage.ledger.feed.last()


def test_pages_follow_one_another(admin: httpx.Client, stage: Stage) -> None:
    """By the place that each names."""
    for _ in range(4):
        stage.ask()
    seen: list[str] = []
    place: dict[str, str] = {}
    while True:
        page = as_operator(admin, ("GET", "/api/documents"), {"limit": 2, **place}).json()["result"]
        seen += [document["id"] for document in page["documents"]]
        if page["next"] is None:
            break
        place = {"after_at": page["next"]["created_at"], "after_id": page["next"]["id"]}

    assert [document.id for document in newest(stage.ledger, 9)] == seen


def test_a_lane_at_work_is_seen(admin: httpx.Client, stage: Stage) -> None:
    """The claim's own secret is nobody's business; tokens are in no answer."""
    lane = stage.device("second-lane")
    stage.ledger.claims.claim_next(lane.caller, ClaimId("c" * 26), "template", PURSE)

    told = as_operator(admin, ("GET", "/api/overview"), {})

    assert [lane.id] == [work["device"] for work in told.json()["result"]["at_work"]]
    assert "sha256" not in as_operator(admin, ("GET", "/api/devices"), {}).text
    assert OPERATOR.device != lane.id
